package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/engine"
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
		want := bytesOf(t, undisturbed.Out)
		c := make(t)
		rng := rand.New(rand.NewPCG(5, 6))
		lives := 0
		var last *Result
		for ; last == nil; lives++ {
			if lives > 200 {
				t.Fatal("it never ends")
			}
			ctx, cancel := context.WithCancel(t.Context())
			left := 1 + rng.IntN(int(whole.Games)/8)
			c.Workers = 1 + rng.IntN(5)
			c.Progress = func(int64, int64, string) {
				if left--; left == 0 {
					cancel()
				}
			}
			r, err := Run(ctx, c)
			cancel()
			switch {
			case err == nil:
				last = r
			case !errors.Is(err, context.Canceled):
				t.Fatal(err)
			default:
				tear(t, c.Out, rng)
			}
		}
		if lives < 3 {
			t.Errorf("%s: only %d lives", name, lives)
		}
		compare(t, name+" interrupted", bytesOf(t, c.Out), want)
		journalOf(t, c.Out) // no game twice
		if last.Games != whole.Games || last.Elo != whole.Elo {
			t.Errorf("%s: %d games, Elo %v; undisturbed %d, %v", name, last.Games, last.Elo, whole.Games, whole.Elo)
		}
	}
}

// tear does what a kill does: the last line of the journal is half written, and the
// PGN ends anywhere.
func tear(t *testing.T, dir string, rng *rand.Rand) {
	t.Helper()
	path := filepath.Join(dir, JournalName)
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
	pgn := filepath.Join(dir, PGNName)
	if info, err := os.Stat(pgn); err == nil && info.Size() > 0 {
		if err := os.Truncate(pgn, rng.Int64N(info.Size())); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCompleteMatchSaysSo(t *testing.T) {
	c := config(t, 20)
	first := run(t, c)
	c.Open = func(string) (engine.Player, error) { return nil, errors.New("nobody should play") }
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
	c := decisive(t)
	run(t, c)
	want := bytesOf(t, c.Out)
	if err := os.Remove(filepath.Join(c.Out, store.RunResultName)); err != nil {
		t.Fatal(err)
	}
	c.Open = func(string) (engine.Player, error) { return nil, errors.New("nobody should play") }
	run(t, c)
	compare(t, "result again", bytesOf(t, c.Out), want)
}

// A journal that was tampered with is not believed.
func TestDamagedJournal(t *testing.T) {
	c := config(t, 20)
	run(t, c)
	if err := os.Remove(filepath.Join(c.Out, store.RunResultName)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.Out, JournalName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"a bit":      append(append([]byte{}, data[:500]...), append([]byte{data[500] ^ 1}, data[501:]...)...),
		"twice told": append(append([]byte{}, data...), data...),
	} {
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), c); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want ErrDamaged that names the journal", name, err)
		}
	}
}
