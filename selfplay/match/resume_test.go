package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog/gamelogtest"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// Interrupted at random moments, with the journal torn behind, a match plays no game
// twice and ends with the bytes of an undisturbed one.
func TestInterruptedMatchesGiveTheSameBytes(t *testing.T) {
	for name, make := range map[string]func(*testing.T) Config{
		"fixed": func(t *testing.T) Config { return config(t, 600) },
		"sprt":  decisive,
	} {
		undisturbed := make(t)
		whole := run(t, undisturbed)
		c := make(t)
		var last *Result
		gamelogtest.Interrupt(t, c.Out, int(whole.Games)/8,
			func(ctx context.Context, attempt gamelogtest.Attempt) (err error) {
				c.Concurrency, c.Progress = attempt.Workers, attempt.Progress
				last, err = Run(ctx, c)
				return err
			})
		t.Log(name)
		gamelogtest.SameFiles(t, c.Out, undisturbed.Out, gamelogtest.Promised...)
		journalOf(t, c.Out) // no game twice
		if last.Games != whole.Games || last.Elo != whole.Elo {
			t.Errorf("%s: %d games, Elo %v; undisturbed %d, %v", name, last.Games, last.Elo, whole.Games, whole.Elo)
		}
	}
}

// A complete match that is given more games ends with the bytes of one that had them from the start. So does a
// test that ended undecided; one that has decided plays no more.
func TestMoreGames(t *testing.T) {
	t.Run("fixed", func(t *testing.T) {
		undisturbed, c := config(t, 300), config(t, 100)
		run(t, undisturbed)
		run(t, c)
		c.Games = 300
		gamelogtest.Interrupt(t, c.Out, 40, func(ctx context.Context, attempt gamelogtest.Attempt) error {
			c.Concurrency, c.Progress = attempt.Workers, attempt.Progress
			_, err := Run(ctx, c)
			return err
		})
		gamelogtest.SameFiles(t, c.Out, undisturbed.Out, gamelogtest.Promised...)
		c.Games = 200
		if _, err := Run(t.Context(), c); !errors.Is(err, selfplay.ErrConfig) {
			t.Errorf("fewer games: %v", err)
		}
	})
	t.Run("sprt", func(t *testing.T) {
		undisturbed, c := decisive(t), decisive(t)
		want := run(t, undisturbed)
		c.Games = 20
		if r := run(t, c); r.Verdict != Undecided || r.Games != 20 {
			t.Fatalf("%+v", r)
		}
		c.Games = 2000
		if r := run(t, c); r.Verdict != want.Verdict || r.Already {
			t.Errorf("%+v, want %+v", r, want)
		}
		gamelogtest.SameFiles(t, c.Out, undisturbed.Out, gamelogtest.Promised...)
		c.Games = 4000
		if r := run(t, c); !r.Already {
			t.Error("a decided test played on")
		}
	})
}

func TestCompleteMatchSaysSo(t *testing.T) {
	c := config(t, 20)
	first := run(t, c)
	c.Open = func(engine.Spec) (engine.Player, error) { return nil, errors.New("no game should be played") }
	again := run(t, c)
	if !again.Already || again.Time != first.Time || again.Played != 0 || first.Played != 20 {
		t.Errorf("first %+v, again %+v", first, again)
	}
	a, errA := json.Marshal(first)
	b, errB := json.Marshal(again)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("first %s, again %s", a, b)
	}
}

func TestOnlyTheResultIsMissing(t *testing.T) {
	whole, c := decisive(t), decisive(t)
	run(t, whole)
	run(t, c)
	if err := os.Remove(filepath.Join(c.Out, durable.RunResultName)); err != nil {
		t.Fatal(err)
	}
	c.Open = func(engine.Spec) (engine.Player, error) { return nil, errors.New("no game should be played") }
	run(t, c)
	gamelogtest.SameFiles(t, c.Out, whole.Out, gamelogtest.Promised...)
}

// A journal that was tampered with is refused.
func TestDamagedJournal(t *testing.T) {
	c := config(t, 20)
	run(t, c)
	if err := os.Remove(filepath.Join(c.Out, durable.RunResultName)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.Out, JournalName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"a bit":      append(append([]byte{}, data[:500]...), append([]byte{data[500] ^ 1}, data[501:]...)...),
		"game twice": append(append([]byte{}, data...), data...),
	} {
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), c); !errors.Is(err, durable.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want ErrDamaged that names the journal", name, err)
		}
	}
}

// loaded is a runner on a machine with a load.
type loaded struct {
	selfplay.Runner
	threads float64
}

func (l loaded) Load() machine.Load {
	return machine.Load{Threads: l.threads, Cores: 2, Time: time.Second}
}

// The load of the machine is kept with the match, over all its processes, and is in no file that
// is the same for equal matches.
func TestLoadOfTheMachine(t *testing.T) {
	local := &selfplay.Local{Open: toy.Open, Workers: 2}
	c := config(t, 200)
	ctx, cancel := context.WithCancel(t.Context())
	c.Progress = func(done, total int64, note string) {
		if done > 0 {
			cancel()
		}
	}
	c.Runner = loaded{local, 2}
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	c.Progress, c.Runner = nil, loaded{local, 6}
	for range 2 { // played, and read again
		r := run(t, c)
		if want := (machine.Load{Threads: 4, Cores: 2, Time: 2 * time.Second}); r.Load != want || !r.Load.Busy() {
			t.Errorf("load %+v, want %+v", r.Load, want)
		}
	}
	other := config(t, 200)
	run(t, other)
	gamelogtest.SameFiles(t, c.Out, other.Out, gamelogtest.Promised...)
}
