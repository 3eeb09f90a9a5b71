package worker

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// shop is a coordinator that sends one engine, in small parts.
type shop struct {
	name      string
	program   []byte
	signature *wire.Signature
	asked     int
	failsAt   int // request that gets no answer; 0: none
}

func (s *shop) get(_ context.Context, name string, offset int) (*wire.WeightsPart, error) {
	if s.asked++; s.asked == s.failsAt {
		return nil, errors.New("no answer")
	}
	if s.program == nil || name != s.name {
		return &wire.WeightsPart{}, nil
	}
	rest := s.program[offset:]
	if s.signature == nil {
		return &wire.WeightsPart{Size: len(s.program), Data: rest[:100]}, nil
	}
	return &wire.WeightsPart{Size: len(s.program), Data: rest[:min(len(rest), 100)],
		Signatures: []wire.Signature{{Key: "of someone else"}, *s.signature}}, nil
}

// sells returns a shop with an engine that the key in a file signed.
func sells(t *testing.T, key string) (*shop, wire.Program) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "toy")
	s := &shop{program: bytes.Repeat([]byte("an engine's program "), 50)}
	write(t, path, s.program)
	var err error
	if s.signature, err = wire.SignatureWith(path, key); err != nil {
		t.Fatal(err)
	}
	s.name = wire.EngineName(s.signature.Program)
	return s, programOf(t, path)
}

func fetching(t *testing.T, dir string, trusted ...wire.Key) *AllowedEngines {
	t.Helper()
	a := allow(t, nil, "", trusted...)
	if err := a.Fetch(dir); err != nil {
		t.Fatal(err)
	}
	return a
}

func (s *shop) source() *source { return &source{get: s.get, log: func(string) {}} }

// A fetch that was interrupted goes on where it ended, and an engine is fetched once.
func TestFetch(t *testing.T) {
	secret, dev := newSigner(t, "dev")
	s, p := sells(t, secret)
	dir := filepath.Join(t.TempDir(), "engines")
	a := fetching(t, dir, dev)
	s.failsAt = 6
	if _, err := a.local(t.Context(), toy.Spec("uci:toy?Hash=1"), p, s.source()); !errors.Is(err, errNoEngine) {
		t.Fatal(err)
	}
	s.asked, s.failsAt = 0, 0
	path := filepath.Join(dir, p.SHA256, "toy")
	if spec, err := a.local(t.Context(), toy.Spec("uci:toy?Hash=1"), p, s.source()); err != nil ||
		spec.String() != "uci:"+quote.Word(path)+"?Hash=1" || s.asked != 6 {
		t.Errorf("%q, %v, %d requests after the interruption", spec, err, s.asked)
	}
	for _, a := range []*AllowedEngines{a, fetching(t, dir, dev)} { // the second: the worker was started again
		if _, err := a.local(t.Context(), toy.Spec("uci:toy"), p, s.source()); err != nil || s.asked != 6 {
			t.Errorf("%v, %d requests", err, s.asked)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o500 {
		t.Errorf("%v, %v", info, err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
	old := time.Now().Add(-2 * keepUnused)
	if err := os.Chtimes(filepath.Dir(path), old, old); err != nil {
		t.Fatal(err)
	}
	fetching(t, dir, dev)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an engine that no one uses is kept: %v", err)
	}
}

// Engines that are not fetched, or not made executable, and what the owner is told.
func TestFetchRefuses(t *testing.T) {
	secret, dev := newSigner(t, "dev")
	strange, stranger := newSigner(t, "stranger")
	for name, c := range map[string]struct {
		change func(*shop)
		says   string
		asked  int
	}{
		"not sent": {func(s *shop) { s.program = nil }, "the run does not send it", 1},
		"unsigned": {func(s *shop) { s.signature = nil }, "the run sends it without one", 1},
		"a stranger": {func(s *shop) { other, _ := sells(t, strange); s.signature = other.signature },
			stranger.Public + "; to trust it, add it to the list of --trust", 1},
		"forged":        {func(s *shop) { s.signature.Signature[0] ^= 1 }, "the key of dev did not make it", 1},
		"another name":  {func(s *shop) { s.signature.Name = "boy" }, "changed or renamed", 1},
		"other content": {func(s *shop) { s.program[5] = '!' }, "arrived with other content", 10},
		"too large":     {func(s *shop) { s.program = make([]byte, wire.MaxEngine+1) }, "more than", 1},
	} {
		s, p := sells(t, secret)
		c.change(s)
		dir := t.TempDir()
		a := fetching(t, dir, dev)
		_, err := a.local(t.Context(), toy.Spec("uci:toy"), p, s.source())
		if !errors.Is(err, errNotAllowed) || !strings.Contains(err.Error(), `"toy"`) ||
			!strings.Contains(err.Error(), c.says) || s.asked != c.asked || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v after %d requests", name, err, s.asked)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(files) > 0 {
			t.Errorf("%s: %q", name, files)
		}
	}
	// A key that is no longer trusted.
	s, p := sells(t, secret)
	dir := t.TempDir()
	if _, err := fetching(t, dir, dev).local(t.Context(), toy.Spec("uci:toy"), p, s.source()); err != nil {
		t.Fatal(err)
	}
	if _, err := fetching(t, dir, stranger).local(t.Context(), toy.Spec("uci:toy"), p, s.source()); err == nil ||
		!strings.Contains(err.Error(), dev.Public) {
		t.Errorf("a key that is no longer trusted: %v", err)
	}
}
