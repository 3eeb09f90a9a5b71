package tuner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/eval"
)

func archived(t *testing.T, s *Store) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Archive(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestArchive: a store that was written and read gives the same fit, from memory
// and from disk, and writes the same bytes.
func TestArchive(t *testing.T) {
	ctx := context.Background()
	m, err := eval.Lookup("shannon-1950")
	if err != nil {
		t.Fatal(err)
	}
	terms, err := TermsOf(m, m.Start)
	if err != nil {
		t.Fatal(err)
	}
	s, err := BuildStore(ctx, m, []Source{sliceSource(walks(t, 40))}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(s *Store) string {
		t.Helper()
		r, err := Fit(ctx, s, terms, NewConfig())
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", *r)
	}
	want, text := fit(s), archived(t, s)
	for _, disk := range []string{"", t.TempDir()} {
		again, err := ReadArchive(ctx, bytes.NewReader(text), disk)
		if err != nil {
			t.Fatal(err)
		}
		if got := fit(again); got != want {
			t.Errorf("another fit from the archive (disk %q):\n%s\n%s", disk, got, want)
		}
		if !bytes.Equal(archived(t, again), text) {
			t.Errorf("the archive of an archive differs (disk %q)", disk)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestArchiveDamage: whatever byte is changed or missing, the archive is refused
// and nothing panics.
func TestArchiveDamage(t *testing.T) {
	ctx := context.Background()
	b := NewBuilder(12)
	b.s.pairs.limit = 9
	syn := synthetic{games: 30, rows: 10, terms: 12, perRow: 5, k: 0.006, seed: 8}
	text := archived(t, syn.fill(t, b))
	if _, err := ReadArchive(ctx, bytes.NewReader(text), ""); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 2))
	for range 400 {
		bad := bytes.Clone(text)
		if r.IntN(4) == 0 {
			bad = bad[:r.IntN(len(bad))]
		} else {
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		if _, err := ReadArchive(ctx, bytes.NewReader(bad), ""); !errors.Is(err, ErrArchive) {
			t.Fatalf("error %v, want ErrArchive", err)
		}
	}
}

func FuzzReadArchive(f *testing.F) {
	f.Add([]byte(archiveMagic))
	var b bytes.Buffer
	s := synthetic{games: 5, rows: 4, terms: 4, perRow: 2, k: 0.006, seed: 8}.store(f)
	if err := s.Archive(context.Background(), &b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := ReadArchive(context.Background(), bytes.NewReader(text), ""); err == nil {
			if _, err := s.rms(context.Background(), 1, newHalves(s.terms)); err != nil {
				t.Error(err)
			}
		}
	})
}
