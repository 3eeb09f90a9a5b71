// Package stats says how sure a fit is of its parameters, and what follows from that:
// standard errors clustered by game ([Covariance]); tables as differences from their means; the gain
// of tuning each group; coefficients that the data cannot distinguish; calibration.
//
// Start reading at NewCovariance and Covariance.Finish.
//
// No promise of stability.
package stats

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner/internal/dense"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Covariance knows how uncertain the parameters of a fit are.
//
// With H the Gauss-Newton matrix of the sum of losses, P the diagonal of the
// prior's precisions, A = H + D P and u_c the score of cluster c (all rows of
// a game, or of an opening), the clustered covariance of the estimate is
//
//	V = A^-1 (sum_c (u_c - mean u)(u_c - mean u)') A^-1 * C/(C-1) * (N-1)/(N-p)
//
// the sandwich of Huber (1967) and White (1980), clustered after Liang and Zeger (1986), with p the effective
// number of parameters tr(H A^-1). The naive one takes every row for a cluster. Both are about the penalized
// target: what the fit would be with endless games, held by the same prior.
type Covariance struct {
	N         int       // clusters with rows
	Games     []float64 // effective number of clusters by term
	Effective float64   // tr(H A^-1)
	// Clustering and Dispersion are the two factors of the design effect: what dependence within
	// clusters adds to the variance of a sum of scores, and how much a single row varies against
	// what the loss expects (below 1 for cross-entropy of games with draws). Finish sets them.
	Clustering, Dispersion float64
	Ridge                  bool // A was singular and had to be helped

	o         *objective.Penalized
	theta     []float64
	w         objective.Tapered // coefficients
	inverse   *mat.SymDense     // A^-1
	meat      *mat.SymDense
	v         *mat.Dense    // V, symmetric
	naive     *mat.SymDense // the naive meat, with its factor
	clustered float64       // tr(A^-1 meat)

	clusteredScale, naiveScale scaling
}

// FewestClusters is the number of clusters from which there are clustered standard errors. At the optimum the
// scores of all clusters add up to next to nothing, so that one or two show no spread.
const FewestClusters = 3

// NewCovariance computes what the design effect needs at theta.
func NewCovariance(ctx context.Context, o *objective.Penalized, c *rows.Clusters, theta []float64) (*Covariance,
	error) {
	constant := scaling{vg: make([]float64, len(theta))}
	v := &Covariance{o: o, theta: theta, w: objective.NewTapered(o.Problem.Store.Terms()), Clustering: 1,
		Dispersion: 1, clusteredScale: constant, naiveScale: constant}
	o.Params.Expand(theta, v.w)
	sums, gram, err := sumClusters(ctx, o, c, v.w)
	if err != nil {
		return nil, err
	}
	v.N, v.Games = sums.n, sums.effective
	h := o.Params.FoldGram(gram)
	o.Known.Set(theta, h)
	h = o.Params.HoldOut(h)
	v.invert(h)
	v.meat = o.Params.HoldOut(sums.meat)
	v.Effective = dotSym(v.inverse, h)
	v.clustered = dotSym(v.inverse, v.meat)
	return v, nil
}

// invert sets A^-1. Directions that neither data nor prior know are given a tiny precision, so
// that their variance is not infinite but absurd.
func (v *Covariance) invert(h *mat.SymDense) {
	n := h.SymmetricDim()
	a := mat.NewSymDense(n, nil)
	a.CopySym(h)
	for j := range n {
		a.SetSym(j, j, a.At(j, j)+num.Rounded(v.o.Design*v.o.Params.Precision(j)))
		if v.o.Params.Stuck(j) {
			a.SetSym(j, j, 1) // of no matter: its row and column are 0
		}
	}
	factor := optimize.Factorize(a)
	if factor == nil {
		v.inverse = mat.NewSymDense(n, nil)
		return
	}
	v.inverse, v.Ridge = factor.Inverse(), factor.Ridge > 0
}

// Design returns the estimate of D, or 0 if there is none: by how much the spread of the clusters' scores
// exceeds what the loss expects of independent rows. Of few clusters the fit leaves next to no spread, but rows
// cannot say more than independent ones do, and how much these vary is known besides.
func (v *Covariance) Design(ctx context.Context) (float64, error) {
	spread, err := v.o.Problem.Dispersion(ctx, v.w)
	if err != nil || v.Effective <= 0 {
		return 0, err
	}
	return max(v.clustered/v.Effective, spread), nil
}

