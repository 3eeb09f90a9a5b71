package runtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Run is a run that is not played yet. What a test changes in the setup counts when it is played.
type Run struct {
	*selfplay.Setup
	Games *uint64 // how many it is to have; nil: the number of games is part of its identity
	Play  func(context.Context) (Outcome, error)
}

// Outcome is what a test sees of a result. It is zero where there is none.
type Outcome struct {
	gamelog.Process
	Result   any // its JSON is the same for equal runs
	Verdict  string
	Reason   string
	Warnings []string
}

// Suite tests what every kind of run promises.
type Suite struct {
	New     func(*testing.T) Run // of another folder each time; all are equal
	Files   []string             // that equal runs have alike, as patterns
	Reports int                  // see Interrupt
	Journal bool                 // the journal keeps all games; else those in no shard

	Fails  string // the text of a player that fails in the tests of failures; empty: all fail
	Name   string // its name
	Reason string // the beginning of the reason why there is no verdict; empty: the run has no result then

	// Hasty is New with a player that is a program, named hasty: it does not know "go nodes".
	Hasty func(*testing.T) Run
}

// Test runs all tests.
func (s Suite) Test(t *testing.T) {
	s.TestBytes(t)
	for name, test := range map[string]func(*testing.T){
		"complete": s.complete, "result missing": s.resultMissing, "more games": s.moreGames, "journal damaged": s.damaged,
		"other identity": s.otherIdentity, "other folder": s.otherFolder, "player does not work": s.preflight,
		"player fails often": s.noVerdict, "runner stalls": s.stalls, "machine is busy": s.load, "nodes ignored": s.hasty,
	} {
		t.Run(name, test)
	}
}

