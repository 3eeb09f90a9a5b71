// Package runtest tests what all kinds of run promise that keep their games: the same bytes, resuming, what becomes of
// damaged files and of players that fail.
//
// Start reading at Suite and Interrupt.
//
// No promise of stability.
package runtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Attempt is what one attempt at a run gets: a number of workers, another each time, and
// a Progress that soon interrupts it.
type Attempt struct {
	Workers  int
	Progress func(done, total int64, note string)
}

// Interrupt calls play, which resumes the run in the folder, until a call is not
// interrupted. Each call is interrupted after a random number of progress reports, at most
// reports. Between calls it damages the files as a kill does. The test fails if another
// error ends the run, or if there were fewer than three attempts.
func Interrupt(t *testing.T, dir string, reports int, play func(context.Context, Attempt) error) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	for attempts := 1; ; attempts++ {
		if attempts > 200 {
			t.Fatal("the run does not end")
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 + rng.IntN(reports)
		err := play(ctx, Attempt{1 + rng.IntN(5), func(int64, int64, string) {
			if left--; left == 0 {
				cancel()
			}
		}})
		cancel()
		switch {
		case err == nil && attempts < 3:
			t.Fatalf("only %d attempts", attempts)
		case err == nil:
			return
		case !errors.Is(err, context.Canceled):
			t.Fatal(err)
		}
		tear(t, dir, rng)
	}
}

// tear does what a kill does: it cuts the last line of the journal, or adds part of one,
// and cuts the PGN anywhere.
func tear(t *testing.T, dir string, rng *rand.Rand) {
	t.Helper()
	path := filepath.Join(dir, gamelog.JournalName)
	data := setup.Must(os.ReadFile(path))
	last := data[bytes.LastIndexByte(data[:max(0, len(data)-1)], '\n')+1:]
	switch {
	case len(last) < 2:
	case rng.IntN(2) == 0: // part of another line
		data = append(data, last[:1+rng.IntN(len(last)-1)]...)
	default: // the last line without its end
		data = data[:len(data)-1-rng.IntN(len(last)-1)]
	}
	setup.Check(t, os.WriteFile(path, data, 0o666))
	pgn := filepath.Join(dir, gamelog.PGNName)
	if info, err := os.Stat(pgn); err == nil && info.Size() > 0 {
		setup.Check(t, os.Truncate(pgn, rng.Int64N(info.Size())))
	}
}

// Promised are the files of a run that are the same for equal configurations, as patterns
// of names.
var Promised = []string{gamelog.GamesName + "/*.arrow", gamelog.GamesName + "/" + durable.ManifestName,
	gamelog.PGNName, durable.RunResultName, durable.RunConfigName}

// SameFiles compares the files of two folders whose names match the patterns.
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

// Read calls visit with every line of a journal of games, void pairs too.
func Read(path string, visit func(*selfplay.Result) error) error {
	return durable.ReadJournal(path, func(line []byte) error {
		r := new(selfplay.Result)
		if err := json.Unmarshal(line, r); err != nil {
			return err
		}
		return visit(r)
	})
}

// Changing is a runner that changes the results of another.
type Changing struct {
	selfplay.Runner
	Change func(*selfplay.Result)
}

// Run implements selfplay.Runner.
func (c *Changing) Run(ctx context.Context, tasks <-chan selfplay.Task, results chan<- selfplay.Result) error {
	inner, ended := make(chan selfplay.Result), make(chan error, 1)
	go func() { ended <- c.Runner.Run(ctx, tasks, inner) }()
	for {
		select {
		case err := <-ended:
			return err
		case r := <-inner:
			c.Change(&r)
			select {
			case results <- r:
			case <-ctx.Done():
				return <-ended
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite testdata")

var long = regexp.MustCompile(`-?[0-9]+\.[0-9]{7,}(e-?[0-9]+)?`)

// Golden compares a text, its numbers rounded to a number of digits, with a file of testdata. With -update it writes
// the file first.
func Golden(t *testing.T, name, text string, digits int) {
	t.Helper()
	path := filepath.Join("testdata", name)
	text = long.ReplaceAllStringFunc(text, func(number string) string {
		return strconv.FormatFloat(setup.Must(strconv.ParseFloat(number, 64)), 'g', digits, 64)
	})
	if *update {
		setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
	}
	want := setup.Must(os.ReadFile(path))
	got, had := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(had)) {
		if i >= len(got) || i >= len(had) || got[i] != had[i] {
			t.Fatalf("%s differs from line %d on; run with -update and read the difference\n%s", path, i+1, text)
		}
	}
}

// WildSetup returns how wild toys play short games into a folder.
func WildSetup(out string) selfplay.Setup {
	return selfplay.Setup{
		Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 1}, Rule: selfplay.Adjudication{WinScore: 500, WinPlies: 4},
			MaxPlies: 60, Opening: opening.Spec{Plies: 6}, Check: selfplay.Check{MaxScore: -1}, Seed: 2, Program: "test"},
		Place: selfplay.Place{Out: out, Open: toy.OpenWild, Concurrency: 2},
	}
}
