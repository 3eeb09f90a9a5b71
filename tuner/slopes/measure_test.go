package slopes

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
)

// measured measures a program at some positions.
func measured(t *testing.T, special string, rows int, change func(*Config)) (*Report, dataset.FeatureSet,
	[]dataset.FeatureRow, []dataset.PositionRow) {
	t.Helper()
	dir, list := positions(t, rows)
	c := Config{Command: command(special), Numbers: newFake("").list, Positions: []string{dir},
		Out: filepath.Join(t.TempDir(), "out"), Model: "fake", Workers: 2}
	if change != nil {
		change(&c)
	}
	r, err := Measure(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	data, set, err := dataset.OpenFeatures(c.Out)
	setup.Check(t, err)
	var out []dataset.FeatureRow
	for row, err := range data.All() {
		setup.Check(t, err)
		setup.Check(t, set.CheckRow(&row))
		out = append(out, row)
	}
	return r, set, out, list
}

// Every cell is the slope of the known evaluation, and every row has the position's labels.
func TestSlopes(t *testing.T) {
	for _, c := range []struct {
		special string
		unit    float64 // in the value's units
		error   float64 // of a slope
	}{{"", 24, 1e-6}, {"centipawns", 1, 0.06}} {
		t.Run(c.special, func(t *testing.T) {
			r, set, rows, list := measured(t, c.special, 1500, nil)
			t.Logf("%+v", *r)
			f := newFake("")
			wrong, cells := 0, 0
			for i, row := range rows {
				p := &list[i]
				if row.Result != p.Result || row.Game != p.Game || row.Opening != p.Opening || row.Score != p.Score {
					t.Fatalf("row %d has other labels", i)
				}
				have := map[string]float64{}
				for j, term := range row.Terms {
					have[set.Terms[term].Name] = float64(row.Counts[j])
				}
				for k, n := range f.list {
					if k == fakeSquare || k >= fakeDanger && k <= fakeDanger+5 {
						continue // TestBent
					}
					f.n[k]++
					up := f.value(&p.Board)
					f.n[k] -= 2
					want := (up - f.value(&p.Board)) / 2 * c.unit / 24
					f.n[k]++
					cells++
					if math.Abs(have[n.Name]-want) > c.error {
						wrong++
						t.Logf("%s: %s is %v, want %v", FEN(&p.Board), n.Name, have[n.Name], want)
					}
				}
			}
			if wrong > 0 || len(rows) != len(list) || r.Rows != int64(len(list)) {
				t.Errorf("%d of %d cells are wrong, in %d rows of %d", wrong, cells, len(rows), len(list))
			}
		})
	}
}
