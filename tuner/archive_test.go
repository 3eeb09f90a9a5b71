package tuner

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/assay-chess/assay/eval"
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

// TestArchive: a store that was written and read gives the same fit, from memory
// and from disk, and writes the same bytes.
func TestArchive(t *testing.T) {
	ctx := context.Background()
	m, err := eval.Lookup("shannon-1950")
	if err != nil {
		t.Fatal(err)
	}
	terms, err := rows.TermsOf(m, m.Start)
	if err != nil {
		t.Fatal(err)
	}
	s, err := rows.BuildStore(ctx, m, []rows.Source{sliceSource(walks(t, 40))}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(s *rows.Store) string {
		t.Helper()
		r, err := Fit(ctx, s, terms, NewConfig())
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", *r)
	}
	want, text := fit(s), archived(t, s)
	for _, disk := range []string{"", t.TempDir()} {
		again, err := rows.ReadArchive(ctx, bytes.NewReader(text), disk)
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