// Finish computes what estimating the design effect does not need.
func (v *Covariance) Finish(ctx context.Context) error {
	p, q := v.o.Problem, v.o.Params
	grams, err := p.Gram(ctx, v.w, objective.SquaredSlope)
	if err != nil {
		return err
	}
	v.naive = q.HoldOut(q.FoldGram(grams[0]))
	if naive := dotSym(v.inverse, v.naive); v.Effective > 0 && naive > 0 {
		v.Clustering, v.Dispersion = v.clustered/naive, naive/v.Effective
	}
	small := v.smallSample()
	v.naive.ScaleSym(small, v.naive)
	if v.N > 1 {
		small *= float64(v.N) / (float64(v.N) - 1)
	}
	v.v = symMul(v.inverse, symMul(v.meat, mat.DenseCopyOf(v.inverse)))
	v.v.Scale(small, v.v)
	return nil
}

// smallSample returns the factor of covariances for a finite number of rows.
func (v *Covariance) smallSample() float64 {
	rows := 0.0
	for _, c := range v.o.Problem.Omega {
		for _, o := range c {
			if o > 0 {
				rows++
			}
		}
	}
	if rows > v.Effective+1 {
		return (rows - 1) / (rows - v.Effective)
	}
	return 1
}

// scaling is what the errors of rescaled weights need. The factor of the rescaling, s = constant / RMS, depends
// on theta through the RMS evaluation. Let g be the derivative of ln RMS: then s a'w has the derivative s (a - (a'w)
// g), which is the delta method. Both are 0 for a constant factor.
type scaling struct {
	vg  []float64 // V g: the covariances of the parameters with g'theta
	gvg float64   // g'V g
}

// variance returns the variance of a'w when rescaled, by the factor squared: from the variance of
// a'theta, its covariance with g'theta, and the value of a'w.
func (s *scaling) variance(of, with, value float64) float64 {
	return of - num.Rounded(2*value*with) + num.Rounded(value*value*s.gvg)
}

// Rescale makes all standard errors fit weights that are rescaled to an RMS
// evaluation. The gradient, by parameter, is of the logarithm of the RMS evaluation before it.
func (v *Covariance) Rescale(gradient []float64) {
	g := mat.NewVecDense(len(gradient), gradient)
	by := func(matrices ...mat.Matrix) scaling {
		x := mat.VecDenseCopyOf(g)
		for _, m := range matrices {
			next := mat.NewVecDense(len(gradient), nil)
			next.MulVec(m, x)
			x = next
		}
		return scaling{x.RawVector().Data, mat.Dot(g, x)}
	}
	v.clusteredScale = by(v.v)
	v.naiveScale = by(v.inverse, v.naive, v.inverse)
}

// NaiveErrors returns a function for the standard error of parameter j, whose coefficient
// is w before the rescaling, under the naive meat.
func (v *Covariance) NaiveErrors() func(j int, w float64) float64 {
	full := mat.DenseCopyOf(v.inverse)
	m := symMul(v.naive, full)
	return func(j int, w float64) float64 {
		// v_jj = (A^-1)_j' meat (A^-1)_j, and A^-1 is symmetric.
		of := 0.0
		for k := range v.inverse.SymmetricDim() {
			of += num.Rounded(full.At(j, k) * m.At(k, j))
		}
		return math.Sqrt(max(0, v.naiveScale.variance(of, v.naiveScale.vg[j], w)))
	}
}

// root returns the standard error for a clustered variance, NaN if there are too few clusters.
func (v *Covariance) root(variance float64) float64 {
	if v.N < FewestClusters {
		return math.NaN()
	}
	return math.Sqrt(max(0, variance))
}

// SE returns the clustered standard error of parameter j, whose coefficient is w before the rescaling.
func (v *Covariance) SE(j int, w float64) float64 {
	return v.root(v.clusteredScale.variance(v.v.At(j, j), v.clusteredScale.vg[j], w))
}

// contrast returns the clustered standard error of a'theta; value is a'w.
func (v *Covariance) contrast(a []float64, value float64) float64 {
	total := 0.0
	for j, x := range a {
		if x != 0 {
			total += num.Rounded(x * floats.Dot(v.v.RawRowView(j), a))
		}
	}
	return v.root(v.clusteredScale.variance(total, floats.Dot(a, v.clusteredScale.vg), value))
}

