package autodiff

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/eval/formula"
)

// cases are formulas with everything in them.
var cases = []struct {
	name, text string
	names      []formula.Name
}{
	{"linear", "value = main.mg*phase + main.eg*(1 - phase) + 3*k",
		[]formula.Name{{Name: "main", Tapered: true}, {Name: "phase", Kind: formula.Column},
			{Name: "k", Kind: formula.Scalar}}},
	{"an input alone", "value = a", []formula.Name{{Name: "a"}}},
	{"4ku", "value = main.mg*phase + main.eg*if(main.eg < 0, f.black, f.white)*(1 - phase)",
		[]formula.Name{{Name: "main", Tapered: true}, {Name: "phase", Kind: formula.Column},
			{Name: "f", Kind: formula.Column, Sides: true}}},
	{"Ethereal 12", `let m = main.mg - balance(danger.mg*max(danger.mg,0)//720); let e0 = main.eg - balance(max(danger.eg,0)//20);
		let e = e0 + sign(e0)*max(complexity, -abs(e0)); value = m*phase + e*(1-phase)*if(e<0, f.black, f.white) + tempo`,
		[]formula.Name{{Name: "main", Tapered: true}, {Name: "danger", Tapered: true, Sides: true}, {Name: "complexity"},
			{Name: "tempo"},
			{Name: "phase", Kind: formula.Column}, {Name: "f", Kind: formula.Column, Sides: true}}},
	{"chess-3", "let q = max(att, 0)^2/4096; value = balance(mg + q*M.mg)*phase + balance((eg + q*M.eg)*sf)*(1 - phase)",
		[]formula.Name{{Name: "mg", Sides: true}, {Name: "eg", Sides: true}, {Name: "att", Sides: true},
			{Name: "M.mg", Kind: formula.Scalar}, {Name: "M.eg", Kind: formula.Scalar},
			{Name: "phase", Kind: formula.Column}, {Name: "sf", Kind: formula.Column, Sides: true}}},
	{"tables", "value = balance(shelter[x/50] * (1 + x/1000)) + shelter[y/30]*y/100 + z*w/(1 + abs(z)) + sqrt(z^2 + 4)",
		[]formula.Name{{Name: "shelter", Kind: formula.Table, Size: 7}, {Name: "x", Sides: true}, {Name: "y"}, {Name: "z"},
			{Name: "w", Kind: formula.Scalar}}},
	{"conditions", "value = if(a < b and not (a == 3) or b <= -100, a*b/100, clamp(a, -50, min(b, 60))) + trunc(a/3)*p " +
		"+ if(p != 0.5, c, 2*c)",
		[]formula.Name{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "p", Kind: formula.Column}}},
	{"no derivative", "value = a + 0*b + if(b > 0, 1, 2)", []formula.Name{{Name: "a"}, {Name: "b"}}},
}

// batch holds the inputs of rows, by input.
type batch [][]float64

func newBatch(f *formula.Formula, r *rand.Rand) batch {
	b := make(batch, len(f.Inputs))
	for i, x := range f.Inputs {
		for range Rows {
			v := 400*r.Float64() - 200
			if x.Kind == formula.Column {
				v = float64(r.IntN(25)) / 24
			}
			b[i] = append(b[i], v)
		}
		if x.Kind == formula.Table {
			b[i] = b[i][:1]
		}
	}
	return b
}

func (b batch) fill(m *Machine) {
	for i, v := range b {
		copy(m.Input(i), v)
	}
}

func (b batch) row(j int) []float64 {
	out := make([]float64, len(b))
	for i, v := range b {
		out[i] = v[min(j, len(v)-1)]
	}
	return out
}

