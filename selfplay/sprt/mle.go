package sprt

import "math"

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
	sum := 0.0
	for i := range d.k {
		sum += float64(d.p[i] * jump[i])
	}
	return d.n * sum
}

// jump is log(p1/p0) for each score, p0 and p1 being the likeliest distributions
// under the hypotheses. It is by how much one more sample of that score moves the
// LLR, to first order (p0 and p1 move too, but they are at a maximum).
func (t Test) jump(d *dist) [5]float64 {
	if t.Model == Logistic {
		return d.jumpMean(Score(t.Elo0), Score(t.Elo1))
	}
	return d.jumpT(d.tValue(t.Elo0), d.tValue(t.Elo1))
}

func (d *dist) jumpMean(s0, s1 float64) [5]float64 {
	a := d.withMean(s0)
	b := d.withMean(s1)
	return d.logRatio(&a, &b)
}

func (d *dist) jumpT(t0, t1 float64) [5]float64 {
	equal := d.withMean(half)
	a := d.withT(t0, &equal)
	b := d.withT(t1, &equal)
	return d.logRatio(&a, &b)
}

func (d *dist) logRatio(a, b *tilting) (jump [5]float64) {
	for i := range d.k {
		jump[i] = math.Log(a.q[i] / b.q[i])
	}
	return jump
}
