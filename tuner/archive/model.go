package archive

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Standard deviations of the priors, in Elo for a unit of the scale: of the constant, of a coefficient a unit; and the
// scale of the half-Cauchy priors of tau and sigma.
const priorConstant, priorSlope, priorSpread = 100.0, 30.0, 20.0

// spreads is the grid of tau and sigma, in the same unit.
var spreads = [...]float64{3, 6, 11, 20, 36, 65, 120}

// model is a regression of Elo, in units of a scale of each fit, by a constant, a description of the fit, and an effect
// of each engine.
type model struct {
	describer
	center, spread []float64 // means and variances of the description over all fits
	engines        []string  // in order of appearance
	sums           [][]*sums // by sigma; of each engine, and last of all
}

// sums are those of a weighted regression: X'WX, X'Wy, and y'Wy with the logarithms of the variances.
type sums struct {
	xx *mat.SymDense
	xy []float64
	yy float64
}

func (s *sums) plus(factor float64, o *sums) *sums {
	floats.AddScaled(s.xx.RawSymmetric().Data, factor, o.xx.RawSymmetric().Data)
	floats.AddScaled(s.xy, factor, o.xy)
	s.yy += factor * o.yy
	return s
}

func (m *model) empty() *sums {
	n := 1 + len(m.center) + len(m.engines)
	return &sums{mat.NewSymDense(n, nil), make([]float64, n), 0}
}

func newModel(fits []Fit, d describer) *model {
	m := &model{describer: d}
	for j := range d.describe(&Fit{}) {
		var known []float64
		for i := range fits {
			if v := d.describe(&fits[i])[j]; !math.IsNaN(v) {
				known = append(known, v)
			}
		}
		mean, variance := 0.0, 0.0
		if len(known) > 0 {
			mean, variance = stat.PopMeanVariance(known, nil)
		}
		m.center, m.spread = append(m.center, mean), append(m.spread, variance)
	}
	for _, f := range fits {
		if !slices.Contains(m.engines, f.Engine) {
			m.engines = append(m.engines, f.Engine)
		}
	}
	for _, sigma := range spreads {
		all := make([]*sums, len(m.engines)+1)
		for e := range all {
			all[e] = m.empty()
		}
		for i := range fits {
			f := &fits[i]
			x, _ := m.row(f)
			elo, se := f.Elo/m.scale(f), f.SE/m.scale(f)
			s, variance := all[slices.Index(m.engines, f.Engine)], se*se+sigma*sigma
			s.xx.SymRankOne(s.xx, 1/variance, x)
			floats.AddScaled(s.xy, elo/variance, x.RawVector().Data)
			s.yy += elo*elo/variance + math.Log(variance)
		}
		for e := range m.engines {
			all[len(m.engines)].plus(1, all[e])
		}
		m.sums = append(m.sums, all)
	}
	return m
}

// row returns the regressors of a fit, and which of them are not known; they are the mean.
func (m *model) row(f *Fit) (x *mat.VecDense, unknown []int) {
	x = mat.NewVecDense(1+len(m.center)+len(m.engines), nil)
	x.SetVec(0, 1)
	for j, v := range m.describe(f) {
		if math.IsNaN(v) {
			unknown = append(unknown, j)
			continue
		}
		x.SetVec(1+j, v-m.center[j])
	}
	if e := slices.Index(m.engines, f.Engine); e >= 0 {
		x.SetVec(1+len(m.center)+e, 1)
	}
	return x, unknown
}

// part is the regression under one pair of tau and sigma.
type part struct {
	weight, tau, sigma float64
	chol               mat.Cholesky // precision of the coefficients
	beta               *mat.VecDense
}

