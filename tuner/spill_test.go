package tuner

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// TestDisk: a store on disk gives the same fit, to the last bit, as one in
// memory; it leaves nothing behind; and a file cut short is an error.
func TestDisk(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	syn := synthetic{games: 400, rows: 40, terms: 30, perRow: 8, shared: 0.5, k: 0.006, seed: 3}
	terms := syn.list(newHalves(syn.terms))
	fit := func(s *Store) string {
		c := NewConfig()
		c.K = syn.k
		r, err := Fit(ctx, s, terms, c)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", *r)
	}
	b, err := NewDiskBuilder(syn.terms, dir)
	if err != nil {
		t.Fatal(err)
	}
	disk, memory := syn.fill(t, b), syn.store(t)
	if disk.Bytes() >= memory.Bytes()*3/5 {
		t.Errorf("%d bytes with the entries on disk, %d without", disk.Bytes(), memory.Bytes())
	}
	if a, b := fit(memory), fit(disk); a != b {
		t.Errorf("fit from memory and from disk differ:\n%s\n%s", a, b)
	}
	if err := disk.disk.f.Truncate(disk.disk.size / 2); err != nil {
		t.Fatal(err)
	}
	if _, err := Fit(ctx, disk, terms, NewConfig()); err == nil {
		t.Error("no error from half a file")
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v left behind", left)
	}
}

// TestWide: pairs of term and count beyond what a dictionary numbers are kept
// beside the rows and count the same.
func TestWide(t *testing.T) {
	ctx := context.Background()
	syn := synthetic{games: 200, rows: 20, terms: 12, perRow: 5, k: 0.006, seed: 5}
	terms := syn.list(newHalves(syn.terms))
	fit := func(limit int) *Result {
		b := NewBuilder(syn.terms)
		b.s.pairs.limit = limit
		s := syn.fill(t, b)
		if n := len(s.pairs.pairs); n > limit {
			t.Fatalf("%d pairs in a dictionary of %d", n, limit)
		}
		c := NewConfig()
		c.K = syn.k
		r, err := Fit(ctx, s, terms, c)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := fit(maxPairs)
	for _, limit := range []int{0, 7, 30} {
		got := fit(limit)
		for i, x := range got.Terms {
			y := want.Terms[i]
			for _, d := range []float64{x.FitMG - y.FitMG, x.FitEG - y.FitEG, x.SEMG - y.SEMG, x.NaiveEG - y.NaiveEG} {
				if d > 1e-6 || d < -1e-6 {
					t.Fatalf("%d pairs: %+v, want %+v", limit, x, y)
				}
			}
			if x.Count != y.Count {
				t.Errorf("%d pairs: %d rows, want %d", limit, x.Count, y.Count)
			}
		}
	}
}
