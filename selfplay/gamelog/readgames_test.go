package gamelog

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/opening"
)

// played returns a short game with the number.
func played(t *testing.T, number uint64) selfplay.Result {
	t.Helper()
	job := selfplay.Job{Number: number, Players: toy.Specs("a", "b"), Limits: [2]selfplay.Limits{{Nodes: 1}, {Nodes: 1}},
		Plies: 4, Seed: number}
	return setup.Must((&selfplay.Local{Open: toy.Open}).One(t.Context(), &job))
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
	setup.Check(t, (&durable.Manifest{Schema: dataset.GamesFormat}).Save(early))
	if list := numbers(t, early); list != nil {
		t.Errorf("a data set without rows has the games %v", list)
	}
	// Between shards: the games in shards, then those in the journal, each once.
	w := setup.Must(dataset.NewGameWriter(early, dataset.WriterConfig{}, dataset.ShardRows(1, 2)))
	defer w.Close()
	for n := range uint64(2) {
		r := played(t, n)
		setup.Check(t, w.Append(setup.Must(Row(&r, "", 0, "a", "b"))))
	}
	pending := setup.Must(OpenPending(early, 0))
	for _, n := range []uint64{1, 4, 2} { // the process ended before the line of game 1 left
		setup.Check(t, pending.Add(played(t, n)))
	}
	setup.Check(t, pending.Close())
	if list := numbers(t, early); !slices.Equal(list, []uint64{0, 1, 2, 4}) {
		t.Errorf("a run between shards has the games %v", list)
	}
	run := setup.Must(durable.OpenRun(dir, durable.RunInfo{Command: "test"}, "identity"))
	defer run.Close()
	sides := func(uint64) (players [2]selfplay.Player, limits [2]selfplay.Limits) {
		return [2]selfplay.Player{{ID: "a"}, {ID: "b"}}, limits
	}
	g := games{destination: destination{Run: run, Identity: "identity", Sides: sides}}
	setup.Check(t, g.open(func(*selfplay.Result) error { return nil }))
	defer g.Close()
	journalize := func(void bool, list ...uint64) {
		t.Helper()
		for _, n := range list {
			r := played(t, n)
			if void {
				r.Void, r.Termination = "paused", selfplay.VoidGame
			}
			setup.Check(t, g.journalize(&r))
		}
		setup.Check(t, g.Sync())
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
	setup.Check(t, g.Record([]selfplay.Result{played(t, 0), played(t, 1)}))
	setup.Check(t, g.Finish(nil))
	want("the data set is complete", 0, 1)
	// Data sets without a journal: of self-play, and damaged ones.
	if list := numbers(t, filepath.Join(dir, GamesName)); !slices.Equal(list, []uint64{0, 1}) {
		t.Errorf("the data set has the games %v", list)
	}
	setup.Check(t, os.Truncate(filepath.Join(dir, GamesName, "games-00000.arrow"), 100))
	if err := ReadGames(dir, func(uint64, *dataset.GameRow) {}); err == nil {
		t.Error("a damaged data set was read")
	}
}

// watched is a journal that knows which games a power cut would leave.
type watched struct {
	journal
	appended, synced map[uint64]bool
}

func (w *watched) Append(v any) error {
	w.appended[v.(*selfplay.Result).Number] = true
	return w.journal.Append(v)
}

func (w *watched) Sync() error {
	for n := range w.appended {
		w.synced[n] = true
	}
	return w.journal.Sync()
}

// A pair counts once its games are on disk, not before; a finished run leaves none that is not.
func TestCountedGamesAreOnDisk(t *testing.T) {
	player := selfplay.Player{Spec: toy.Spec("a")}
	s := selfplay.Setup{
		Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 1}, MaxPlies: 10, Opening: opening.Spec{Plies: 4}},
		Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "run"), Open: toy.Open, Concurrency: 3}}
	setup.Check(t, s.Complete("test", player))
	openings := setup.Must(s.Openings(t.Context(), 0))
	run, err := durable.OpenRun(s.Out, durable.RunInfo{Command: "test"}, 1)
	setup.Check(t, err)
	defer run.Close()
	disk := &watched{appended: map[uint64]bool{}, synced: map[uint64]bool{}}
	var p Pairs
	p = Pairs{Name: "test", Over: func() bool { return p.Counted() >= 40 },
		Guard: Guard{Names: []string{"a"}, Slots: 3}, After: func() {},
		Count: func(pair []selfplay.Result) error {
			for _, g := range pair {
				if !disk.synced[g.Number] {
					t.Errorf("game %d counts, and is not on disk", g.Number)
				}
			}
			return nil
		}}
	err = p.keep(destination{Run: run, Identity: 1,
		Sides: func(uint64) (players [2]selfplay.Player, limits [2]selfplay.Limits) {
			return [2]selfplay.Player{player, player}, limits
		}})
	setup.Check(t, err)
	defer p.games.Close()
	disk.journal, p.games.journal = p.games.journal, disk
	series := s.Series(openings)
	series.End, series.Job = 100, func(n uint64) selfplay.Job { return s.Job(n, player, player) }
	setup.Check(t, p.Play(t.Context(), series))
	if err := p.games.journalize(&selfplay.Result{Number: 1000}); err != nil { // one that does not count any more
		t.Fatal(err)
	}
	if err := p.Finish(nil); err != nil || len(disk.synced) != len(disk.appended) || len(disk.synced) < 80 {
		t.Errorf("%d of %d games are on disk, %v", len(disk.synced), len(disk.appended), err)
	}
	text := setup.Must(os.ReadFile(run.Path(PGNName)))
	if n := strings.Count(string(text), "[Event "); n != 80 || p.Counted() != 40 {
		t.Errorf("%d games in the PGN, %d pairs counted", n, p.Counted())
	}
	// Who finds all games in the journal plays none, and knows the load under which they were played.
	setup.Check(t, run.Event(loadEvent, machine.Load{Threads: 3, Cores: 2, Time: time.Hour}))
	again := Pairs{Name: "test", Over: func() bool { return true }, games: p.games}
	if err := again.Play(t.Context(), series); err != nil || again.Process().Load != ReadLoad(s.Out) ||
		again.Process().Load.Time < time.Hour {
		t.Errorf("%+v, %v", again.Process(), err)
	}
}

