package match

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// A complete run goes on if it may have more games and no test has decided.
func TestShort(t *testing.T) {
	for _, c := range []struct {
		games   uint64
		test    *sprt.Test
		verdict string
		want    bool
	}{
		{0, new(sprt.Test), Undecided, true}, {9, new(sprt.Test), Undecided, true}, {8, new(sprt.Test), Undecided, false},
		{1, new(sprt.Test), Undecided, false}, {0, new(sprt.Test), AcceptH1, false}, {9, new(sprt.Test), AcceptH0, false},
		{9, nil, "", true}, {8, nil, "", false},
	} {
		m := &match{Config: Config{Games: c.games}}
		if got := m.short(&Result{Games: 8, Test: c.test, Verdict: c.verdict}); got != c.want {
			t.Errorf("8 of %d games, test %v, %q: short %v", c.games, c.test != nil, c.verdict, got)
		}
	}
}

// TestWarnings: only a player against itself with the same limits measures noise.
func TestWarnings(t *testing.T) {
	hundred, thousand := selfplay.Limits{Nodes: 100}, selfplay.Limits{Nodes: 1000}
	a, b := selfplay.Player{Spec: toy.Spec("a")}, selfplay.Player{Spec: toy.Spec("b")}
	for _, tt := range []struct {
		b       selfplay.Player
		limitsB selfplay.Limits
		noise   bool
	}{
		{a, hundred, true}, {a, selfplay.Limits{}, true}, {a, thousand, false},
		{b, hundred, false}, {b, selfplay.Limits{}, false}, {b, thousand, false},
	} {
		c := Config{Setup: selfplay.Setup{Rules: selfplay.Rules{Limits: hundred}}, A: a, B: tt.b, LimitsB: tt.limitsB}
		if list := c.Warnings(); (len(list) == 1) != tt.noise {
			t.Errorf("%s, %+v: %q", tt.b.Identity(), tt.limitsB, list)
		}
	}
	c := Config{A: selfplay.Player{Same: "uci:@0123456789ab", ID: "uci:new@0123456789ab"},
		B: selfplay.Player{Same: "uci:@0123456789ab", ID: "uci:old@0123456789ab"}}
	if len(c.Warnings()) != 1 {
		t.Error("two copies of one program are not noticed")
	}
}

// TestCounterEnds: a counter takes as many pairs as it was made for, and says from the first pair on how it stands.
func TestCounterEnds(t *testing.T) {
	n := setup.Must(newCounter(&Config{A: selfplay.Player{Spec: toy.Spec("a")}, B: selfplay.Player{Spec: toy.Spec("b")},
		Games: 6}))
	for i, want := range []string{"", "Elo -  +1 =1 -0  pairs [0 0 0 1 0]", "Elo -  +2 =2 -0  pairs [0 0 0 2 0]"} {
		if n.over() || n.note() != want {
			t.Errorf("after %d pairs: over %v, %q, want %q", i, n.over(), n.note(), want)
		}
		games := []selfplay.Result{{Number: uint64(2 * i), Result: board.WhiteWins}, {Number: uint64(2*i + 1)}}
		setup.Check(t, n.add(games))
		n.tally.Add(&games[0], [2]int{0, 1})
		n.tally.Add(&games[1], [2]int{1, 0})
	}
	if r := n.conclude(); !n.over() || r.Games != 6 || r.Wins != 3 || r.Draws != 3 || r.Losses != 0 ||
		r.WhiteScore != 4.5/6 {
		t.Errorf("%+v", r)
	}
}

// TestSpeed is nodes by seconds; without a time it is not known.
func TestSpeed(t *testing.T) {
	r := Result{Nodes: [2]uint64{3000, 500}, Time: [2]time.Duration{1500 * time.Millisecond, 0}}
	if got := r.NodesPerSecond(); got != [2]float64{2000, 0} {
		t.Errorf("got %v, want [2000 0]", got)
	}
}

