package stats

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/tuner/internal/dense"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// clusterBlock is the number of clusters whose outer products are summed
// together. Like chunkRows it is part of the result's last bits.
const clusterBlock = 256

// scores of the clusters: u_c, the derivative of cluster c's weighted loss
// with respect to the parameters, and what follows from them.
type ClusterSums struct {
	N         int           // clusters with rows
	meat      *mat.SymDense // sum of (u_c - mean)(u_c - mean)'
	total     []float64     // sum of u_c
	Effective []float64     // effective number of clusters by term
}

// clusterPass is one pass over all clusters at fixed coefficients. Rows come
// from the store chunk by chunk, and those of a game stand in many chunks: so
// the clusters are taken in blocks, in order of their first rows, and a block
// looks only at chunks in which it has rows. While games come one after the
// other in the data, that is every chunk a few times.
type clusterPass struct {
	p      *objective.Problem
	q      *objective.Params
	w      objective.Tapered
	place  []int32 // of each of the store's games in the order of clusters; single or none below 0
	n      int     // clusters of more than one row
	spans  []span  // of places in each chunk
	block  int     // clusters a block
	lonely int     // clusters of one row
	bare   bool    // no outer products
}

// Places of games that have none.
const (
	noRows = -1
	single = -2
)

// span is a range of places, hi excluded.
type span struct{ lo, hi int32 }

// blockBytes bounds the memory of a block's scores.
const blockBytes = 64 << 20

// newClusterPass finds out which clusters have rows that take part, and where.
func newClusterPass(p *objective.Problem, c *rows.Clusters, q *objective.Params, w objective.Tapered) *clusterPass {
	pass := &clusterPass{p: p, q: q, w: w, block: clusterBlock}
	rows := make([]int32, c.N())
	for i, k := range p.Store.Chunks {
		for j, o := range p.Omega[i] {
			if o > 0 {
				rows[c.Of[k.Game[j]]]++
			}
		}
	}
	order := make([]int32, c.N())
	for i, n := range rows {
		switch n {
		case 0:
			order[i] = noRows
		case 1:
			order[i] = single
			pass.lonely++
		default:
			order[i] = int32(pass.n)
			pass.n++
		}
	}
	pass.place = make([]int32, len(c.Of))
	for g := range pass.place {
		pass.place[g] = order[c.Of[g]]
	}
	for i, k := range p.Store.Chunks {
		at := span{int32(pass.n), 0}
		for j, g := range k.Game {
			if n := pass.place[g]; n >= 0 && p.Omega[i][j] > 0 {
				at.lo, at.hi = min(at.lo, n), max(at.hi, n+1)
			}
		}
		pass.spans = append(pass.spans, at)
	}
	// Games shuffled all over the data: larger blocks, fewer looks.
	for pass.visits() > 6*len(pass.spans) && 16*pass.block*q.N <= blockBytes {
		pass.block *= 2
	}
	return pass
}

// visits counts the looks at chunks that all blocks take together.
func (c *clusterPass) visits() int {
	n := 0
	for _, s := range c.spans {
		if s.hi > s.lo {
			n += (int(s.hi)-1)/c.block - int(s.lo)/c.block + 1
		}
	}
	return n
}

// clusterScratch is what one goroutine needs for a block of clusters.
type clusterScratch struct {
	*objective.Scratch
	wanted     []bool     // rows of a chunk that are of the block's clusters
	u          *mat.Dense // scores by cluster
	info       *mat.Dense // information by cluster and term
	sum, sumSq []float64  // of the information, by term
	total      []float64
	meat       *mat.SymDense
}

func (c *clusterPass) scratch() *clusterScratch {
	terms := c.p.Store.Terms()
	s := &clusterScratch{
		Scratch: objective.NewScratch(), wanted: make([]bool, rows.ChunkRows),
		u: mat.NewDense(c.block, max(1, c.q.N), nil), info: mat.NewDense(c.block, terms, nil),
		sum: make([]float64, terms), sumSq: make([]float64, terms), total: make([]float64, c.q.N),
	}
	if !c.bare {
		s.meat = mat.NewSymDense(c.q.N, nil)
	}
	return s
}

