package ladder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// TestResults: the result of a ladder of each schedule, and what the progress said, stand in testdata.
func TestResults(t *testing.T) {
	for _, s := range []Schedule{Widest, RoundRobin, Gauntlet} {
		for _, within := range []float64{0, 400} {
			c := config(t, s, 80)
			c.Within, c.Anchor, c.AnchorElo = within, 1, 1500
			var notes bytes.Buffer
			c.Progress = func(done, total int64, note string) { fmt.Fprintf(&notes, "%d of %d: %s\n", done, total, note) }
			r := run(t, c)
			text := setup.Must(json.MarshalIndent(r, "", "  "))
			name := fmt.Sprintf("%s-%.0f", s, within)
			runtest.Golden(t, name+".json", string(text), 8)
			runtest.Golden(t, name+".txt", notes.String(), 8)
		}
	}
}

// TestFitNumbers: strengths, errors and differences of a table of made-up pairs, from one pair on.
func TestFitNumbers(t *testing.T) {
	var text bytes.Buffer
	table := newCrosstable(4)
	for n, pair := range [][4]int{{0, 1, 1, -1}, {0, 1, 0, 0}, {1, 2, 1, 0}, {0, 2, 0, -1}, {2, 3, 1, 1}, {0, 3, -1, 0},
		{1, 3, 1, -1}, {0, 1, 1, -1}, {2, 0, 1, -1}} {
		setup.Check(t, table.add(pair[0], pair[1], pair[2], pair[3]))
		for _, reference := range []int{-1, 2} {
			f := setup.Must(table.fit(reference, 100))
			white, se := f.white()
			fmt.Fprintf(&text, "%d pairs, from %d: White %.6f ± %.6f, draws %.6f\n", n+1, reference, white, se, f.draws())
			for i := range 4 {
				elo, of := f.difference(i, (i+1)%4)
				fmt.Fprintf(&text, "  %d: %.6f ± %.6f, over the next %.6f ± %.6f, %.6f; %+v of %+v\n",
					i, f.rating(i), f.se(i), elo, of, f.los(i, (i+1)%4), table.against(i, (i+1)%4), table.total(i))
			}
		}
	}
	runtest.Golden(t, "fit.txt", text.String(), 8)
	for _, bad := range [][4]int{{0, 0, 1, -1}, {-1, 1, 0, 0}, {0, 4, 0, 0}, {0, 1, 2, 0}, {0, 1, 0, -2}} {
		if err := table.add(bad[0], bad[1], bad[2], bad[3]); err == nil {
			t.Errorf("%v is counted", bad)
		}
	}
}

// TestMeanIsTheOrigin: without an anchor the ratings have the mean that was asked for.
func TestMeanIsTheOrigin(t *testing.T) {
	table := newCrosstable(3)
	for range 20 {
		for _, p := range [][4]int{{0, 1, 1, -1}, {0, 1, 1, 1}, {0, 2, 1, -1}, {1, 2, 0, 0}} {
			setup.Check(t, table.add(p[0], p[1], p[2], p[3]))
		}
	}
	f := setup.Must(table.fit(-1, 250))
	for i := range f.theta[:3] { // strengths have no origin
		f.theta[i] += 7
	}
	if mean := (f.rating(0) + f.rating(1) + f.rating(2)) / 3; math.Abs(mean-250) > 1e-6 {
		t.Errorf("the mean is %v", mean)
	}
}

func TestNeededOpenings(t *testing.T) {
	for pairs, want := range map[uint64]uint64{9: 1, 10: 1, 11: 2, 20: 2} { // five players: ten pairs a round
		if c := (Config{Schedule: RoundRobin, Games: 2 * pairs, Players: make([]selfplay.Player, 5)}); c.need() != want {
			t.Errorf("%d pairs need %d openings, want %d", pairs, c.need(), want)
		}
	}
}
