package datagen

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// interrupt runs until a number of games is announced, and returns the last number that was.
func interrupt(t *testing.T, c Config, after int64) (announced int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.Progress = func(done, _ int64, _ string) {
		if announced = done; done >= after {
			cancel()
		}
	}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want an interruption", err)
	}
	return announced
}

// plan returns the run of config in another folder.
func plan(c Config, out string) Config {
	c.Out, c.Runner = out, nil
	return c
}

// Interrupted again and again, with a torn line each time, the run plays no game again that it
// announced; the bytes are those of an undisturbed run, and no journal is left.
func TestJournalKeepsEveryAnnouncedGame(t *testing.T) {
	whole := config(t, 600)
	want := run(t, whole)
	c := plan(whole, filepath.Join(t.TempDir(), "broken"))
	journal := filepath.Join(c.Out, gamelog.JournalName)
	rng := rand.New(rand.NewPCG(3, 4))
	kept := int64(0)
	for life, after := range []int64{1, 90, 255, 256, 257, 400, 540} {
		c.Concurrency = 1 + rng.IntN(4)
		first := int64(-1)
		ctx, cancel := context.WithCancel(t.Context())
		c.Progress = func(done, _ int64, _ string) {
			if first < 0 {
				first = done
			}
			if done >= after {
				cancel()
			}
			kept = max(kept, done)
		}
		before := kept
		_, err := Run(ctx, c)
		cancel()
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "of 600 games on disk") {
			t.Fatal(err)
		}
		if first < before {
			t.Errorf("life %d began at game %d, but %d were announced", life, first, before)
		}
		rows := int64(0)
		if r, err := dataset.OpenGames(c.Out, dataset.Partial()); err == nil {
			rows = r.Len()
		}
		games := setup.Must(gamelog.ReadPending(c.Out, 0))
		for n := range games {
			if int64(n) < rows {
				t.Errorf("life %d: game %d is in a listed shard and in the journal", life, n)
			}
		}
		if n := rows + int64(len(gapless(games, uint64(rows)))); n < kept {
			t.Errorf("life %d: %d games on disk, %d were announced", life, n, kept)
		}
		tear(t, journal)
		leaveRubbish(t, c.Out)
	}
	c.Progress = nil
	got := run(t, c)
	same(t, c.Out, whole.Out)
	if got.Games != want.Games || got.Plies != want.Plies || got.Disagreed != want.Disagreed ||
		got.DataID != want.DataID || got.Played > 600-kept {
		t.Errorf("%+v, want %+v; %d were kept", got, want, kept)
	}
	if _, err := os.Stat(journal); err == nil {
		t.Error("the journal of a complete run is left")
	}
}

// tear adds the first half of a line to the journal.
func tear(t *testing.T, path string) {
	t.Helper()
	data := setup.Must(os.ReadFile(path))
	line, _, _ := bytes.Cut(data, []byte("\n"))
	setup.Check(t, os.WriteFile(path, append(data, line[:len(line)/2]...), 0o666))
}

// If the process ends between the shard and the shorter journal, the lines of the shard count once.
func TestJournalWithLinesOfAListedShard(t *testing.T) {
	whole := config(t, 300)
	run(t, whole)
	c := plan(whole, filepath.Join(t.TempDir(), "broken"))
	path := filepath.Join(c.Out, gamelog.JournalName)
	interrupt(t, c, 250)
	old := setup.Must(os.ReadFile(path))
	interrupt(t, c, 260)
	now := setup.Must(os.ReadFile(path))
	setup.Check(t, os.WriteFile(path, append(old, now...), 0o666))
	if s := run(t, c); s.Played > 40 {
		t.Errorf("%d games played", s.Played)
	}
	same(t, c.Out, whole.Out)
}