// count counts the games of a text, and returns the file that has it.
func count(t *testing.T, text string) (c *PGNCount, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "games.pgn")
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
	return setup.Must(CountPGN(t.Context(), path, "A", "B")), path
}

// TestTestOfPGN: the test comes from the first finished game, if it has one.
func TestTestOfPGN(t *testing.T) {
	game := func(white, black, tag string) string {
		return strings.Replace(pgnText("1", "", white, black, "1-0", "1. e4 e5"), "\n", "\n[SPRT \""+tag+"\"]\n", 1)
	}
	const good, other = "0 5 normalized 0.05 0.1 true", "0 9 normalized 0.05 0.1 false"
	want := sprt.Test{Elo0: 0, Elo1: 5, Model: sprt.Normalized, Alpha: 0.05, Beta: 0.1}
	c, _ := count(t, game("A", "B", good)+game("B", "A", other))
	if c.Test == nil || *c.Test != want || !c.Corrected {
		t.Errorf("%s: read as %+v, corrected %v", good, c.Test, c.Corrected)
	}
	for _, tag := range []string{"", "0 5", "5 0 normalized 0.05 0.1 true", "0 5 other 0.05 0.1 true",
		"0 5 normalized 0.5 0.5 true"} {
		if c, _ := count(t, game("A", "B", tag)+game("B", "A", good)); c.Test != nil {
			t.Errorf("%q: read as %+v", tag, c.Test)
		}
	}
	tags := testTags(&want, true)
	if len(tags) != 1 || tags[0].Name != "SPRT" || tags[0].Value != good || testTags(nil, true) != nil {
		t.Errorf("written as %+v, want %s", tags, good)
	}
}

// TestFollow checks the last point of a curve against the statistics of all pairs at once.
func TestFollow(t *testing.T) {
	var pairs [][2]int
	for i := range 1000 {
		pairs = append(pairs, [2]int{i%3 - 1, i/3%3 - 1})
	}
	test := &sprt.Test{Elo0: -5, Elo1: 6, Model: sprt.Logistic, Alpha: 0.05, Beta: 0.05}
	c := setup.Must(Follow(pairs, test, false, 100))
	if len(c) != 100 || c[0].Games != 20 || c[99].Games != 2000 {
		t.Fatalf("%d points: %+v", len(c), c)
	}
	last := c[99]
	llr, err := test.LLR(last.Pentanomial)
	lower, upper := test.Bounds()
	if err != nil || *last.LLR != llr || *last.Lower != lower || *last.Upper != upper {
		t.Errorf("LLR %v (%v, %v), want %v (%v, %v), %v", *last.LLR, *last.Lower, *last.Upper, llr, lower, upper, err)
	}
	if s := sprt.Summarize(last.Pentanomial); last.Strength != s.StrengthAfter(test, last.Pentanomial) ||
		s.Samples != 1000 {
		t.Errorf("%+v, want %+v", last, s)
	}
	if c, err = Follow(pairs[:1], nil, false, 100); err != nil || len(c) != 1 || c[0].Games != 2 || c[0].LLR != nil {
		t.Errorf("without a test: %+v, %v", c, err)
	}
	if c, err = Follow(nil, test, false, 100); err != nil || len(c) != 1 || c[0].Games != 0 || *c[0].LLR != 0 {
		t.Errorf("without pairs: %+v, %v", c, err)
	}
}

