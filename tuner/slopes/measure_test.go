package slopes

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// measured measures a program at some positions.
func measured(t *testing.T, special string, rows int, change func(*Config)) (*Report, dataset.FeatureSet,
	[]dataset.FeatureRow, []dataset.PositionRow) {
	t.Helper()
	dir, list := positions(t, rows)
	c := Config{Command: command(t, special), Numbers: newFake("").list, Positions: []string{dir},
		Out: filepath.Join(t.TempDir(), "out"), Model: "fake", Workers: 2}
	if change != nil {
		change(&c)
	}
	r := setup.Must(Measure(t.Context(), c))
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
			f := newFake("")
			wrong, cells := 0, 0
			for i, row := range rows {
				p := &list[i]
				if row.Result != p.Result || row.Game != p.Game || row.Opening != p.Opening || row.Score != p.Score {
					t.Fatalf("row %d has other labels", i)
				}
				have := map[string]float64{}
				for j, term := range row.Terms {
					have[set.Terms[term].Name] = float64(row.Counts[j]) / set.Terms[term].Number(1)
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
					if math.Abs(have[n.Name]-want) > c.error*max(1, math.Abs(want)) {
						wrong++
						t.Logf("%s: %s is %v, want %v", FEN(&p.Board), n.Name, have[n.Name], want)
					}
				}
			}
			if last := set.Terms[len(set.Terms)-1]; last.Number(last.MG) != 0.35 || last.MG < 100 {
				t.Errorf("%+v", last)
			}
			if wrong > 0 || len(rows) != len(list) || r.Rows != int64(len(list)) {
				t.Errorf("%d of %d cells are wrong, in %d rows of %d", wrong, cells, len(rows), len(list))
			}
		})
	}
}

// Bent cells have the slope of a chord: of max(0, x) and of a square.
func TestBent(t *testing.T) {
	r, set, rows, list := measured(t, "", 1500, nil)
	f := newFake("")
	wrong, cells := 0, 0
	for i, row := range rows {
		have := map[string]float64{}
		for j, term := range row.Terms {
			have[set.Terms[term].Name] = float64(row.Counts[j])
		}
		for k := fakeDanger; k <= fakeSquare; k++ {
			value := f.n[k]
			chord := func(step float64) float64 {
				f.n[k] = value + step
				up := f.value(&list[i].Board)
				f.n[k] = value - step
				up -= f.value(&list[i].Board)
				f.n[k] = value
				return up / (2 * step)
			}
			low, high := chord(0.01), chord(0.01)
			for _, step := range []float64{1, 2, 4, 8, 10, 40} {
				low, high = min(low, chord(step)), max(high, chord(step))
			}
			if low == 0 && high == 0 {
				continue
			}
			cells++
			if v := have[f.list[k].Name]; v < low-0.1-0.03*math.Abs(low) || v > high+0.1+0.03*math.Abs(high) {
				wrong++
			}
		}
	}
	if r.Bent == 0 || cells < 500 || wrong > 0 {
		t.Errorf("%d of %d cells are wrong, %d bent", wrong, cells, r.Bent)
	}
}

// The rows are the same for any number of processes, and a complete data set is kept.
func TestWorkers(t *testing.T) {
	var reports [2]*Report
	var rows [2][]dataset.FeatureRow
	for i, workers := range []int{1, 3} {
		var c Config
		reports[i], _, rows[i], _ = measured(t, "centipawns products", 1100, func(config *Config) {
			config.Workers = workers
			c = *config
		})
		again, err := Measure(t.Context(), c)
		if !errors.Is(err, dataset.ErrComplete) || again == nil || again.Cells != reports[i].Cells {
			t.Errorf("a complete data set: %+v, %v", again, err)
		}
		reports[i].Speed = 0
	}
	if !reflect.DeepEqual(rows[0], rows[1]) || !reflect.DeepEqual(reports[0], reports[1]) {
		t.Errorf("%d and %d rows differ:\n%+v\n%+v", len(rows[0]), len(rows[1]), reports[0], reports[1])
	}
}

