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
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// config is a small run of two toys: a shard and a half.
func config(t *testing.T, games uint64) Config {
	durable.SyncEvery = 0 // every game is announced as it ends
	return Config{
		Setup: selfplay.Setup{
			Rules: selfplay.Rules{Limits: selfplay.Limits{Nodes: 100}, Rule: selfplay.Adjudication{WinScore: 500,
				WinPlies: 4, PlayOn: 0.2}, MaxPlies: 60, Opening: opening.Spec{Plies: 4}, Seed: 7, Program: "test 1"},
			Place: selfplay.Place{Out: filepath.Join(t.TempDir(), "games"), Open: toy.Open, Concurrency: 2},
		},
		Games:   games,
		Players: []selfplay.Player{{Spec: toy.Spec("a"), ID: "toy a"}, {Spec: toy.Spec("b"), ID: "toy b"}},
	}
}

func run(t *testing.T, c Config) *Summary {
	t.Helper()
	return setup.Must(Run(t.Context(), c))
}

// of returns a run that is not played yet.
func of(c Config) runtest.Run {
	return runtest.Run{Setup: &c.Setup, Games: &c.Games, Play: func(ctx context.Context) (runtest.Outcome, error) {
		s, err := Run(ctx, c)
		if s == nil {
			return runtest.Outcome{}, err
		}
		return runtest.Outcome{Process: s.Process, Result: s, Warnings: s.Warnings}, err
	}}
}

// promised are the files that are the same for equal runs.
var promised = []string{"*.arrow", durable.ManifestName, durable.RunResultName, durable.RunConfigName}

func TestRun(t *testing.T) {
	runtest.Suite{Files: promised, Reports: 60, Fails: "b", Name: "toy b: ",
		New: func(t *testing.T) runtest.Run { return of(config(t, 520)) }, // three shards
		Hasty: func(t *testing.T) runtest.Run {
			c := config(t, 10)
			c.Players[1] = selfplay.Player{Spec: engine.Spec{}.WithProgram("./hasty"), ID: "hasty"}
			return of(c)
		}}.Test(t)
}

// same compares the files of two runs that promise to be the same.
func same(t *testing.T, got, want string) {
	t.Helper()
	runtest.SameFiles(t, got, want, promised...)
}

func TestSummary(t *testing.T) {
	summary := run(t, config(t, 300))
	if summary.Games != 300 || summary.WhiteWins+summary.Draws+summary.BlackWins != 300 {
		t.Errorf("summary %+v", summary)
	}
	if summary.Adjudicated < 20 || summary.PlayedOn < 4 || summary.PlayedOn > summary.Adjudicated/2 {
		t.Errorf("%d of %d adjudicated games were played on, want about a fifth", summary.PlayedOn, summary.Adjudicated)
	}
}

// TestLostManifest: games that no manifest lists are not deleted.
func TestLostManifest(t *testing.T) {
	c := config(t, 20)
	run(t, c)
	setup.Check(t, os.Remove(filepath.Join(c.Out, durable.ManifestName)))
	c.Games = 40
	if _, err := Run(t.Context(), c); !errors.Is(err, dataset.ErrOtherData) {
		t.Errorf("error %v, want ErrOtherData", err)
	}
	setup.Must(os.Stat(filepath.Join(c.Out, "games-00000.arrow")))
}

