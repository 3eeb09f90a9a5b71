package autodiff

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/internal/setup"
)

// in reads the sum of a channel.
func in(b *formula.Builder, channel int) formula.Value {
	return b.Read(formula.Input{Channel: channel})
}

// cases are formulas with everything in them.
var cases = []struct {
	name string
	make func(b *formula.Builder) formula.Value
}{
	{"linear", func(b *formula.Builder) formula.Value {
		phase := in(b, formula.Phase)
		return in(b, 0).Times(phase).Plus(in(b, 1).Times(b.Number(1).Minus(phase)))
	}},
	{"an input alone", func(b *formula.Builder) formula.Value { return in(b, 0) }},
	{"no derivative", func(b *formula.Builder) formula.Value {
		step := b.If(in(b, 1).Less(b.Number(0)), b.Number(1), b.Number(2))
		return in(b, 0).Plus(in(b, 1).Times(b.Number(0))).Plus(step)
	}},
	{"danger, complexity and a factor", func(b *formula.Builder) formula.Value {
		v := in(b, 0).Plus(b.Balance(func(black bool) formula.Value {
			return b.Read(formula.Input{Channel: 1, Black: black}).Clamp(0, 150).Square().Over(300)
		}))
		sign, play := v.Sign(), in(b, 2)
		v = v.Plus(sign.Times(play.Max(b.Number(0).Minus(v.Abs()))))
		factor := b.If(v.Less(b.Number(0)), in(b, 3), in(b, 4))
		return v.Times(factor.Clamp(-96, 96)).Over(64)
	}},
}

// batch holds the inputs of rows, by input.
type batch [][]float64

func newBatch(f *formula.Formula, r *rand.Rand) batch {
	b := make(batch, len(f.Inputs))
	for i, x := range f.Inputs {
		for range Rows {
			v := 400*r.Float64() - 200
			if x.Channel == formula.Phase {
				v = float64(r.IntN(25)) / 24
			}
			b[i] = append(b[i], v)
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

// slopesOf returns the derivatives of a row by input.
func slopesOf(m *Machine, f *formula.Formula, j int) []float64 {
	out := make([]float64, len(f.Inputs))
	for i := range f.Inputs {
		if s := m.Slope(i); s != nil {
			out[i] = s[j]
		}
	}
	return out
}

func machineOf(t testing.TB, make func(b *formula.Builder) formula.Value) (*Machine, *formula.Formula) {
	t.Helper()
	f := formula.New("", make)
	return setup.Must(newMachine(f)), f
}

// TestAgainstInterpreter compares values with the interpreter's, and derivatives with its
// central differences where no kink is near.
func TestAgainstInterpreter(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, f := machineOf(t, c.make)
			r := rand.New(rand.NewPCG(5, 6))
			b := newBatch(f, r)
			b.fill(m)
			values := setup.Must(m.Gradient(Rows))
			for i, v := range b {
				if !slices.Equal(m.Input(i), v) {
					t.Fatalf("the run has changed %v", f.Inputs[i])
				}
			}
			at := formula.NewMachine(f).Value
			kinks, checked := 0, 0
			for j := range Rows {
				in := b.row(j)
				v := at(in)
				if math.Abs(v-values[j]) > 1e-11*(1+math.Abs(v)) {
					t.Fatalf("row %d: %v, want %v", j, values[j], v)
				}
				slopes := slopesOf(m, f, j)
				for i, x := range f.Inputs {
					if x.Channel == formula.Phase {
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
						t.Fatalf("row %d: the derivative by %+v is %v, want %v", j, x, slopes[i], want)
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
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, f := machineOf(t, c.make)
			other, _ := machineOf(t, c.make)
			r := rand.New(rand.NewPCG(7, 8))
			batches := []batch{newBatch(f, r), newBatch(f, r), newBatch(f, r)}
			type outcome struct{ values, slopes []float64 }
			run := func(m *Machine, k, rows int) (o outcome) {
				batches[k].fill(m)
				v, err := m.Value(rows)
				setup.Check(t, err)
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
	m, f := machineOf(t, func(b *formula.Builder) formula.Value {
		a, c := in(b, 0), in(b, 1)
		v := a.Max(b.Number(1000)).Plus(a.Max(b.Number(1000.5)).Times(b.Number(10)))
		return v.Plus(a.Times(b.Number(0.1))).Plus(c.Times(b.Number(0.10000001)))
	})
	copy(m.Input(0), []float64{0, 1000.2, 2000})
	copy(m.Input(1), []float64{0, 0, 2000})
	got := setup.Must(m.Gradient(3))
	oracle := formula.NewMachine(f)
	for j, in := range [][]float64{{0, 0}, {1000.2, 0}, {2000, 2000}} {
		if want := oracle.Value(in); math.Abs(got[j]-want) > 1e-9 {
			t.Errorf("row %d: %v, want %v", j, got[j], want)
		}
	}
}

// TestTies: at a tie the derivative is the first argument's, abs has the derivative 0 at 0.
func TestTies(t *testing.T) {
	m, _ := machineOf(t, func(b *formula.Builder) formula.Value { return in(b, 0).Max(in(b, 1)).Plus(in(b, 2).Abs()) })
	for i, v := range []float64{2, 2, 0} {
		m.Input(i)[0] = v
	}
	setup.Must(m.Gradient(1))
	if got := []float64{m.Slope(0)[0], m.Slope(1)[0], m.Slope(2)[0]}; !slices.Equal(got, []float64{1, 0, 0}) {
		t.Errorf("derivatives %v, want 1, 0, 0", got)
	}
}

// TestNotFinite: a value beyond all numbers is an error, and the next run is as if there had been none.
func TestNotFinite(t *testing.T) {
	m, _ := machineOf(t, func(b *formula.Builder) formula.Value { return in(b, 0).Square() })
	m.Input(0)[7] = 1e200
	if _, err := m.Gradient(10); !errors.Is(err, ErrRow) {
		t.Error(err)
	}
	m.Input(0)[7] = 3
	if v, err := m.Gradient(10); err != nil || v[7] != 9 {
		t.Errorf("after an error: %v, %v", v, err)
	}
}

// TestTwoWorkers runs two machines at once, for the race detector.
func TestTwoWorkers(t *testing.T) {
	f := formula.New("", cases[3].make)
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