// sumClusters passes over the clusters at coefficients w. The second result is
// the information; the third, if it is asked for, the naive meat.
func sumClusters(ctx context.Context, p *objective.Problem, c *rows.Clusters, q *objective.Params, w objective.Tapered, naive bool) (*ClusterSums, *objective.Gram, *objective.Gram, error) {
	pass := newClusterPass(p, c, q, w)
	terms := p.Store.Terms()
	out := &ClusterSums{N: pass.n + pass.lonely, meat: mat.NewSymDense(q.N, nil), total: make([]float64, q.N)}
	sum, sumSq := make([]float64, terms), make([]float64, terms)
	merge := func(s *clusterScratch, _ int) {
		addTo(sum, s.sum)
		addTo(sumSq, s.sumSq)
		addTo(out.total, s.total)
		addTo(out.meat.RawSymmetric().Data, s.meat.RawSymmetric().Data)
	}
	blocks := (pass.n + pass.block - 1) / pass.block
	if err := rows.Ordered(ctx, p.Workers, blocks, pass.scratch, pass.do, merge); err != nil {
		return nil, nil, nil, err
	}
	factors := []objective.Together{{objective.Curvature}}
	if naive {
		factors[0] = append(factors[0], objective.SquaredSlope)
	}
	if pass.lonely > 0 {
		if err := pass.singles(ctx, sum, sumSq, out.total); err != nil {
			return nil, nil, nil, err
		}
		factors = append(factors, objective.Together{func(chunk, row int, slope, _ float64) float64 {
			if pass.place[p.Store.Chunks[chunk].Game[row]] != single {
				return 0
			}
			return slope * slope
		}})
	}
	grams, err := p.Grams(ctx, w, factors...)
	if err != nil {
		return nil, nil, nil, err
	}
	if pass.lonely > 0 { // the sparse sum is far cheaper than dense vectors of one row
		out.meat.AddSym(out.meat, q.FoldGram(grams[len(grams)-1]))
	}
	out.Effective = effective(sum, sumSq)
	out.center()
	if !naive {
		return out, grams[0], nil, nil
	}
	return out, grams[0], grams[1], nil
}

// effective returns the effective numbers of clusters, from the sums and the sums of squares
// of their information.
func effective(sum, sumSq []float64) []float64 {
	out := make([]float64, len(sum))
	for t := range sum {
		if sumSq[t] > 0 {
			out[t] = sum[t] * sum[t] / sumSq[t]
		}
	}
	return out
}

// effectiveGames returns the effective number of clusters by term.
func effectiveGames(ctx context.Context, p *objective.Problem, c *rows.Clusters, w objective.Tapered) ([]float64, error) {
	terms := p.Store.Terms()
	none := &objective.Params{MG: make([]int, terms), EG: make([]int, terms)}
	for t := range terms {
		none.MG[t], none.EG[t] = objective.Fixed, objective.Fixed
	}
	pass := newClusterPass(p, c, none, w)
	pass.bare = true
	pass.block = max(16, min(pass.block, blockBytes/4/(8*terms)))
	sum, sumSq := make([]float64, terms), make([]float64, terms)
	merge := func(s *clusterScratch, _ int) {
		addTo(sum, s.sum)
		addTo(sumSq, s.sumSq)
	}
	blocks := (pass.n + pass.block - 1) / pass.block
	if err := rows.Ordered(ctx, p.Workers, blocks, pass.scratch, pass.do, merge); err != nil {
		return nil, err
	}
	err := pass.singles(ctx, sum, sumSq, nil)
	return effective(sum, sumSq), err
}

// center subtracts the mean score, which a prior keeps from being 0.
func (s *ClusterSums) center() {
	if s.N > 0 {
		s.meat.SymRankOne(s.meat, -1/float64(s.N), mat.NewVecDense(len(s.total), s.total))
	}
}

