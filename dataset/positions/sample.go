package positions

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
)

// Bands has a number for each of eval.PhaseBands: of positions, or the proportions that are wanted.
type Bands [len(eval.PhaseBands)]int64

// Sum is the sum of the numbers.
func (b Bands) Sum() (sum int64) {
	for _, n := range b {
		sum += n
	}
	return sum
}

// maxShare keeps products of shares and rows exact.
const maxShare = 1000

// sampler takes a sample of known size from each band of phases, every such sample equally likely
// (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).
type sampler struct {
	filter *Filter
	counts *Counts
	rng    *rand.Rand
	shares Bands
	left   Bands // rows still to come
	want   Bands // rows still to take
}

func newSampler(f *Filter, c *Counts) *sampler {
	s := &sampler{filter: f, counts: c, rng: rand.New(rand.NewPCG(f.Seed, 1)), shares: f.PhaseShares}
	if !s.byPhase() {
		s.shares[0] = 1
	}
	return s
}

func (s *sampler) byPhase() bool { return s.filter.PhaseShares != Bands{} }

// band returns the row's band; without PhaseShares there is only one.
func (s *sampler) band(r *dataset.PositionRow) int {
	if s.byPhase() {
		return eval.PhaseBand(eval.Phase(&r.Board))
	}
	return 0
}

func (s *sampler) count(r *dataset.PositionRow) { s.left[s.band(r)]++ }

// settle decides how many rows of each band are taken. Without Sample it is the largest sample with exactly the
// shares, but for bands without rows. With Sample, what is missing in one band is taken from the others, by their shares.
func (s *sampler) settle() {
	var order []int // the scarcest band first
	var sum int64   // of the shares
	for i, n := range s.left {
		if n > 0 && s.shares[i] > 0 {
			order, sum = append(order, i), sum+s.shares[i]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(s.left[a]*s.shares[b], s.left[b]*s.shares[a])
	})
	most := s.filter.Sample
	if most == 0 && len(order) > 0 {
		scarcest := s.shares[order[0]]
		most = (s.left[order[0]]*sum + scarcest - 1) / scarcest
	}
	for _, i := range order {
		s.want[i] = min(s.left[i], most*s.shares[i]/sum)
		most, sum = most-s.want[i], sum-s.shares[i]
	}
	if s.byPhase() {
		s.counts.Found, s.counts.Taken = s.left, s.want
	}
}

// take reports whether the row is part of the sample.
func (s *sampler) take(r *dataset.PositionRow) bool {
	if !s.filter.samples() {
		return true
	}
	band := s.band(r)
	taken := s.rng.Int64N(max(s.left[band], 1)) < s.want[band]
	s.left[band]--
	if taken {
		s.want[band]--
	} else {
		s.counts.NotChosen++
	}
	return taken
}
