package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/mat"
)

// Fixed marks a half that is not fitted.
const Fixed = -1

// Params maps the halves of all terms to the parameters theta of a fit: the changes from the start values. A
// frozen half has no parameter; both halves of a term that is not tapered, and tied twins, share one.
type Params struct {
	N      int
	MG, EG []int         // parameter of each term's halves, or fixed
	Start  Tapered       // start values, centipawns
	tau    []float64     // prior standard deviation by parameter, centipawns; +Inf = free
	Center []float64     // prior mean of theta, centipawns
	Box    *optimize.Box // bounds of theta, see Limit; nil if there are none
}

// Leaders returns, for each term, the first of the terms that share its parameters: itself where none does. Terms that
// mirror each other do if twins are tied.
func Leaders(terms []rows.Term, tied bool) ([]int, error) {
	out := make([]int, len(terms))
	for t, term := range terms {
		twin := term.Mirror
		if twin < 0 || twin >= len(terms) || terms[twin].Mirror != t {
			return nil, fmt.Errorf("term %s: mirror %d does not point back", term.Name, twin)
		}
		out[t] = t
		if tied && twin < t && terms[twin].Tapered == term.Tapered {
			out[t] = twin
		}
	}
	return out, nil
}

// NewParams numbers the parameters in table order. centre holds the prior's mean in centipawns by term; terms
// with one leader share parameters, unless the leader is frozen.
func NewParams(terms []rows.Term, centre Tapered, frozen []bool, tau []float64, leader []int) *Params {
	p := &Params{MG: make([]int, len(terms)), EG: make([]int, len(terms)), Start: StartOf(terms)}
	var members []float64
	number := func(t int) int {
		p.N++
		p.tau = append(p.tau, tau[t])
		p.Center = append(p.Center, 0)
		members = append(members, 0)
		return p.N - 1
	}
	for t := range terms {
		first := leader[t]
		switch {
		case frozen[t]:
			p.MG[t], p.EG[t] = Fixed, Fixed
			continue
		case first < t && !frozen[first]:
			p.MG[t], p.EG[t] = p.MG[first], p.EG[first]
		default:
			p.MG[t] = number(t)
			p.EG[t] = p.MG[t]
			if terms[t].Tapered {
				p.EG[t] = number(t)
			}
		}
		p.Center[p.MG[t]] += centre.MG[t] - p.Start.MG[t]
		p.Center[p.EG[t]] += centre.EG[t] - p.Start.EG[t]
		members[p.MG[t]]++
		members[p.EG[t]]++
	}
	for j := range p.Center {
		p.Center[j] /= members[j]
	}
	return p
}

func StartOf(terms []rows.Term) Tapered {
	w := NewTapered(len(terms))
	for t := range terms {
		w.MG[t], w.EG[t] = terms[t].MG, terms[t].EG
	}
	return w
}

// Expand writes the coefficients that theta stands for.
func (p *Params) Expand(theta []float64, w Tapered) {
	for t := range p.MG {
		w.MG[t], w.EG[t] = p.Start.MG[t], p.Start.EG[t]
		if p.MG[t] != Fixed {
			w.MG[t] += theta[p.MG[t]]
			w.EG[t] += theta[p.EG[t]]
		}
	}
}

// Fold sums derivatives by half into derivatives by parameter. A half that is fixed is left out.
func (p *Params) Fold(g Tapered, out []float64) {
	clear(out)
	for t, j := range p.MG {
		if j != Fixed {
			out[j] += g.MG[t]
			out[p.EG[t]] += g.EG[t]
		}
	}
}

// FoldGram sums a matrix over halves into a matrix over parameters.
func (p *Params) FoldGram(g *Gram) *mat.SymDense {
	n := p.N
	full := make([]float64, n*n)
	add := func(j, k int, v float64) {
		if j <= k {
			full[j*n+k] += v
		} else {
			full[k*n+j] += v
		}
	}
	if len(g.blocks) == 1 {
		p.foldHalves(g, add)
		return mat.NewSymDense(n, full)
	}
	mm, me, ee := g.blocks[0], g.blocks[1], g.blocks[2]
	for t := range p.MG {
		if p.MG[t] == Fixed {
			continue
		}
		for u := t; u < len(p.MG); u++ {
			i := g.base[t] + u
			if p.MG[u] == Fixed || mm[i] == 0 && me[i] == 0 && ee[i] == 0 {
				continue
			}
			for _, c := range [4]struct {
				j, k int
				v    float64
			}{{p.MG[t], p.MG[u], mm[i]}, {p.MG[t], p.EG[u], me[i]}, {p.EG[t], p.MG[u], me[i]}, {p.EG[t], p.EG[u], ee[i]}} {
				if t != u && c.j == c.k {
					c.v *= 2 // (t,u) and (u,t) both fall on the diagonal
				}
				if t == u && c.j > c.k {
					continue // (eg,mg) mirrors (mg,eg), which is counted
				}
				add(c.j, c.k, c.v)
			}
		}
	}
	return mat.NewSymDense(n, full)
}

