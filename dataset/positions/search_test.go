package positions

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
)

func shannon(t testing.TB) *eval.Model {
	t.Helper()
	m := setup.Must(eval.Lookup("shannon-1950"))
	return m
}

func TestQuiescence(t *testing.T) {
	m := shannon(t)
	newResolver := setup.Must(Quiescence(m, m.Start))
	resolve := newResolver()
	for _, c := range []struct{ fen, leaf string }{
		{board.StartFEN, board.StartFEN},
		// A queen hangs.
		{"4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", "4k3/8/8/3N4/8/8/8/4K3 b - - 0 1"},
		// The pawn is defended: the rook leaves it alone.
		{"4k3/2p5/3p4/8/8/8/8/3RK3 w - - 3 9", "4k3/2p5/3p4/8/8/8/8/3RK3 w - - 3 9"},
	} {
		p := setup.Must(board.ParseFEN(c.fen))
		r := resolve(&p)
		if r.Leaf.FEN() != c.leaf || r.Changed != (c.leaf != c.fen) || (r.Noise > 800) != r.Changed {
			t.Errorf("%s resolves to %s, %+v; want %s", c.fen, r.Leaf.FEN(), r, c.leaf)
		}
	}
	if _, err := Quiescence(m, nil); err == nil {
		t.Error("no weights are accepted")
	}
}

// The parts fit: games with a hanging piece become rows without one.
func TestExtractWithQuiescence(t *testing.T) {
	dir := t.TempDir()
	w := setup.Must(dataset.NewGameWriter(dir, dataset.WriterConfig{}))
	p := board.StartPosition()
	g := dataset.GameRow{Game: 1, Variant: dataset.Standard, Result: 1}
	for _, san := range []string{"e4", "d5", "Nc3", "d4", "Nf3", "dxc3", "dxc3"} {
		m := setup.Must(p.ParseSAN(san))
		p.Make(m)
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, 7)
	}
	setup.Check(t, w.Append(&g))
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
	games := setup.Must(dataset.OpenGames(dir))
	m := shannon(t)
	newResolver := setup.Must(Quiescence(m, m.Start))
	_, counts, err := Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{games}, t.TempDir(),
		Config{Filter: DefaultFilter(), NewResolver: newResolver, Workers: 2})
	if err != nil || counts.Positions != 7 || counts.Replaced == 0 || counts.Kept+counts.Duplicate != 7 {
		t.Errorf("%+v, %v", counts, err)
	}
	_, _, err = Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{games}, dir,
		Config{Filter: DefaultFilter(), NewResolver: newResolver})
	if err == nil || errors.Is(err, dataset.ErrComplete) {
		t.Errorf("positions into the folder of the games: %v", err)
	}
}

// A score is White's view, and the same whatever was searched before.
func TestScoreOf(t *testing.T) {
	m := shannon(t)
	open := Searcher(m, m.Start)
	e := &extraction{Config: Config{Limits: engine.Limits{Nodes: 2000}}}
	fens := []string{
		board.StartFEN,
		"6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1",    // mate in one ply
		"4k3/8/8/3r4/8/2N5/PPP5/4K3 w - - 0 1", // a rook hangs
		"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",       // mated
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",       // stalemate
	}
	score := func(player engine.Player, p board.Position) int16 {
		n := setup.Must(e.scoreOf(context.Background(), player, &p))
		return n
	}
	first := setup.Must(open())
	second, _ := open()
	var scores []int16
	for _, fen := range fens {
		p := setup.Must(board.ParseFEN(fen))
		n := score(first, p)
		// The order of moves is not the same for both, so the search need not be.
		if mirrored := score(first, p.Mirror()); mirrored+n > 100 || mirrored+n < -100 {
			t.Errorf("%s: %d, with colors changed %d", fen, n, mirrored)
		}
		scores = append(scores, n)
	}
	for i := len(fens) - 1; i >= 0; i-- {
		p, _ := board.ParseFEN(fens[i])
		if n := score(second, p); n != scores[i] {
			t.Errorf("%s: %d, and %d in another order", fens[i], scores[i], n)
		}
	}
	if scores[1] != dataset.MateScore-1 || scores[2] < 300 || scores[3] != dataset.MateScore || scores[4] != 0 {
		t.Errorf("scores %v", scores)
	}
	if _, err := Searcher(m, nil)(); err == nil {
		t.Error("no weights are accepted")
	}
}

// A queen hangs: the position is noisy, whatever is done with it, and its leaf has another
// score than the position in the game.
func TestNoisyRows(t *testing.T) {
	m := shannon(t)
	newResolver := setup.Must(Quiescence(m, m.Start))
	resolve := newResolver()
	var noise Noise
	for _, fen := range []string{
		"4k3/8/8/3q4/8/2N5/P7/4K3 w - - 0 9",
		"4k3/2p5/3p4/8/8/8/8/3RK3 w - - 3 9",
		"4k3/8/8/8/8/8/4R3/4K3 b - - 0 9", // in check
	} {
		p := setup.Must(board.ParseFEN(fen))
		noise.Add(&p, resolve)
	}
	if noise != (Noise{Rows: 3, InCheck: 1, Noisy: 1}) || !noise.Unfit() {
		t.Errorf("%+v", noise)
	}
	p, _ := board.ParseFEN("4k3/8/8/3q4/8/2N5/P7/4K3 w - - 0 9")
	for _, c := range []struct {
		f       Filter
		dropped bool
		score   int16
		same    bool
	}{
		{Filter{Resolve: ResolveLeaf}, false, 7, false},
		{Filter{Resolve: ResolveLeaf, DropLeafScore: true}, false, dataset.NoScore, false},
		{Filter{Resolve: ResolveLeaf, NeedScore: true}, false, 7, false},
		{Filter{Resolve: ResolveLeaf, NeedScore: true, DropLeafScore: true}, true, dataset.NoScore, false},
		{Filter{Resolve: ResolveLeaf, NeedScore: true, DropLeafScore: true, Relabel: "nodes=1"}, false,
			dataset.NoScore, false},
		{Filter{Resolve: ResolveKeep, MaxNoise: 500}, true, 7, true},
		{Filter{Resolve: ResolveKeep, MaxNoise: 5000, DropLeafScore: true}, false, 7, true},
	} {
		var counts Counts
		r := dataset.PositionRow{Board: p, Score: 7}
		_, dropped := c.f.settle(&r, resolve, &counts)
		if dropped != nil && *dropped != 0 || (dropped != nil) != c.dropped || r.Score != c.score ||
			(r.Board == p) != c.same {
			t.Errorf("%+v: dropped %v, score %d, %s", c.f, dropped != nil, r.Score, r.Board.FEN())
		}
	}
}