// do sums the outer products of one block of clusters.
func (c *clusterPass) do(s *clusterScratch, piece int) error {
	s.u.Zero()
	s.info.Zero()
	clear(s.sum)
	clear(s.sumSq)
	clear(s.total)
	lo := int32(piece * c.block)
	hi := min(lo+int32(c.block), int32(c.n))
	for i, at := range c.spans {
		if at.lo >= hi || at.hi <= lo {
			continue
		}
		k := c.p.Store.Chunks[i]
		wanted := s.wanted[:k.Rows]
		for j, g := range k.Game {
			n := c.place[g]
			wanted[j] = n >= lo && n < hi && c.p.Omega[i][j] > 0
		}
		codes, err := s.Differentiate(c.p.Store, k, c.w, wanted)
		if err != nil {
			return err
		}
		c.p.Derivatives(s.Scratch, i, wanted)
		if c.p.Store.Bend() != nil {
			c.collectParts(s, i, codes, lo)
			continue
		}
		c.collect(s, i, codes, lo)
	}
	for i := range int(hi - lo) {
		addTo(s.total, s.u.RawRowView(i)[:c.q.N])
		for t, v := range s.info.RawRowView(i) {
			s.sum[t] += v
			s.sumSq[t] += float64(v * v)
		}
	}
	if c.q.N > 0 && !c.bare {
		u := s.u.RawMatrix()
		u.Rows = int(hi - lo)
		s.meat.Zero()
		dense.AddSquare(s.meat.RawSymmetric(), u)
	}
	return nil
}

// collect adds the chunk's rows to the scores and informations of the block's
// clusters.
func (c *clusterPass) collect(s *clusterScratch, chunk int, codes []uint16, lo int32) {
	k, pairs := c.p.Store.Chunks[chunk], c.p.Store.Pairs()
	row, wides := 0, k.Wide
	for _, r := range k.Runs {
		n := int(r.Length)
		for range r.Rows {
			line := codes[:n]
			codes = codes[n:]
			if s.wanted[row] {
				at := int(c.place[k.Game[row]] - lo)
				u, info := s.u.RawRowView(at), s.info.RawRowView(at)
				a, b := k.Factors(row)
				mg, eg, h := a*s.X[row], b*s.X[row], s.Y[row]
				for _, code := range line {
					spread(c.q, pairs[code], mg, eg, h, u, info)
				}
				for _, w := range wides {
					if int(w.Row) > row {
						break
					}
					if int(w.Row) == row {
						spread(c.q, w.Entry, mg, eg, h, u, info)
					}
				}
			}
			for len(wides) > 0 && int(wides[0].Row) <= row {
				wides = wides[1:]
			}
			row++
		}
	}
}

// collectParts is collect for rows that a formula evaluates.
func (c *clusterPass) collectParts(s *clusterScratch, chunk int, codes []uint16, lo int32) {
	k := c.p.Store.Chunks[chunk]
	s.EachPart(c.p.Store, k, codes, func(row int, parts []objective.Part) {
		if !s.wanted[row] {
			return
		}
		at := int(c.place[k.Game[row]] - lo)
		u, info := s.u.RawRowView(at), s.info.RawRowView(at)
		for _, e := range parts {
			spread(c.q, e.Entry, e.MG*s.X[row], e.EG*s.X[row], s.Y[row]*size(e), u, info)
		}
	})
}

// size is the squared derivative by both halves of a part's term: 1 in a linear evaluation.
func size(e objective.Part) float64 {
	v := math.Abs(e.MG) + math.Abs(e.EG)
	return v * v
}

// spread adds one entry of a row to a cluster's score and information.
func spread(p *objective.Params, e rows.Entry, mg, eg, h float64, u, info []float64) {
	v := float64(e.Count)
	info[e.Term] += float64(h * v * v)
	if j := p.MG[e.Term]; j != objective.Fixed {
		u[j] += float64(v * mg)
		u[p.EG[e.Term]] += float64(v * eg)
	}
}

// singles adds what clusters of a single row have to say.
func (c *clusterPass) singles(ctx context.Context, sum, sumSq, total []float64) error {
	part := make([]float64, c.p.Store.Terms())
	return c.p.EachDerivative(ctx, c.w, func(chunk, row int, slope, curvature float64, parts []objective.Part) {
		k := c.p.Store.Chunks[chunk]
		if c.place[k.Game[row]] != single {
			return
		}
		bent := c.p.Store.Bend() != nil
		for _, e := range parts {
			part[e.Term] = 0
		}
		for _, e := range parts {
			h := curvature
			if bent {
				h *= size(e)
			}
			spread(c.q, e.Entry, e.MG*slope, e.EG*slope, h, total, part)
		}
		for i, e := range parts {
			if i > 0 && parts[i-1].Term == e.Term {
				continue
			}
			sum[e.Term] += part[e.Term]
			sumSq[e.Term] += float64(part[e.Term] * part[e.Term])
		}
	})
}

func addTo(dst, src []float64) {
	for i, v := range src {
		dst[i] += v
	}
}