// foldHalves is FoldGram of one block over the halves of terms.
func (p *Params) foldHalves(g *Gram, add func(j, k int, v float64)) {
	of := make([]int, 0, 2*len(p.MG))
	for t := range p.MG {
		of = append(of, p.MG[t], p.EG[t])
	}
	for a, j := range of {
		if j == Fixed {
			continue
		}
		line := g.blocks[0][g.base[a]+a:]
		for b, k := range of[a:] {
			v := line[b]
			if k == Fixed || v == 0 {
				continue
			}
			if b > 0 && j == k {
				v *= 2 // (a,b) and (b,a) both fall on the diagonal
			}
			add(j, k, v)
		}
	}
}

// Precision returns 1/tau^2 of parameter j; 0 where it is free.
func (p *Params) Precision(j int) float64 {
	if math.IsInf(p.tau[j], 1) {
		return 0
	}
	return 1 / (p.tau[j] * p.tau[j])
}

// Priorless reports whether no parameter has a prior.
func (p *Params) Priorless() bool {
	return !slices.ContainsFunc(p.tau, func(tau float64) bool { return !math.IsInf(tau, 1) })
}

// Widen multiplies the widths of all priors.
func (p *Params) Widen(factor float64) {
	for j := range p.tau {
		p.tau[j] *= factor
	}
}

// Without returns the parameters of the other terms, where those that out chooses are 0, and of each the number it has
// in p.
func (p *Params) Without(out []bool) (q *Params, of []int) {
	q = &Params{MG: slices.Clone(p.MG), EG: slices.Clone(p.EG),
		Start: Tapered{slices.Clone(p.Start.MG), slices.Clone(p.Start.EG)}}
	number := map[int]int{Fixed: Fixed}
	for t := range out {
		if out[t] {
			q.MG[t], q.EG[t], q.Start.MG[t], q.Start.EG[t] = Fixed, Fixed, 0, 0
		}
		for _, j := range []*int{&q.MG[t], &q.EG[t]} {
			if _, known := number[*j]; !known {
				number[*j] = len(of)
				of = append(of, *j)
			}
			*j = number[*j]
		}
	}
	if q.N = len(of); p.Box != nil {
		q.Box = optimize.NewBox(q.N)
	}
	for i, j := range of {
		q.tau, q.Center = append(q.tau, p.tau[j]), append(q.Center, p.Center[j])
		if p.Box != nil {
			q.Box.Lo[i], q.Box.Hi[i], q.Box.Held[i] = p.Box.Lo[j], p.Box.Hi[j], p.Box.Held[j]
		}
	}
	return q, of
}

// Lone reports whether no other term shares a parameter with t.
func (p *Params) Lone(t int) bool {
	for u, j := range p.MG {
		if u != t && j == p.MG[t] {
			return false
		}
	}
	return true
}

// Names returns what each parameter is called.
func (p *Params) Names(terms []rows.Term) []string {
	out := make([]string, p.N)
	add := func(j int, name string) {
		if j == Fixed {
			return
		}
		if out[j] != "" {
			out[j] += " = "
		}
		out[j] += name
	}
	for t, term := range terms {
		if p.MG[t] == p.EG[t] {
			add(p.MG[t], term.Name)
			continue
		}
		add(p.MG[t], term.Name+" mg")
		add(p.EG[t], term.Name+" eg")
	}
	return out
}

// ErrConfig means that the configuration of a fit makes no sense.
var ErrConfig = errors.New("bad configuration")

// ErrName means that a freeze or prior names neither a term nor a group.
var ErrName = errors.New("no such term or group")

// Frozen says which terms are frozen: those that the names, each a term or a group, choose,
// and those that are fixed.
func Frozen(terms []rows.Term, names []string) ([]bool, error) {
	if err := checkNames(terms, names); err != nil {
		return nil, err
	}
	out := make([]bool, len(terms))
	for t, term := range terms {
		out[t] = term.Fixed
		for _, n := range names {
			out[t] = out[t] || n == term.Name || n == term.Group
		}
	}
	return out, nil
}

func checkNames(terms []rows.Term, names []string) error {
	known := make(map[string]bool, 2*len(terms))
	for _, t := range terms {
		known[t.Name], known[t.Group] = true, true
	}
	for _, n := range names {
		if !known[n] {
			return fmt.Errorf("%w: %q (groups: %s)", ErrName, n, strings.Join(GroupNames(terms), ", "))
		}
	}
	return nil
}

