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
var ErrRow = errors.New("no value")

// RowError names the row of a batch for which a formula has no value or no derivative.
type RowError struct {
	Row int
	Err error
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d of the batch: %v", e.Row, e.Err) }

// Unwrap returns the cause, and ErrRow.
func (e *RowError) Unwrap() []error { return []error{ErrRow, e.Err} }

// Machine computes a formula, smooth, for batches of rows. It is for one goroutine.
type Machine struct {
	f     *formula.Formula
	in    [][]float64 // by input; of a table's entry one number
	value *program    // the value alone
	slope *program    // and all derivatives; nil until wanted
	check *formula.Machine
	row   []float64
}

// building is held while a graph is built.
var building sync.Mutex

// newMachine returns a machine for a formula.
func newMachine(f *formula.Formula) (*Machine, error) {
	m := &Machine{f: f, check: formula.NewMachine(f, formula.Smooth), row: make([]float64, len(f.Inputs))}
	for _, x := range f.Inputs {
		n := Rows
		if x.Kind == formula.Table {
			n = 1
		}
		m.in = append(m.in, make([]float64, n))
	}
	var err error
	m.value, err = m.build(false)
	return m, err
}

// Input returns the vector of an input, to be filled before a run: a number a row; one number
// of an entry of a table. Runs do not change it.
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
// where they are 0 for all rows, and of tables, see Lookups.
func (m *Machine) Slope(i int) []float64 {
	if v, ok := m.slope.slopes[i]; ok {
		return *v
	}
	return nil
}

// Lookup is one place in a formula where a table is looked up.
type Lookup struct {
	First, Size int       // input of the first entry, and their number
	Place       []float64 // by row, see formula.Place
	Slope       []float64 // derivative of the value with respect to what was found, by row
}

// Lookups returns all lookups of the last Gradient.
func (m *Machine) Lookups() []Lookup {
	var out []Lookup
	for _, l := range m.slope.lookups {
		out = append(out, Lookup{l.first, l.size, l.place.data, l.slope.data})
	}
	return out
}

// run runs a program on the first rows.
func (m *Machine) run(p *program, rows int) ([]float64, error) {
	for i, v := range m.in {
		if m.f.Inputs[i].Kind != formula.Table {
			for j := rows; j < Rows; j++ { // a short batch repeats its last row
				v[j] = v[rows-1]
			}
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
			return nil, &RowError{j, m.explain(j)}
		}
	}
	return out, nil
}

// explain says why a row has no value.
func (m *Machine) explain(row int) error {
	for i, v := range m.in {
		m.row[i] = v[min(row, len(v)-1)]
	}
	if _, err := m.check.Value(m.row); err != nil {
		return err
	}
	return fmt.Errorf("%w: a derivative is not finite, as that of a root at 0", formula.ErrFormula)
}

// program is a graph with its tape machine.
type program struct {
	vm      gorgonia.VM
	out     read
	slopes  map[int]*[]float64 // by input
	all     [][]float64        // every derivative
	lookups []*lookup
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
