package slopes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// Command is a measuring program that can be started.
type Command struct {
	Path    string
	Numbers string        // file with values of the numbers; "": the sources' values
	Timeout time.Duration // the longest for one answer; 0 is a minute
}

// Ways in which a program fails.
var (
	errDied   = errors.New("the program ended")
	errHung   = errors.New("the program did not answer in time")
	errAnswer = errors.New("the program gave a malformed answer")
)

// failure says what a program could not evaluate. It wraps one of the errors above.
type failure struct {
	Number string // the number that was moved; "" if none or several were
	Value  float64
	FEN    string // "" if it is not known
	Err    error
}

func (f *failure) Error() string {
	text := f.Err.Error()
	if f.Number != "" {
		text = fmt.Sprintf("with %s = %g: %s", f.Number, f.Value, text)
	}
	if f.FEN != "" {
		text += " (at " + f.FEN + ")"
	}
	return text
}

func (f *failure) Unwrap() error { return f.Err }

// failed reports whether a program failed, and its caller can go on with another one.
func failed(err error) bool {
	return errors.Is(err, errDied) || errors.Is(err, errHung) || errors.Is(err, errAnswer)
}

// Program is a measuring program. It is started again when it has died or hung, and then gets its positions and
// numbers again. It is not safe for concurrent use.
type Program struct {
	command Command
	ctx     context.Context // of all its processes
	names   []string
	start   []float64 // the numbers it starts with
	point   []float64 // the numbers that are not moved

	process *process // nil if none runs
	fens    []string
	loaded  bool  // the process has the positions
	moved   []int // numbers of the process that may not be at the point

	evaluations int64
	busy        time.Duration
}

// move gives a number another value.
type move struct {
	number int
	value  float64
}

// Start starts a program and asks for its numbers. The program ends with ctx.
func Start(ctx context.Context, c Command) (*Program, error) {
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	p := &Program{command: c, ctx: ctx}
	if err := p.launch(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Path, err)
	}
	p.point = p.start
	return p, nil
}

// Close ends the program.
func (p *Program) Close() {
	if p.process != nil {
		p.process.end()
		p.process = nil
	}
}

// Values evaluates positions with the numbers at, or with its first ones if that is nil. Values are White's view, in
// the finest unit of the engine, and NaN where the program fails: then the error is a failure that names the first.
func (p *Program) Values(fens []string, at []float64) ([]float64, error) {
	if at == nil {
		at = p.start
	}
	p.setPoint(at)
	out, bad, err := p.each(fens)
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(bad))) {
		out[i], err = math.NaN(), &failure{FEN: fens[i], Err: bad[i]}
	}
	return out, err
}

// mostBad is how many positions of a list may fail, and mostLost how often together but not alone.
const mostBad, mostLost = 100, 3

// each evaluates positions, which are loaded then, at the point. Those that make the program fail have an error.
func (p *Program) each(fens []string) (out []float64, bad map[int]error, err error) {
	bad = map[int]error{}
	for lost := 0; ; {
		var good []string
		var at []int
		for i, fen := range fens {
			if bad[i] == nil {
				good, at = append(good, fen), append(at, i)
			}
		}
		p.load(good)
		values := make([]float64, len(good))
		why := p.values(nil, nil, values)
		if why == nil {
			out = make([]float64, len(fens))
			for j, i := range at {
				out[i] = values[j]
			}
			return out, bad, nil
		}
		if !failed(why) {
			return nil, nil, why
		}
		i, err := p.culprit(good, nil)
		if err != nil {
			return nil, nil, err
		}
		if i >= 0 {
			bad[at[i]] = why
		} else if lost++; lost > mostLost {
			return nil, nil, fmt.Errorf("it failed %d times at positions that it evaluates when asked again: %w", lost, why)
		}
		if len(bad) > mostBad {
			return nil, nil, fmt.Errorf("%d of %d positions fail, as %s: %w", len(bad), len(fens), good[i], why)
		}
	}
}