// TestBytes tests that the bytes depend neither on the number of workers nor on interruptions.
func (s Suite) TestBytes(t *testing.T) {
	whole := s.New(t)
	whole.Concurrency = 1
	want := s.play(t, whole)
	t.Run("workers", func(t *testing.T) {
		r := s.New(t)
		r.Concurrency = 5
		s.play(t, r)
		SameFiles(t, r.Out, whole.Out, s.Files...)
	})
	t.Run("interrupted", func(t *testing.T) {
		r := s.New(t)
		s.interrupt(t, r)
		SameFiles(t, r.Out, whole.Out, s.Files...)
		if again := s.play(t, r); !again.Already || !sameJSON(t, again.Result, want.Result) {
			t.Errorf("read again: %+v, want %+v", again, want)
		}
		if !s.Journal {
			return
		}
		seen := map[uint64]bool{}
		err := Read(filepath.Join(r.Out, gamelog.JournalName), func(g *selfplay.Result) error {
			if seen[g.Number] {
				t.Errorf("game %d was played twice", g.Number)
			}
			seen[g.Number] = true
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func (s Suite) play(t *testing.T, r Run) Outcome {
	t.Helper()
	return setup.Must(r.Play(t.Context()))
}

func (s Suite) interrupt(t *testing.T, r Run) {
	t.Helper()
	Interrupt(t, r.Out, s.Reports, func(ctx context.Context, a Attempt) error {
		r.Concurrency, r.Progress = a.Workers, a.Progress
		_, err := r.Play(ctx)
		return err
	})
	r.Progress = nil
}

func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	return bytes.Equal(setup.Must(json.Marshal(a)), setup.Must(json.Marshal(b)))
}

func noGames(engine.Spec) (engine.Player, error) { return nil, errors.New("no game should be played") }

// complete: a complete run plays nothing and has its result.
func (s Suite) complete(t *testing.T) {
	r := s.New(t)
	first := s.play(t, r)
	r.Open = noGames
	if again := s.play(t, r); !again.Already || first.Already || again.Played != 0 || first.Played == 0 ||
		!sameJSON(t, first.Result, again.Result) {
		t.Errorf("first %+v, again %+v", first, again)
	}
}

// resultMissing: the process may end after the games are whole and before the run is.
func (s Suite) resultMissing(t *testing.T) {
	whole, r := s.New(t), s.New(t)
	s.play(t, whole)
	s.play(t, r)
	setup.Check(t, os.Remove(filepath.Join(r.Out, durable.RunResultName)))
	r.Open = noGames
	s.play(t, r)
	SameFiles(t, r.Out, whole.Out, s.Files...)
}

// moreGames: a run that is given more games ends with the bytes of one that had them from the start. Games cannot be
// taken away, also not those of an interrupted run: it cannot be ended where its games so far look best.
func (s Suite) moreGames(t *testing.T) {
	whole, r := s.New(t), s.New(t)
	if r.Games == nil {
		t.Skip("the number of games is part of the identity")
	}
	all := *r.Games
	fewer := func(want string) {
		t.Helper()
		*r.Games = all / 2 / 2 * 2
		if _, err := r.Play(t.Context()); !errors.Is(err, selfplay.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("fewer games: %v, want %q", err, want)
		}
		*r.Games = all
	}
	s.play(t, whole)
	for _, games := range []uint64{all / 10 / 2 * 2, all / 3 / 2 * 2} { // pairs, not all of them whole batches or shards
		*r.Games = games
		if o := s.play(t, r); o.Already {
			t.Errorf("with %d games: %+v", games, o)
		}
	}
	*r.Games = all
	ctx, cancel := context.WithCancel(t.Context())
	r.Progress = func(done, _ int64, _ string) {
		if done > int64(all/2) {
			cancel()
		}
	}
	if _, err := r.Play(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r.Progress = nil
	fewer("taken away")
	s.interrupt(t, r)
	SameFiles(t, r.Out, whole.Out, s.Files...)
	fewer(fmt.Sprintf("%d games already", all))
}

// damaged: a journal that was tampered with is refused.
func (s Suite) damaged(t *testing.T) {
	if !s.Journal {
		t.Skip("a complete run has no journal")
	}
	r := s.New(t)
	s.play(t, r)
	path := filepath.Join(r.Out, gamelog.JournalName)
	data, err := os.ReadFile(path)
	setup.Check(t, errors.Join(err, os.Remove(filepath.Join(r.Out, durable.RunResultName))))
	bit := bytes.Clone(data)
	bit[500] ^= 1
	for name, damaged := range map[string][]byte{"a bit": bit, "games twice": append(bytes.Clone(data), data...)} {
		setup.Check(t, os.WriteFile(path, damaged, 0o666))
		if _, err := r.Play(t.Context()); !errors.Is(err, durable.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want ErrDamaged that names the journal", name, err)
		}
	}
}

// otherIdentity: a folder is not continued with other games.
func (s Suite) otherIdentity(t *testing.T) {
	r := s.New(t)
	s.play(t, r)
	for name, change := range map[string]func(*selfplay.Rules){
		"seed":           func(c *selfplay.Rules) { c.Seed++ },
		"limits":         func(c *selfplay.Rules) { c.Limits.Depth = 7 },
		"adjudication.w": func(c *selfplay.Rules) { c.Rule.WinScore++ },
		"program":        func(c *selfplay.Rules) { c.Program += "!" },
	} {
		was := r.Rules
		change(&r.Rules)
		_, err := r.Play(t.Context())
		var changed *durable.ConfigChangedError
		if !errors.As(err, &changed) || !strings.Contains(changed.Field, name) {
			t.Errorf("%s changed: error %v", name, err)
		}
		r.Rules = was
	}
}

func (s Suite) otherFolder(t *testing.T) {
	r := s.New(t)
	if err := errors.Join(os.MkdirAll(r.Out, 0o777), os.WriteFile(filepath.Join(r.Out, "thesis.tex"), nil,
		0o666)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Play(t.Context()); !errors.Is(err, durable.ErrNotRun) {
		t.Errorf("error %v, want ErrNotRun", err)
	}
}

// failing is a player that fails from some ply on: in every game, or in half of them, by their seeds.
type failing struct {
	engine.Player
	always, fails bool
}

func (f *failing) NewGame(seed uint64) error {
	f.fails = selfplay.Seed(seed, 0, "crash", 0)%2 == 0
	return f.Player.NewGame(seed)
}

func (f *failing) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	if f.always || f.fails && len(g.Moves()) > 10 {
		return engine.Result{}, errors.New("crashed")
	}
	return f.Player.Search(ctx, g, lim)
}

// opener opens players; one, or all, fail.
func (s Suite) opener(open selfplay.Opener, always bool) selfplay.Opener {
	return func(spec engine.Spec) (engine.Player, error) {
		p, err := open(spec)
		if err == nil && (s.Fails == "" || spec.String() == s.Fails) {
			p = &failing{Player: p, always: always}
		}
		return p, err
	}
}

// preflight: a player that plays no move ends the run before it has a folder.
func (s Suite) preflight(t *testing.T) {
	r := s.New(t)
	r.Open = s.opener(r.Open, true)
	if _, err := r.Play(t.Context()); !errors.Is(err, selfplay.ErrPreflight) || !strings.Contains(err.Error(), s.Name) ||
		!strings.Contains(err.Error(), "crashed") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(r.Out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
}

// noVerdict: a run in which a player fails in half of its games decides nothing. Its games are kept: with Recover it
// goes on to the end, with the bytes of a run that had Recover from the start.
func (s Suite) noVerdict(t *testing.T) {
	whole, r := s.New(t), s.New(t)
	r.Open = s.opener(r.Open, false)
	for i := range 2 { // the second plays no game
		o, err := r.Play(t.Context())
		if !errors.Is(err, selfplay.ErrNoVerdict) || !strings.Contains(err.Error(), s.Reason) || i == 1 && o.Played > 0 {
			t.Fatalf("result %+v, error %v; want no verdict", o, err)
		}
		if s.Reason == "" {
			continue
		}
		var kept struct{ Verdict, Reason string }
		doc, err := os.ReadFile(filepath.Join(r.Out, durable.RunResultName))
		if err := errors.Join(err, json.Unmarshal(doc, &kept)); err != nil || o.Verdict != gamelog.NoVerdict ||
			kept.Verdict != o.Verdict || kept.Reason != o.Reason || !strings.HasPrefix(o.Reason, s.Reason) {
			t.Errorf("%+v; %s: %v", o, doc, err)
		}
	}
	whole.Open, whole.Tolerance.Recover, r.Tolerance.Recover = r.Open, true, true
	if o, w := s.play(t, r), s.play(t, whole); o.Verdict == gamelog.NoVerdict || w.Verdict == gamelog.NoVerdict {
		t.Errorf("with Recover: %+v, resumed %+v", w, o)
	}
	SameFiles(t, r.Out, whole.Out, s.Files...)
}

// stalls: the stalls of the runner are counted, and many of them are a warning.
func (s Suite) stalls(t *testing.T) {
	r := s.New(t)
	r.Runner = &Changing{Runner: &selfplay.Local{Open: r.Open, Workers: 2}, Change: func(g *selfplay.Result) {
		g.Stalls[0], g.Time = 1, [2]time.Duration{1, 1}
	}}
	if o := s.play(t, r); len(o.Warnings) == 0 ||
		!strings.HasSuffix(o.Warnings[0], fmt.Sprintf("it stood still in %d of %d games", o.Played, o.Played)) {
		t.Errorf("%d games, warnings %q", o.Played, o.Warnings)
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

// load: the load of the machine is kept with the run, over all its processes, in no file that equal runs have alike.
func (s Suite) load(t *testing.T) {
	if !s.Journal {
		t.Skip("only the guard asks for the load")
	}
	whole, r := s.New(t), s.New(t)
	s.play(t, whole)
	local := &selfplay.Local{Open: r.Open, Workers: 2}
	ctx, cancel := context.WithCancel(t.Context())
	r.Progress = func(done, _ int64, _ string) {
		if done > 0 {
			cancel()
		}
	}
	r.Runner = loaded{local, 2}
	if _, err := r.Play(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r.Progress, r.Runner = nil, loaded{local, 6}
	for range 2 { // played, and read again
		if o, want := s.play(t, r), (machine.Load{Threads: 4, Cores: 2, Time: 2 * time.Second}); o.Load != want ||
			!o.Load.Busy() {
			t.Errorf("load %+v, want %+v", o.Load, want)
		}
	}
	SameFiles(t, r.Out, whole.Out, s.Files...)
}

// hasty: a program that does not know "go nodes" is named, and no other.
func (s Suite) hasty(t *testing.T) {
	r := s.Hasty(t)
	r.Limits.Nodes = 1000
	r.Runner = &Changing{Runner: &selfplay.Local{Open: r.Open, Workers: 2}, Change: func(g *selfplay.Result) {
		g.Nodes = [2]uint64{30, 30}
	}}
	if o := s.play(t, r); len(o.Warnings) != 1 || !strings.Contains(o.Warnings[0], "hasty searched ") {
		t.Errorf("warnings %q", o.Warnings)
	}
}
