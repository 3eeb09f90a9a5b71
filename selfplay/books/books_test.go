package books

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// bookOf writes a book of n random openings, and loads it.
func bookOf(t testing.TB, n int, name string) *opening.Book {
	t.Helper()
	r, err := opening.NewRandom(8, 1)
	if err != nil {
		t.Fatal(err)
	}
	var list []Exit
	for i := range n {
		game, err := r.Propose(uint64(i), 1)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Exit{game, engine.NoScore})
	}
	path := filepath.Join(t.TempDir(), name)
	if err := Write(path, list); err != nil {
		t.Fatal(err)
	}
	b, err := opening.LoadBook(path, opening.Spec{}, 1)
	if err != nil || int(b.Len()) != n || len(b.Repeats()) > 0 {
		t.Fatalf("%d openings of %d: %v", b.Len(), n, err)
	}
	return b
}

// A book that was written has the same positions, as EPD with their counters, and as PGN with their moves.
func TestWrittenBooksAreReadBack(t *testing.T) {
	r, _ := opening.NewRandom(8, 1)
	for _, name := range []string{"b.epd", "b.pgn"} {
		b := bookOf(t, 50, name)
		for n := range b.Len() {
			want, _ := r.Propose(n, 1)
			got, err := b.Propose(n, 1)
			if err != nil || got.Position().FEN() != want.Position().FEN() {
				t.Fatalf("%s, opening %d: %s, want %s", name, n, got.Position().FEN(), want.Position().FEN())
			}
			if name == "b.pgn" && !reflect.DeepEqual(got.Moves(), want.Moves()) {
				t.Errorf("%s, opening %d: other moves", name, n)
			}
		}
	}
}

// simulated are pairs of two players from the openings of a book. Of each pair decided(opening) is the share that a
// player wins, by the better one with probability lead.
func simulated(t testing.TB, g *Games, players [2]string, pairs int, lead float64, decided func(int) float64, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	m, _ := g.matchup(players[0], players[1])
	keys := make([]uint64, len(g.keys))
	for key, n := range g.keys {
		keys[n] = key
	}
	for n, key := range keys {
		g.starts[key] = g.fen(n)
		for range pairs {
			p := pair{opening: key, matchup: m, moves: [2]uint64{rng.Uint64(), rng.Uint64()}}
			switch {
			case rng.Float64() >= decided(n):
			case rng.Float64() < lead:
				p.results = [2]int{1, 0}
			default:
				p.results = [2]int{-1, 0}
			}
			g.pairs = append(g.pairs, p)
		}
	}
}

