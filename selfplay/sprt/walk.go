package sprt

import "fmt"

// Walk follows the LLR of one test while its samples arrive, and stops for good
// at the first crossing of a bound.
//
// A walk jumps over its bound, by half the ratio of the second to the first moment
// of the jumps to new records (Siegmund 1985, ch. VIII). Wald's bounds ignore that: a test
// makes fewer errors than Alpha and Beta allow, and takes longer.
// A corrected walk measures the records it sets and narrows its bounds by that
// much, as fishtest does.
type Walk struct {
	test         Test
	lower, upper float64 // Wald's bounds
	corrected    bool
	llr          float64
	samples      int64
	status       Status
	below, above ladder
}

// ladder sums up the jumps to new records on one side, as sizes above zero.
type ladder struct{ record, sum, squares float64 }

func (l *ladder) step(level float64) {
	if jump := level - l.record; jump > 0 {
		l.sum += jump
		l.squares += float64(jump * jump)
		l.record = level
	}
}

// overshoot is the expected excess over a distant bound.
func (l *ladder) overshoot() float64 {
	if l.sum == 0 {
		return 0
	}
	return l.squares / l.sum / 2
}

// NewWalk starts at no samples. A corrected walk has its bounds narrowed by the
// measured overshoot.
func NewWalk(t Test, corrected bool) (*Walk, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	w := t.walk(corrected)
	return &w, nil
}

func (t Test) walk(corrected bool) Walk {
	w := Walk{test: t, corrected: corrected}
	w.lower, w.upper = t.Bounds()
	return w
}

// Observe takes the counts of everything seen so far, one sample more than at
// the last call, and returns the status. After a stop it changes nothing. Where
// other than one sample was added the jump says nothing about single steps: the
// LLR is followed, the measurement of the overshoot starts again from there.
// Counts that shrink are an error.
func (w *Walk) Observe(c Counts) (Status, error) {
	if err := w.test.accepts(c); err != nil {
		return w.status, err
	}
	added := c.Samples() - w.samples
	if added < 0 {
		return w.status, fmt.Errorf("%w: %d samples after %d", ErrCounts, c.Samples(), w.samples)
	}
	if w.status != Continue || added == 0 {
		return w.status, nil
	}
	w.advance(w.test.llrOf(c), added)
	return w.status, nil
}

// advance moves to an LLR, added samples later.
func (w *Walk) advance(llr float64, added int64) {
	w.samples += added
	if added > 1 {
		w.below.record, w.above.record = -llr, llr
	}
	w.record(llr)
}

// record notes the LLR, the records it sets and the status it has.
func (w *Walk) record(llr float64) {
	w.llr = llr
	w.below.step(-llr)
	w.above.step(llr)
	lower, upper := w.Bounds()
	w.status = StatusAt(llr, lower, upper)
}

// LLR is the log-likelihood ratio after the last sample observed (at the
// crossing, once stopped).
func (w *Walk) LLR() float64 { return w.llr }

// Samples is the number of samples observed (until the crossing, once stopped).
func (w *Walk) Samples() int64 { return w.samples }

// Status is the status after the last sample observed.
func (w *Walk) Status() Status { return w.status }

// Bounds is where the walk would stop now: Wald's bounds, narrowed by overshoot if
// corrected.
func (w *Walk) Bounds() (lower, upper float64) {
	if w.corrected {
		return w.lower + w.below.overshoot(), w.upper - w.above.overshoot()
	}
	return w.lower, w.upper
}