func TestGamesAreValid(t *testing.T) {
	c := config(t, 120)
	run(t, c)
	r := setup.Must(dataset.OpenGames(c.Out))
	ids, openings := map[uint64]bool{}, map[uint64]bool{}
	n := 0
	for g, err := range r.All() {
		setup.Check(t, err)
		white, black := "toy a", "toy b"
		if n%2 == 1 {
			white, black = black, white
		}
		if g.White != white || g.Black != black || g.Nodes != 100 {
			t.Errorf("game %d: %s - %s at %d nodes", n, g.White, g.Black, g.Nodes)
		}
		if g.OpeningPlies != 4 && g.OpeningPlies != 5 {
			t.Errorf("game %d: %d opening plies", n, g.OpeningPlies)
		}
		if g.Seed != selfplay.Seed(7, 0, "selfplay", uint64(n)) {
			t.Errorf("game %d: seed %d", n, g.Seed)
		}
		for ply, game := range g.Replay() {
			if ply == int(g.OpeningPlies) && game.Position().Key() != g.Opening {
				t.Errorf("game %d: the opening's key is not the key of ply %d", n, ply)
			}
		}
		ids[g.Game], openings[g.Opening] = true, true
		n++
	}
	if n != 120 || len(ids) != n || len(openings) != n {
		t.Errorf("%d games with %d ids and %d openings, want 120 of each", n, len(ids), len(openings))
	}
}

// leaveRubbish does what a kill in the middle of a write does.
func leaveRubbish(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, durable.RunResultName)); err == nil {
		return
	}
	f := setup.Must(os.OpenFile(filepath.Join(dir, durable.RunEventsName), os.O_APPEND|os.O_WRONLY, 0))
	defer f.Close()
	if _, err := f.WriteString(`{"time":"2026-01`); err != nil {
		t.Fatal(err)
	}
	r, err := dataset.OpenGames(dir, dataset.Partial)
	next := 0
	if err == nil {
		next = r.Shards()
	}
	name := filepath.Join(dir, "games-0000"+string(rune('0'+next))+".arrow")
	setup.Check(t, os.WriteFile(name, []byte("ARROW1 half a shard"), 0o666))
}

func TestImpossibleConfigurations(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no games":      func(c *Config) { c.Games = 0 },
		"no players":    func(c *Config) { c.Players = nil },
		"no limits":     func(c *Config) { c.Limits = selfplay.Limits{} },
		"too many":      func(c *Config) { c.Limits.Nodes = 1 << 40 },
		"no such book":  func(c *Config) { c.Opening = opening.Spec{Book: "/nowhere.epd"} },
		"strange plies": func(c *Config) { c.Opening.Plies = 99 },
	} {
		c := config(t, 10)
		change(&c)
		if _, err := Run(t.Context(), c); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(c.Out); err == nil {
			t.Errorf("%s: left a folder behind", name)
		}
	}
}

