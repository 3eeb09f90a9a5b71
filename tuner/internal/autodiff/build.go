package autodiff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/assay-chess/assay/eval/formula"
)

// builder makes a gorgonia graph of a formula.
type builder struct {
	m     *Machine
	p     *program
	g     *gorgonia.ExprGraph
	nodes []*gorgonia.Node // by node of the formula
	in    map[int]*gorgonia.Node
	known map[float64]*gorgonia.Node // constants
	err   error
}

// build makes a program of the value, and of all derivatives if they are wanted.
func (m *Machine) build(slopes bool) (*program, error) {
	building.Lock()
	defer building.Unlock()
	p := &program{slopes: map[int]*[]float64{}}
	b := &builder{m: m, p: p, g: gorgonia.NewGraph(), in: map[int]*gorgonia.Node{}, known: map[float64]*gorgonia.Node{}}
	for i := range m.f.Nodes {
		b.nodes = append(b.nodes, b.node(&m.f.Nodes[i]))
		if b.err != nil {
			return nil, fmt.Errorf("gorgonia: %w", b.err)
		}
	}
	root := b.nodes[len(b.nodes)-1]
	results := []*read{&p.out}
	gorgonia.Read(root, &p.out.value)
	if slopes {
		more, err := b.differentiate(root)
		if err != nil {
			return nil, fmt.Errorf("gorgonia: %w", err)
		}
		results = append(results, more...)
	}
	p.vm = gorgonia.NewTapeMachine(b.g)
	return p, b.first(results)
}

// first runs the program once, which makes the memory that results are copied to, and compares
// the values with package formula's: nodes are known to gorgonia by hashes of 32 bits.
func (b *builder) first(results []*read) error {
	m := b.m
	r := rand.New(rand.NewPCG(1, uint64(len(m.in))))
	for _, v := range m.in {
		defer copy(v, slices.Clone(v))
		for j := range v {
			v[j] = 1 + 10*r.Float64()
		}
	}
	var want []float64
	check, row := formula.NewMachine(m.f), make([]float64, len(m.in))
	for j := range 64 {
		for i, v := range m.in {
			row[i] = v[j]
		}
		want = append(want, check.Value(row))
	}
	if err := b.p.run(); err != nil {
		return fmt.Errorf("gorgonia: %w", err)
	}
	for _, x := range results {
		dense, ok := x.value.(*tensor.Dense)
		if !ok || dense.Size() != Rows {
			return fmt.Errorf("gorgonia: a result is %T and no vector", x.value)
		}
		x.data = dense.Float64s()
	}
	for _, x := range results[1:] {
		b.p.all = append(b.p.all, x.data)
	}
	for j, v := range want {
		if got := b.p.out.data[j]; math.Abs(got-v) > 1e-9*(1+math.Abs(v)) {
			return fmt.Errorf("gorgonia: the graph has the value %v, want %v", got, v)
		}
	}
	return nil
}

// vector returns an input of the graph with the memory of v.
func (b *builder) vector(name string, v []float64) *gorgonia.Node {
	return gorgonia.NewVector(b.g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(Rows),
		gorgonia.WithValue(tensor.New(tensor.WithShape(Rows), tensor.WithBacking(v))))
}

// constant returns a vector of one number, which has a name of its own.
func (b *builder) constant(v float64) *gorgonia.Node {
	if n := b.known[v]; n != nil {
		return n
	}
	data := make([]float64, Rows)
	for i := range data {
		data[i] = v
	}
	n := b.vector(fmt.Sprintf("constant %d", len(b.known)), data)
	b.known[v] = n
	return n
}

// do notes the first error.
func (b *builder) do(n *gorgonia.Node, err error) *gorgonia.Node {
	if err != nil && b.err == nil {
		b.err = err
	}
	return n
}

// unary and binary translate a formula's operations to gorgonia's.
var (
	unary = map[formula.Op]func(x *gorgonia.Node) (*gorgonia.Node, error){
		formula.Square: gorgonia.Square, formula.Abs: gorgonia.Abs,
	}
	binary = map[formula.Op]func(x, y *gorgonia.Node) (*gorgonia.Node, error){
		formula.Add: gorgonia.Add, formula.Subtract: gorgonia.Sub,
		formula.Multiply: gorgonia.HadamardProd, formula.Divide: gorgonia.HadamardDiv,
		formula.Max: gorgonia.MaxBetween, formula.Min: gorgonia.MinBetween,
		formula.Less: func(x, y *gorgonia.Node) (*gorgonia.Node, error) { return gorgonia.Lt(x, y, true) },
	}
)

// node returns the graph's node for one of the formula.
func (b *builder) node(n *formula.Node) *gorgonia.Node {
	var x, y *gorgonia.Node
	args := n.Arguments()
	if len(args) > 0 {
		x = b.nodes[args[0]]
	}
	if len(args) > 1 {
		y = b.nodes[args[1]]
	}
	if f := unary[n.Op]; f != nil {
		return b.do(f(x))
	}
	if f := binary[n.Op]; f != nil {
		return b.do(f(x, y))
	}
	switch n.Op {
	case formula.Constant:
		return b.constant(n.Value)
	case formula.Read:
		return b.input(n.Input)
	case formula.Sign:
		above := b.do(gorgonia.Gt(x, b.constant(0), true))
		below := b.do(gorgonia.Lt(x, b.constant(0), true))
		return b.do(gorgonia.Sub(above, below))
	case formula.If:
		other := b.do(gorgonia.Sub(b.constant(1), x))
		first := b.do(gorgonia.HadamardProd(x, y))
		second := b.do(gorgonia.HadamardProd(other, b.nodes[n.C]))
		return b.do(gorgonia.Add(first, second))
	}
	return b.do(nil, fmt.Errorf("no node for operation %d", n.Op))
}

// input returns the vector of an input of the formula.
func (b *builder) input(i int) *gorgonia.Node {
	if b.in[i] == nil {
		b.in[i] = b.vector(fmt.Sprintf("input %d", i), b.m.in[i])
	}
	return b.in[i]
}