// without returns what all engines but one say, or all if out is -1: a mixture over tau and sigma.
func (m *model) without(out int) (parts []part) {
	best := math.Inf(-1)
	for k, sigma := range spreads {
		for _, tau := range spreads {
			s := m.empty().plus(1, m.sums[k][len(m.engines)])
			if out >= 0 {
				s.plus(-1, m.sums[k][out])
			}
			logPrior := 0.0
			for j := range s.xy {
				prior := tau
				switch {
				case j == 0:
					prior = priorConstant
				case j <= len(m.center):
					prior = priorSlope
				}
				s.xx.SetSym(j, j, s.xx.At(j, j)+1/(prior*prior))
				logPrior -= math.Log(prior)
			}
			for _, x := range []float64{tau, sigma} { // half-Cauchy, on a grid of logarithms
				logPrior += math.Log(x / (1 + x*x/(priorSpread*priorSpread)))
			}
			p, right := part{tau: tau, sigma: sigma}, mat.NewVecDense(len(s.xy), s.xy)
			if p.beta = new(mat.VecDense); !p.chol.Factorize(s.xx) || p.chol.SolveVecTo(p.beta, right) != nil {
				continue
			}
			p.weight = logPrior - (s.yy-mat.Dot(p.beta, right)+p.chol.LogDet())/2
			best = max(best, p.weight)
			parts = append(parts, p)
		}
	}
	total := 0.0
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.weight < best-10 }) // 1/20,000
	for i := range parts {
		parts[i].weight = math.Exp(parts[i].weight - best)
		total += parts[i].weight
	}
	for i := range parts {
		parts[i].weight /= total
	}
	return parts
}

// at returns the mean and the variance of a combination of the coefficients.
func (p *part) at(x *mat.VecDense) (mean, variance float64) {
	var solved mat.VecDense
	_ = p.chol.SolveVecTo(&solved, x) // a bad condition was found when beta was solved for
	return mat.Dot(x, p.beta), mat.Dot(x, &solved)
}

// coefficient returns the mean and the variance of one, of the description.
func (p *part) coefficient(j int) (mean, variance float64) {
	x := mat.NewVecDense(p.beta.Len(), nil)
	x.SetVec(1+j, 1)
	return p.at(x)
}

// prediction is the distribution of the Elo of a fit: a mixture of normals.
type prediction struct {
	weights []float64
	normals []distuv.Normal
}

// predict returns the distribution of what a match with a standard error shows; of the Elo itself if se is 0.
func (m *model) predict(parts []part, f *Fit, se float64) (d prediction) {
	x, unknown := m.row(f)
	scale := m.scale(f)
	se /= scale
	for i := range parts {
		p := &parts[i]
		mean, variance := p.at(x)
		variance += p.sigma*p.sigma + se*se
		if !slices.Contains(m.engines, f.Engine) {
			variance += p.tau * p.tau
		}
		for _, j := range unknown {
			b, v := p.coefficient(j)
			variance += (b*b + v) * m.spread[j]
		}
		d.weights = append(d.weights, p.weight)
		d.normals = append(d.normals, distuv.Normal{Mu: scale * mean, Sigma: scale * math.Sqrt(variance)})
	}
	return d
}

// over returns the weighted mean of a function of the normals.
func (d prediction) over(f func(distuv.Normal) float64) (sum float64) {
	for i, n := range d.normals {
		sum += d.weights[i] * f(n)
	}
	return sum
}

func (d prediction) mean() float64 { return d.over(distuv.Normal.Mean) }

// above returns the probability of more than this Elo.
func (d prediction) above(elo float64) float64 {
	return d.over(func(n distuv.Normal) float64 { return n.Survival(elo) })
}

func (d prediction) density(elo float64) float64 {
	return d.over(func(n distuv.Normal) float64 { return n.Prob(elo) })
}

// quantile returns the Elo below which a share of the distribution lies.
func (d prediction) quantile(share float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, n := range d.normals {
		lo, hi = min(lo, n.Mu-10*n.Sigma), max(hi, n.Mu+10*n.Sigma)
	}
	for hi-lo > 0.01 {
		if mid := (lo + hi) / 2; d.above(mid) > 1-share {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