// GroupNames returns the groups in order of first appearance.
func GroupNames(terms []rows.Term) []string {
	var out []string
	for _, t := range terms {
		if !slices.Contains(out, t.Group) {
			out = append(out, t.Group)
		}
	}
	return out
}

// HoldOut returns m without the rows and columns of parameters held at their limit: they do not move with the data.
func (p *Params) HoldOut(m *mat.SymDense) *mat.SymDense {
	if p.Box == nil || !slices.Contains(p.Box.Held, true) {
		return m
	}
	out := mat.NewSymDense(p.N, nil)
	for j := range p.N {
		for k := j; k < p.N; k++ {
			if !p.Box.Held[j] && !p.Box.Held[k] {
				out.SetSym(j, k, m.At(j, k))
			}
		}
	}
	return out
}

// Stuck reports whether parameter j is held at its limit, because the loss falls beyond it.
func (p *Params) Stuck(j int) bool { return p.Box != nil && p.Box.Held[j] }

// Limit keeps coefficients that no prior holds within that many centipawns of 0, or of their start value: a term that
// always wins has no finite optimum. An infinite limit is none.
func (p *Params) Limit(limit float64) {
	if math.IsInf(limit, 1) {
		return
	}
	for t := range p.MG {
		for _, h := range [2]struct {
			j     int
			start float64
		}{{p.MG[t], p.Start.MG[t]}, {p.EG[t], p.Start.EG[t]}} {
			if h.j == Fixed || p.Precision(h.j) > 0 {
				continue
			}
			if p.Box == nil {
				p.Box = optimize.NewBox(p.N)
			}
			reach := max(limit, math.Abs(h.start))
			p.Box.Lo[h.j] = max(p.Box.Lo[h.j], -reach-h.start)
			p.Box.Hi[h.j] = min(p.Box.Hi[h.j], reach-h.start)
		}
	}
}

// Trust keeps coefficients within a distance of their start values: reach divided by what the term typically counts. An
// infinite reach is none.
func (p *Params) Trust(reach float64, typical []float64) {
	if math.IsInf(reach, 1) {
		return
	}
	if p.Box == nil {
		p.Box = optimize.NewBox(p.N)
	}
	for t := range p.MG {
		for _, j := range [2]int{p.MG[t], p.EG[t]} {
			if j != Fixed {
				p.Box.Lo[j], p.Box.Hi[j] = max(p.Box.Lo[j], -reach/typical[t]), min(p.Box.Hi[j], reach/typical[t])
			}
		}
	}
}

// Pin returns the first theta of a fit: no change, but for limited parameters whose
// every row says the same. These are at their limit, which is where they would end.
func (p *Params) Pin(ctx context.Context, problem *Problem) ([]float64, error) {
	theta := make([]float64, p.N)
	if p.Box == nil || problem.Store.Nonlinear() != nil { // rows push a bent term both ways
		return theta, nil
	}
	way, err := p.oneSided(ctx, problem)
	if err != nil {
		return nil, err
	}
	for j, w := range way {
		if p.Precision(j) == 0 && !math.IsInf(p.Box.Hi[j], 1) && (w == upward || w == downward) {
			theta[j], p.Box.Held[j] = p.Box.Hi[j], true
			if w == downward {
				theta[j] = p.Box.Lo[j]
			}
		}
	}
	return theta, nil
}

// Ways in which rows want a parameter to go, as a set.
const (
	upward   = 1
	downward = 2
)

// oneSided returns the ways in which the rows that are won or lost want each parameter to
// go. Other rows have a prediction that is best, and want both.
func (p *Params) oneSided(ctx context.Context, problem *Problem) ([]uint8, error) {
	way := make([]uint8, p.N)
	sum := make([]float64, p.N)
	var touched []int
	err := problem.Store.EachRow(ctx, func(chunk, row int, entries []rows.Entry) {
		c := problem.Store.Chunks[chunk]
		if problem.Omega[chunk][row] <= 0 || c.ScaleOf(row) == 0 {
			return
		}
		touched = touched[:0]
		add := func(j int, v float64) {
			sum[j] += v
			touched = append(touched, j)
		}
		a, b := c.Factors(row)
		for _, e := range entries {
			if j := p.MG[e.Term]; j != Fixed {
				add(j, a*float64(e.Count))
				add(p.EG[e.Term], b*float64(e.Count))
			}
		}
		y, sign := problem.Target[chunk][row], math.Copysign(1, c.ScaleOf(row))
		for _, j := range touched {
			switch v := sign * sum[j]; {
			case v == 0:
			case y > 0 && y < 1:
				way[j] |= upward | downward
			case (v > 0) == (y == 1):
				way[j] |= upward
			default:
				way[j] |= downward
			}
			sum[j] = 0
		}
	})
	return way, err
}
