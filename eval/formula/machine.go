package formula

import (
	"math"
	"slices"
)

// Machine computes a formula for one row at a time. It is for one goroutine.
type Machine struct {
	f *Formula
	v []float64
}

// NewMachine returns a machine.
func NewMachine(f *Formula) *Machine { return &Machine{f, make([]float64, len(f.Nodes))} }

// Value returns the formula's value for inputs in the order of Formula.Inputs.
func (m *Machine) Value(in []float64) float64 {
	for i := range m.f.Nodes {
		n := &m.f.Nodes[i]
		m.v[i] = m.do(n, in)
	}
	return m.v[len(m.v)-1]
}

func (m *Machine) do(n *Node, in []float64) float64 {
	a, b := m.v[n.A], m.v[n.B]
	switch n.Op {
	case Constant:
		return n.Value
	case Read:
		return in[n.Input]
	case Add:
		return a + b
	case Subtract:
		return a - b
	case Multiply:
		return a * b
	case Divide:
		return a / b
	case Square:
		return a * a
	case Max:
		return max(a, b)
	case Min:
		return min(a, b)
	case Abs:
		return math.Abs(a)
	case Sign:
		return truth(a > 0) - truth(a < 0)
	case Less:
		return truth(a < b)
	case If:
		if a != 0 {
			return b
		}
		return m.v[n.C]
	}
	return math.NaN()
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Jumps returns the nodes where the value may jump as channels change: signs and comparisons.
func (f *Formula) Jumps() []int { return f.bends(Sign, Less) }

// Kinks returns the nodes at which the value has a kink as channels change: the largest and smallest of two
// values, and absolute values.
func (f *Formula) Kinks() []int { return f.bends(Abs, Max, Min) }

// bends returns the nodes of some operations that depend on channels.
func (f *Formula) bends(ops ...Op) (out []int) {
	depends := make([]bool, len(f.Nodes))
	for i := range f.Nodes {
		n := &f.Nodes[i]
		args := n.Arguments()
		depends[i] = n.Op == Read && f.Inputs[n.Input].Channel != Phase ||
			slices.ContainsFunc(args, func(a int) bool { return depends[a] })
		if depends[i] && slices.Contains(ops, n.Op) {
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
