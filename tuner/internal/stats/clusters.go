package stats

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/inorder"
	"github.com/assay-chess/assay/tuner/internal/dense"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// clusterBlock is the number of clusters whose outer products are summed together. Like
// rows.ChunkRows it is part of the result's last bits.
const clusterBlock = 256

// blockBytes bounds the memory of a block's scores.
const blockBytes = 64 << 20

// clusterSums are the scores of the clusters, u_c, which are the derivatives of a cluster's
// weighted loss with respect to the parameters, and what follows from them.
type clusterSums struct {
	n         int           // clusters with rows
	meat      *mat.SymDense // sum of (u_c - mean)(u_c - mean)'
	total     []float64     // sum of u_c
	effective []float64     // effective number of clusters by term
}

// center subtracts the mean score, which a prior keeps from being 0.
func (s *clusterSums) center() {
	s.meat.SymRankOne(s.meat, -1/float64(s.n), mat.NewVecDense(len(s.total), s.total))
}

// clusterPass is one pass over all clusters at fixed coefficients. Rows come from the store
// chunk by chunk, and a game's stand in many chunks: so the clusters are taken in
// blocks, in order of their first rows, and a block looks only at chunks in which it has rows.
// While games come one after the other in the data, that is every chunk a few times.
type clusterPass struct {
	p      *objective.Problem
	q      *objective.Params
	w      objective.Tapered
	place  []int32 // of each of the store's games in the order of clusters; single or noRows
	n      int     // clusters of more than one row
	spans  []span  // of places in each chunk
	block  int     // clusters a block
	lonely int     // clusters of one row
}

// Places of games that have none.
const (
	noRows = -1
	single = -2
)

// span is a range of places, hi excluded.
type span struct{ lo, hi int32 }

