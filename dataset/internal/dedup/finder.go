package dedup

import (
	"cmp"
	"context"
	"os"
)

// Limit is how many keys a Finder holds in memory unless it is given another limit:
// 128 MiB of them.
const Limit = 3 << 22

// Answer is what a Finder knows of a key when it is added.
type Answer int

const (
	New      Answer = iota // no earlier row has the key
	Repeated               // an earlier row has the key
	unknown                // Finish finds out
)

// Finder finds the rows whose key an earlier row has, in bounded memory. Call Close at
// the end.
type Finder struct {
	Limit int    // keys in memory; 0 is the constant Limit. It does not change what is found
	Dir   string // for files, made when they are needed; empty is a new temporary folder

	seen   KeySet
	opened bool
	spill  *Spill // of keys that were not in seen when it was full
}

// Add adds the key of a row. The rows whose answer is Unknown must have different
// numbers that rise.
func (f *Finder) Add(key uint64, row int64) (Answer, error) {
	if f.seen.Len() < cmp.Or(f.Limit, Limit) {
		if f.seen.Add(key) {
			return New, nil
		}
		return Repeated, nil
	}
	if f.seen.Has(key) {
		return Repeated, nil
	}
	if f.spill == nil {
		if err := f.open(); err != nil {
			return unknown, err
		}
	}
	return unknown, f.spill.Add(key, row)
}

func (f *Finder) open() (err error) {
	f.opened = true
	if f.Dir == "" {
		if f.Dir, err = os.MkdirTemp("", "assay-keys-"); err != nil {
			return err
		}
	}
	f.spill, err = NewSpill(f.Dir)
	return err
}

// Finish decides about the rows whose answer was Unknown: it returns how many repeat an
// earlier key, and adds them to repeated, if that is not nil. No key can be added
// afterwards.
func (f *Finder) Finish(ctx context.Context, repeated *RowSet) (int64, error) {
	f.seen = KeySet{}
	if f.spill == nil {
		return 0, nil
	}
	return f.spill.repeats(ctx, repeated)
}

// Close removes the files.
func (f *Finder) Close() {
	if f.opened {
		f.spill.Close()
		_ = os.RemoveAll(f.Dir) // scratch data; the caller or the system removes what we cannot
	}
}
