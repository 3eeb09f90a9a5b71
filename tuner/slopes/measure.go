package slopes

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/inorder"
	"github.com/assay-chess/assay/models/numbers"
)

// Config says what to measure.
type Config struct {
	Command
	Numbers   []numbers.Number // of the program, in its order
	Positions []string         // data sets
	// Weights are what multiplies the weights of the rows of each data set; nil: 1.
	Weights []float64
	Out     string // folder of the data set to write
	Model   string // name of the evaluation, in the data set
	// Point is a value of each number, at which to measure; nil: the program's at its start.
	Point    []float64
	Workers  int    // processes; 0: one per core. No result depends on it.
	Program  string // version of the caller, for the manifest
	Progress func(done, total int64, note string)
}

// unevaluated is a position that is not in the data set, and why.
type unevaluated struct {
	FEN string `json:"fen"`
	Why string `json:"why"`
}

// Report says what Measure found. The manifest of the data set has it too.
type Report struct {
	Rows        int64          `json:"rows"`
	Unevaluated []unevaluated  `json:"unevaluated,omitempty"`
	Numbers     int            `json:"numbers"` // in the data set
	Unit        float64        `json:"unit"`    // a pawn in the finest unit of the engine
	Evaluations int64          `json:"evaluations"`
	Speed       float64        `json:"-"` // evaluations a second of a process
	Cells       int64          `json:"cells"`
	Bent        int64          `json:"bent"`           // cells whose slope depends on the step
	Flat        []string       `json:"flat,omitempty"` // numbers that change no value
	Left        []numbers.Left `json:"left,omitempty"` // numbers that the data set does not have
	// Actual is the RMS change of the sample's values when all numbers move at random, and Wrong the RMS of its difference
	// from what the slopes predict: centipawns.
	Actual float64 `json:"actual"`
	Wrong  float64 `json:"wrong"`
}

type measurement struct {
	Config
	ctx     context.Context
	sources []*dataset.Reader[dataset.PositionRow]
	total   int64
	idle    chan *Program // all programs, but for those at work
	names   []string
	unit    float64 // what a missing pawn costs
	point   []float64
	steps   []float64 // by number; 0: not moved
	groups  [][]int
	covers  []cover
	coarse  []float64 // by number: FeatureTerm.Step
	whole   bool      // values are whole numbers
	left    []numbers.Left
	tries   map[int]int // failures by number
	report  *Report
}

// Measure measures the slopes of all numbers at all positions, and writes them as features. The rows do not depend on
// the number of processes. An interrupted data set is started over; if it is complete already, the error wraps
// dataset.ErrComplete, and the report is the data set's.
func Measure(ctx context.Context, c Config) (*Report, error) {
	m := &measurement{Config: c, ctx: ctx, tries: map[int]int{}, report: new(Report)}
	identity, parents, err := m.open()
	if err != nil {
		return nil, err
	}
	if old := completeReport(c.Out, identity, parents); old != nil {
		return old, fmt.Errorf("%s: %w: %d rows", c.Out, dataset.ErrComplete, old.Rows)
	}
	if err := m.start(); err != nil {
		return nil, err
	}
	defer m.end()
	for again := true; again; {
		if again, err = m.attempt(identity, parents); err != nil {
			return nil, err
		}
	}
	busy := time.Duration(0)
	for range inorder.Workers(c.Workers) {
		p := <-m.idle
		m.report.Evaluations += p.evaluations
		busy += p.busy
		m.idle <- p
	}
	m.report.Speed = float64(m.report.Evaluations) / max(1e-9, busy.Seconds())
	return m.report, nil
}

// identity is the configuration in the manifest: all that decides the rows.
type identity struct {
	Operation string    `json:"operation"`
	Command   []string  `json:"command"` // the program's checksum
	Point     []float64 `json:"point,omitempty"`
	Model     string    `json:"model"`
	Weights   []float64 `json:"weights,omitempty"`
}

// open opens the positions, and returns what the data set is made of.
func (m *measurement) open() (*identity, []string, error) {
	sum, err := durable.SumFile(m.Path)
	if err != nil {
		return nil, nil, fmt.Errorf("slopes: %w", err)
	}
	id := &identity{"slopes", []string{"sha256:" + sum}, m.Point, m.Model, m.Weights}
	var parents []string
	for _, path := range m.Positions {
		src, err := dataset.OpenPositions(path)
		if err != nil {
			return nil, nil, err
		}
		parent, err := src.ID()
		if err != nil {
			return nil, nil, err
		}
		m.sources, parents, m.total = append(m.sources, src), append(parents, parent), m.total+src.Len()
	}
	if m.total == 0 {
		return nil, nil, fmt.Errorf("slopes: %s: there are no positions", strings.Join(m.Positions, ", "))
	}
	return id, parents, nil
}

// completeReport returns the report of a complete data set of that configuration, nil if there is none.
func completeReport(dir string, id *identity, parents []string) *Report {
	old, err := durable.LoadManifest(dir)
	if err != nil || !old.Complete || !slices.Equal(old.Parents, parents) {
		return nil
	}
	config, err := json.Marshal(id)
	r := new(Report)
	if err != nil || durable.CompareConfig(dir, old.Config, config) != nil || json.Unmarshal(old.Report, r) != nil {
		return nil
	}
	return r
}

func (m *measurement) start() error {
	n := inorder.Workers(m.Workers)
	m.idle = make(chan *Program, n)
	for range n {
		p, err := Start(m.ctx, m.Command)
		if err == nil {
			m.idle <- p
		}
		if err == nil && m.names == nil {
			m.names, m.point = p.names, p.start
			if m.Point != nil {
				m.point = m.Point
			}
			err = m.checkNumbers()
		}
		if err != nil {
			m.end()
			return err
		}
		p.setPoint(m.point)
	}
	return nil
}

