package sprt

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// ErrCounts is wrapped by every error about invalid counts.
var ErrCounts = errors.New("impossible counts")

// noCount stands in for a count of zero, so that every likelihood is finite. The
// value is the convention of the field: the LLR of other programs depends on it.
const noCount = 1e-3

// maxSamples bounds counts so that every sum stays exact in a float64.
const maxSamples = 1 << 50

// Counts are the results of a match: [Trinomial] if games are independent, [Pentanomial]
// if each opening was played twice with colors reversed.
// There are no other implementations.
type Counts interface {
	// Samples is the number of independent observations: games or pairs.
	Samples() int64
	// Games is the number of games.
	Games() int64
	// Validate reports counts that are negative or too large to be added exactly.
	Validate() error

	distribution() dist
}

// Trinomial counts single games: losses, draws, wins (scores 0, 1/2, 1).
type Trinomial [3]int64

// Pentanomial counts pairs of games by the score of the pair, 0, 1/4, 1/2, 3/4
// and 1: both lost, a loss and a draw, even (two draws, or a win and a loss), a
// win and a draw, both won.
type Pentanomial [5]int64

// WDL returns the Trinomial of wins, draws and losses.
func WDL(wins, draws, losses int64) Trinomial { return Trinomial{losses, draws, wins} }

// AddPair counts a pair by its two results from the player's view: 1 for a win, 0
// for a draw and -1 for a loss. Other values are taken by their sign.
func (p *Pentanomial) AddPair(first, second int) { p[2+cmp.Compare(first, 0)+cmp.Compare(second, 0)]++ }

// AddGame counts a game: 1 for a win, 0 for a draw, -1 for a loss. Other values
// are taken by their sign.
func (t *Trinomial) AddGame(result int) { t[1+cmp.Compare(result, 0)]++ }

// Samples is the number of games.
func (t Trinomial) Samples() int64 { return t[0] + t[1] + t[2] }

// Games is the number of games.
func (t Trinomial) Games() int64 { return t.Samples() }

// Validate reports counts that are negative or beyond 2^50.
func (t Trinomial) Validate() error { return validate(t[:], []string{"losses", "draws", "wins"}) }

