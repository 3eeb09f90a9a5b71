package positions

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// Games that ended by a forfeit are no labels, unless they are wanted. Without any, the
// manifest is the same as before there was this filter.
func TestForfeitedGames(t *testing.T) {
	games := datatest.Games[dataset.GameRow](30, 40)
	none, _ := json.Marshal(Counts{Games: 3})
	if filter, _ := json.Marshal(DefaultFilter()); strings.Contains(string(filter)+string(none), "forfeit") {
		t.Errorf("the default adds to the identity: %s, %s", filter, none)
	}
	lost, plies := map[uint64]bool{}, int64(0)
	for i, why := range []string{"Time forfeit", "abandoned", "illegal-move", "time-forfeit", "Normal"} {
		g := &games[7*i]
		if g.Termination = why; why != "Normal" {
			lost[g.Game] = true
			plies += int64(len(g.Moves))
		}
	}
	f := Filter{Resolve: ResolveKeep, KeepDuplicates: true}
	c, rows := extract(t, gamesIn(t, games), t.TempDir(), f, 2)
	if text, _ := json.Marshal(c.Forfeits); c.Forfeit != plies ||
		string(text) != `{"abandoned":1,"illegal-move":1,"time-forfeit":2}` {
		t.Errorf("%d positions of %d dropped; %s", c.Forfeit, plies, text)
	}
	for i := range rows {
		if lost[rows[i].Game] {
			t.Fatalf("row %d is of a game that ended by a forfeit", i)
		}
	}
	f.KeepForfeits = true
	kept, all := extract(t, gamesIn(t, games), t.TempDir(), f, 2)
	if kept.Forfeit != 0 || kept.Forfeits != c.Forfeits || kept.Kept <= c.Kept || len(all) != int(kept.Kept) {
		t.Errorf("with KeepForfeits %+v", kept)
	}
}

// A position that the rules make a draw is dropped from won games, also as a leaf.
func TestDrawsByRuleAreDropped(t *testing.T) {
	group := func(result float32) (rows []dataset.PositionRow) {
		for _, fen := range []string{
			"4k3/8/8/8/8/8/8/4K3 w - - 0 60",
			"3k4/8/8/8/8/8/4R3/3K4 w - - 100 90",
			"4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 9", // the leaf is king and knight against king
			"4k3/8/8/8/8/8/4P3/4K3 w - - 4 60",
		} {
			p := setup.Must(board.ParseFEN(fen))
			rows = append(rows, dataset.PositionRow{Board: p, Game: 1, Result: result, Weight: 1})
		}
		return rows
	}
	for _, result := range []float32{0, 0.5, 1} {
		var c Counts
		f := Filter{Resolve: ResolveLeaf}
		rows := f.refine(nil, group(result), toyResolve(), &c)
		want := int64(3)
		if result == 0.5 {
			want = 0
		}
		if c.RuleDraw != want || int64(len(rows)) != 4-want {
			t.Errorf("result %g: %d rows, %+v", result, len(rows), c)
		}
	}
}