func TestHeadline(t *testing.T) {
	without := &withoutForfeits{Verdict: Undecided, LLR: 2.314}
	base := Result{A: "new", B: "base", Games: sprt.MinGames, Strength: sprt.Strength{Elo: 20, EloLo: -80, EloHi: 90}}
	enough := base
	enough.EloLo, enough.EloHi = 10, 30
	tested := base
	tested.Strength = sprt.Strength{Elo: 12.4, EloLo: 3.2, EloHi: 20.6}
	tested.Test = &sprt.Test{Elo1: 5}
	forfeited := tested
	forfeited.WithoutForfeits = without
	for _, test := range []struct {
		r       Result
		verdict string
		want    string
	}{
		{tested, AcceptH1, "PASSED: new beats base by +12.4 Elo [+3.2, +20.6]"},
		{forfeited, AcceptH1, "PASSED: new beats base by +12.4 Elo [+3.2, +20.6]; without B's forfeits: not decided (LLR " +
			"2.31)"},
		{tested, AcceptH0, "FAILED: new against base: +12.4 Elo [+3.2, +20.6]"},
		{enough, Stronger, "STRONGER: new beats base by +20 Elo [+10, +30]"},
		{enough, Weaker, "WEAKER: new against base: +20 Elo [+10, +30]"},
		{tested, Undecided, "UNDECIDED: new against base: +12.4 Elo [+3.2, +20.6]"},
		{base, Undecided, "NO CLEAR WINNER: new against base: +20 Elo [-80, +90]"},
		{Result{A: "a", B: "b", Games: 2, Wins: 1, Draws: 1, Strength: sprt.Strength{Elo: 190}}, Undecided,
			"NO CLEAR WINNER: a against b: 1.5 of 2 points, too few games for an Elo"},
		{Result{Reason: "A forfeited 9 of 10 games"}, NoVerdict, "NO VERDICT: A forfeited 9 of 10 games"},
	} {
		r := test.r
		r.Verdict = test.verdict
		if got := r.Headline(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.verdict, got, test.want)
		}
	}
}

// Players that search beyond a soft limit alike are no cause for a warning; one that does alone is.
func TestNodeWarnings(t *testing.T) {
	nodes := selfplay.Limits{Nodes: 1000}
	c := &Config{Setup: selfplay.Setup{Rules: selfplay.Rules{Limits: nodes}}, LimitsB: nodes}
	for _, x := range []struct {
		a, b uint64 // a ply
		want string
	}{
		{1700, 1650, ""}, {1700, 1000, "A, a, searched 1700 nodes a ply, beyond its limit of 1000, and b 1000: "},
		{1000, 4000, "B, b, searched 4000"}, {1400, 900, ""}, {2000, 0, ""},
	} {
		r := &Result{A: "a", B: "b", Plies: 200, Nodes: [2]uint64{100 * x.a, 100 * x.b}}
		got := strings.Join(r.nodeWarnings(c), "; ")
		if !strings.HasPrefix(got, x.want) || (got == "") != (x.want == "") {
			t.Errorf("%d and %d nodes a ply: %q, want %q", x.a, x.b, got, x.want)
		}
	}
	c.A.Spec.Nodes = 4000
	r := &Result{A: "a", B: "b", Plies: 200, Nodes: [2]uint64{400_000, 100_000}}
	if list := r.nodeWarnings(c); list != nil {
		t.Errorf("a player with nodes of its own: %q", list)
	}
}

// pgnText writes a game of two moves from an opening.
func pgnText(round, fen, white, black, result, moves string) string {
	text := fmt.Sprintf("[Event \"x\"]\n[Round %q]\n[White %q]\n[Black %q]\n[Result %q]\n", round, white, black, result)
	if fen != "" {
		text += fmt.Sprintf("[SetUp \"1\"]\n[FEN %q]\n", fen)
	}
	return text + "\n" + moves + " " + result + "\n\n"
}

