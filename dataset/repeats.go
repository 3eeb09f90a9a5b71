package dataset

import (
	"context"
	"fmt"
	"os"
)

// repeats counts keys that were there before, in bounded memory: beyond limit keys,
// those that are new wait in files of a temporary folder to be compared.
type repeats struct {
	limit int // 0: sieveLimit
	seen  keySet
	spill *spill
	dir   string
	rows  int64 // in spill
	n     int64 // found so far
}

func (r *repeats) add(key uint64) error {
	limit := r.limit
	if limit == 0 {
		limit = sieveLimit
	}
	if r.seen.len() < limit {
		if !r.seen.add(key) {
			r.n++
		}
		return nil
	}
	if r.seen.has(key) {
		r.n++
		return nil
	}
	if r.spill == nil {
		dir, err := os.MkdirTemp("", "assay-keys-")
		if err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
		r.dir = dir
		if r.spill, err = newSpill(dir); err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
	}
	r.rows++
	if err := r.spill.add(key, r.rows); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// total returns the number of keys that were there before.
func (r *repeats) total(ctx context.Context) (int64, error) {
	if r.spill == nil {
		return r.n, nil
	}
	r.seen = keySet{}
	n, err := r.spill.duplicates(ctx, nil)
	if err != nil {
		return 0, fmt.Errorf("dataset: %w", err)
	}
	return r.n + n, nil
}

// close removes what waited.
func (r *repeats) close() {
	r.spill.close()
	if r.dir != "" {
		_ = os.RemoveAll(r.dir) // the system cleans up behind us if we cannot
	}
}
