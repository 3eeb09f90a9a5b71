package autodiff

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"gorgonia.org/gorgonia"

	"github.com/assay-chess/assay/eval/formula"
)

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