// TestPairsOfPGN: which games become pairs, in which order, and how many are left. A packed file has the same.
func TestPairsOfPGN(t *testing.T) {
	const fen1, fen2 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
		"rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2"
	const e4, d4, short = "1. e4 e5 2. Nf3", "1. d4 d5 2. c4", "1. e4"
	for name, tt := range map[string]struct{ text, want string }{
		"by round, interleaved": {pgnText("1", fen1, "A", "B", "1-0", "2. Nf3") + pgnText("2", fen2, "A", "B", "0-1",
			"2. c4") + pgnText("2", fen2, "B", "A", "1/2-1/2", "2. c4") + pgnText("1", fen1, "B", "A", "0-1", "2. Nf3"),
			"[[-1 0] [1 1]] [0 1 0 0 1] left 0, unfinished 0"},
		"rounds with parts": {pgnText("1.1", "", "B", "A", "1-0", e4) + pgnText("1.2", "", "A", "B", "1-0", e4) +
			pgnText("2.1", "", "A", "B", "1/2-1/2", d4) + pgnText("2.2", "", "B", "A", "0-1", d4),
			"[[-1 1] [0 1]] [0 0 1 1 0] left 0, unfinished 0"},
		"no rounds, in order": {pgnText("?", "", "A", "B", "1-0", e4) + pgnText("?", "", "B", "A", "1-0", e4) +
			pgnText("?", "", "A", "B", "1-0", d4) + pgnText("-", "", "B", "A", "1-0", e4),
			"[[1 -1]] [0 0 1 0 0] left 2, unfinished 0"},
		"a round each, one unfinished": {pgnText("1", "", "A", "B", "1-0", e4) + pgnText("2", "", "B", "A", "0-1", e4) +
			pgnText("3", "", "A", "B", "*", d4) + pgnText("4", "", "B", "A", "0-1", d4),
			"[[1 1]] [0 0 0 0 1] left 1, unfinished 1"},
		"same colors": {pgnText("1", fen1, "A", "B", "1-0", "2. Nf3") + pgnText("1", fen1, "A", "B", "1-0", "2. Nf3"),
			"[] [0 0 0 0 0] left 2, unfinished 0"},
		"one game with two partners": {pgnText("1", "", "A", "B", "1-0", e4) + pgnText("1", "", "A", "B", "0-1", e4) +
			pgnText("1", "", "B", "A", "1/2-1/2", e4), "[[1 0]] [0 0 0 1 0] left 1, unfinished 0"},
		"two pairs of a round": {pgnText("1", "", "A", "B", "1-0", e4) + pgnText("1", "", "A", "B", "0-1", d4) +
			pgnText("1", "", "B", "A", "1-0", d4) + pgnText("1", "", "B", "A", "0-1", e4),
			"[[-1 -1] [1 1]] [1 0 0 0 1] left 0, unfinished 0"},
		"in order, one in front": {pgnText("", "", "A", "B", "0-1", d4) + pgnText("", "", "A", "B", "1-0", e4) +
			pgnText("", "", "B", "A", "1-0", e4), "[[1 -1]] [0 0 1 0 0] left 1, unfinished 0"},
		"one move in common": {pgnText("1", "", "A", "B", "1-0", short) + pgnText("1", "", "B", "A", "1-0", short),
			"[] [0 0 0 0 0] left 2, unfinished 0"},
		"not one behind the other": {pgnText("?", "", "A", "B", "1-0", e4) + pgnText("-", "", "A", "B", "0-1", d4) +
			pgnText("", "", "B", "A", "1-0", e4), "[[1 -1]] [0 0 1 0 0] left 1, unfinished 0"},
	} {
		c, path := count(t, tt.text)
		if _, paired := c.Counts().(sprt.Pentanomial); paired != (len(c.results) > 0) { // one pair is enough
			t.Errorf("%s: counted as %T", name, c.Counts())
		}
		if got := fmt.Sprintf("%v %v left %d, unfinished %d", c.results, c.Pairs, c.Unpaired, c.Unfinished); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err := z.Write([]byte(tt.text))
		setup.Check(t, errors.Join(err, z.Close(), os.WriteFile(path+".gz", packed.Bytes(), 0o644)))
		if again, err := CountPGN(t.Context(), path+".gz", "A", "B"); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%s, packed: %+v, %v", name, again, err)
		}
		if _, err := CountPGN(t.Context(), path, "", "C"); !errors.Is(err, ErrPlayers) {
			t.Errorf("%s: another opponent: %v", name, err)
		}
	}
}
