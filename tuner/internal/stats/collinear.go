package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/engine/num"
)

// Collinear is a set of coefficients that the data cannot distinguish: one of them is, but for the share
// Unexplained of its information, a combination of the others. Freeze it, or hold the group by a prior.
type Collinear struct {
	Coefficient string   `json:"coefficient"` // as "rook mg"
	Others      []string `json:"others"`      // that make it up, the weightiest first, with their factors
	// Unexplained is the share of the coefficient's information that the others do not have: 0 where it is
	// exactly their combination, and its inverse is the variance inflation factor.
	Unexplained float64 `json:"unexplained"`
	Exact       bool    `json:"exact"`
}

const (
	exactlyCollinear = 1e-9 // unexplained share below which only rounding is left
	nearlyCollinear  = 0.01 // below which a standard error is ten times what it would be alone
	smallestFactor   = 0.05 // of a coefficient worth naming in a combination
	mostOthers       = 8    // names listed for each
)

// FindCollinear finds exactly and nearly collinear coefficients by a Cholesky
// factorization of the information h, scaled to a unit diagonal, with complete
// pivoting: a pivot is what the coefficients before it leave unexplained.
func FindCollinear(h *mat.SymDense, names []string) []Collinear {
	c := newPivoted(h)
	var out []Collinear
	for c.rank < len(c.order) {
		at := c.largest()
		if c.pivot[at] < nearlyCollinear {
			break
		}
		c.eliminate(at)
	}
	rest := slices.Clone(c.order[c.rank:])
	slices.SortFunc(rest, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.pivot[a], c.pivot[b]), cmp.Compare(a, b))
	})
	for _, j := range rest {
		out = append(out, Collinear{
			Coefficient: names[j], Unexplained: max(0, c.pivot[j]), Exact: c.pivot[j] < exactlyCollinear,
			Others: c.combination(j, names),
		})
	}
	return out
}

// pivoted is a Cholesky factorization with complete pivoting, in progress.
type pivoted struct {
	scale []float64   // root of the diagonal of h
	rows  [][]float64 // of the factor, by coefficient; as long as rank when eliminated
	h     *mat.SymDense
	pivot []float64 // the rest of the unit diagonal
	order []int     // eliminated coefficients first
	rank  int
}

// newPivoted leaves out coefficients that the data do not touch.
func newPivoted(h *mat.SymDense) *pivoted {
	n := h.SymmetricDim()
	c := &pivoted{h: h, scale: make([]float64, n), pivot: make([]float64, n), rows: make([][]float64, n)}
	for j := range n {
		if d := h.At(j, j); d > 0 {
			c.scale[j], c.pivot[j] = math.Sqrt(d), 1
			c.rows[j] = make([]float64, 0, n)
			c.order = append(c.order, j)
		}
	}
	return c
}

// largest returns the coefficient with the largest pivot.
func (c *pivoted) largest() int {
	best := c.order[c.rank]
	for _, j := range c.order[c.rank:] {
		if c.pivot[j] > c.pivot[best] {
			best = j
		}
	}
	return best
}

// eliminate takes what coefficient at explains out of all that are left.
func (c *pivoted) eliminate(at int) {
	i := slices.Index(c.order, at)
	c.order[c.rank], c.order[i] = c.order[i], c.order[c.rank]
	root := math.Sqrt(c.pivot[at])
	mine := c.rows[at]
	for _, j := range c.order[c.rank+1:] {
		v := c.h.At(at, j) / (c.scale[at] * c.scale[j])
		v = (v - floats.Dot(c.rows[j], mine)) / root
		c.rows[j] = append(c.rows[j], v)
		c.pivot[j] -= num.Rounded(v * v)
	}
	c.rows[at] = append(mine, root)
	c.rank++
}

// combination names the eliminated coefficients that make up j: the
// solution b of L' b = row, L the factor of the eliminated ones.
func (c *pivoted) combination(j int, names []string) []string {
	b := slices.Clone(c.rows[j])
	for k := c.rank - 1; k >= 0; k-- {
		row := c.rows[c.order[k]]
		b[k] /= row[k]
		for i := range k {
			b[i] -= num.Rounded(b[k] * row[i])
		}
	}
	var of []int
	for k := range b {
		// Scaled to the unit of counts: j = sum of b_k x coefficient k.
		b[k] *= c.scale[j] / c.scale[c.order[k]]
		if math.Abs(b[k]) >= smallestFactor {
			of = append(of, k)
		}
	}
	slices.SortStableFunc(of, func(x, y int) int { return cmp.Compare(math.Abs(b[y]), math.Abs(b[x])) })
	var out []string
	for i, k := range of {
		if i == mostOthers {
			return append(out, fmt.Sprintf("and %d more", len(of)-i))
		}
		out = append(out, fmt.Sprintf("%+.2g %s", b[k], names[c.order[k]]))
	}
	return out
}