// end ends the programs that do not work.
func (m *measurement) end() {
	for range len(m.idle) {
		p := <-m.idle
		p.Close()
	}
}

// checkNumbers compares what the program calls its numbers with what the caller knows of them.
func (m *measurement) checkNumbers() error {
	if len(m.Config.Numbers) != len(m.names) {
		return fmt.Errorf("%s has %d numbers, its sources have %d: is it built from them?", m.Path, len(m.names),
			len(m.Config.Numbers))
	}
	for k, n := range m.Config.Numbers {
		if n.Name != m.names[k] {
			return fmt.Errorf("number %d of %s is %s, in the sources %s: is it built from them?", k+1, m.Path, m.names[k],
				n.Name)
		}
	}
	return nil
}

// attempt measures everything, unless numbers turn out to make the program fail: then it is tried again with smaller
// steps for these, or without them.
func (m *measurement) attempt(id *identity, parents []string) (again bool, err error) {
	s, err := m.takeSample()
	if err != nil || len(s.failures) > 0 {
		return err == nil, err
	}
	w, err := dataset.NewFeatureWriter(m.Out, m.set(), dataset.WriterConfig{Config: id, Program: m.Program,
		Parents: parents})
	if err == nil {
		defer w.Close()
		err = w.Restart()
	}
	if err != nil {
		return false, err
	}
	*m.report = Report{Unit: m.unit, Numbers: len(m.active()), Left: m.left, Actual: s.actual, Wrong: s.wrong}
	again, err = m.measureAll(w)
	if again || err != nil {
		return again, err
	}
	_, err = w.Finish(m.report)
	return false, err
}

// active returns the numbers that are moved.
func (m *measurement) active() (out []int) {
	for k, step := range m.steps {
		if step != 0 {
			out = append(out, k)
		}
	}
	return out
}

const (
	groupSize = 64
	manyGroup = 128
	many      = 4096 // numbers from which on groups are larger
)

// leaveOut takes a number out of the measurement.
func (m *measurement) leaveOut(k int, why string) {
	m.steps[k] = 0
	m.left = append(m.left, numbers.Left{Name: m.names[k], Why: why})
}

// punish makes the step of numbers that made the program fail smaller, and leaves those out that failed twice.
func (m *measurement) punish(failures []*failure) {
	for _, f := range failures {
		k := slices.Index(m.names, f.Number)
		if m.steps[k] == 0 {
			continue
		}
		if m.tries[k]++; m.tries[k] == 1 {
			m.steps[k] = m.integral(k, m.steps[k]/4)
			continue
		}
		m.leaveOut(k, f.Error())
	}
}

// integral returns a step that a number can make: a whole one unless it may have other values, and no further up than
// its type goes.
func (m *measurement) integral(k int, step float64) float64 {
	n := &m.Config.Numbers[k]
	if !n.Float {
		step = max(1, math.Round(step))
	}
	if n.Min < n.Max {
		step = min(step, n.Max-m.point[k])
	}
	return step
}

// oneSided reports whether the type of a number does not go as far down as its step: then it is taken to be straight.
func (m *measurement) oneSided(k int) bool {
	n := &m.Config.Numbers[k]
	return n.Min < n.Max && m.point[k]-m.steps[k] < n.Min
}

// bentStep is the step for a number that bends: a quarter of its value within bounds, and no more than the usual
// step.
func (m *measurement) bentStep(k int) float64 {
	v, step := math.Abs(m.point[k]), m.steps[k]
	switch {
	case m.Config.Numbers[k].Float && v > 0:
		return min(step, v/4)
	case v >= 2 && v <= 15:
		return min(step, 4)
	}
	return min(step, max(8, min(64, math.Round(v/4))))
}

// bends is the largest sum of a step up and a step down at which nothing bends: two whole numbers that were rounded.
func (m *measurement) bends() float64 {
	if m.whole {
		return 2
	}
	return m.unit * 2e-4
}

// noiseErrors is how many standard deviations of roundings are still noise.
const noiseErrors = 3

// noise is by how much a change of the value may differ from the sum of known changes. Each of them is rounded, and
// has the rounding of the value at the point in common.
func (m *measurement) noise(known int) float64 {
	if !m.whole {
		return m.unit * 1e-6 * float64(1+known)
	}
	if known == 0 {
		return 0.5
	}
	n := float64(known)
	return noiseErrors * math.Sqrt(((n-1)*(n-1)+n+1)/12)
}

// set is the description of the data set's terms.
func (m *measurement) set() dataset.FeatureSet {
	s := dataset.FeatureSet{Version: 2, Model: m.Model, Float: true,
		Evaluation: dataset.Evaluation{Unit: m.unit, Tolerance: tolerance, Local: true}}
	for _, k := range m.active() {
		n := &m.Config.Numbers[k]
		v := m.point[k] / m.coarse[k]
		t := dataset.FeatureTerm{Name: n.Name, Group: n.Table, Kind: dataset.FlatTerm, MG: v, EG: v}
		if m.coarse[k] != 1 {
			t.Step = m.coarse[k]
		}
		if n.Pair >= 0 && m.steps[n.Pair] != 0 {
			t.Pair = m.names[n.Pair]
		}
		s.Terms = append(s.Terms, t)
	}
	return s
}

// tolerance of the rows, in centipawns: they are rounded to float32.
const tolerance = 0.1