// deviation returns a function for the clustered standard error of theta_j - mean'theta,
// j = objective.Fixed standing for a constant; value is w_j - mean'w.
func (v *Covariance) deviation(mean []float64) func(j int, value float64) float64 {
	vm := make([]float64, len(mean))
	for j := range vm {
		vm[j] = floats.Dot(v.v.RawRowView(j), mean)
	}
	mvm, scale := floats.Dot(mean, vm), &v.clusteredScale
	with := floats.Dot(mean, scale.vg)
	return func(j int, value float64) float64 {
		if j == objective.Fixed {
			return v.root(scale.variance(mvm, -with, value))
		}
		return v.root(scale.variance(v.v.At(j, j)-num.Rounded(2*vm[j])+mvm, scale.vg[j]-with, value))
	}
}

// Share is the part of parameter j that the data determine, 1 - D P_jj (A^-1)_jj: these add up to tr(H A^-1).
func (v *Covariance) Share(j int) float64 {
	if v.o.Params.Stuck(j) {
		return 0
	}
	return min(1, max(0, 1-num.Rounded(v.o.Design*v.o.Params.Precision(j)*v.inverse.At(j, j))))
}

// symMul returns the product of a symmetric and a general matrix.
func symMul(a *mat.SymDense, b *mat.Dense) *mat.Dense {
	m := mat.NewDense(b.RawMatrix().Rows, b.RawMatrix().Cols, nil)
	dense.AddMul(m.RawMatrix(), mat.DenseCopyOf(a).RawMatrix(), b.RawMatrix())
	return m
}

// dotSym returns the trace of the product of two symmetric matrices.
func dotSym(a, b *mat.SymDense) float64 {
	n := a.SymmetricDim()
	total := 0.0
	ra, rb := a.RawSymmetric(), b.RawSymmetric()
	for j := range n {
		x, y := ra.Data[j*ra.Stride:j*ra.Stride+n], rb.Data[j*rb.Stride:j*rb.Stride+n]
		total += num.Rounded(x[j]*y[j]) + num.Rounded(2*floats.Dot(x[j+1:], y[j+1:]))
	}
	return total
}

// Table is a set of terms; exactly one counts for every piece of a kind, such as a piece-square
// table: a constant moved from all of them to the kind's material coefficient changes no evaluation. Neither is
// identified alone, so each entry is reported as its difference from the table's mean, weighted by how often
// each entry occurs.
type Table struct {
	Name     string    `json:"name"`
	Terms    []int     `json:"-"`
	MeanMG   float64   `json:"mean_mg"` // centipawns, under the fit
	MeanEG   float64   `json:"mean_eg"`
	MeanSEMG num.Float `json:"mean_se_mg"` // clustered standard errors, NaN (null) where not known
	MeanSEEG num.Float `json:"mean_se_eg"`
	// Centered are the differences from the means, in the order of Terms.
	Centered []CenteredTerm `json:"centered"`
}

// CenteredTerm is a term of a table as its difference from the table's mean, in
// centipawns, with clustered standard errors; NaN (null) where not known.
type CenteredTerm struct {
	Name string    `json:"name"`
	MG   float64   `json:"mg"`
	EG   float64   `json:"eg"`
	SEMG num.Float `json:"se_mg"`
	SEEG num.Float `json:"se_eg"`
}

// smallestTable is the number of terms below which a common prefix is no table.
const smallestTable = 3

// FindTables looks among terms of a group whose names differ only after the last dot for those whose counts
// sum, in every row, to the count of one material term, or to nothing. The data decide; names only suggest.
func FindTables(ctx context.Context, s *rows.Store, terms []rows.Term) ([]Table, error) {
	var m tableMatch
	var tables []Table
	m.table, tables = candidateTables(terms)
	columns := 0
	m.column = make([]int, len(terms))
	for t := range terms {
		m.column[t] = -1
		if terms[t].Group == eval.GroupMaterial {
			m.column[t] = columns
			columns++
		}
	}
	columns++ // the last one sums to nothing: in the king's table the mean cancels between the two sides
	m.sums, m.pieces = make([]float32, len(tables)), make([]float32, columns)
	m.used = make([]bool, len(tables))
	for k := range tables {
		for j := range columns {
			m.same = append(m.same, [2]int{k, j})
		}
	}
	if err := s.EachRow(ctx, func(_, _ int, entries []rows.Entry) { m.row(entries) }); err != nil {
		return nil, err
	}
	var out []Table
	last := -1
	for _, p := range m.same {
		if k := p[0]; m.used[k] && k != last {
			out = append(out, tables[k])
			last = k
		}
	}
	return out, nil
}

