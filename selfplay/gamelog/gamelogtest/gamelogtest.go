// Package gamelogtest is what the tests of runs that keep their games have in common:
// to interrupt a run again and again, and to compare what it leaves with what an
// undisturbed one does.
//
// It is for tests alone. Start reading at Interrupt.
package gamelogtest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Life is what one life of a run is given: another number of workers each time, and a
// Progress that ends it before long.
type Life struct {
	Workers  int
	Progress func(done, total int64, note string)
}

// Interrupt calls play, which resumes the run in the folder, until it is not
// interrupted any more, a life of each call, and each at most so many reports of
// progress long. Between them it tears the files as a kill does. It fails the test where
// another error ends the run, or where there were too few lives to show anything.
func Interrupt(t *testing.T, dir string, reports int, play func(context.Context, Life) error) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	for lives := 1; ; lives++ {
		if lives > 200 {
			t.Fatal("it never ends")
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 + rng.IntN(reports)
		err := play(ctx, Life{1 + rng.IntN(5), func(int64, int64, string) {
			if left--; left == 0 {
				cancel()
			}
		}})
		cancel()
		switch {
		case err == nil && lives < 3:
			t.Fatalf("only %d lives", lives)
		case err == nil:
			return
		case !errors.Is(err, context.Canceled):
			t.Fatal(err)
		}
		tear(t, dir, rng)
	}
}

// tear does what a kill does: the last line of the journal is half written, and the
// PGN ends anywhere.
func tear(t *testing.T, dir string, rng *rand.Rand) {
	t.Helper()
	path := filepath.Join(dir, gamelog.JournalName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := data[bytes.LastIndexByte(data[:max(0, len(data)-1)], '\n')+1:]
	switch {
	case len(last) < 2:
	case rng.IntN(2) == 0: // a line more, begun
		data = append(data, last[:1+rng.IntN(len(last)-1)]...)
	default: // the last line, not ended
		data = data[:len(data)-1-rng.IntN(len(last)-1)]
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	pgn := filepath.Join(dir, gamelog.PGNName)
	if info, err := os.Stat(pgn); err == nil && info.Size() > 0 {
		if err := os.Truncate(pgn, rng.Int64N(info.Size())); err != nil {
			t.Fatal(err)
		}
	}
}

// Promised are the files of a run that are the same for the same configuration, as
// patterns of their names.
var Promised = []string{gamelog.GamesName + "/*.arrow", gamelog.GamesName + "/" + durable.ManifestName, gamelog.PGNName, durable.RunResultName, durable.RunConfigName}

// SameFiles compares the files of two folders that the patterns name.
func SameFiles(t *testing.T, got, want string, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(want, pattern))
		others, errOthers := filepath.Glob(filepath.Join(got, pattern))
		if err != nil || errOthers != nil || len(names) == 0 || len(names) != len(others) {
			t.Errorf("%s: %d files and %d, %v, %v", pattern, len(names), len(others), err, errOthers)
		}
		for _, name := range names {
			a, errA := os.ReadFile(name)
			rel, errRel := filepath.Rel(want, name)
			b, errB := os.ReadFile(filepath.Join(got, rel))
			if err := errors.Join(errA, errRel, errB); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s differs: %v", rel, err)
			}
		}
	}
}