func TestSummaryCountsDisagreement(t *testing.T) {
	rule := selfplay.Adjudication{WinScore: 100, WinPlies: 2}
	up := []int16{100, 100, 0, 0}
	for _, c := range []struct {
		name                                      string
		scores                                    []int16
		plies                                     int
		result                                    int8
		adjudicated, playedOn, disagreed, reverse int64
	}{
		{"no verdict", []int16{100, 99, 100, 99}, 4, 1, 0, 0, 0, 0},
		{"ended by it", up[:2], 2, 1, 1, 0, 0, 0},
		{"played on and agreed", up, 4, 1, 1, 1, 0, 0},
		{"played on and drawn", up, 4, 0, 1, 1, 1, 0},
		{"played on and reversed", up, 4, -1, 1, 1, 1, 1},
	} {
		var s Summary
		s.add(rule, &dataset.GameRow{Moves: make([]board.Move, c.plies), Scores: c.scores, Result: c.result})
		if s.Adjudicated != c.adjudicated || s.PlayedOn != c.playedOn || s.Disagreed != c.disagreed ||
			s.Reversed != c.reverse {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

func TestDisagreement(t *testing.T) {
	for _, c := range []struct {
		played, disagreed int64
		share, lo, hi     float64
	}{
		{0, 0, 0, 0, 1},
		{100, 0, 0, 0, 0.036995},
		{100, 5, 0.05, 0.021543, 0.111752}, // Wilson's interval, as in any table of it
	} {
		s := Summary{PlayedOn: c.played, Disagreed: c.disagreed}
		share, lo, hi := s.Disagreement()
		for i, pair := range [][2]float64{{share, c.share}, {lo, c.lo}, {hi, c.hi}} {
			if d := pair[0] - pair[1]; d > 1e-5 || d < -1e-5 {
				t.Errorf("%d of %d, number %d: %v, want %v", c.disagreed, c.played, i, pair[0], pair[1])
			}
		}
	}
}

// whiteView reports its scores from White's view, as some engines do.
type whiteView struct{ engine.Player }

func (p whiteView) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	r, err := p.Player.Search(ctx, game, lim)
	if game.Position().SideToMove() == board.Black && r.Score.Known() {
		r.Score = -r.Score
	}
	return r, err
}

// A player that reports from White's view is named at the end, alone or beside another.
func TestViewOfAPlayerIsNoticed(t *testing.T) {
	for _, wrong := range []string{"", "a", "b", "ab"} {
		c := config(t, 120)
		c.Players[1].Name = "the second"
		c.Open = func(spec engine.Spec) (engine.Player, error) {
			p, err := toy.Open(spec)
			if strings.Contains(wrong, spec.Name) {
				p = whiteView{p}
			}
			return p, err
		}
		f := run(t, c).Views
		want := map[string]string{"a": `of "toy a" are`, "b": `of "the second" are`, "ab": "scores are"}[wrong]
		if (f == nil) != (wrong == "") || f != nil &&
			(f.Kind != dataset.OneSide || !strings.Contains(f.Error(), want+" from White's view")) {
			t.Errorf("wrong are %q: %v", wrong, f)
		}
	}
}

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
// announced; the bytes are as of an undisturbed run, and no journal is left.
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
		if r, err := dataset.OpenGames(c.Out, dataset.Partial); err == nil {
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
			setup.Check(t, err)
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
			t.Errorf("the first %d rows differ from the complete data set's", len(rows))
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

// A game that a player forfeits counts, with its termination, and the run goes on.
func TestForfeitsAreTolerated(t *testing.T) {
	c := config(t, 500)
	c.Runner = &runtest.Changing{Runner: &selfplay.Local{Open: toy.Open, Workers: 2},
		Change: func(r *selfplay.Result) {
			if r.Try == 0 && r.Number%150 == 31 {
				r.Result, r.Termination, r.Fault = board.WhiteWins, selfplay.IllegalMove, "black: a8a8 is not legal"
				r.FaultLog = "> go nodes 100\n< bestmove a8a8\n"
			}
		}}
	s := run(t, c)
	if n := s.Terminations[string(selfplay.IllegalMove)]; n != 4 || s.Games != 500 {
		t.Errorf("%d forfeits of %d games, want 4", n, s.Games)
	}
	if n := gamelog.FaultLogs(c.Out); n != 4 {
		t.Errorf("%d logs of faults, want 4", n)
	}
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

// No game is announced before a sync has put it on disk, and at the end all are.
func TestAnnouncedGamesAreSynced(t *testing.T) {
	c := config(t, 300)
	c.Concurrency = 1 // so that games end in order
	durable.SyncEvery = time.Second
	defer func() { durable.SyncEvery = 0 }()
	var g *generator
	last, shown := int64(0), map[int64]bool{}
	c.Progress = func(done, _ int64, _ string) {
		_, safe := g.pending.Written()
		if last = done; done > safe {
			t.Errorf("%d games are announced, and %d are on disk", done, safe)
		}
		shown[done] = true
	}
	setup.Check(t, c.complete())
	openings := setup.Must(c.Setup.Openings(t.Context(), c.Games))
	id := c.identity(openings)
	run := setup.Must(durable.OpenRun(c.Out, durable.RunInfo{Command: "selfplay"}, id))
	defer run.Close()
	g = newGenerator(c, id, run, openings)
	setup.Must(g.generate(t.Context()))
	if last != 300 || len(shown) < 3 {
		t.Errorf("the last announcement is of %d games, and there were %d", last, len(shown))
	}
}
