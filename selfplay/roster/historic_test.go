package roster

import (
	"bufio"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// A program with its own depth searches it whatever the limits are; other players, and those with
// limits of their own, are left alone.
func TestWithOwnDepth(t *testing.T) {
	for spec, want := range map[string]string{
		"turing-1951":                "turing-1951:depth=40",
		"shannon-a:moves=2":          "shannon-a:depth=40:moves=2",
		"machack-1967:nodes=9":       "machack-1967:nodes=9",
		"bernstein-1957:depth=2":     "bernstein-1957:depth=2",
		"assay":                      "assay",
		"uci:engine?Style=shannon-a": "uci:engine?Style=shannon-a",
	} {
		if got := WithOwnDepth(toy.Spec(spec)).String(); got != want {
			t.Errorf("%s becomes %s, want %s", spec, got, want)
		}
	}
	for _, spec := range []string{"shannon-a:moves=1", WithOwnDepth(toy.Spec("shannon-a:moves=1")).String()} {
		p, err := openText(spec)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Search(context.Background(), board.NewGame(board.StartPosition()),
			engine.Limits{Nodes: 30, HardNodes: true})
		if held := spec == "shannon-a:moves=1"; err != nil || (r.Nodes <= 30) != held || (r.Depth < 2) != held {
			t.Errorf("%s: %d plies, %d nodes, error %v", spec, r.Depth, r.Nodes, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// suitePositions returns the positions of the perft suites.
func suitePositions(t *testing.T) (all []board.Position) {
	t.Helper()
	for _, file := range []string{"perft.epd", "standard.epd", "tricky.perft", "fischer.epd"} {
		f, err := os.Open("../../engine/board/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			text, _, _ := strings.Cut(lines.Text(), ";")
			text = strings.TrimPrefix(text, "epd ")
			if p, err := board.ParseFEN(strings.TrimSpace(text)); err == nil {
				all = append(all, p)
			}
		}
	}
	if len(all) < 1100 {
		t.Fatalf("only %d positions", len(all))
	}
	return all
}

// suiteStep selects every fourth position; experiments take all of them.
var suiteStep = 4

// Every historic program answers positions of the perft suites, checkmate and stalemate
// within its limit and with a legal move. It explains a few of them.
func TestHistoricProgramsOnPerftSuites(t *testing.T) {
	positions := suitePositions(t)
	for _, fen := range []string{"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"} {
		p, err := board.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, p)
	}
	step := suiteStep
	if testing.Short() {
		step *= 10
	}
	for _, e := range historicEntries() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			p, err := openText(e.name)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(positions); i += step {
				answer(t, p, &positions[i], i)
			}
			for _, i := range []int{0, 2, len(positions) - 2, len(positions) - 1} {
				explain(t, p, &positions[i])
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func answer(t *testing.T, p engine.Player, pos *board.Position, number int) engine.Result {
	t.Helper()
	if err := p.NewGame(uint64(number)); err != nil {
		t.Fatal(err)
	}
	const nodes = 60
	r, err := p.Search(context.Background(), board.NewGame(*pos), engine.Limits{Nodes: nodes, HardNodes: true})
	legal := pos.CountLegal() > 0
	if err != nil || r.Nodes > nodes || legal != (r.Move != board.NullMove) || legal && !pos.IsLegal(r.Move) {
		t.Errorf("%s: move %v after %d nodes, error %v", pos.FEN(), r.Move, r.Nodes, err)
	}
	return r
}

// explain asks the player to explain a position, which must not change how it plays.
func explain(t *testing.T, p engine.Player, pos *board.Position) {
	t.Helper()
	x, ok := p.(historic.Explainer)
	if !ok {
		t.Fatal("the player is not a historic.Explainer")
	}
	before := answer(t, p, pos, 1)
	var text strings.Builder
	if err := x.Explain(&text, pos); err == nil && !strings.HasSuffix(text.String(), "\n") {
		t.Errorf("%s: the explanation is %q", pos.FEN(), text.String())
	}
	if after := answer(t, p, pos, 1); after.Move != before.Move || after.Score != before.Score ||
		after.Nodes != before.Nodes {
		t.Errorf("%s: played %v with %d nodes, and after an explanation %v with %d", pos.FEN(), before.Move, before.Nodes,
			after.Move, after.Nodes)
	}
}

// Programs that do not search, and moves from a book, have no score; 0 would be a draw.
func TestHistoricProgramsWithoutScores(t *testing.T) {
	start := board.StartPosition()
	for spec, scored := range map[string]bool{"random": false, "first-move": false, "torres-1890": false,
		"shannon-a:book=true": false,
		"machack-1967":        false, "shannon-a": true, "turing-1951": true, "bernstein-1957": true, "losalamos-1956": true,
		"nss-1958": true} {
		p, err := openText(spec)
		if err != nil {
			t.Error(err)
			continue
		}
		if r := answer(t, p, &start, 1); r.Score.Known() != scored {
			t.Errorf("%s: score %d, known %v", spec, r.Score, r.Score.Known())
		}
	}
}
