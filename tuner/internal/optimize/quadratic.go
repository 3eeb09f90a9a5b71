package optimize

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
)

// quadratic is the function g'd + d'Bd/2 of a step d with lo <= d <= hi, which contain 0.
// B is positive definite and known by its inverse.
type quadratic struct {
	inverse   func(v []float64) ([]float64, error)
	g, lo, hi []float64
	newton    []float64         // B^-1 g
	columns   map[int][]float64 // of B^-1, those that were needed
}

// quadraticStep is where a quadratic is smallest.
type quadraticStep struct {
	step     []float64
	slope    []float64 // B step
	decrease float64   // of the quadratic
}

// quadraticReleases is how often a variable is released. Without rounding errors once is
// enough but for rare cases; with them, a singular B can hold and release one without end.
const quadraticReleases = 3

// minimize finds the minimum by an active set (Nocedal and Wright 2006, algorithm 16.3). From
// the minimum with some variables held where they are, the variable that most wants to
// go inside is released; on the way there, the first bound to be met holds.
func (q *quadratic) minimize() (*quadraticStep, error) {
	n := len(q.g)
	var err error
	if q.newton, err = q.inverse(q.g); err != nil {
		return nil, err
	}
	q.columns = make(map[int][]float64)
	m := &quadraticStep{step: make([]float64, n), slope: make([]float64, n)}
	at := make([]float64, n) // 1 and -1 where the bound above and below holds the step, else 0
	for j, g := range q.g {
		if q.hi[j] == 0 && (g < 0 || q.lo[j] == 0) {
			at[j] = 1
		} else if q.lo[j] == 0 && g > 0 {
			at[j] = -1
		}
	}
	released := make([]int, n)
	for {
		target, force, err := q.face(m.step, at)
		if err != nil {
			return nil, err
		}
		if j := q.advance(m.step, target, at); j >= 0 {
			at[j] = math.Copysign(1, target[j]-m.step[j])
			m.step[j] = q.hi[j]
			if at[j] < 0 {
				m.step[j] = q.lo[j]
			}
			continue
		}
		release, most := -1, 0.0
		for j, a := range at {
			if wants := a * force[j]; wants > most && q.lo[j] < q.hi[j] && released[j] < quadraticReleases {
				release, most = j, wants
			}
		}
		if release < 0 {
			floats.SubTo(m.slope, force, q.g)
			m.decrease = -floats.Dot(q.g, m.step) - num.Rounded(0.5*floats.Dot(m.slope, m.step))
			return m, nil
		}
		at[release] = 0
		released[release]++
	}
}

// advance moves the step towards the target, to the first bound in the way. It returns the
// variable at that bound, -1 if there is none.
func (q *quadratic) advance(step, target, at []float64) (first int) {
	share, first := 1.0, -1
	for j, t := range target {
		room, way := q.hi[j]-step[j], t-step[j]
		if way < 0 {
			room = q.lo[j] - step[j]
		}
		if at[j] == 0 && way != 0 && room/way < share {
			share, first = max(0, room/way), j
		}
	}
	for j, t := range target {
		step[j] += num.Rounded(share * (t - step[j]))
	}
	return first
}

// face returns the minimum with the variables that bounds hold where step has them, and
// the derivatives of the quadratic there: 0 for the others.
func (q *quadratic) face(step, at []float64) (target, force []float64, err error) {
	n := len(step)
	target, force = make([]float64, n), make([]float64, n)
	floats.ScaleTo(target, -1, q.newton)
	var held []int
	for j, a := range at {
		if a == 0 {
			continue
		}
		held = append(held, j)
		if q.columns[j] == nil {
			unit := make([]float64, n)
			unit[j] = 1
			if q.columns[j], err = q.inverse(unit); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(held) == 0 {
		return target, force, nil
	}
	block, off := mat.NewSymDense(len(held), nil), make([]float64, len(held))
	for i, j := range held {
		for k := range i + 1 {
			block.SetSym(k, i, q.columns[j][held[k]])
		}
		off[i] = target[j] - step[j]
	}
	factor := Factorize(block)
	if factor == nil {
		return nil, nil, errNotFinite
	}
	forces, err := factor.Solve(off)
	if err != nil {
		return nil, nil, err
	}
	for i, j := range held {
		force[j] = forces[i]
		floats.AddScaled(target, forces[i], q.columns[j])
	}
	for _, j := range held {
		target[j] = step[j]
	}
	return target, force, nil
}
