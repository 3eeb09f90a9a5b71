package formula

import (
	"math"
	"slices"
)

// Mode says what // and trunc do: truncate, as C does, or nothing, as a fit sees them.
type Mode int

const (
	Exact Mode = iota
	Smooth
)

// Machine computes a formula for one row at a time. It is not safe for use by goroutines at the same time.
type Machine struct {
	f    *Formula
	mode Mode
	v    []float64
}

// NewMachine returns a machine.
func NewMachine(f *Formula, mode Mode) *Machine {
	return &Machine{f: f, mode: mode, v: make([]float64, len(f.Nodes))}
}

// Value returns the formula's value for inputs in the order of Formula.Inputs. Both branches
// of every if are computed. A division by 0, a root of what is below 0 and a result that is
// not finite are errors that point at the place in the text.
func (m *Machine) Value(in []float64) (float64, error) {
	v := m.v
	for i := range m.f.Nodes {
		n := &m.f.Nodes[i]
		v[i] = m.do(n, v, in)
		if what := refuse(n, v, v[i]); what != "" {
			return math.NaN(), &textError{m.f.Text, n.At, what}
		}
	}
	return v[len(v)-1], nil
}

// refuse says why a node has no value for these arguments.
func refuse(n *Node, v []float64, out float64) string {
	switch {
	case (n.Op == Divide || n.Op == DivideInt) && v[n.B] == 0:
		return "division by 0"
	case n.Op == Sqrt && v[n.A] < 0:
		return "the root of a number below 0"
	case math.IsNaN(out) || math.IsInf(out, 0):
		return "the result is not a finite number"
	}
	return ""
}

func (m *Machine) do(n *Node, v, in []float64) float64 {
	a, b := v[n.A], v[n.B]
	switch n.Op {
	case Constant:
		return n.Value
	case Read:
		return in[n.Input]
	case Add:
		return a + b
	case Subtract:
		return a - b
	case Multiply, And:
		return a * b
	case Divide:
		return a / b
	case DivideInt:
		return m.truncate(a / b)
	case Truncate:
		return m.truncate(a)
	case Square:
		return a * a
	case Max, Or:
		return max(a, b)
	case Min:
		return min(a, b)
	case Abs:
		return math.Abs(a)
	case Sign:
		return truth(a > 0) - truth(a < 0)
	case Sqrt:
		return math.Sqrt(a)
	case Less:
		return truth(a < b)
	case LessEqual:
		return truth(a <= b)
	case Equal:
		return truth(a == b)
	case Not:
		return 1 - a
	case If:
		if a != 0 {
			return b
		}
		return v[n.C]
	case Lookup:
		at, f := Place(a, n.Size)
		return in[n.Input+at]*(1-f) + in[n.Input+at+1]*f
	}
	return math.NaN()
}

func (m *Machine) truncate(x float64) float64 {
	if m.mode == Exact {
		return math.Trunc(x)
	}
	return x
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Place returns between which entries of a table of that size a place is: after entry at, by
// the fraction. Before the first entry and after the last it is theirs.
func Place(x float64, size int) (at int, fraction float64) {
	last := float64(size - 1)
	switch {
	case !(x > 0):
		return 0, 0
	case x >= last:
		return size - 2, 1
	}
	whole := math.Floor(x)
	return int(whole), x - whole
}

// Order says how the formula's value depends on channels and scalars: 0 if it does not, 1 if
// it is a sum of them with factors of columns and constants, else 2.
func (f *Formula) Order() int { o := f.orders(); return o[len(o)-1] }

// orders returns the order of each node.
func (f *Formula) orders() []int {
	out := make([]int, len(f.Nodes))
	for i := range f.Nodes {
		n := &f.Nodes[i]
		most := 0
		for _, a := range n.Arguments() {
			most = max(most, out[a])
		}
		switch n.Op {
		case Read:
			if f.Inputs[n.Input].Kind != Column {
				most = 1
			}
		case Add, Subtract, Constant:
		case Multiply:
			most = min(2, out[n.A]+out[n.B])
		case Divide, DivideInt:
			if out[n.B] > 0 {
				most = 2
			}
		case Truncate:
		case If:
			if out[n.A] > 0 {
				most = 2
			}
		case Lookup:
			most = max(1, 2*out[n.A])
		default:
			if most > 0 {
				most = 2
			}
		}
		out[i] = most
	}
	return out
}

// Jumps returns the nodes where the value may jump as channels and scalars change: signs and
// the comparisons of conditions.
func (f *Formula) Jumps() []int { return f.bends(Sign, Less, LessEqual, Equal) }

// Kinks returns the nodes at which the value has a kink as channels and scalars change: the
// largest and smallest of two values, and absolute values.
func (f *Formula) Kinks() []int { return f.bends(Abs, Max, Min) }

// bends returns the nodes of some operations that depend on channels or scalars.
func (f *Formula) bends(ops ...Op) (out []int) {
	order := f.orders()
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if slices.Contains(ops, n.Op) && slices.ContainsFunc(n.Arguments(), func(a int) bool { return order[a] > 0 }) {
			out = append(out, i)
		}
	}
	return out
}

// Near reports whether the last row is within a distance of one of the jumps or kinks.
func (m *Machine) Near(nodes []int, distance float64) bool {
	for _, i := range nodes {
		n := &m.f.Nodes[i]
		d := m.v[n.A]
		if n.Op != Sign && n.Op != Abs {
			d -= m.v[n.B]
		}
		if math.Abs(d) <= distance {
			return true
		}
	}
	return false
}
