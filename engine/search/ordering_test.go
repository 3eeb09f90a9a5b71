package search

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// walk visits positions of random games.
func walk(t *testing.T, visit func(rng *rand.Rand, p *board.Position)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1949, 1950))
	for _, start := range benchPositions {
		p := position(t, start)
		for range 40 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			visit(rng, &p)
			p.Make(moves[rng.IntN(len(moves))])
		}
	}
}

// The picker returns every legal move exactly once, whatever the hash move, killers and
// counter-move are, legal or not.
func TestPickerReturnsEveryMoveOnce(t *testing.T) {
	e := New(evaluator(t, "shannon-1950"), 1)
	walk(t, func(rng *rand.Rand, p *board.Position) {
		legal := p.LegalMoves(nil)
		some := func() board.Move {
			if rng.IntN(2) == 0 {
				return board.Move(rng.Uint32())
			}
			return legal[rng.IntN(len(legal))]
		}
		f := e.at(0)
		f.pos, f.targets = *p, p.Targets()
		f.killers = [2]board.Move{some(), some()}
		if f.killers[0] == f.killers[1] {
			f.killers[1] = board.NullMove
		}
		e.at(-1).move, e.at(-1).piece = legal[0], board.NewPiece(board.White, board.Queen)
		e.history.counter[pieceTo(e.at(-1).piece, legal[0])] = some()
		hash := some()
		if !p.IsLegal(hash) {
			hash = board.NullMove
		}
		picker := e.newPicker(0, hash)
		var got []board.Move
		for m := picker.pick(); m != board.NullMove; m = picker.pick() {
			got = append(got, m)
		}
		if hash != board.NullMove && got[0] != hash {
			t.Fatalf("%s: hash move %v is not the first of %v", p.FEN(), hash, got)
		}
		slices.Sort(got)
		slices.Sort(legal)
		if !slices.Equal(got, legal) {
			t.Fatalf("%s: picked %v, legal are %v (killers %v, hash %v)", p.FEN(), got, legal, f.killers, hash)
		}
	})
}

func TestReductionsFollowTheFormula(t *testing.T) {
	var p params
	p.reset()
	base, slope := float64(parameters[lateBase].preset)/ply1024, float64(parameters[lateSlope].preset)/10000
	for d := 1; d < 64; d++ {
		for c := 1; c < 64; c++ {
			want := base + slope*math.Log2(float64(d))*math.Log2(float64(c))
			if got := float64(p.reduction(d, c)) / ply1024; got > want+0.01 || got < want-0.03 {
				t.Fatalf("reduction(%d, %d) = %v, the formula says %.3f", d, c, got, want)
			}
		}
	}
	if r := p.reduction(200, 300); r != p.reduction(63, 63) {
		t.Errorf("beyond the table %d", r)
	}
}

func TestTable(t *testing.T) {
	var tt table
	tt.resize(1)
	tt.nextSearch()
	rng := rand.New(rand.NewPCG(1, 2))
	m := board.NewMove(12, 28)
	// Mates are stored relative to their position and read relative to the root.
	tt.store(77, 3, result{5, engine.MateScore - 10, 12, lowerBound, false, m})
	hit, ok := tt.probe(77)
	if !ok || hit.scoreAt(7) != engine.MateScore-14 || hit.move != m || hit.eval != 12 ||
		hit.bound() != lowerBound || hit.depth != 5 {
		t.Errorf("probe %+v %v, score at 7 %d", hit, ok, hit.scoreAt(7))
	}
	// A later result without a move keeps the move.
	tt.store(77, 3, result{6, 40, 12, upperBound, false, board.NullMove})
	if hit, _ := tt.probe(77); hit.move != m || int(hit.score) != 40 || hit.depth != 6 {
		t.Errorf("probe after a second store %+v", hit)
	}
	for range 100_000 { // more than it holds
		tt.store(rng.Uint64(), 0, result{4, 1, 1, exactBound, false, m})
	}
	if n := tt.full(); n < 700 {
		t.Errorf("%d per mille full after more stores than entries", n)
	}
	tt.clear()
	if _, ok := tt.probe(77); ok || tt.full() != 0 {
		t.Error("not empty after clear")
	}
	// When the epoch wraps around, old entries must not reappear.
	tt.store(78, 0, result{5, 1, 1, exactBound, false, m})
	epoch := tt.epoch
	for tt.clear(); tt.epoch != epoch; tt.clear() {
	}
	if _, ok := tt.probe(78); ok {
		t.Error("an entry reappears after 65,535 games")
	}
}

