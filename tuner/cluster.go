package tuner

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// clusterBlock is the number of clusters whose outer products are summed
// together. Like chunkRows it is part of the result's last bits.
const clusterBlock = 64

// scores of the clusters: u_c, the derivative of cluster c's weighted loss
// with respect to the parameters, and what follows from them.
type clusterSums struct {
	n         int           // clusters with rows
	meat      *mat.SymDense // sum of (u_c - mean)(u_c - mean)'
	total     []float64     // sum of u_c
	effective []float64     // effective number of clusters by term
}

// rowIndex finds the entries of any row, for passes that are not in order.
type rowIndex struct {
	phase  []uint8
	terms  []int // where a row's entries begin in its bucket
	counts []int
}

func (s *Store) index() rowIndex {
	x := rowIndex{make([]uint8, s.rows), make([]int, s.rows), make([]int, s.rows)}
	for phase := range s.buckets {
		k := &s.buckets[phase]
		t, c := 0, 0
		for i, n := range k.lens {
			r := k.base + i
			x.phase[r], x.terms[r], x.counts[r] = uint8(phase), t, c
			t += int(n.plus) + int(n.minus) + int(n.other)
			c += int(n.other)
		}
	}
	return x
}

// byCluster lists the rows of positive weight cluster by cluster, in the
// order of the store, and where each of the clusters that have any begins.
func (p *problem) byCluster(c *clusters) (order []uint32, begin []int) {
	next := make([]int, c.n()+1)
	each := func(f func(row int, cluster uint32)) {
		for b := range p.s.buckets {
			k := &p.s.buckets[b]
			for i, g := range k.game {
				if p.omega[k.base+i] > 0 {
					f(k.base+i, c.of[g])
				}
			}
		}
	}
	each(func(_ int, c uint32) { next[c+1]++ })
	total := 0
	for i, n := range next[1:] {
		if n > 0 {
			begin = append(begin, total)
		}
		next[i] = total
		total += n
	}
	order = make([]uint32, total)
	each(func(row int, c uint32) {
		order[next[c]] = uint32(row)
		next[c]++
	})
	return order, append(begin, total)
}

// derivatives returns each row's weighted slope and curvature with respect to
// its evaluation before scale.
func (p *problem) derivatives(ctx context.Context, w halves) (slope, curvature []float64, err error) {
	slope, curvature = make([]float64, p.s.rows), make([]float64, p.s.rows)
	work := func(table *lookup, piece int) {
		c := p.s.chunks[piece]
		w.taper(c.phase, table)
		cur := p.s.cursor(c)
		k := cur.k
		for i := c.lo; i < c.hi; i++ {
			r := cur.next(i)
			omega, scale := float64(p.omega[k.base+i]), k.scaleOf(i)
			a, b := p.loss.slopeAt(p.k, k.evaluation(i, r.dot(table)), float64(p.target[k.base+i]))
			slope[k.base+i], curvature[k.base+i] = omega*a*scale, omega*b*scale*scale
		}
	}
	err = ordered(ctx, p.workers, len(p.s.chunks), func() *lookup { return new(lookup) }, work, func(*lookup, int) {})
	return slope, curvature, err
}

// clusterScratch is what one goroutine needs for a block of clusters.
type clusterScratch struct {
	g                halves
	info, sum, sumSq []float64 // by term
	u                *mat.Dense
	total            []float64
	meat             *mat.SymDense
}

func newClusterScratch(terms, params int) *clusterScratch {
	return &clusterScratch{
		g: newHalves(terms), info: make([]float64, terms),
		sum: make([]float64, terms), sumSq: make([]float64, terms),
		u: mat.NewDense(clusterBlock, params, nil), total: make([]float64, params),
		meat: mat.NewSymDense(params, nil),
	}
}

// clusterPass is one pass over all clusters at fixed coefficients.
type clusterPass struct {
	p                *problem
	q                *params
	index            rowIndex
	order            []uint32
	begin            []int
	slope, curvature []float64
	single           bool // no cluster has two rows
}

