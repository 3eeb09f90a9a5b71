package gamelog

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// played returns a short game with the number.
func played(t *testing.T, number uint64) selfplay.Result {
	t.Helper()
	job := selfplay.Job{Number: number, Players: toy.Specs("a", "b"), Limits: [2]selfplay.Limits{{Nodes: 1}, {Nodes: 1}},
		Plies: 4, Seed: number}
	var players [2]engine.Player
	for side, spec := range job.Players {
		p, err := toy.Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		players[side] = p
	}
	r, err := selfplay.Play(t.Context(), &job, players)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// numbers returns the numbers of the games in the folder, and checks their rows.
func numbers(t *testing.T, dir string) (list []uint64) {
	t.Helper()
	err := ReadGames(dir, func(n uint64, g *dataset.GameRow) {
		list = append(list, n)
		if want := played(t, n); !slices.Equal(g.Moves, want.Moves) || int(g.Result) != int(want.Result) ||
			g.White != "a" || g.Black != "b" {
			t.Errorf("game %d of %s and %s has the moves %v, result %d", n, g.White, g.Black, g.Moves, g.Result)
		}
	})
	if err != nil {
		t.Error(err)
	}
	return list
}

// Games are read from the journal as long as there is no complete data set. A pair with a void
// game is left out: when it is played again, each of its games is there once.
func TestReadGames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if list := numbers(t, dir); list != nil {
		t.Errorf("no folder has the games %v", list)
	}
	// A self-play run before its first shard.
	early := t.TempDir()
	if err := (&durable.Manifest{Schema: dataset.GamesFormat}).Save(early); err != nil {
		t.Fatal(err)
	}
	if list := numbers(t, early); list != nil {
		t.Errorf("a data set without rows has the games %v", list)
	}
	// Between shards: the games in shards, then those in the journal, each once.
	w, err := dataset.NewGameWriter(early, dataset.WriterConfig{}, dataset.ShardRows(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for n := range uint64(2) {
		r := played(t, n)
		row, err := Row(&r, "")
		if err != nil {
			t.Fatal(err)
		}
		row.White, row.Black = "a", "b"
		if err := w.Append(row); err != nil {
			t.Fatal(err)
		}
	}
	pending, err := OpenPending(early, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint64{1, 4, 2} { // the process ended before the line of game 1 left
		if err := pending.Add(played(t, n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := pending.Close(); err != nil {
		t.Fatal(err)
	}
	if list := numbers(t, early); !slices.Equal(list, []uint64{0, 1, 2, 4}) {
		t.Errorf("a run between shards has the games %v", list)
	}
	run, err := durable.OpenRun(dir, durable.RunInfo{Command: "test"}, "identity")
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	header := func(r *selfplay.Result) Header {
		return Header{White: selfplay.Player{ID: "a"}, Black: selfplay.Player{ID: "b"}}
	}
	g, err := open(destination{Run: run, Identity: "identity", Header: header},
		func(*games, *selfplay.Result) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	journalize := func(void bool, list ...uint64) {
		t.Helper()
		for _, n := range list {
			r := played(t, n)
			if void {
				r.Void, r.Termination = "paused", selfplay.VoidGame
			}
			if err := g.journalize(&r); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, want ...uint64) {
		t.Helper()
		if got := numbers(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: games %v, want %v", when, got, want)
		}
	}
	journalize(false, 3, 0, 2)
	want("first games", 3, 2, 0)
	journalize(true, 1, 5)
	journalize(false, 4)
	want("two pairs are void", 3, 2)
	journalize(false, 0, 6)
	journalize(true, 8)
	want("one is played again", 3, 2, 0, 6)
	journalize(false, 5, 4, 1)
	want("both are", 3, 2, 5, 4, 0, 1, 6)
	if err := g.Record([]selfplay.Result{played(t, 0), played(t, 1)}); err != nil {
		t.Fatal(err)
	}
	if err := g.Finish(nil); err != nil {
		t.Fatal(err)
	}
	want("the data set is complete", 0, 1)
	// Data sets without a journal: of self-play, and damaged ones.
	if list := numbers(t, filepath.Join(dir, GamesName)); !slices.Equal(list, []uint64{0, 1}) {
		t.Errorf("the data set has the games %v", list)
	}
	if err := os.Truncate(filepath.Join(dir, GamesName, "games-00000.arrow"), 100); err != nil {
		t.Fatal(err)
	}
	if err := ReadGames(dir, func(uint64, *dataset.GameRow) {}); err == nil {
		t.Error("a damaged data set was read")
	}
}