// The noisy picker returns the captures and, if asked, the quiet checks that lose no
// material, each once.
func TestNoisyPicker(t *testing.T) {
	e := New(evaluator(t, "shannon-1950"), 1)
	for i := range e.frames {
		e.frames[i].move = board.NullMove
	}
	seen := 0
	walk(t, func(_ *rand.Rand, p *board.Position) {
		if p.InCheck() {
			return
		}
		var want []board.Move
		for _, m := range p.LegalCaptures(nil) {
			if p.SEEAtLeast(m, 0) {
				want = append(want, m)
			}
		}
		targets := p.Targets()
		for _, m := range targets.Quiets(p, nil) {
			if m < 1<<12 && !p.IsCastling(m) && p.GivesCheck(m) && p.SEEAtLeast(m, 0) {
				want = append(want, m)
				seen++
			}
		}
		e.at(0).pos, e.at(0).targets = *p, p.Targets()
		picker := e.newNoisyPicker(0, board.NullMove, true)
		var got []board.Move
		for m := picker.pick(); m != board.NullMove; m = picker.pick() {
			if !p.IsCastling(m) {
				got = append(got, m)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", p.FEN(), got, want)
		}
	})
	if seen < 100 {
		t.Errorf("only %d quiet checks", seen)
	}
}

// Of two equal captures, the one that caused a cutoff is tried first.
func TestCaptureHistory(t *testing.T) {
	e := New(evaluator(t, "shannon-1950"), 1)
	p := position(t, "4k3/8/8/2p3p1/8/2R3R1/8/4K3 w - - 0 1")
	one, other := board.NewMove(board.NewSquare(2, 2), board.NewSquare(2, 4)), board.NewMove(board.NewSquare(6, 2),
		board.NewSquare(6, 4))
	for _, m := range []board.Move{one, other, one} {
		e.at(0).pos, e.at(0).targets = p, p.Targets()
		tried := []board.Move{one}
		if m == one {
			tried[0] = other
		}
		for range 3 {
			e.creditCaptures(0, candidate{move: m}, tried, 6)
		}
		picker := e.newPicker(0, board.NullMove)
		if got := picker.pick(); got != m {
			t.Errorf("%v is picked before %v", got, m)
		}
	}
}

var selfplayGames = flag.Int("games", 60, "games that TestSelfPlay plays, half of them of Chess960")

const (
	selfplayNodes = 200
	selfplayPlies = 400
)

// TestSelfPlay plays games at 200 nodes a move from standard openings and from Chess960
// positions. Every move must be legal and within its limit. To play more:
// go test ./engine/search -run SelfPlay -v -games 10000 -timeout 1h.
func TestSelfPlay(t *testing.T) {
	starts := append(startsOf(t, "testdata/openings.epd", (*selfplayGames+1)/2),
		startsOf(t, "../board/testdata/fischer.epd", *selfplayGames/2)...)
	var wait sync.WaitGroup
	plies := make([]int, 2)
	for worker := range plies {
		e := New(evaluator(t, "assay-start"), 1)
		wait.Go(func() {
			for i := worker; i < len(starts) && !t.Failed(); i += len(plies) {
				plies[worker] += selfplayGame(t, e, starts[i])
			}
		})
	}
	wait.Wait()
	t.Logf("%d games, %d plies", len(starts), plies[0]+plies[1])
}

// selfplayGame plays one game of the engine against itself and returns its length.
func selfplayGame(t *testing.T, e *Engine, start board.Position) (plies int) {
	if err := e.NewGame(0); err != nil {
		t.Error(err)
		return 0
	}
	game := board.NewGame(start)
	for ; plies < selfplayPlies; plies++ {
		if _, _, over := game.Outcome(); over {
			break
		}
		r, err := e.Search(t.Context(), game, engine.Limits{Nodes: selfplayNodes, HardNodes: true})
		p := game.Position()
		switch {
		case err != nil:
			t.Errorf("%s: %v", p.FEN(), err)
			return plies
		case !p.IsLegal(r.Move):
			t.Errorf("%s: move %v is not legal", p.FEN(), r.Move)
			return plies
		case r.Nodes > selfplayNodes:
			t.Errorf("%s: %d nodes", p.FEN(), r.Nodes)
			return plies
		}
		game.Push(r.Move)
	}
	return plies
}

// startsOf returns n positions of a file, which begins again when it is used up: a sample of the
// book noob_3moves, or the perft suite of Chess960.
func startsOf(t *testing.T, file string, n int) (list []board.Position) {
	t.Helper()
	data := setup.Must(os.ReadFile(file))
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i := range n {
		k := i % len(lines)
		if n < len(lines) {
			k = i * len(lines) / n
		}
		fen, _, _ := strings.Cut(lines[k], ";")
		list = append(list, position(t, fen))
	}
	return list
}