// clusterSums passes over the clusters at coefficients w.
func (p *problem) clusterSums(ctx context.Context, c *clusters, q *params, w halves) (*clusterSums, error) {
	pass := clusterPass{p: p, q: q, index: p.s.index()}
	pass.order, pass.begin = p.byCluster(c)
	n := len(pass.begin) - 1
	pass.single = len(pass.order) == n
	var err error
	if pass.slope, pass.curvature, err = p.derivatives(ctx, w); err != nil {
		return nil, err
	}
	terms := p.s.terms
	out := &clusterSums{n: n, meat: mat.NewSymDense(q.n, nil), total: make([]float64, q.n)}
	sum, sumSq := make([]float64, terms), make([]float64, terms)
	scratch := func() *clusterScratch { return newClusterScratch(terms, q.n) }
	merge := func(s *clusterScratch, _ int) {
		addTo(sum, s.sum)
		addTo(sumSq, s.sumSq)
		addTo(out.total, s.total)
		if !pass.single {
			addTo(out.meat.RawSymmetric().Data, s.meat.RawSymmetric().Data)
		}
	}
	blocks := (n + clusterBlock - 1) / clusterBlock
	if err := ordered(ctx, p.workers, blocks, scratch, pass.block, merge); err != nil {
		return nil, err
	}
	if pass.single { // the sparse sum is far cheaper than dense vectors of one row
		g, err := p.gram(ctx, w, slopeWeight)
		if err != nil {
			return nil, err
		}
		out.meat = q.foldGram(g)
	}
	out.effective = make([]float64, terms)
	for t := range sum {
		if sumSq[t] > 0 {
			out.effective[t] = sum[t] * sum[t] / sumSq[t]
		}
	}
	out.centre()
	return out, nil
}

// centre subtracts the mean score, which a prior keeps from being 0.
func (s *clusterSums) centre() {
	if s.n > 0 {
		s.meat.SymRankOne(s.meat, -1/float64(s.n), mat.NewVecDense(len(s.total), s.total))
	}
}

// block sums the outer products of one block of clusters.
func (c *clusterPass) block(s *clusterScratch, piece int) {
	clear(s.sum)
	clear(s.sumSq)
	clear(s.total)
	lo := piece * clusterBlock
	hi := min(lo+clusterBlock, len(c.begin)-1)
	for i := lo; i < hi; i++ {
		u := s.u.RawRowView(i - lo)
		c.cluster(s, i)
		c.q.fold(s.g, u)
		addTo(s.total, u)
		for t, v := range s.info {
			s.sum[t] += v
			s.sumSq[t] += v * v
		}
	}
	if c.single {
		return
	}
	u := s.u.RawMatrix()
	u.Rows = hi - lo
	blas64.Syrk(blas.Trans, 1, u, 0, s.meat.RawSymmetric())
}

// cluster writes one cluster's score by half and information by term.
func (c *clusterPass) cluster(s *clusterScratch, i int) {
	clear(s.g.mg)
	clear(s.g.eg)
	clear(s.info)
	for _, r := range c.order[c.begin[i]:c.begin[i+1]] {
		phase := int(c.index.phase[r])
		k := &c.p.s.buckets[phase]
		n := k.lens[int(r)-k.base]
		a := c.slope[r] * float64(phase) / MaxPhase
		b := c.slope[r] * float64(MaxPhase-phase) / MaxPhase
		h := c.curvature[r]
		at := c.index.terms[r]
		signs := int(n.plus) + int(n.minus)
		for j, t := range k.terms[at : at+signs+int(n.other)] {
			v := 1.0
			switch {
			case j >= signs:
				v = float64(k.counts[c.index.counts[r]+j-signs])
			case j >= int(n.plus):
				v = -1
			}
			s.g.mg[t] += a * v
			s.g.eg[t] += b * v
			s.info[t] += h * v * v
		}
	}
}

func addTo(dst, src []float64) {
	for i, v := range src {
		dst[i] += v
	}
}