// newGames returns no games of a book of n openings.
func newGames(t testing.TB, n int) *Games {
	g, err := New(bookOf(t, n, "b.epd"))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// decided makes every fourth opening one that decides nothing, and others decide more or less.
func decided(n int) float64 { return 0.2 * float64(n%4) }

// What is kept is worth what the plan says to other players, who did not choose; a chance choice is worth nothing, and
// few pairs promise less.
func TestPruneIsWorthWhatItSays(t *testing.T) {
	const openings = 200
	g := newGames(t, openings)
	for i, a := range []string{"a", "b", "c", "d", "e"} {
		simulated(t, g, [2]string{a, a + a}, 10, 0.6, decided, uint64(i))
	}
	p, err := g.Prune(0.5)
	if err != nil {
		t.Fatal(err)
	}
	dull := 0
	for i, e := range p.Openings {
		if i%4 == 0 && e.Kept {
			dull++
		}
		if e.Pairs != 50 || e.Number != i+1 {
			t.Fatalf("opening %d: %+v", i, e)
		}
	}
	if p.Kept != openings/2 || dull > 0 {
		t.Errorf("%d kept, %d of them decide nothing", p.Kept, dull)
	}
	fresh := newGames(t, openings)
	simulated(t, fresh, [2]string{"x", "y"}, 200, 0.6, decided, 99)
	if fresh.SamePlayers(g) != "" || g.SamePlayers(g) == "" {
		t.Error("who plays both")
	}
	kept, left := fresh.Split(p)
	w := Compare(kept, left)
	// A pair of an opening adds lead*decided to the mean and decided to the variance, nearly: nElo^2 goes by decided.
	// Half of the openings decide .5 on average, the others .1.
	if !w.Known() || w.Lo > 0.2 || w.Hi < 0.2 || w.Hi > 0.4 {
		t.Errorf("kept in place of left: %+v, want about 0.2", w)
	}
	if whole := Compare(kept, fresh.Stat()); math.Abs(float64(whole.Games)-p.Plan[2].Games) > 0.12 {
		t.Errorf("kept in place of all: %.2f, and the plan says %.2f", whole.Games, p.Plan[2].Games)
	}

	few := newGames(t, openings)
	simulated(t, few, [2]string{"a", "b"}, 1, 0.6, decided, 7)
	q, err := few.Prune(0.5)
	if err != nil || q.Plan[2].Games < p.Plan[2].Games+0.1 {
		t.Errorf("one pair an opening promises %.2f, fifty %.2f: %v", q.Plan[2].Games, p.Plan[2].Games, err)
	}
	same := newGames(t, openings)
	simulated(t, same, [2]string{"a", "b"}, 50, 0.6, func(int) float64 { return 0.4 }, 8)
	if q, err = same.Prune(0.5); err != nil || q.Plan[2].Games < 0.85 {
		t.Errorf("openings that are all alike promise %.2f: %v", q.Plan[2].Games, err)
	}
}

// A share of about 95 % of the intervals has the true worth. Equal players know none.
func TestCompareCovers(t *testing.T) {
	const runs, pairs = 250, 2000
	rng := rand.New(rand.NewPCG(1, 2))
	stat := func(decided, lead float64) *Stat {
		var p sprt.Pentanomial
		for range pairs {
			switch {
			case rng.Float64() >= decided:
				p[2]++
			case rng.Float64() < lead:
				p[3]++
			default:
				p[1]++
			}
		}
		return &Stat{Matchups: []Matchup{{IDA: "a", IDB: "b", Pentanomial: p, NElo: sprt.Summarize(p).Details().Normalized()}}}
	}
	square := func(d, lead float64) float64 { // of nElo, up to a factor
		mean := d * (2*lead - 1) / 4
		return mean * mean / (d/16 - mean*mean)
	}
	want := square(0.3, 0.62) / square(0.6, 0.62)
	in, known, equal := 0, 0, 0
	for range runs {
		if w := Compare(stat(0.6, 0.62), stat(0.3, 0.62)); w.Known() {
			known++
			if float64(w.Lo) <= want && want <= float64(w.Hi) {
				in++
			}
		}
		if Compare(stat(0.6, 0.5), stat(0.3, 0.5)).Known() {
			equal++
		}
	}
	if share := float64(in) / float64(known); known < runs*9/10 || share < 0.92 || share > 0.98 {
		t.Errorf("%d known, of which %.3f have the worth, want 0.95", known, share)
	}
	if equal > runs/50 {
		t.Errorf("%d of %d comparisons of equal players claim to know", equal, runs)
	}
	x := stat(0.6, 0.62)
	turned := *x
	turned.Matchups = []Matchup{x.Matchups[0]}
	m := &turned.Matchups[0]
	m.IDA, m.IDB = m.IDB, m.IDA
	m.NElo = sprt.Strength{Elo: -m.NElo.Elo, EloLo: -m.NElo.EloHi, EloHi: -m.NElo.EloLo}
	if w := Compare(x, &turned); w.Games != 1 || w.Lo > 0.9 || w.Hi < 1.1 {
		t.Errorf("the same players the other way round: %+v", w)
	}
}

func TestStat(t *testing.T) {
	g := newGames(t, 3)
	simulated(t, g, [2]string{"a", "b"}, 10, 1, func(n int) float64 { return float64(n % 2) }, 1)
	// Opening 3 is not drawn: White wins all games, and two pairs are the same.
	for i := range g.pairs {
		if g.keys[g.pairs[i].opening] == 2 {
			g.pairs[i].results = [2]int{1, 1}
		}
	}
	g.pairs[1].moves = g.pairs[0].moves
	s := g.Stat()
	if s.Pairs != 30 || s.Openings != 3 || s.RepeatedPairs != 1 || s.Even != 2.0/3 || s.OneWon != 1.0/3 || s.Draws != 0.5 {
		t.Errorf("%+v", s)
	}
	if s.White.Share != 0.75 || s.White.Lo < 0.65 || s.White.Hi > 0.85 {
		t.Errorf("White: %+v", s.White)
	}
	if len(s.Dead) != 2 || s.Dead[0].Number != 1 || s.Dead[0].Drawn != 20 || s.Dead[1].Number != 3 || s.Dead[1].Drawn != 0 {
		t.Errorf("openings that decide nothing: %+v", s.Dead)
	}
	if len(s.Matchups) != 1 || s.Matchups[0].Pentanomial != (sprt.Pentanomial{0, 0, 20, 10, 0}) {
		t.Errorf("players: %+v", s.Matchups)
	}
}

const played = `[Event "e"]
[Round "1"]
[White "a"]
[Black "b"]
[Result "1-0"]

1. e4 e5 2. Nf3 1-0

[White "b"]
[Black "a"]
[Result "1/2-1/2"]

1. e4 e5 2. Nc3 1/2-1/2

[White "b"]
[Black "a"]
[Result "0-1"]

1. d4 d5 0-1

[White "a"]
[Black "b"]
[Result "*"]

1. d4 d5 *

[White "b"]
[Black "a"]
[Result "0-1"]

1. c4 0-1
`

func TestReadPGN(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	book, err := opening.LoadBook(write("b.epd", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n"+
		"rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq -\n"), opening.Spec{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(book)
	if err != nil {
		t.Fatal(err)
	}
	path := write("g.pgn", played)
	if err := g.Read(path); err != nil {
		t.Fatal(err)
	}
	s := g.Stat()
	if s.Pairs != 1 || s.Unpaired != 1 || s.Unfinished != 1 || s.Others != 1 ||
		s.Matchups[0].Pentanomial != (sprt.Pentanomial{0, 0, 0, 1, 0}) {
		t.Errorf("%+v", s)
	}
	none, _ := New(nil)
	for path, says := range map[string]string{path: "g.pgn: line 1: the game does not say where its opening ends",
		filepath.Join(dir, "no.pgn"): "no.pgn: file does not exist",
		write("one.pgn", "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n"): "played twice",
		write("bad.pgn", strings.Replace(played, "e5", "e6 e4", 1)):                                                   "bad.pgn: line 7",
	} {
		if err := none.Read(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", path, err, says)
		}
	}
}
