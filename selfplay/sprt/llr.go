package sprt

import "math"

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
