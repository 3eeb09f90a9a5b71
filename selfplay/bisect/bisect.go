// Package bisect finds the versions at which an engine became stronger or weaker, by matches between any two of a
// line of versions. It has the posterior over where the steps are, and says which match is worth most next. It plays
// no games.
//
// Versions 0 to n differ by n commits. The hypotheses are no step; a step at one commit; steps at two; and many, a
// small change at each. A step has a size, up or down, of about Prior.Step Elo. A match between versions i and j
// measures the sum of the steps between them with a known error, so each hypothesis is a normal distribution of all
// measurements, whose likelihood and posterior have closed forms (as in Bayesian linear regression).
//
// Start reading at New, then Posterior.Add, Next and Answer. Simulate says how many games to expect.
//
// No promise of stability.
package bisect

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/selfplay/sprt"
)

// Prior says what is looked for.
type Prior struct {
	Step  float64 // Elo of a usual step, above 0; one of half of it is found too, with three times the games
	Error float64 // probability of a wrong answer, above 0 and below 1/2
}

// What hypotheses weigh before the first game.
var priorOf = [...]float64{0.2, 0.5, 0.15, 0.15}

// A step has the size Step, give or take Step/spread. With spread 2 the search takes nearly twice the games, because
// two small steps are hard to exclude; with 4 a step of twice the size is taken for two.
const spread = 3.0

// kinds of hypotheses.
const (
	none = iota
	one
	two
	many
)

// hypothesis is where the steps are, and their signs. Many has neither.
type hypothesis struct {
	kind   int
	at     [2]int // a step at k is between versions k-1 and k
	sign   [2]float64
	prior  float64    // logarithm
	weight float64    // posterior probability
	size   [2]float64 // posterior mean of the steps
	cov    [3]float64 // their covariance: 11, 12, 22
}

// measured is what matches between versions i and j say.
type measured struct {
	i, j          int
	pairs         sprt.Pentanomial
	elo, variance float64 // of j over i
}

// Posterior is what is known of the steps.
type Posterior struct {
	Prior
	n      int
	broken []bool
	seen   []measured
	all    []hypothesis
	inner  mat.Cholesky  // of many: covariance of the measurements
	solved *mat.VecDense // and its inverse by them
}

// New returns the posterior of n commits, before the first game.
func New(n int, p Prior) (*Posterior, error) {
	if n < 1 || !(p.Step > 0) || !(p.Error > 0 && p.Error < 0.5) {
		return nil, fmt.Errorf("bisect: %d commits, steps of %v Elo, error %v", n, p.Step, p.Error)
	}
	b := &Posterior{Prior: p, n: n, broken: make([]bool, n+1)}
	add := func(kind, count int, at [2]int, sign [2]float64) {
		b.all = append(b.all, hypothesis{kind: kind, at: at, sign: sign, prior: math.Log(priorOf[kind] / float64(count))})
	}
	add(none, 1, [2]int{}, [2]float64{})
	for k := 1; k <= n; k++ {
		for _, s := range []float64{-1, 1} {
			add(one, 2*n, [2]int{k}, [2]float64{s})
			for l := k + 1; l <= n; l++ {
				for _, t := range []float64{-1, 1} {
					add(two, 2*n*(n-1), [2]int{k, l}, [2]float64{s, t})
				}
			}
		}
	}
	if n > 2 { // two commits are two steps
		add(many, 1, [2]int{}, [2]float64{})
	}
	b.update()
	return b, nil
}

// Add adds pairs of games between versions i < j, counted from the view of j.
func (b *Posterior) Add(i, j int, pairs sprt.Pentanomial) {
	k := slices.IndexFunc(b.seen, func(m measured) bool { return m.i == i && m.j == j })
	if k < 0 {
		k, b.seen = len(b.seen), append(b.seen, measured{i: i, j: j})
	}
	for s := range pairs {
		b.seen[k].pairs[s] += pairs[s]
	}
	b.update()
}

// Skip says that a version cannot play. The commits on both sides of it cannot be told apart.
func (b *Posterior) Skip(version int) {
	b.broken[version] = true
	b.update()
}

// pairVariance is the variance of the score of a pair where nothing is known: two games of which half are drawn.
const pairVariance = 1.0 / 16

// measure turns counts into Elo. All matches share the variance of a pair's score.
func (b *Posterior) measure() {
	const known = 8 // pairs that the prior variance counts for
	squares, n := known*pairVariance, float64(known)
	mean := make([]float64, len(b.seen))
	for k, m := range b.seen {
		count, sum, square := 0.0, 0.0, 0.0
		for s, c := range m.pairs {
			x := float64(s) / 4
			count, sum, square = count+float64(c), sum+x*float64(c), square+x*x*float64(c)
		}
		mean[k] = (sum + 0.5) / (count + 1) // a drawn pair more, so that nothing is infinite
		squares, n = squares+square-sum*sum/max(count, 1), n+count
	}
	for k := range b.seen {
		m, s := &b.seen[k], mean[k]
		slope := 400 / math.Ln10 / (s * (1 - s))
		m.elo, m.variance = sprt.Elo(s), squares/n*slope*slope/float64(m.pairs.Samples())
	}
}

// covers reports whether a step at k is between versions i and j.
func covers(k, i, j int) float64 {
	if i < k && k <= j {
		return 1
	}
	return 0
}

// update computes the posterior of all hypotheses.
func (b *Posterior) update() {
	b.measure()
	logs, most := make([]float64, len(b.all)), math.Inf(-1)
	for i := range b.all {
		h := &b.all[i]
		if logs[i] = h.prior; h.kind == many {
			logs[i] += b.spreadOut()
		} else {
			logs[i] += b.regress(h)
		}
		most = max(most, logs[i])
	}
	sum := 0.0
	for i := range b.all {
		b.all[i].weight = math.Exp(logs[i] - most)
		sum += b.all[i].weight
	}
	for i := range b.all {
		b.all[i].weight /= sum
	}
}

