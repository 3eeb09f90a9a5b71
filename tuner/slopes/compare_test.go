package slopes

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
)

// What slopes predict at other numbers is compared with the program, whose values at its own numbers are exact, but for
// positions at which it dies. Rows weigh what their data set weighs.
func TestCompare(t *testing.T) {
	dir, list := positions(t, 600)
	c := Config{Command: command(t, ""), Numbers: newFake("").list, Positions: []string{dir}, Weights: []float64{0.5},
		Out: filepath.Join(t.TempDir(), "out"), Model: "fake", Workers: 1}
	_, err := Measure(t.Context(), c)
	setup.Check(t, err)
	program := setup.Must(Start(t.Context(), c.Command))
	at := append([]float64{}, program.start...)
	program.Close()
	same := setup.Must(Compare(t.Context(), c, at, 100))
	if same.Actual != 0 || same.Wrong > 1e-3 {
		t.Errorf("the same numbers change values: %+v", same)
	}
	for i := range at {
		at[i] += float64(i%5 - 2)
	}
	other := setup.Must(Compare(t.Context(), c, at, 1000))
	if !(other.Actual > 10*other.Wrong) || math.IsNaN(other.Wrong) {
		t.Errorf("other numbers: %+v", other)
	}
	c.Command = command(t, FEN(&list[0].Board))
	less := setup.Must(Compare(t.Context(), c, at, 1000))
	if less == other || math.Abs(less.Actual/other.Actual-1) > 0.05 {
		t.Errorf("without a position at which the program dies: %+v, with it %+v", less, other)
	}
	program = setup.Must(Start(t.Context(), c.Command))
	values, err := program.Values([]string{FEN(&list[1].Board), FEN(&list[0].Board)}, nil)
	if err == nil || !strings.Contains(err.Error(), FEN(&list[0].Board)) || math.IsNaN(values[0]) || !math.IsNaN(values[1]) {
		t.Errorf("values of a position, and of one at which the program dies: %v, %v", values, err)
	}
	program.Close()
	c.Command = command(t, "deadly")
	if _, err := Compare(t.Context(), c, at, 4); err == nil || !strings.Contains(err.Error(), "division by zero (at ") {
		t.Errorf("a program that dies everywhere: %v", err)
	}
	data, _, err := dataset.OpenFeatures(c.Out)
	setup.Check(t, err)
	n := 0
	for row, err := range data.All() {
		setup.Check(t, err)
		if row.Weight != 0.5*list[n].Weight {
			t.Fatalf("row %d weighs %v, its position %v", n, row.Weight, list[n].Weight)
		}
		n++
	}
}
