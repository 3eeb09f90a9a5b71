package rows_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

func archived(t *testing.T, s *rows.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Archive(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestArchiveDamage: whatever byte is changed or missing, the archive is refused
// and nothing panics.
func TestArchiveDamage(t *testing.T) {
	ctx := context.Background()
	b := rows.NewBuilder(12)
	b.LimitPairs(9)
	syn := synthetic.Games{Games: 30, Rows: 10, Terms: 12, PerRow: 5, K: 0.006, Seed: 8}
	text := archived(t, syn.Fill(t, b))
	if _, err := rows.ReadArchive(ctx, bytes.NewReader(text), ""); err != nil {
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
		if _, err := rows.ReadArchive(ctx, bytes.NewReader(bad), ""); !errors.Is(err, rows.ErrArchive) {
			t.Fatalf("error %v, want ErrArchive", err)
		}
	}
}

func FuzzReadArchive(f *testing.F) {
	f.Add([]byte(rows.ArchiveMagic))
	var b bytes.Buffer
	s := synthetic.Games{Games: 5, Rows: 4, Terms: 4, PerRow: 2, K: 0.006, Seed: 8}.Store(f)
	if err := s.Archive(context.Background(), &b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := rows.ReadArchive(context.Background(), bytes.NewReader(text), ""); err == nil {
			if _, err := objective.RMS(context.Background(), s, 1, objective.NewTapered(s.Terms())); err != nil {
				t.Error(err)
			}
		}
	})
}
