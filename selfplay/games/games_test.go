package games_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/historic/draughts"
	"github.com/assay-chess/assay/engine/historic/nim"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/selfplay/sprt"
)

func series(t *testing.T, n, workers int) games.Series {
	g := games.New(draughts.Rules{})
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	w, err := g.Weights(g.StartFile())
	if err != nil {
		t.Fatal(err)
	}
	learned := []int32{100, 130, 5, 30, 0, 3, 0}
	return games.Series{Game: g, Dir: t.TempDir(), A: games.Player{Name: "new", ID: "a", Weights: learned},
		B:     games.Player{Name: "old", ID: "b", Weights: w},
		Games: n, Depth: 2, Seed: 7, Stage: "test", Workers: workers}
}

// same reports whether two folders hold the same files.
func same(t *testing.T, a, b string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(a, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path)[0] == '.' {
			return err
		}
		n++
		rel, _ := filepath.Rel(a, path)
		x, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, rel))
		if err == nil && !bytes.Equal(x, y) {
			t.Errorf("%s differs", rel)
		}
		return err
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files, %v", n, err)
	}
}

// A match is the same for any number of workers, whether it was interrupted or not, and its
// players change sides within a pair.
func TestMatch(t *testing.T) {
	ctx := context.Background()
	a := series(t, 400, 1)
	x, err := a.Match(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x.Games != 400 || !(float64(x.EloLo) > 0) {
		t.Errorf("%+v", x)
	}
	b := series(t, 400, 3)
	announced := int64(0)
	for _, after := range []int64{1, 20, 255, 300, 350} {
		stopped, cancel := context.WithCancel(ctx)
		first := true
		b.Progress = func(done, _ int64, _ string) {
			if first && done <= announced {
				t.Errorf("game %d is played again, %d were announced", done, announced)
			}
			first = false
			if announced = done; done >= after {
				cancel()
			}
		}
		if _, err := b.Match(stopped, nil); err == nil || !strings.Contains(err.Error(), "of 400 games on disk") {
			t.Fatalf("it was not interrupted: %v", err)
		}
		journal := filepath.Join(b.Dir, durable.JournalName)
		text, err := os.ReadFile(journal)
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := bytes.Cut(text, []byte("\n"))
		if err := os.WriteFile(journal, append(text, line[:len(line)/2]...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b.Progress = nil
	y, err := b.Match(ctx, nil)
	if err != nil || x.Pentanomial != y.Pentanomial {
		t.Fatalf("%v, %v, %v", x.Pentanomial, y.Pentanomial, err)
	}
	same(t, a.Dir, b.Dir)
	if again, err := b.Match(ctx, nil); err != nil || again.Pentanomial != x.Pentanomial { // from the data set
		t.Errorf("%v, %v", again, err)
	}
	shown, err := a.Game.Show(a.Dir)
	if err != nil || len(shown.Boards) != len(shown.Moves)+1 || shown.Result == 0 ||
		shown.Players[0] == shown.Players[1] || shown.Ending() == "drawn" {
		t.Errorf("%v, result %d, %d boards, %d moves, %v",
			shown.Players, shown.Result, len(shown.Boards), len(shown.Moves), err)
	}
}

// A test ends a match at a pair, and no later game is kept.
func TestMatchStops(t *testing.T) {
	g := games.New(nim.Learned{})
	learned := []int32{-100, 100, 100, 100, 100, 100, 100, 100}
	s := games.Series{Game: g, Dir: t.TempDir(), A: games.Player{ID: "perfect", Weights: learned},
		B:     games.Player{ID: "random", Weights: make([]int32, 8)},
		Games: 1000, Depth: 1, Seed: 1, Stage: "test"}
	r, err := s.Match(context.Background(), &sprt.Test{Elo1: 30, Alpha: 0.05, Beta: 0.05})
	if err != nil || !r.Passed() || r.Games >= 1000 {
		t.Fatalf("%+v, %v", r, err)
	}
	kept, err := games.Count(s.Dir)
	if err != nil || kept.Games != r.Games || kept.Drawn != 0 {
		t.Errorf("%+v, %v, want %d games", kept, err, r.Games)
	}
}

// Weights of another game, or of another version of this one, are refused by name.
func TestWeights(t *testing.T) {
	g := games.New(draughts.Rules{})
	f := g.StartFile()
	text, err := f.Encode()
	if err != nil || len(text) == 0 {
		t.Fatal(err)
	}
	if w, err := g.Weights(f); err != nil || w[1] != 300 {
		t.Errorf("%v, %v", w, err)
	}
	f.Terms[0].Name = "pawn"
	if _, err := g.Weights(f); err == nil {
		t.Error("a term of another name is accepted")
	}
	if _, err := games.New(nim.Learned{}).Weights(g.StartFile()); err == nil {
		t.Error("weights of another game are accepted")
	}
}
