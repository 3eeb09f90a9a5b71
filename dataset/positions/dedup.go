package positions

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/dedup"
	"github.com/assay-chess/assay/eval"
)

// waitingDir is the folder of the rows that wait to be compared or sampled.
const waitingDir = ".dedup"

// deduplicator drops positions that occurred before, and takes a sample of the rest. Its
// memory is bounded: once the Finder cannot say whether a key is new, that row and all
// later ones wait in a temporary data set. If a sample is taken, all rows wait, because
// their number is only known at the end.
//
// It keeps the order of the rows.
type deduplicator struct {
	dir    string
	filter *Filter
	counts *Counts
	safe   func() int64 // rows of the data set that are safely on disk

	keys    dedup.Finder
	spool   *dataset.Writer[dataset.PositionRow] // the rows that wait; nil if there are none
	waiting int64                                // rows in spool
	// Of the waiting rows: candidate.replaced and candidate.corrected.
	replaced, corrected dedup.RowSet
}

func newDeduplicator(dir string, limit int, f *Filter, c *Counts, safe func() int64) *deduplicator {
	waiting := filepath.Join(dir, waitingDir)
	return &deduplicator{dir: waiting, filter: f, counts: c, safe: safe,
		keys: dedup.Finder{Limit: limit, Dir: filepath.Join(waiting, "keys")}}
}

// add emits the row, drops it, or writes it to the spool.
func (d *deduplicator) add(r *candidate, emit func(*dataset.PositionRow) error) error {
	answer := dedup.New
	if !d.filter.KeepDuplicates {
		var err error
		if answer, err = d.keys.Add(r.Board.Key(), d.waiting); err != nil {
			return d.withSafeRows(err)
		}
		if answer == dedup.Repeated {
			d.counts.Duplicate++
			return nil
		}
	}
	if d.spool == nil && answer == dedup.New && !d.filter.samples() {
		d.keep(r.replaced, r.corrected)
		return emit(&r.PositionRow)
	}
	return d.wait(r)
}

func (d *deduplicator) keep(replaced, corrected bool) {
	d.counts.Kept++
	if replaced {
		d.counts.Replaced++
	}
	if corrected {
		d.counts.Corrected++
	}
}

func (d *deduplicator) wait(r *candidate) (err error) {
	if d.spool == nil {
		d.spool, err = dataset.NewPositionWriter(d.dir, dataset.WriterConfig{}, dataset.Scratch(d.safe))
		if err != nil {
			return err
		}
	}
	d.replaced.Append(r.replaced)
	d.corrected.Append(r.corrected)
	d.waiting++
	return d.spool.Append(&r.PositionRow)
}

// withSafeRows adds to a disk error the number of rows that are safe.
func (d *deduplicator) withSafeRows(err error) error {
	return fmt.Errorf("dataset: %w (%d rows are safely on disk)", err, d.safe())
}

// finish decides about the rows in the spool, and emits those that are kept.
func (d *deduplicator) finish(ctx context.Context, emit func(*dataset.PositionRow) error,
	progress dataset.Progress) error {
	if d.spool == nil {
		return nil
	}
	if _, err := d.spool.Finish(nil); err != nil {
		return err
	}
	var repeated dedup.RowSet
	repeated.Grow(d.waiting)
	n, err := d.keys.Finish(ctx, &repeated)
	if err != nil {
		return d.withSafeRows(err)
	}
	d.counts.Duplicate += n
	r, err := dataset.OpenPositions(d.dir)
	if err != nil {
		return err
	}
	sample, err := d.sampler(ctx, r, &repeated)
	if err != nil {
		return err
	}
	row := int64(-1)
	return dataset.Each(ctx, r, progress, "", func(p *dataset.PositionRow) error {
		if row++; repeated.Has(row) || !sample.take(p) {
			return nil
		}
		d.keep(d.replaced.Has(row), d.corrected.Has(row))
		return emit(p)
	})
}

// sampler returns the sampler of the filter, which takes all rows if the filter does not
// sample.
func (d *deduplicator) sampler(ctx context.Context, r *dataset.Reader[dataset.PositionRow],
	repeated *dedup.RowSet) (*sampler, error) {
	s := newSampler(d.filter, d.counts)
	if !d.filter.samples() {
		return s, nil
	}
	row := int64(-1)
	err := dataset.Each(ctx, r, nil, "", func(p *dataset.PositionRow) error {
		if row++; !repeated.Has(row) {
			s.count(p)
		}
		return nil
	})
	s.settle()
	return s, err
}

// remove deletes the spool, of this process or of one that was killed.
func (d *deduplicator) remove() error {
	d.keys.Close()
	if d.spool != nil {
		d.spool.Close()
	}
	if err := os.RemoveAll(d.dir); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

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
// shares, but for bands without rows. With Sample, the others make up for a band's lack, by their shares.
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