// tableMatch compares the sums of tables with the counts of material.
type tableMatch struct {
	table, column []int     // table and material column of each term, or -1
	sums, pieces  []float32 // of one row, by table and by column; the last column stays 0
	used          []bool
	same          [][2]int // tables and columns that no row distinguishes so far, in order
}

func (m *tableMatch) row(entries []rows.Entry) {
	clear(m.sums)
	clear(m.pieces)
	for _, e := range entries {
		if k := m.table[e.Term]; k >= 0 {
			m.sums[k] += e.Count
			m.used[k] = true
		}
		if k := m.column[e.Term]; k >= 0 {
			m.pieces[k] += e.Count
		}
	}
	for i := 0; i < len(m.same); i++ {
		if p := m.same[i]; m.sums[p[0]] != m.pieces[p[1]] {
			m.same = slices.Delete(m.same, i, i+1)
			i--
		}
	}
}

// candidateTables returns the candidate of each term, or -1, and the candidates in table order.
func candidateTables(terms []rows.Term) ([]int, []Table) {
	prefix := func(t rows.Term) string {
		i := strings.LastIndexByte(t.Name, '.')
		if i < 0 {
			return ""
		}
		return t.Group + "/" + t.Name[:i]
	}
	size := make(map[string]int)
	for _, t := range terms {
		size[prefix(t)]++
	}
	of := make([]int, len(terms))
	number := make(map[string]int)
	var tables []Table
	for i, t := range terms {
		p := prefix(t)
		of[i] = -1
		if p == "" || size[p] < smallestTable {
			continue
		}
		k, ok := number[p]
		if !ok {
			k = len(tables)
			number[p] = k
			tables = append(tables, Table{Name: p[strings.IndexByte(p, '/')+1:]})
		}
		of[i] = k
		tables[k].Terms = append(tables[k].Terms, i)
	}
	return of, tables
}

// Center fills in the table's centered values under fit and their errors. incidence says how often each term
// occurs; scale is the factor between theta and centipawns.
func (v *Covariance) Center(b *Table, terms []rows.Term, fit objective.Tapered, incidence []float64, scale float64) {
	total := 0.0
	for _, t := range b.Terms {
		total += incidence[t]
	}
	if total == 0 {
		return
	}
	q, none := v.o.Params, make([]float64, len(incidence))
	mean := objective.NewTapered(len(incidence))
	for _, t := range b.Terms {
		f := incidence[t] / total
		mean.MG[t], mean.EG[t] = f, f
	}
	b.MeanMG, b.MeanEG = mean.Dot(fit)
	// half returns the errors of the mean and of the centered values of one half of the terms.
	half := func(mean objective.Tapered, of []int, value float64, fit []float64) (num.Float, []num.Float) {
		a := make([]float64, q.N)
		q.Fold(mean, a)
		deviation := v.deviation(a)
		var out []num.Float
		for _, t := range b.Terms {
			out = append(out, num.Float(scale)*num.Float(deviation(of[t], (fit[t]-value)/scale)))
		}
		return num.Float(scale * v.contrast(a, value/scale)), out
	}
	var mg, eg []num.Float
	b.MeanSEMG, mg = half(objective.Tapered{MG: mean.MG, EG: none}, q.MG, b.MeanMG, fit.MG)
	b.MeanSEEG, eg = half(objective.Tapered{MG: none, EG: mean.EG}, q.EG, b.MeanEG, fit.EG)
	for i, t := range b.Terms {
		b.Centered = append(b.Centered, CenteredTerm{terms[t].Name, fit.MG[t] - b.MeanMG, fit.EG[t] - b.MeanEG, mg[i], eg[i]})
	}
}

// Incidence returns how often each term occurs: counted for both sides in the
// sample of positions, or else by the differences in the rows.
func Incidence(ctx context.Context, s *rows.Store) ([]float64, error) {
	out := make([]float64, s.Terms())
	if s.Seen != nil {
		for t, n := range s.Seen {
			out[t] = float64(n)
		}
		return out, nil
	}
	err := s.EachRow(ctx, func(_, _ int, entries []rows.Entry) {
		for _, e := range entries {
			out[e.Term] += math.Abs(float64(e.Count))
		}
	})
	return out, err
}