// newClusterPass finds out which clusters have rows that take part, and where.
func newClusterPass(o *objective.Penalized, c *rows.Clusters, w objective.Tapered) *clusterPass {
	p := o.Problem
	pass := &clusterPass{p: p, q: o.Params, w: w, block: clusterBlock, place: make([]int32, len(c.Of))}
	counts := make([]int32, c.N())
	for i, k := range p.Store.Chunks {
		for j, omega := range p.Omega[i] {
			if omega > 0 {
				counts[c.Of[k.Game[j]]]++
			}
		}
	}
	order := make([]int32, c.N())
	for i, n := range counts {
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
	for pass.visits() > 6*len(pass.spans) && 16*pass.block*pass.q.N <= blockBytes {
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

// isSingle reports whether a row is a cluster of its own.
func (c *clusterPass) isSingle(chunk, row int) bool {
	return c.place[c.p.Store.Chunks[chunk].Game[row]] == single
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
	return &clusterScratch{
		Scratch: objective.NewScratch(), wanted: make([]bool, rows.ChunkRows),
		u: mat.NewDense(c.block, c.q.N, nil), info: mat.NewDense(c.block, terms, nil),
		sum: make([]float64, terms), sumSq: make([]float64, terms),
		total: make([]float64, c.q.N), meat: mat.NewSymDense(c.q.N, nil),
	}
}

// sumClusters passes over the clusters at coefficients w. The gram matrix is the information.
func sumClusters(ctx context.Context, o *objective.Penalized, c *rows.Clusters, w objective.Tapered) (*clusterSums,
	*objective.Gram, error) {
	pass := newClusterPass(o, c, w)
	p, q, terms := o.Problem, o.Params, o.Problem.Store.Terms()
	out := &clusterSums{n: pass.n + pass.lonely, meat: mat.NewSymDense(q.N, nil), total: make([]float64, q.N)}
	sum, sumSq := make([]float64, terms), make([]float64, terms)
	merge := func(s *clusterScratch, _ int) {
		floats.Add(sum, s.sum)
		floats.Add(sumSq, s.sumSq)
		floats.Add(out.total, s.total)
		floats.Add(out.meat.RawSymmetric().Data, s.meat.RawSymmetric().Data)
	}
	blocks := (pass.n + pass.block - 1) / pass.block
	if err := inorder.Merge(ctx, p.Workers, blocks, pass.scratch, pass.do, merge); err != nil {
		return nil, nil, err
	}
	factors := []objective.RowFactor{objective.Curvature}
	if pass.lonely > 0 {
		if err := pass.singles(ctx, sum, sumSq, out.total); err != nil {
			return nil, nil, err
		}
		factors = append(factors, func(chunk, row int, slope, _ float64) float64 {
			if !pass.isSingle(chunk, row) {
				return 0
			}
			return slope * slope
		})
	}
	grams, err := p.Gram(ctx, w, factors...)
	if err != nil {
		return nil, nil, err
	}
	if pass.lonely > 0 { // the sparse sum is far cheaper than dense vectors of one row
		out.meat.AddSym(out.meat, q.FoldGram(grams[1]))
	}
	out.effective = sum // (sum h)^2 / sum h^2
	for t, s := range sumSq {
		if s > 0 {
			out.effective[t] = sum[t] * sum[t] / s
		} else {
			out.effective[t] = 0
		}
	}
	out.center()
	return out, grams[0], nil
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
		if err := s.Differentiate(c.p.Store, k, c.w, wanted); err != nil {
			return err
		}
		c.p.Derivatives(s.Scratch, i, wanted)
		if c.p.Store.Nonlinear() != nil {
			c.collectParts(s, k, lo)
		} else {
			c.collect(s, k, lo)
		}
	}
	for i := range int(hi - lo) {
		floats.Add(s.total, s.u.RawRowView(i))
		for t, v := range s.info.RawRowView(i) {
			s.sum[t] += v
			s.sumSq[t] += num.Rounded(v * v)
		}
	}
	u := s.u.RawMatrix()
	u.Rows = int(hi - lo)
	s.meat.Zero()
	dense.AddSquare(s.meat.RawSymmetric(), u)
	return nil
}

// collect adds the chunk's rows to the scores and informations of the block's clusters.
func (c *clusterPass) collect(s *clusterScratch, k *rows.Chunk, lo int32) {
	pairs := c.p.Store.Pairs()
	k.EachLine(s.Codes, func(row int, line []uint16, wides []rows.Wide) {
		if !s.wanted[row] {
			return
		}
		u, info := s.of(int(c.place[k.Game[row]] - lo))
		a, b := k.Factors(row)
		mg, eg, h := a*s.X[row], b*s.X[row], s.Y[row]
		for _, code := range line {
			spread(c.q, pairs[code], mg, eg, h, u, info)
		}
		for _, w := range wides {
			spread(c.q, w.Entry, mg, eg, h, u, info)
		}
	})
}

// collectParts is collect for rows that a formula evaluates.
func (c *clusterPass) collectParts(s *clusterScratch, k *rows.Chunk, lo int32) {
	s.EachPart(c.p.Store, k, func(row int, parts []objective.Part) {
		if !s.wanted[row] {
			return
		}
		u, info := s.of(int(c.place[k.Game[row]] - lo))
		for _, e := range parts {
			spread(c.q, e.Entry, e.MG*s.X[row], e.EG*s.X[row], s.Y[row]*size(e), u, info)
		}
	})
}

// of returns the score and the information of a cluster of the block.
func (s *clusterScratch) of(cluster int) (u, info []float64) {
	return s.u.RawRowView(cluster), s.info.RawRowView(cluster)
}

// size is the squared derivative by both halves of a part's term: 1 in a linear evaluation.
func size(e objective.Part) float64 {
	v := math.Abs(e.MG) + math.Abs(e.EG)
	return v * v
}

// spread adds one entry of a row to a cluster's score and information.
func spread(p *objective.Params, e rows.Entry, mg, eg, h float64, u, info []float64) {
	v := float64(e.Count)
	info[e.Term] += num.Rounded(h * v * v)
	if j := p.MG[e.Term]; j != objective.Fixed {
		u[j] += num.Rounded(v * mg)
		u[p.EG[e.Term]] += num.Rounded(v * eg)
	}
}

// singles adds the clusters of a single row.
func (c *clusterPass) singles(ctx context.Context, sum, sumSq, total []float64) error {
	part := make([]float64, c.p.Store.Terms())
	bent := c.p.Store.Nonlinear() != nil
	return c.p.EachDerivative(ctx, c.w, func(chunk, row int, slope, curvature float64, parts []objective.Part) {
		if !c.isSingle(chunk, row) {
			return
		}
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
			sumSq[e.Term] += num.Rounded(part[e.Term] * part[e.Term])
		}
	})
}
