// Package autodiff computes a formula and its derivatives for many rows at once. The calculus
// and the vectors are gorgonia's: a formula becomes one graph over vectors of Rows rows, one
// call of gorgonia.Grad differentiates the sum of its values with respect to all channels,
// and a tape machine runs it. Because each input is a vector, the derivative of the sum by an
// input is each row's own.
//
// What gorgonia v0.9 asks for, and this package does: inputs and constants are vectors with
// names of their own, since nodes of one name are one; x^2 is Square, since Pow knows no
// negative bases; a machine is reset before each run, and results are copied out with Read,
// since registers are used again; there are no dual values, which add up from run to run;
// graphs are built one after another, since the package shares nodes between them.
//
// Start reading at Machine.
package autodiff

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/assay-chess/assay/eval/formula"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
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

// Rows is the number of rows of a batch.
const Rows = 4096

// ErrRow says that a formula has no value or no derivative for a row.
var ErrRow = errors.New("the value of a row, or a derivative, is not a finite number")

// Machine computes a formula for batches of rows. It is for one goroutine.
type Machine struct {
	f     *formula.Formula
	in    [][]float64 // by input
	value *program    // the value alone
	slope *program    // and all derivatives; nil until wanted
}

// building is held while a graph is built.
var building sync.Mutex

// newMachine returns a machine for a formula.
func newMachine(f *formula.Formula) (*Machine, error) {
	m := &Machine{f: f}
	for range f.Inputs {
		m.in = append(m.in, make([]float64, Rows))
	}
	var err error
	m.value, err = m.build(false)
	return m, err
}

// Input returns the vector of an input, a number a row, to be filled before a run. Runs do not change it.
func (m *Machine) Input(i int) []float64 { return m.in[i] }

// Value returns the values of the first rows of the batch, until the next run.
func (m *Machine) Value(rows int) ([]float64, error) { return m.run(m.value, rows) }

// Gradient returns the values of the first rows of the batch. Slope then has their derivatives.
func (m *Machine) Gradient(rows int) ([]float64, error) {
	if m.slope == nil {
		var err error
		if m.slope, err = m.build(true); err != nil {
			return nil, err
		}
	}
	return m.run(m.slope, rows)
}

// Slope returns the derivatives of the last Gradient with respect to an input, by row: nil
// where they are 0 for all rows.
func (m *Machine) Slope(i int) []float64 {
	if v, ok := m.slope.slopes[i]; ok {
		return *v
	}
	return nil
}

// run runs a program on the first rows.
func (m *Machine) run(p *program, rows int) ([]float64, error) {
	for _, v := range m.in {
		for j := rows; j < Rows; j++ { // a short batch repeats its last row
			v[j] = v[rows-1]
		}
	}
	if err := p.run(); err != nil {
		return nil, fmt.Errorf("gorgonia: %w", err)
	}
	out := p.out.data[:rows]
	for j, v := range out {
		sum := v
		for _, s := range p.all {
			sum += s[j] - s[j] // NaN where one is not finite
		}
		if math.IsNaN(sum - sum) {
			return nil, ErrRow
		}
	}
	return out, nil
}

// program is a graph with its tape machine.
type program struct {
	vm     gorgonia.VM
	out    read
	slopes map[int]*[]float64 // by input
	all    [][]float64        // every derivative
}

// read is a result that is copied out of the registers.
type read struct {
	value gorgonia.Value
	data  []float64
}

// run runs the tape once. Without the reset it would return what it returned before.
func (p *program) run() error {
	p.vm.Reset()
	return p.vm.RunAll()
}

// Pool keeps machines of one formula for goroutines.
type Pool struct {
	f    *formula.Formula
	mu   sync.Mutex
	free []*Machine // they are expensive to build: no sync.Pool, which drops them
}

// NewPool returns an empty pool.
func NewPool(f *formula.Formula) *Pool { return &Pool{f: f} }

// Get returns a machine that nothing else uses.
func (p *Pool) Get() (*Machine, error) {
	p.mu.Lock()
	n := len(p.free)
	if n == 0 {
		p.mu.Unlock()
		return newMachine(p.f)
	}
	defer p.mu.Unlock()
	m := p.free[n-1]
	p.free = p.free[:n-1]
	return m, nil
}

// Put gives a machine back.
func (p *Pool) Put(m *Machine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, m)
}

// smooth reports of each node of the formula whether it depends on a channel in a way that has a derivative.
func smooth(f *formula.Formula) []bool {
	out := make([]bool, len(f.Nodes))
	for i := range f.Nodes {
		n := &f.Nodes[i]
		args := n.Arguments()
		switch n.Op {
		case formula.Constant, formula.Sign, formula.Less:
			continue
		case formula.Read:
			out[i] = f.Inputs[n.Input].Channel != formula.Phase
		case formula.If:
			args = args[1:]
		}
		for _, a := range args {
			out[i] = out[i] || out[a]
		}
	}
	return out
}

// wanted returns the inputs with respect to which the value has derivatives.
func wanted(f *formula.Formula) (inputs []int) {
	is := smooth(f)
	reached := make([]bool, len(f.Nodes))
	reached[len(f.Nodes)-1] = true
	for i := len(f.Nodes) - 1; i >= 0; i-- {
		n := &f.Nodes[i]
		if !reached[i] || !is[i] {
			continue
		}
		args := n.Arguments()
		if n.Op == formula.If {
			args = args[1:]
		}
		for _, a := range args {
			reached[a] = true
		}
		if n.Op == formula.Read {
			inputs = append(inputs, n.Input)
		}
	}
	return inputs
}

// differentiate adds the derivatives to the graph, all with one call, and returns where they will be read.
func (b *builder) differentiate(root *gorgonia.Node) ([]*read, error) {
	var by gorgonia.Nodes
	var reads []*read
	for _, i := range wanted(b.m.f) {
		by = append(by, b.input(i))
		reads = append(reads, new(read))
		b.p.slopes[i] = &reads[len(reads)-1].data
	}
	if len(by) == 0 {
		return nil, nil
	}
	sum, err := gorgonia.Sum(root)
	if err != nil {
		return nil, err
	}
	slopes, err := gorgonia.Grad(sum, by...)
	if err != nil {
		return nil, err
	}
	for i, n := range slopes {
		gorgonia.Read(n, &reads[i].value)
	}
	return reads, nil
}