// Samples is the number of pairs.
func (p Pentanomial) Samples() int64 { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Games is twice the number of pairs.
func (p Pentanomial) Games() int64 { return 2 * p.Samples() }

// Validate reports counts that are negative or beyond 2^50.
func (p Pentanomial) Validate() error {
	return validate(p[:], []string{"LL", "LD", "WL+DD", "WD", "WW"})
}

func validate(counts []int64, names []string) error {
	for i, c := range counts {
		if c < 0 {
			return fmt.Errorf("%w: %s is %d, below zero", ErrCounts, names[i], c)
		}
		if c > maxSamples {
			return fmt.Errorf("%w: %s is %d, above 2^50", ErrCounts, names[i], c)
		}
	}
	return nil
}

func (t Trinomial) distribution() dist {
	d := dist{k: 3, perSample: 1, score: [5]float64{0, 0.5, 1}}
	d.fill(t[:])
	return d
}

func (p Pentanomial) distribution() dist {
	d := dist{k: 5, perSample: 2, score: [5]float64{0, 0.25, 0.5, 0.75, 1}}
	d.fill(p[:])
	return d
}

// dist is a distribution over the k possible scores of a sample, with the weight
// n of the samples it stands for. It is a plain value: the inner loops of a
// simulation make millions of them.
type dist struct {
	k         int
	perSample float64 // games in a sample: 1 or 2
	n         float64 // samples, zero counts replaced
	score, p  [5]float64
}

func (d *dist) fill(counts []int64) {
	for i, c := range counts {
		d.p[i] = noCount
		if c > 0 {
			d.p[i] = float64(c)
		}
		d.n += d.p[i]
	}
	for i := range d.k {
		d.p[i] /= d.n
	}
}

// moments returns the mean score and its variance per sample.
func (d *dist) moments() (mean, variance float64) { return d.spread(&d.score) }

// eloPerNormalized is the normalized Elo of a t-value of 1 (a mean score one
// standard deviation of a game above 1/2): 800/ln 10, chosen so that small
// normalized and logistic Elo agree where no game is drawn.
const eloPerNormalized = 800 / math.Ln10

// half is the score of equals, that t-values are measured from.
const half = 0.5

// minScore keeps the Elo of a score finite: scores are clamped to [1/1000,
// 999/1000], so that Elo stays within +-1199.83.
const minScore = 1e-3

// Score returns the expected score, 0 to 1, of a player who is elo (logistic)
// stronger than its opponent.
func Score(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Elo returns the logistic Elo of an expected score. Scores below 0.001 and above
// 0.999 are taken as these, so the answer stays within +-1199.83.
func Elo(score float64) float64 {
	score = clampScore(score)
	return 400 * math.Log10(score/(1-score))
}

func clampScore(score float64) float64 {
	return math.Min(math.Max(score, minScore), 1-minScore)
}

// tValue is the t-value per sample that belongs to a normalized Elo, which is per
// game: the score of a pair has half the variance of a game's.
func (d *dist) tValue(nelo float64) float64 {
	return nelo / eloPerNormalized * math.Sqrt(d.perSample)
}

// normalizedElo is the inverse of tValue.
func (d *dist) normalizedElo(t float64) float64 {
	return t * eloPerNormalized / math.Sqrt(d.perSample)
}

// Shape is what the results of equal players look like: how often they draw, and
// whether samples are games or pairs. A true Elo bends a shape as little as it
// can, to the distribution with that Elo under which the shape's own frequencies
// are the likeliest.
type Shape struct{ d dist }

// IndependentGames is the shape of games with a share of draws drawRatio, 0.001 to
// 0.999, is drawn; paired ones are counted two by two as Pentanomial.
func IndependentGames(drawRatio float64, paired bool) (Shape, error) {
	if !(drawRatio >= minScore && drawRatio <= 1-minScore) {
		return Shape{}, fmt.Errorf("%w: draw ratio %v is not within [0.001, 0.999]", ErrCounts, drawRatio)
	}
	l := (1 - drawRatio) / 2
	game := [3]float64{l, drawRatio, l}
	d := Trinomial{}.distribution()
	copy(d.p[:], game[:])
	if paired {
		d = Pentanomial{}.distribution()
		d.p = [5]float64{}
		for i, a := range game {
			for j, b := range game {
				d.p[i+j] += float64(a * b)
			}
		}
	}
	d.n = 1
	return Shape{d}, nil
}

// ShapeOf is the shape of counts that pass Validate, seen in a real match.
func ShapeOf(c Counts) Shape {
	d := c.distribution()
	d.n = 1
	return Shape{d}
}

// at bends the shape to a true Elo in the model's unit.
func (s Shape) at(m Model, elo float64) (dist, error) {
	if !(math.Abs(elo) <= maxElo) {
		return dist{}, fmt.Errorf("%w: true elo is %v, not within +-%d", ErrTest, elo, maxElo)
	}
	d := s.d
	if m == Normalized {
		equal := d.withMean(half)
		q := d.withT(d.tValue(elo), &equal)
		return d.over(&q), nil
	}
	q := d.withMean(clampScore(Score(elo)))
	return d.over(&q), nil
}

// Maximum likelihood under a constraint. Among the distributions of g with mean 0,
// the one that makes observed frequencies p most likely is p_i/(1 + x g_i), where
// x is the root of sum p_i g_i/(1 + x g_i) = 0 (A. Owen, Empirical Likelihood,
// 2001, ch. 2). That sum falls from +inf to -inf between its two poles, so the
// root is unique and lies between them.

// tilting is such a distribution: p_i/q_i with q_i = 1 + x g_i.
type tilting struct {
	x float64
	q [5]float64
}

// tilt finds the tilting of p, searching from x = near. It reports false where g is
// nowhere above or nowhere below 0: then no distribution has mean 0.
//
// A score that was hardly ever seen may need a q close to 0, so x is computed as
// its distance from the pole on its side: that keeps all digits of such a q.
func (d *dist) tilt(g *[5]float64, near float64) (t tilting, ok bool) {
	least, most, mean := 0, 0, 0.0
	for i := range d.k {
		mean += float64(d.p[i] * g[i])
		if g[i] < g[least] {
			least = i
		}
		if g[i] > g[most] {
			most = i
		}
	}
	if g[least] >= 0 || g[most] <= 0 {
		return tilting{}, false
	}
	end, other := least, most // the root has the sign of its function at 0
	if mean < 0 {
		end, other = most, least
	}
	pole := -1 / g[end]
	var base [5]float64 // q at the pole
	for i := range d.k {
		base[i] = 1 - g[i]/g[end]
	}
	y := d.tiltRoot(g, &base, near-pole, -pole, pole+1/g[other])
	t.x = pole + y
	for i := range d.k {
		t.q[i] = base[i] + float64(y*g[i])
	}
	return t, true
}

// tiltRoot solves sum p_i g_i/(base_i + y g_i) = 0 for y between 0, a pole, and zero,
// where x is 0; room is the distance of the poles. It is Newton's method, with a
// bisection where a step would leave the bracket. It ends where a Newton step is
// small against the distance to the nearer pole, for then the error left is of
// the square of that.
func (d *dist) tiltRoot(g, base *[5]float64, y, zero, room float64) float64 {
	const small = 1e-8
	lo, hi := math.Min(zero, 0), math.Max(zero, 0)
	room = math.Abs(room)
	if !(y > lo && y < hi) {
		y = zero
	}
	for range 300 {
		f, slope := 0.0, 0.0
		for i := range d.k {
			r := g[i] / (base[i] + float64(y*g[i]))
			f += float64(d.p[i] * r)
			slope += float64(d.p[i] * r * r)
		}
		if f > 0 {
			lo = y
		} else {
			hi = y
		}
		next := y + f/slope
		if next >= lo && next <= hi && next != 0 {
			if math.Abs(next-y) <= small*math.Min(math.Abs(next), room-math.Abs(next)) {
				return next
			}
		} else {
			next = lo + (hi-lo)/2
			if next == lo || next == hi {
				return next
			}
		}
		y = next
	}
	return y
}

// withMean returns the likeliest distribution with mean score s, 0 < s < 1.
func (d *dist) withMean(s float64) tilting {
	var g [5]float64
	for i := range d.k {
		g[i] = d.score[i] - s
	}
	t, _ := d.tilt(&g, 0) // scores 0 and 1 lie on both sides of s
	return t
}

// withT returns the likeliest distribution with the t-value t: the mean score is t
// standard deviations above 1/2. The standard deviation is replaced by its
// linearization at the last solution, which turns the constraint into one on a
// mean, until mean and deviation stay (Van den Bergh's method). equal is the
// answer for t = 0, from where the search starts.
func (d *dist) withT(t float64, equal *tilting) tilting {
	if t == 0 {
		return *equal
	}
	_, sigma := d.tilted(equal)
	if found, ok := d.iterateT(t, half+float64(t*sigma), sigma, equal.x); ok {
		return found
	}
	start := d.meanWithT(t)
	mean, sigma := d.tilted(&start)
	if found, ok := d.iterateT(t, mean, sigma, start.x); ok {
		return found
	}
	return start
}

// iterateT runs the linearization from a given mean and standard deviation. It
// reports false where a step has no solution or where the steps do not settle.
func (d *dist) iterateT(t, mean, sigma, x float64) (found tilting, ok bool) {
	const settled = 1e-11
	found.x = x
	for range 200 {
		var g [5]float64
		for i := range d.k {
			z := (d.score[i] - mean) / sigma
			g[i] = d.score[i] - half - t*sigma*(1+float64(z*z))/2
		}
		if found, ok = d.tilt(&g, found.x); !ok {
			return found, false
		}
		m, s := d.tilted(&found)
		change := math.Max(math.Abs(m-mean), math.Abs(s-sigma))
		mean, sigma = m, s
		if change <= settled*sigma {
			return found, true
		}
	}
	return found, false
}

// tilted is the mean and the standard deviation of a tilting.
func (d *dist) tilted(t *tilting) (mean, sigma float64) {
	e := d.over(t)
	mean, variance := e.moments()
	return mean, math.Sqrt(variance)
}

// over is the distribution of a tilting.
func (d *dist) over(t *tilting) dist {
	e := *d
	for i := range e.k {
		e.p[i] /= t.q[i]
	}
	return e
}

// meanWithT searches the distributions that are the likeliest of their mean for
// the one with t-value t: a place to start from where the first linearization
// has no solution.
func (d *dist) meanWithT(t float64) (found tilting) {
	lo, hi := 0.0, 1.0
	for range 60 {
		s := (lo + hi) / 2
		found = d.withMean(s)
		mean, sigma := d.tilted(&found)
		if mean-half < t*sigma {
			lo = s
		} else {
			hi = s
		}
	}
	return found
}

// llrOf returns the log-likelihood ratio of the hypothesis Elo1 against Elo0. With the
// logistic and the normalized model each hypothesis is at its maximum over the distributions
// with its mean, or with its mean in standard deviations above 1/2 (the generalized SPRT).
func (t Test) llrOf(c Counts) float64 {
	d := c.distribution()
	jump := t.jump(&d)
	return d.llr(&jump)
}

// llr is the LLR whose derivatives by the counts are jump: it is homogeneous in
// the counts, so it is their sum.
func (d *dist) llr(jump *[5]float64) float64 {
	mean, _ := d.spread(jump)
	return d.n * mean
}

// jump is log(p1/p0) for each score, p0 and p1 being the likeliest distributions
// under the hypotheses. It is by how much one more sample of that score moves the
// LLR, to first order (p0 and p1 move too, but they are at a maximum).
func (t Test) jump(d *dist) (jump [5]float64) {
	var p0, p1 tilting
	if t.Model == Logistic {
		p0, p1 = d.withMean(Score(t.Elo0)), d.withMean(Score(t.Elo1))
	} else {
		equal := d.withMean(half)
		p0, p1 = d.withT(d.tValue(t.Elo0), &equal), d.withT(d.tValue(t.Elo1), &equal)
	}
	for i := range d.k {
		jump[i] = math.Log(p0.q[i] / p1.q[i])
	}
	return jump
}