// A number that makes the program fail is tried with a quarter of its step, and then left out and named; a position
// at which it fails is named.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		special string
		left    string // the end of why a number is left out
		change  func(*Config)
	}{
		{"risky", "", nil},
		{"deadly", "with risky[0] = ", nil},
		{"hang", "", func(c *Config) { c.Timeout = 200 * time.Millisecond }},
		{"fatal", "", nil},
	} {
		t.Run(c.special, func(t *testing.T) {
			rows := 600
			r, set, have, list := measured(t, c.special, rows, c.change)
			text := fmt.Sprint(r.Left)
			if (len(r.Left) == 0) != (c.left == "") || !strings.Contains(text, c.left) {
				t.Errorf("left out: %s", text)
			}
			if c.left != "" && !(strings.Contains(text, "(at ") && strings.Contains(text, "division by zero")) {
				t.Errorf("left out: %s", text)
			}
			if want := fakeNumbers - len(r.Left); len(set.Terms) != want || r.Numbers != want {
				t.Errorf("%d terms, want %d", len(set.Terms), want)
			}
			dead := 0
			for i := range list {
				if c.special == "fatal" && fatal(&list[i].Board) {
					dead++
				}
			}
			if len(r.Unevaluated) != dead || len(have) != rows-dead || c.special == "fatal" && dead == 0 {
				t.Errorf("%d positions of %d are missing, want %d: %v", len(r.Unevaluated), rows, dead, r.Unevaluated)
			}
		})
	}
}

// Where numbers multiply, the slopes do not predict what all of them do together, and the report says so.
func TestTogether(t *testing.T) {
	straight, set, _, _ := measured(t, "straight", 700, nil)
	r, _, _, _ := measured(t, "straight products", 700, nil)
	if straight.Actual < drawSize/2 || straight.Wrong > straight.Actual/100 || r.Wrong < r.Actual/10 {
		t.Errorf("%g of %g centipawns are wrong, with products %g of %g", straight.Wrong, straight.Actual, r.Wrong, r.Actual)
	}
	if pair := set.Terms[0].Pair; pair != set.Terms[1].Name || !set.Local {
		t.Errorf("%+v", set)
	}
}

// Numbers without a slope are named, and so is a program that has others.
func TestNumbersAreNamed(t *testing.T) {
	r, _, _, _ := measured(t, "", 600, nil)
	if !slices.Contains(r.Flat, "idle[0]") || slices.Contains(r.Flat, "knights[18].0") || r.Numbers != fakeNumbers {
		t.Errorf("%+v", *r)
	}
	c := Config{Command: command(t, ""), Numbers: newFake("").list[1:]}
	dir, _ := positions(t, 30)
	c.Positions = []string{dir}
	if _, err := Measure(t.Context(), c); err == nil || !strings.Contains(err.Error(), "is it built from them?") {
		t.Errorf("other numbers: %v", err)
	}
	c.Command, c.Numbers, c.Out = command(t, "deaf to set"), newFake("").list, t.TempDir()
	if _, err := Measure(t.Context(), c); err == nil || !strings.Contains(err.Error(), "no number changes the value") {
		t.Errorf("a program that takes no numbers: %v", err)
	}
	c.Command = command(t, "in pawns")
	const cure = "return the value multiplied by 100"
	if _, err := Measure(t.Context(), c); err == nil || !strings.Contains(err.Error(), cure) {
		t.Errorf("a value in pawns: %v", err)
	}
}

// Counters of a FEN stay within what a game can reach.
func TestFEN(t *testing.T) {
	for _, c := range [][2]string{
		{"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"},
		{"4k3/8/8/8/8/8/4P3/4K3 b - - 7 1", "4k3/8/8/8/8/8/4P3/4K3 b - - 7 5"},
		{"4k3/8/8/8/8/8/4P3/4K3 w - - 120 80", "4k3/8/8/8/8/8/4P3/4K3 w - - 99 80"},
	} {
		p := setup.Must(board.ParseFEN(c[0]))
		if have := FEN(&p); have != c[1] {
			t.Errorf("%s: %s", c[0], have)
		}
	}
}
