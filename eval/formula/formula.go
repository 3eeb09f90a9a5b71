// Package formula is the value of an evaluation that is not linear, as a list of operations on the sums of its
// channels. An evaluation writes it in Go with a Builder; the text of the formula identifies it.
//
// The list is run for one row at a time here. Its derivatives are gorgonia's, in package tuner/internal/autodiff.
//
// Start reading at Builder.
//
// No promise of stability.
package formula

import (
	"math"
	"slices"
)

// Channel is a linear sum of terms.
type Channel struct {
	Name    string
	Tapered bool // two sums: of the middlegame values and of the endgame values
	Sides   bool // a sum of White's counts and one of Black's
}

// Phase is the Input.Channel of the phase, from 0 to 1.
const Phase = -1

// Input is a number that a formula reads from a row: a sum of a channel, or the phase.
type Input struct {
	Channel        int // index, or Phase
	Black, Endgame bool
}

// Op is what a node does with its arguments.
type Op uint8

const (
	Constant Op = iota
	Read        // an input
	Add
	Subtract
	Multiply
	Divide
	Square
	Max
	Min
	Abs
	Sign
	Less // 1 or 0
	If   // B where A is 1, C where it is 0
)

// Node is one operation. Its arguments are earlier nodes.
type Node struct {
	Op      Op
	A, B, C int
	Value   float64 // of a constant
	Input   int     // of Read
}

// Arguments returns the nodes that the node takes.
func (n *Node) Arguments() []int {
	switch n.Op {
	case Constant, Read:
		return nil
	case Square, Abs, Sign:
		return []int{n.A}
	case If:
		return []int{n.A, n.B, n.C}
	}
	return []int{n.A, n.B}
}

// Formula is a list of operations.
type Formula struct {
	Text   string // that identifies it
	Inputs []Input
	Nodes  []Node // the last is the value
}

// Builder makes a formula. Equal operations are one node.
type Builder struct {
	f     *Formula
	known map[Node]int
}

// New returns a formula of that text. The value that make returns must be of its last operation.
func New(text string, make func(b *Builder) Value) *Formula {
	b := &Builder{&Formula{Text: text}, map[Node]int{}}
	if v := make(b); v.node != len(b.f.Nodes)-1 {
		panic("formula: operations after the value")
	}
	return b.f
}

// Value is the result of an operation.
type Value struct {
	b    *Builder
	node int
}

func (b *Builder) node(n Node) Value {
	i, ok := b.known[n]
	if !ok {
		i = len(b.f.Nodes)
		b.f.Nodes = append(b.f.Nodes, n)
		b.known[n] = i
	}
	return Value{b, i}
}

// Read returns the value of an input.
func (b *Builder) Read(in Input) Value {
	for i, known := range b.f.Inputs {
		if known == in {
			return b.node(Node{Op: Read, Input: i})
		}
	}
	b.f.Inputs = append(b.f.Inputs, in)
	return b.node(Node{Op: Read, Input: len(b.f.Inputs) - 1})
}

// Number returns a constant.
func (b *Builder) Number(v float64) Value { return b.node(Node{Op: Constant, Value: v}) }

// Balance is White's value minus Black's.
func (b *Builder) Balance(of func(black bool) Value) Value {
	white := of(false)
	return white.Minus(of(true))
}

// If is yes where a < b, else no.
func (b *Builder) If(less, yes, no Value) Value {
	return b.node(Node{Op: If, A: less.node, B: yes.node, C: no.node})
}

func (v Value) with(op Op, w Value) Value { return v.b.node(Node{Op: op, A: v.node, B: w.node}) }

func (v Value) alone(op Op) Value { return v.b.node(Node{Op: op, A: v.node}) }

// Plus is v + w.
func (v Value) Plus(w Value) Value { return v.with(Add, w) }

// Minus is v - w.
func (v Value) Minus(w Value) Value { return v.with(Subtract, w) }

// Times is v * w.
func (v Value) Times(w Value) Value { return v.with(Multiply, w) }

// Over is v / number.
func (v Value) Over(number float64) Value { return v.with(Divide, v.b.Number(number)) }

// Max is the larger of two values.
func (v Value) Max(w Value) Value { return v.with(Max, w) }

// Less is 1 where v < w, else 0.
func (v Value) Less(w Value) Value { return v.with(Less, w) }

// Clamp is v, but not below low and not above high.
func (v Value) Clamp(low, high float64) Value {
	least, most := v.b.Number(low), v.b.Number(high)
	return v.Max(least).with(Min, most)
}

// Square is v * v.
func (v Value) Square() Value { return v.alone(Square) }

// Abs is v without its sign.
func (v Value) Abs() Value { return v.alone(Abs) }

// Sign is -1, 0 or 1.
func (v Value) Sign() Value { return v.alone(Sign) }

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

// Near reports whether the last row is within a distance of a jump or kink.
func (m *Machine) Near(node int, distance float64) bool {
	n := &m.f.Nodes[node]
	d := m.v[n.A]
	if n.Op != Sign && n.Op != Abs {
		d -= m.v[n.B]
	}
	return math.Abs(d) <= distance
}