// slopesOf returns the derivatives of a row by input, tables included.
func slopesOf(m *Machine, f *formula.Formula, j int) []float64 {
	out := make([]float64, len(f.Inputs))
	for i, x := range f.Inputs {
		if s := m.Slope(i); s != nil && x.Kind != formula.Table {
			out[i] = s[j]
		}
	}
	for _, l := range m.Lookups() {
		at, part := formula.Place(l.Place[j], l.Size)
		out[l.First+at] += l.Slope[j] * (1 - part)
		out[l.First+at+1] += l.Slope[j] * part
	}
	return out
}

func machineOf(t testing.TB, i int) (*Machine, *formula.Formula) {
	t.Helper()
	f, err := formula.Parse(cases[i].text, cases[i].names)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMachine(f)
	if err != nil {
		t.Fatal(err)
	}
	return m, f
}

// TestAgainstInterpreter compares values with the interpreter's, and derivatives with its
// central differences where no kink is near.
func TestAgainstInterpreter(t *testing.T) {
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, f := machineOf(t, i)
			r := rand.New(rand.NewPCG(5, 6))
			b := newBatch(f, r)
			b.fill(m)
			values, err := m.Gradient(Rows)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range b {
				if !slices.Equal(m.Input(i), v) {
					t.Fatalf("the run has changed %v", f.Inputs[i])
				}
			}
			oracle := formula.NewMachine(f, formula.Smooth)
			at := func(in []float64) float64 {
				v, err := oracle.Value(in)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			kinks, checked := 0, 0
			for j := range Rows {
				in := b.row(j)
				v := at(in)
				if math.Abs(v-values[j]) > 1e-11*(1+math.Abs(v)) {
					t.Fatalf("row %d: %v, want %v", j, values[j], v)
				}
				slopes := slopesOf(m, f, j)
				for i, x := range f.Inputs {
					if x.Kind == formula.Column {
						continue
					}
					const h = 1e-3
					p, center := slices.Clone(in), in[i]
					step := func(d float64) float64 { p[i] = center + d; return at(p) }
					up, down := (step(h)-v)/h, (v-step(-h))/h
					want := (step(h) - step(-h)) / (2 * h)
					if math.Abs(up-down) > 1e-2*(1+math.Abs(want)) { // a kink or a jump in between
						kinks++
						continue
					}
					checked++
					if math.Abs(slopes[i]-want) > 1e-6*(1+math.Abs(want)) {
						t.Fatalf("row %d: the derivative by %v is %v, want %v", j, x, slopes[i], want)
					}
				}
			}
			if kinks*50 > checked {
				t.Errorf("%d kinks, %d derivatives checked", kinks, checked)
			}
		})
	}
}

// TestSameBytes runs batches twice, in another order, short, and on another machine.
func TestSameBytes(t *testing.T) {
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, f := machineOf(t, i)
			other, _ := machineOf(t, i)
			r := rand.New(rand.NewPCG(7, 8))
			batches := []batch{newBatch(f, r), newBatch(f, r), newBatch(f, r)}
			type outcome struct{ values, slopes []float64 }
			run := func(m *Machine, k, rows int) (o outcome) {
				batches[k].fill(m)
				v, err := m.Value(rows)
				if err != nil {
					t.Fatal(err)
				}
				o.values = slices.Clone(v)
				batches[k].fill(m)
				if v, err = m.Gradient(rows); err != nil || !slices.Equal(v, o.values) {
					t.Fatalf("value and gradient disagree: %v", err)
				}
				for j := range rows {
					o.slopes = append(o.slopes, slopesOf(m, f, j)...)
				}
				return o
			}
			same := func(what string, a, b outcome) {
				if !slices.Equal(a.values, b.values) || !slices.Equal(a.slopes, b.slopes) {
					t.Errorf("%s: other bytes", what)
				}
			}
			var first []outcome
			for k := range batches {
				first = append(first, run(m, k, Rows))
			}
			for k := 2; k >= 0; k-- {
				same("another order", run(m, k, Rows), first[k])
				same("again", run(m, k, Rows), first[k])
				same("another machine", run(other, k, Rows), first[k])
			}
			short := run(m, 1, 100)
			if !slices.Equal(short.values, first[1].values[:100]) ||
				!slices.Equal(short.slopes, first[1].slopes[:len(short.slopes)]) {
				t.Error("a short batch: other bytes")
			}
		})
	}
}

