package ladder

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata")

var long = regexp.MustCompile(`-?[0-9]+\.[0-9]{7,}(e-?[0-9]+)?`)

// golden compares a text, its numbers rounded to eight digits, with a file of testdata, or writes the file.
func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	got := long.ReplaceAllFunc(text, func(number []byte) []byte {
		v, err := strconv.ParseFloat(string(number), 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.AppendFloat(nil, v, 'g', 8, 64)
	})
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update and read the difference\n%s", path, got)
	}
}

// TestResults: the result of a ladder of each schedule, its picture, and what the progress said, stand in
// testdata.
func TestResults(t *testing.T) {
	for _, s := range []Schedule{Widest, RoundRobin, Gauntlet} {
		for _, within := range []float64{0, 400} {
			c := config(t, s, 80)
			c.Within, c.Anchor, c.AnchorElo = within, 1, 1500
			var notes bytes.Buffer
			c.Progress = func(done, total int64, note string) { fmt.Fprintf(&notes, "%d of %d: %s\n", done, total, note) }
			r := run(t, c)
			text, err := json.MarshalIndent(r, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s-%.0f", s, within)
			golden(t, name+".json", text)
			golden(t, name+".svg", r.SVG())
			golden(t, name+".txt", notes.Bytes())
		}
	}
}

// TestFitNumbers: strengths, errors and differences of a table of made-up pairs, from one pair on.
func TestFitNumbers(t *testing.T) {
	var text bytes.Buffer
	table := NewTable(4)
	for n, pair := range [][4]int{{0, 1, 1, -1}, {0, 1, 0, 0}, {1, 2, 1, 0}, {0, 2, 0, -1}, {2, 3, 1, 1}, {0, 3, -1, 0},
		{1, 3, 1, -1}, {0, 1, 1, -1}, {2, 0, 1, -1}} {
		if err := table.Add(pair[0], pair[1], pair[2], pair[3]); err != nil {
			t.Fatal(err)
		}
		for _, reference := range []int{-1, 2} {
			f, err := table.Fit(reference, 100)
			if err != nil {
				t.Fatal(err)
			}
			white, se := f.White()
			fmt.Fprintf(&text, "%d pairs, from %d: White %.6f ± %.6f, draws %.6f\n", n+1, reference, white, se, f.Draws())
			for i := range 4 {
				elo, of := f.Difference(i, (i+1)%4)
				fmt.Fprintf(&text, "  %d: %.6f ± %.6f, over the next %.6f ± %.6f, %.6f; %+v of %+v\n",
					i, f.Elo(i), f.Error(i), elo, of, f.LOS(i, (i+1)%4), table.Against(i, (i+1)%4), table.Total(i))
			}
		}
	}
	golden(t, "fit.txt", text.Bytes())
	for _, bad := range [][4]int{{0, 0, 1, -1}, {-1, 1, 0, 0}, {0, 4, 0, 0}, {0, 1, 2, 0}, {0, 1, 0, -2}} {
		if err := table.Add(bad[0], bad[1], bad[2], bad[3]); err == nil {
			t.Errorf("%v is counted", bad)
		}
	}
}