// An unfinished data set has its first games without a gap, as the finished one has them.
func TestOpenUnfinishedJournal(t *testing.T) {
	c := config(t, 400)
	read := func() (rows []dataset.GameRow) {
		t.Helper()
		r := setup.Must(Open(c.Out))
		for row, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			row.Moves, row.Scores = append([]board.Move(nil), row.Moves...), append([]int16(nil), row.Scores...)
			rows = append(rows, row)
		}
		if int64(len(rows)) != r.Len() {
			t.Errorf("%d rows, Len is %d", len(rows), r.Len())
		}
		return rows
	}
	var parts [][]dataset.GameRow
	for _, after := range []int64{5, 300} {
		announced := interrupt(t, c, after)
		rows := read()
		if int64(len(rows)) < announced || len(rows) >= 400 {
			t.Errorf("%d rows, %d games were announced", len(rows), announced)
		}
		parts = append(parts, rows)
	}
	run(t, c)
	all := read()
	if len(all) != 400 {
		t.Fatalf("%d rows", len(all))
	}
	for _, rows := range parts {
		if !reflect.DeepEqual(rows, all[:len(rows)]) {
			t.Errorf("the first %d rows differ from those of the complete data set", len(rows))
		}
	}

	// A gap ends it.
	gap := config(t, 100)
	interrupt(t, gap, 30)
	games := setup.Must(gamelog.ReadPending(gap.Out, 0))
	path := filepath.Join(gap.Out, gamelog.JournalName)
	setup.Check(t, os.Remove(path))
	j := setup.Must(durable.OpenJournal(path, nil))
	defer j.Close()
	for n, g := range games {
		if n == 17 {
			continue
		}
		setup.Check(t, j.Append(&g))
	}
	if r, err := Open(gap.Out); err != nil || r.Len() != 17 {
		t.Errorf("%d games before the gap at 17, %v", r.Len(), err)
	}
}

// A game that a player forfeits counts, with its termination, and the run goes on; after an
// interruption too.
func TestForfeitsAreTolerated(t *testing.T) {
	bad := func(workers int) selfplay.Runner {
		return &runtest.Changing{Runner: &selfplay.Local{Open: toy.Open, Workers: workers},
			Change: func(r *selfplay.Result) {
				if r.Try == 0 && r.Number%150 == 31 {
					r.Result, r.Termination, r.Fault = board.WhiteWins, selfplay.IllegalMove, "black: a8a8 is not legal"
					r.FaultLog = "> go nodes 100\n< bestmove a8a8\n"
				}
			}}
	}
	whole := config(t, 500)
	whole.Runner = bad(1)
	s := run(t, whole)
	if n := s.Terminations[string(selfplay.IllegalMove)]; n != 4 || s.Games != 500 {
		t.Errorf("%d forfeits of %d games, want 4", n, s.Games)
	}
	if n := gamelog.FaultLogs(whole.Out); n != 4 {
		t.Errorf("%d logs of faults, want 4", n)
	}
	c := plan(whole, filepath.Join(t.TempDir(), "broken"))
	for _, after := range []int64{40, 200, 300} {
		c.Runner = bad(3)
		interrupt(t, c, after)
	}
	c.Runner = bad(2)
	run(t, c)
	same(t, c.Out, whole.Out)
}

// Too many forfeits end the run, which says so again when it is resumed, and goes on if more are
// tolerated.
func TestTooManyForfeits(t *testing.T) {
	c := config(t, 300)
	c.Players = []selfplay.Player{{Spec: toy.Spec("a")}, {Spec: toy.Spec("b:illegal=9"), Name: "mine"}}
	for range 2 {
		_, err := Run(t.Context(), c)
		if !errors.Is(err, ErrForfeit) || !errors.Is(err, selfplay.ErrNoVerdict) {
			t.Fatal(err)
		}
		for _, want := range []string{c.Out, "mine forfeited ", "too many where 2 % are tolerated", "is not legal in"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	}
	c.Tolerance.Recover = true
	if s := run(t, c); s.Games != 300 || s.Terminations[string(selfplay.IllegalMove)] < 50 {
		t.Errorf("%+v", s)
	}
}
