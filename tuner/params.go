package tuner

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Term is one term of the evaluation to be fitted.
type Term struct {
	Name, Group string
	Tapered     bool    // false: one coefficient holds in both phases
	Mirror      int     // index of the file-mirrored twin; own index if none
	MG, EG      float64 // start values in centipawns; equal where not tapered
}

// ErrName means that a freeze or prior names neither a term nor a group.
var ErrName = errors.New("no such term or group")

// fixed marks a half that is not fitted.
const fixed = -1

// params maps the halves of all terms to the parameters theta of a fit: the
// changes from the start values. A frozen half has no parameter; both halves
// of a term that is not tapered, and tied twins, share one.
type params struct {
	n      int
	mg, eg []int     // parameter of each term's halves, or fixed
	start  halves    // start values, centipawns
	tau    []float64 // prior standard deviation by parameter, centipawns; +Inf = free
	centre []float64 // prior mean of theta, centipawns
	lo, hi []float64 // bounds of theta; nil if there are none
	held   []bool    // parameters at a bound that holds them
}

// leaders returns, for each term, the first of the terms that share its
// parameters: itself where none does. Twins are tied if mirror says so, others
// as ties says, each a list of names joined by "=".
func leaders(terms []Term, mirror bool, ties []string) ([]int, error) {
	out := make([]int, len(terms))
	index := make(map[string]int, len(terms))
	for t, term := range terms {
		twin := term.Mirror
		if twin < 0 || twin >= len(terms) || terms[twin].Mirror != t {
			return nil, fmt.Errorf("term %s: mirror %d does not point back", term.Name, twin)
		}
		out[t], index[term.Name] = t, t
		if mirror && twin < t && terms[twin].Tapered == term.Tapered {
			out[t] = twin
		}
	}
	for _, tie := range ties {
		names := strings.Split(tie, "=")
		first, ok := index[names[0]]
		if len(names) < 2 {
			return nil, fmt.Errorf("%w: tie %q has no second term", ErrConfig, tie)
		}
		for _, name := range names[1:] {
			t, known := index[name]
			if !ok || !known {
				return nil, fmt.Errorf("%w: tie %q", ErrName, tie)
			}
			if terms[t].Tapered != terms[first].Tapered {
				return nil, fmt.Errorf("%w: tie %q: one is tapered, the other is not", ErrConfig, tie)
			}
			a, b := out[first], out[t]
			for u, l := range out {
				if l == a || l == b {
					out[u] = min(a, b)
				}
			}
		}
	}
	return out, nil
}

// newParams numbers the parameters in table order. centre holds the prior's
// mean in centipawns by term; terms with one leader share parameters, unless
// the leader is frozen.
func newParams(terms []Term, centre halves, frozen []bool, tau []float64, leader []int) *params {
	p := &params{mg: make([]int, len(terms)), eg: make([]int, len(terms)), start: startOf(terms)}
	var members []float64
	number := func(t int) int {
		p.n++
		p.tau = append(p.tau, tau[t])
		p.centre = append(p.centre, 0)
		members = append(members, 0)
		return p.n - 1
	}
	for t := range terms {
		first := leader[t]
		switch {
		case frozen[t]:
			p.mg[t], p.eg[t] = fixed, fixed
			continue
		case first < t && !frozen[first]:
			p.mg[t], p.eg[t] = p.mg[first], p.eg[first]
		default:
			p.mg[t] = number(t)
			p.eg[t] = p.mg[t]
			if terms[t].Tapered {
				p.eg[t] = number(t)
			}
		}
		p.centre[p.mg[t]] += centre.mg[t] - p.start.mg[t]
		p.centre[p.eg[t]] += centre.eg[t] - p.start.eg[t]
		members[p.mg[t]]++
		members[p.eg[t]]++
	}
	for j := range p.centre {
		p.centre[j] /= members[j]
	}
	return p
}

func startOf(terms []Term) halves {
	w := newHalves(len(terms))
	for t := range terms {
		w.mg[t], w.eg[t] = terms[t].MG, terms[t].EG
	}
	return w
}

// expand writes the coefficients that theta stands for.
func (p *params) expand(theta []float64, w halves) {
	for t := range p.mg {
		w.mg[t], w.eg[t] = p.start.mg[t], p.start.eg[t]
		if p.mg[t] != fixed {
			w.mg[t] += theta[p.mg[t]]
			w.eg[t] += theta[p.eg[t]]
		}
	}
}