// Games of the journal count in the order of their numbers, whatever the order in which they ended; those of a void
// pair, those after the end and those without a partner do not. A game that is there twice is damage.
func TestReplay(t *testing.T) {
	for _, c := range []struct {
		name          string
		games         []int // negative: void
		over          uint64
		next          uint64
		waiting, void int
		damaged       bool
	}{
		{"in order", []int{0, 1, 2, 3, 4, 5}, 9, 3, 0, 0, false},
		{"backwards", []int{7, 6, 5, 4, 3, 2, 1, 0}, 9, 4, 0, 0, false},
		{"a gap", []int{0, 1, 4, 5, 7}, 9, 1, 3, 0, false},
		{"void", []int{0, 1, 4, -5, 3, 2}, 9, 2, 0, 1, false},
		{"void, played again", []int{0, 1, -3, -2, 5, 4, 2, 3}, 9, 3, 0, 1, false},
		{"after the end", []int{5, 4, 1, 0, 3, 2}, 2, 2, 0, 0, false},
		{"twice", []int{4, 4}, 9, 0, 1, 0, true},
		{"counted twice", []int{0, 1, 1}, 9, 1, 0, 0, true},
	} {
		var p Pairs
		p = Pairs{Over: func() bool { return p.next >= c.over }, waiting: map[uint64]selfplay.Result{}, void: map[uint64]int{},
			Guard: Guard{Slots: 10},
			Count: func(pair []selfplay.Result) error {
				if pair[0].Number != 2*p.next-2 || pair[1].Number != 2*p.next-1 {
					t.Errorf("%s: pair %d has the games %d and %d", c.name, p.next, pair[0].Number, pair[1].Number)
				}
				return nil
			}}
		var err error
		for _, n := range c.games {
			r := selfplay.Result{Number: uint64(max(n, -n)), Result: board.Draw}
			if n < 0 {
				r.Void = "paused"
			}
			err = errors.Join(err, p.replay(&r))
		}
		if p.next != c.next || len(p.waiting) != c.waiting || int(p.Guard.Tally.Void) != c.void ||
			errors.Is(err, durable.ErrDamaged) != c.damaged || (err != nil) != c.damaged {
			t.Errorf("%s: %d pairs, %d games wait, %d void, %v", c.name, p.next, len(p.waiting), p.Guard.Tally.Void, err)
		}
	}
}

// What the PGN says beside the game; a row says as much of a game as a journal needs.
func TestTags(t *testing.T) {
	run := setup.Must(durable.OpenRun(filepath.Join(t.TempDir(), "run"), durable.RunInfo{}, 1))
	defer run.Close()
	date := run.Info().Started.Format(" Date=2006.01.02")
	clock := func(text string) selfplay.Limits {
		return selfplay.Limits{Clock: setup.Must(selfplay.ParseClock(text))}
	}
	for i, c := range []struct {
		limits [2]selfplay.Limits
		name   string
		want   string
	}{
		{[2]selfplay.Limits{}, "", "Round=3.1 White=a Black=b More=x"},
		{[2]selfplay.Limits{clock("8+0.08"), clock("8+0.08")}, "", "Round=3.2 White=a Black=b More=x" + date +
			" TimeControl=8+0.08"},
		{[2]selfplay.Limits{1: clock("40/300")}, "base", "Round=4.1 White=a Black=base More=x" + date +
			" WhiteTimeControl=- BlackTimeControl=40/300 BlackId=b"},
	} {
		g := games{destination: destination{Run: run, Event: "e", Tags: []pgn.Tag{{Name: "More", Value: "x"}},
			Sides: func(uint64) ([2]selfplay.Player, [2]selfplay.Limits) {
				return [2]selfplay.Player{{ID: "a"}, {ID: "b", Name: c.name}}, c.limits
			}}}
		var got []string
		for _, tag := range g.tags(uint64(4 + i)) {
			got = append(got, tag.Name+"="+tag.Value)
		}
		if text := strings.Join(got, " "); text != "Event=e "+c.want {
			t.Errorf("%q, want %q", text, c.want)
		}
	}
	if id := RunID("a"); len(id) != 64 {
		t.Errorf("id %q", id)
	}
	r := played(t, 5)
	for _, why := range []board.Termination{r.Termination, selfplay.TimeForfeit} {
		r.Termination = why
		row := setup.Must(Row(&r, "id", 7, "a", "b"))
		got := ResultOf(row, 5, r.Players)
		if again := setup.Must(Row(got, "id", 7, "a", "b")); !reflect.DeepEqual(row, again) || got.Number != 5 ||
			got.Players != r.Players || got.Late != (why == selfplay.TimeForfeit) || len(got.Depths) != len(r.Moves) {
			t.Errorf("%+v became %+v", row, again)
		}
	}
}