// regress returns the log-likelihood of up to two steps, and notes their posterior.
func (b *Posterior) regress(h *hypothesis) (log float64) {
	precision := spread * spread / (b.Step * b.Step)
	p11, p12, p22, b1, b2 := precision, 0.0, precision, 0.0, 0.0
	for _, m := range b.seen {
		x, y := covers(h.at[0], m.i, m.j), covers(h.at[1], m.i, m.j)
		left := m.elo - b.Step*(x*h.sign[0]+y*h.sign[1])
		log -= (left*left/m.variance + math.Log(m.variance)) / 2
		p11, p12, p22 = p11+x*x/m.variance, p12+x*y/m.variance, p22+y*y/m.variance
		b1, b2 = b1+x*left/m.variance, b2+y*left/m.variance
	}
	det := p11*p22 - p12*p12
	h.cov = [3]float64{p22 / det, -p12 / det, p11 / det}
	d1, d2 := h.cov[0]*b1+h.cov[1]*b2, h.cov[1]*b1+h.cov[2]*b2
	h.size = [2]float64{b.Step*h.sign[0] + d1, b.Step*h.sign[1] + d2}
	return log + (b1*d1+b2*d2)/2 - math.Log(det/(precision*precision))/2
}

// small is the variance of each of many changes: together they are about as large as one step.
func (b *Posterior) small() float64 { return b.Step * b.Step / float64(b.n) }

// spreadOut returns the log-likelihood of a small change at each commit.
func (b *Posterior) spreadOut() float64 {
	n := len(b.seen)
	if n == 0 {
		return 0
	}
	cov, elo := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for k, x := range b.seen {
		elo.SetVec(k, x.elo)
		for l, y := range b.seen[:k+1] {
			cov.SetSym(k, l, b.small()*overlap(x.i, x.j, y.i, y.j))
		}
		cov.SetSym(k, k, cov.At(k, k)+x.variance)
	}
	b.inner.Factorize(cov) // it is positive definite: each measurement has an error of its own
	b.solved = new(mat.VecDense)
	_ = b.inner.SolveVecTo(b.solved, elo)
	return -(mat.Dot(elo, b.solved) + b.inner.LogDet()) / 2
}

// overlap is how many commits two ranges of versions share.
func overlap(i, j, k, l int) float64 { return float64(max(0, min(j, l)-max(i, k))) }

// predict returns the mean of the difference of two versions under a hypothesis, and its variance.
func (b *Posterior) predict(h *hypothesis, i, j int) (mean, variance float64) {
	if h.kind != many {
		x, y := covers(h.at[0], i, j), covers(h.at[1], i, j)
		return x*h.size[0] + y*h.size[1], x*h.cov[0] + 2*x*y*h.cov[1] + y*h.cov[2]
	}
	variance = b.small() * float64(j-i)
	if len(b.seen) == 0 {
		return 0, variance
	}
	with, solved := mat.NewVecDense(len(b.seen), nil), new(mat.VecDense)
	for k, m := range b.seen {
		with.SetVec(k, b.small()*overlap(i, j, m.i, m.j))
	}
	_ = b.inner.SolveVecTo(solved, with)
	return mat.Dot(with, b.solved), max(0, variance-mat.Dot(with, solved))
}

// Next returns the two versions, i < j, whose match of that many pairs is worth most: it is expected to tell most
// about which hypothesis is true. By a normal approximation that is the logarithm of the variance of its result less
// that of the variance which every hypothesis leaves.
func (b *Posterior) Next(pairs int) (i, j int) {
	const enough, most = 0.98, 400
	list := make([]*hypothesis, len(b.all))
	for k := range b.all {
		list[k] = &b.all[k]
	}
	slices.SortStableFunc(list, func(x, y *hypothesis) int { return cmp.Compare(y.weight, x.weight) })
	whole, kept := 0.0, 0
	for ; kept < len(list) && kept < most && whole < enough; kept++ {
		whole += list[kept].weight
	}
	noise := pairVariance / float64(pairs) * math.Pow(1600/math.Ln10, 2)
	best := math.Inf(-1)
	ends := b.ends()
	for x, from := range ends {
		for _, to := range ends[x+1:] {
			mean, square, left := 0.0, 0.0, 0.0
			for _, h := range list[:kept] {
				w := h.weight / whole
				m, v := b.predict(h, from, to)
				mean, square, left = mean+w*m, square+w*(m*m+v), left+w*math.Log(v+noise)
			}
			if gain := math.Log(square-mean*mean+noise) - left; gain > best+1e-9 {
				i, j, best = from, to, gain
			}
		}
	}
	return i, j
}

// ends returns the versions that may play next: first and last, and those between which steps are likely.
func (b *Posterior) ends() (list []int) {
	const most = 16
	chance := b.Chances()
	total := 0.0
	for _, c := range chance {
		total += c
	}
	sum, last := 0.0, -1.0
	for v := 0; v <= b.n; v++ {
		if v > 0 {
			sum += chance[v]
		}
		inside := b.n < most || sum-last >= total/most || v < b.n && chance[v+1] > total/most
		if v == 0 || v == b.n || inside && !b.broken[v] {
			list, last = append(list, v), sum
		}
	}
	return list
}

// Chances returns for each commit, from 1, the probability of a step at it, alone or as one of two.
func (b *Posterior) Chances() []float64 {
	list := make([]float64, b.n+1)
	for _, h := range b.all {
		switch h.kind {
		case two:
			list[h.at[1]] += h.weight
			fallthrough
		case one:
			list[h.at[0]] += h.weight
		}
	}
	return list
}
