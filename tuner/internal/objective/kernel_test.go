package objective

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/mat"
)

// SetKeptRows bounds the rows that are evaluated once for K.
func SetKeptRows(n int) { keptRows = n }

// TestCrossEntropyKernel compares the table of polynomials with the definition.
func TestCrossEntropyKernel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	const k = 0.01
	for range 200000 {
		z := 45 * r.NormFloat64() * r.Float64()
		if r.IntN(50) == 0 {
			z = []float64{0, 40, -40, 40.0001, -41, 3000, -3000, 1. / 32, 39.97}[r.IntN(9)]
		}
		x := []float64{z / k}
		y, omega := r.Float32(), 2*r.Float32()
		value, slope, _ := CrossEntropy.At(k, x[0], float64(y))
		got := crossEntropy(k, x, []float32{y}, []float32{omega})
		o := float64(omega)
		if math.Abs(got-o*value) > 1e-13*(1+math.Abs(z)) || math.Abs(x[0]-o*slope) > 1e-15 {
			t.Fatalf("z %v, y %v: loss %v and slope %v, want %v and %v", z, y, got, x[0], o*value, o*slope)
		}
	}
}

// TestKernels compares sums and scattered sums with plain loops, rows of every
// length side by side.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	var codes []uint16
	var runs []rows.Run
	var lengths []int
	for n := range 23 {
		count := 1 + r.IntN(7)
		runs = append(runs, rows.Run{Length: uint32(n), Rows: uint32(count)})
		for range count {
			lengths = append(lengths, n)
			for range n {
				codes = append(codes, uint16(r.IntN(1<<16)))
			}
		}
	}
	var w, g, want lookup
	for i := range w {
		w[i] = r.NormFloat64()
	}
	out := make([]float64, len(lengths))
	dots(codes, runs, &w, out, nil)
	wanted, some := make([]bool, len(lengths)), make([]float64, len(lengths))
	for i := range wanted {
		wanted[i] = r.IntN(3) == 0
	}
	dots(codes, runs, &w, some, wanted)
	for i, is := range wanted {
		if is && some[i] != out[i] {
			t.Errorf("row %d: %v where not all are wanted, else %v", i, some[i], out[i])
		}
	}
	at := 0
	for i, n := range lengths {
		sum := 0.0
		for _, c := range codes[at : at+n] {
			sum += w[c]
		}
		if math.Abs(sum-out[i]) > 1e-12 {
			t.Errorf("row %d of %d codes: %v, want %v", i, n, out[i], sum)
		}
		out[i] = r.NormFloat64()
		for _, c := range codes[at : at+n] {
			want[c] += out[i]
		}
		at += n
	}
	scatter(codes, runs, out, &g)
	if g != want {
		t.Error("scattered sums differ from the plain loop's")
	}
}

// TestOuter: vectors and the plain loop give the same bytes, for any number of elements.
func TestOuter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	base, _ := triangle(40)
	var m, want [len(lookup{}) + 820]float64
	for n := range 31 {
		for range 20 {
			var index []uint16
			var value []float64
			for _, i := range r.Perm(40)[:n] {
				index, value = append(index, uint16(i)), append(value, r.NormFloat64())
			}
			slices.Sort(index)
			h := r.NormFloat64()
			outer(index, value, h, m[:], base)
			for i, t := range index {
				for j, u := range index[i:] {
					want[base[t]+int(u)] += float64(float64(h*value[i]) * value[i+j])
				}
			}
		}
		if m != want {
			t.Fatalf("%d elements: differs from the definition", n)
		}
	}
}

// TestWidths: what a stranger calls a group says nothing of its prior; the size of the counts
// does.
func TestWidths(t *testing.T) {
	terms := []rows.Term{
		{Name: "mine", Group: "material", Own: true}, {Name: "theirs", Group: "material"},
		{Name: "pst", Group: "piece-square"}, {Name: "x", Group: "other"},
	}
	typical := []float64{2, 2, 8, 1}
	for _, tt := range []struct {
		over   map[string]float64
		factor float64
		want   []float64
	}{
		{nil, 1, []float64{100, defaultEffect / 2.0, defaultEffect / 8.0, defaultEffect}},
		{map[string]float64{AllTerms: 24, "pst": 16, "other": math.Inf(1)}, 0.5, []float64{6, 6, 1, math.Inf(1)}},
		{map[string]float64{"material": 10}, 1, []float64{5, 5, defaultEffect / 8.0, defaultEffect}},
	} {
		got := setup.Must(Widths(terms, typical, tt.over, tt.factor))
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%v: %v, want %v", tt.over, got, tt.want)
				break
			}
		}
	}
	if _, err := Widths(terms, typical, map[string]float64{"knight": 3}, 1); !errors.Is(err, ErrName) {
		t.Errorf("unknown name: %v", err)
	}
}

// A matrix without the rows and columns of what is held at a limit keeps the others.
func TestHoldOut(t *testing.T) {
	m := mat.NewSymDense(3, []float64{1, 2, 3, 2, 4, 5, 3, 5, 6})
	p := Params{N: 3, Box: &optimize.Box{Held: []bool{false, true, false}}}
	if got, want := p.HoldOut(m), mat.NewSymDense(3, []float64{1, 0, 3, 0, 0, 0, 3, 0, 6}); !mat.Equal(got, want) {
		t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	if p.Box.Held[1] = false; p.HoldOut(m) != m {
		t.Error("nothing is held, and the matrix is another")
	}
}