// fold sums derivatives by half into derivatives by parameter. A half that is
// fixed is left out.
func (p *params) fold(g halves, out []float64) {
	clear(out)
	for t, j := range p.mg {
		if j != fixed {
			out[j] += g.mg[t]
			out[p.eg[t]] += g.eg[t]
		}
	}
}

// foldGram sums a matrix over halves into a matrix over parameters.
func (p *params) foldGram(g *gram) *mat.SymDense {
	n := p.n
	full := make([]float64, n*n)
	add := func(j, k int, v float64) {
		if j <= k {
			full[j*n+k] += v
		} else {
			full[k*n+j] += v
		}
	}
	for t := range p.mg {
		if p.mg[t] == fixed {
			continue
		}
		for u := t; u < len(p.mg); u++ {
			i := g.tri.base[t] + u
			if p.mg[u] == fixed || (g.mm[i] == 0 && g.me[i] == 0 && g.ee[i] == 0) {
				continue
			}
			for _, c := range [4]struct {
				j, k int
				v    float64
			}{{p.mg[t], p.mg[u], g.mm[i]}, {p.mg[t], p.eg[u], g.me[i]}, {p.eg[t], p.mg[u], g.me[i]}, {p.eg[t], p.eg[u], g.ee[i]}} {
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

// precision returns 1/tau^2 of parameter j; 0 where it is free.
func (p *params) precision(j int) float64 {
	if math.IsInf(p.tau[j], 1) {
		return 0
	}
	return 1 / (p.tau[j] * p.tau[j])
}

// DefaultTau gives the standard deviation in centipawns of the prior of a
// group whose name contains the key; the first match counts. Measured on real
// games with the assay model, mean cross-entropy of 1,000 held-out games with
// all of them multiplied by a factor (start weights: 0.6139):
//
//	games   0.25    0.5     1       2       4       free
//	  100   0.6103  0.6061  0.6049  0.6159  0.6456  0.8102
//	  200   0.6077  0.6045  0.6037  0.6076  0.6208  diverges
//	  800   0.6033  0.6002  0.5986  0.5995  0.6034  diverges
//	1,600   0.6006  0.5970  0.5948  0.5952  0.5967  0.6025
//	3,000   0.5983  0.5944  0.5923  0.5919  0.5921  0.5935
var DefaultTau = []struct {
	Group string
	Tau   float64
}{
	{"material", 100},
	{"piece-square", 20},
	{"mobility", 15},
	{"passed", 25},
	{"king", 25},
	{"threat", 25},
	{"", 25},
}

// taus returns the prior's tau for each term: that of its name or group in
// overrides, else the default of its group, times the factor.
func taus(terms []Term, overrides map[string]float64, factor float64) ([]float64, error) {
	if err := checkNames(terms, sortedKeys(overrides)); err != nil {
		return nil, err
	}
	out := make([]float64, len(terms))
	for t, term := range terms {
		for _, d := range DefaultTau {
			if strings.Contains(term.Group, d.Group) {
				out[t] = d.Tau
				break
			}
		}
		if v, ok := overrides[term.Group]; ok {
			out[t] = v
		}
		if v, ok := overrides[term.Name]; ok {
			out[t] = v
		}
		if !(out[t] > 0) {
			return nil, fmt.Errorf("prior of %s: tau %v is not positive (freeze it instead)", term.Name, out[t])
		}
		out[t] *= factor
	}
	return out, nil
}

// frozenTerms says which terms the names, each a term or a group, freeze.
func frozenTerms(terms []Term, names []string) ([]bool, error) {
	if err := checkNames(terms, names); err != nil {
		return nil, err
	}
	out := make([]bool, len(terms))
	for t, term := range terms {
		for _, n := range names {
			out[t] = out[t] || n == term.Name || n == term.Group
		}
	}
	return out, nil
}

func checkNames(terms []Term, names []string) error {
	known := make(map[string]bool, 2*len(terms))
	for _, t := range terms {
		known[t.Name], known[t.Group] = true, true
	}
	for _, n := range names {
		if !known[n] {
			return fmt.Errorf("%w: %q (groups: %s)", ErrName, n, strings.Join(groupNames(terms), ", "))
		}
	}
	return nil
}

// groupNames returns the groups in order of first appearance.
func groupNames(terms []Term) []string {
	var out []string
	seen := make(map[string]bool)
	for _, t := range terms {
		if !seen[t.Group] {
			seen[t.Group] = true
			out = append(out, t.Group)
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
