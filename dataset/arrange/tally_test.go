package arrange

import (
	"math"
	"slices"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// TestTally counts games that finish out of order.
func TestTally(t *testing.T) {
	game := func(opening uint64, white, black string, result int8, moves ...string) *dataset.GameRow {
		g := board.NewGame(board.StartPosition())
		for _, san := range moves {
			m := setup.Must(g.Position().ParseSAN(san))
			g.Push(m)
		}
		row := setup.Must(dataset.NewGameRow(g))
		row.Opening, row.White, row.Black = opening, white, black
		row.Result, row.Termination, row.OpeningPlies = result, "resign", 1
		return &row
	}
	c := NewTally()
	c.Add(1, game(7, "B", "A", 0, "e4", "e5", "Nf3"))
	if pairs := c.Pairs(); len(pairs) != 0 {
		t.Errorf("pairs %v before the first game is finished", pairs)
	}
	c.Add(0, game(7, "A", "B", 1, "e4", "e5", "Nf3"))
	c.Add(3, game(8, "B", "A", 1, "d4", "d5"))
	c.Add(2, game(8, "A", "B", -1, "d4", "Nf6"))
	c.Add(5, game(9, "B", "A", 1, "c4", "e5")) // its pair is not finished
	if got, want := c.Pairs(), [][2]int{{1, 0}, {-1, -1}}; !slices.Equal(got, want) {
		t.Errorf("pairs %v, want %v", got, want)
	}
	if c.Games != 5 || c.Plies != 7 || c.White != 3 || c.Draw != 1 || c.Lost != 1 || c.Repeated != 1 ||
		c.Terminations["resign"] != 5 || c.Lengths[0] != 5 || c.Phases[24] != 7 {
		t.Errorf("%+v", c)
	}
	if a := c.Standings["A"]; a.Games != 5 || a.Won != 1 || a.Drawn != 1 {
		t.Errorf("standing of A: %+v", a)
	}
	different, most, effective := c.Openings()
	if h := math.Exp(0.8*math.Log(2.5) + 0.2*math.Log(5)); different != 3 || most != 2 || math.Abs(effective-h) > 1e-9 {
		t.Errorf("openings: %d, %d, %v; want 3, 2, %v", different, most, effective, h)
	}
	// Searched positions: after e4, e5 (twice), d4 (twice), c4.
	if share, rate := c.RepeatedPositions(); math.Abs(share-3.0/7) > 1e-9 || rate != 1 {
		t.Errorf("repeated positions: %v of one key in %d", share, rate)
	}
}