// TestConstants keeps constants apart whose printed beginnings and ends agree.
func TestConstants(t *testing.T) {
	f, err := formula.Parse("value = max(a, 1000) + max(a, 1000.5)*10 + max(b, 1000)*100 + 0.1*a + 0.10000001*b",
		[]formula.Name{{Name: "a"}, {Name: "b"}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMachine(f)
	if err != nil {
		t.Fatal(err)
	}
	copy(m.Input(0), []float64{0, 1000.2, 2000})
	copy(m.Input(1), []float64{0, 0, 2000})
	got, err := m.Gradient(3)
	if err != nil {
		t.Fatal(err)
	}
	oracle := formula.NewMachine(f, formula.Smooth)
	for j, in := range [][]float64{{0, 0}, {1000.2, 0}, {2000, 2000}} {
		if want, _ := oracle.Value(in); math.Abs(got[j]-want) > 1e-9 {
			t.Errorf("row %d: %v, want %v", j, got[j], want)
		}
	}
}

// TestTies: at a tie the derivative is the first argument's, abs has the derivative 0 at 0.
func TestTies(t *testing.T) {
	f, err := formula.Parse("value = max(a, b) + abs(c)", []formula.Name{{Name: "a"}, {Name: "b"}, {Name: "c"}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMachine(f)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []float64{2, 2, 0} {
		m.Input(i)[0] = v
	}
	if _, err := m.Gradient(1); err != nil {
		t.Fatal(err)
	}
	if got := []float64{m.Slope(0)[0], m.Slope(1)[0], m.Slope(2)[0]}; !slices.Equal(got, []float64{1, 0, 0}) {
		t.Errorf("derivatives %v, want 1, 0, 0", got)
	}
}

// TestRowErrors names the row that has no value, and why.
func TestRowErrors(t *testing.T) {
	for text, want := range map[string]string{
		"value = 100/a":       "division by 0",
		"value = 1//a":        "division by 0",
		"value = sqrt(a-0.5)": "below 0",
		"value = sqrt(a)":     "a derivative is not finite",
		"value = a + 0/a":     "division by 0",
	} {
		f, err := formula.Parse(text, []formula.Name{{Name: "a"}})
		if err != nil {
			t.Fatal(err)
		}
		m, err := newMachine(f)
		if err != nil {
			t.Fatal(err)
		}
		for j := range 10 {
			m.Input(0)[j] = float64((7 - j) * (7 - j))
		}
		_, err = m.Gradient(10)
		var at *RowError
		if !errors.As(err, &at) || !errors.Is(err, ErrRow) || !errors.Is(err, formula.ErrFormula) || at.Row != 7 ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want row 7, %s", text, err, want)
		}
		for j := range 10 {
			m.Input(0)[j] = 4
		}
		if _, err = m.Gradient(10); err != nil {
			t.Errorf("%s: after an error: %v", text, err)
		}
	}
}

// TestTwoWorkers runs two machines at once, for the race detector.
func TestTwoWorkers(t *testing.T) {
	f, err := formula.Parse(cases[3].text, cases[3].names)
	if err != nil {
		t.Fatal(err)
	}
	pool := NewPool(f)
	b := newBatch(f, rand.New(rand.NewPCG(9, 10)))
	var mu sync.Mutex
	var want []float64
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for range 10 {
				m, err := pool.Get()
				if err != nil {
					t.Error(err)
					return
				}
				b.fill(m)
				v, err := m.Gradient(Rows)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if want == nil {
					want = slices.Clone(v)
				}
				if !slices.Equal(v, want) {
					t.Error("two machines, two results")
				}
				mu.Unlock()
				pool.Put(m)
			}
		})
	}
	wait.Wait()
}