// setPoint makes at the numbers that are not moved.
func (p *Program) setPoint(at []float64) {
	for k, v := range at {
		if v != p.point[k] {
			p.moved = append(p.moved, k)
		}
	}
	p.point = slices.Clone(at)
}

// load makes the next values about other positions.
func (p *Program) load(fens []string) { p.fens, p.loaded = fens, false }

// values evaluates the positions at, ascending, or all if that is nil, with some numbers moved away from the point.
func (p *Program) values(moves []move, at []int32, out []float64) error {
	if len(out) == 0 {
		return nil
	}
	if p.process == nil {
		if err := p.launch(); err != nil {
			return err
		}
		p.moved, p.loaded = p.moved[:0], false
		for k, v := range p.start {
			if v != p.point[k] {
				p.moved = append(p.moved, k)
			}
		}
	}
	var request []byte
	if !p.loaded {
		request = append(request, "clear\n"...)
		for _, fen := range p.fens {
			request = append(append(append(request, "position "...), fen...), '\n')
		}
	}
	pair := func(a int, b float64) {
		request = strconv.AppendInt(append(request, ' '), int64(a), 10)
		request = strconv.AppendFloat(append(request, ' '), b, 'f', -1, 64)
	}
	if len(p.moved)+len(moves) > 0 {
		request = append(request, "set"...)
		for _, k := range p.moved {
			pair(k, p.point[k])
		}
		p.moved = p.moved[:0]
		for _, m := range moves {
			pair(m.number, m.value)
			p.moved = append(p.moved, m.number)
		}
		request = append(request, '\n')
	}
	request = append(request, "values"...)
	if at == nil {
		pair(0, float64(len(p.fens)))
	}
	for i := 0; i < len(at); {
		from := i
		for i++; i < len(at) && at[i] == at[i-1]+1; i++ {
		}
		pair(int(at[from]), float64(at[i-1]+1))
	}
	return p.exchange(append(request, '\n'), out)
}

func (p *Program) exchange(request []byte, out []float64) error {
	began, i := time.Now(), 0
	err := p.process.ask(request, p.patience(len(out)), func(line []byte) (more bool, err error) {
		v, ok := parseValue(line)
		if !ok {
			return false, fmt.Errorf("%w: %.80q is not a value", errAnswer, line)
		}
		out[i] = v
		i++
		return i < len(out), nil
	})
	if err != nil {
		p.Close()
		if p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		return err
	}
	p.loaded = true
	p.evaluations += int64(len(out))
	p.busy += time.Since(began)
	return nil
}

const (
	// enoughValues is the number of evaluations that say how long one takes.
	enoughValues = 1000
	// slower is by how much longer than usual an answer may take, beside leastPatience.
	slower        = 50
	leastPatience = 5 * time.Second
)

// patience is the time limit for n evaluations.
func (p *Program) patience(n int) time.Duration {
	if p.evaluations < enoughValues {
		return p.command.Timeout
	}
	each := float64(p.busy) / float64(p.evaluations)
	return min(p.command.Timeout, leastPatience+time.Duration(slower*each*float64(n)))
}

// culprit finds a position at which the program fails, by halves. It is -1 if the program no longer fails.
func (p *Program) culprit(fens []string, moves []move) (int, error) {
	defer p.load(p.fens)
	fails := func(from, to int) (bool, error) {
		p.load(fens[from:to])
		err := p.values(moves, nil, make([]float64, to-from))
		if failed(err) {
			return true, nil
		}
		return false, err
	}
	if bad, err := fails(0, len(fens)); err != nil || !bad {
		return -1, err
	}
	from, to := 0, len(fens)
	for to-from > 1 {
		middle := (from + to) / 2
		bad, err := fails(from, middle)
		switch {
		case err != nil:
			return -1, err
		case bad:
			to = middle
		default:
			from = middle
		}
	}
	return from, nil
}

// parseValue reads a value; whole numbers, the usual ones, fast.
func parseValue(line []byte) (float64, bool) {
	if n, err := strconv.Atoi(string(line)); err == nil {
		return float64(n), true
	}
	v, err := strconv.ParseFloat(string(line), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
