// Package gamelog keeps the games of a run in its folder: each as a line of a journal
// as it ends, and those that count, in the order of their numbers, as a data set and as
// PGN.
//
// The journal decides. Data set and PGN follow from it and are completed from it when a
// run is resumed, so a killed run loses no finished game and writes none twice.
//
// Pairs plays pairs of games and counts them in order, for matches, ladders, screens and
// SPSA; InFolder starts and resumes such a run. Who plays whom, and what points mean, is
// known only to selfplay/match, ladder and screen, and to tuner/spsa/play.
//
// Start reading at Pairs, and for the files at InFolder.
//
// No promise of stability.
package gamelog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
)

// InFolder starts or resumes a run in a folder: play plays it to the end and returns its
// result, which completes the run. The result of a complete run is read from the folder
// and passed to reload, unless it is short of what the run is to have now: then the run goes
// on. After an error of play the folder can be resumed; what play returned comes with the
// error. A result that comes with selfplay.ErrNoVerdict is written, but does not complete the
// run; its JSON must have the verdict NoVerdict.
func InFolder[R any](out string, info durable.RunInfo, identity any, short func(*R) bool,
	reload func(*durable.Run, *R) error, play func(*durable.Run) (*R, error)) (*R, error) {
	info.Loose = Loose
	run, err := durable.OpenRun(out, info, identity)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	if doc, complete := run.Result(); complete {
		if r := new(R); !durable.WithoutVerdict(doc) {
			if err := json.Unmarshal(doc, r); err != nil {
				return nil, fmt.Errorf("%s: %s: %w: %w", info.Command, run.Path(durable.RunResultName), durable.ErrDamaged, err)
			}
			if short == nil || !short(r) {
				return r, reload(run, r)
			}
		}
		if err := run.Reopen(); err != nil {
			return nil, err
		}
	}
	r, err := play(run)
	if err != nil {
		_ = run.Event("stopped", map[string]any{"error": err.Error()}) // the error is what matters
		if r != nil && errors.Is(err, selfplay.ErrNoVerdict) {
			err = errors.Join(err, run.Finish(r))
		}
		return r, err
	}
	return r, run.Finish(r)
}

// NoVerdict is the verdict in the result of a run without one.
const NoVerdict = durable.VerdictNone

// Short reports whether the folder holds a complete run whose result is short of what the run is to have now.
func Short[R any](out string, short func(*R) bool) bool {
	r := new(R)
	return out != "" && short != nil && durable.ReadJSON(filepath.Join(out, durable.RunResultName), r) == nil && short(r)
}

// CheckTotal returns an error if a run has more games than it is to have.
func CheckTotal(out string, has, games uint64) error {
	if has <= games || games == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s has %d games already: games can be added, but not taken away: %d",
		selfplay.ErrConfig, out, has, games)
}

// Complete reports whether the folder holds a run that has nothing left to play: one with a
// result that is a verdict, or with a complete data set.
func Complete(out string) bool {
	if out == "" {
		return false
	}
	for _, dir := range []string{out, filepath.Join(out, GamesName)} {
		if m, err := durable.LoadManifest(dir); err == nil && m.Complete {
			return true
		}
	}
	doc, err := durable.ReadFile(filepath.Join(out, durable.RunResultName), durable.MaxJSON)
	return err == nil && !durable.WithoutVerdict(doc)
}

// loadEvent is the event with the load of the machine while a process played.
const loadEvent = "load"

// ReadLoad returns the load of the machine while the games in the run's folder were played, by
// all processes together; zero if it is not known.
func ReadLoad(dir string) (all machine.Load) {
	durable.Events(dir, func(kind string, data json.RawMessage) {
		var l machine.Load
		if kind == loadEvent && json.Unmarshal(data, &l) == nil {
			all.Add(l)
		}
	})
	return all
}

// Players returns the names and identities of the players for the folder of a run.
func Players(list ...selfplay.Player) (players []durable.RunPlayer) {
	for _, e := range list {
		players = append(players, durable.RunPlayer{Name: e.Label(), ID: e.Identity(), Spec: e.Spec.String()})
	}
	return players
}

// NameOf returns the name for people of the run's player with the specification, or that if there
// is none.
func NameOf(players []durable.RunPlayer, spec string) string {
	for _, p := range players {
		if p.Spec == spec {
			return p.Name
		}
	}
	return spec
}

// keepNames shows the players, also in the guard's list, by the names with which the run began, whatever names they
// have when it is resumed: its files have the same bytes then.
func keepNames(run *durable.Run, names []string, players ...*selfplay.Player) {
	began := run.Info().Players
	if len(began) != len(players) {
		return // a run of an earlier version
	}
	for i, p := range players {
		p.Name, names[i] = began[i].Name, began[i].Name
	}
}

// Loose are the names of files that the configuration of a run does not decide: pages, pictures, logs of faults, the
// workers that played.
var Loose = []string{"*.html", "*.svg", "*.txt", "workers.json"}

// FaultsName is the folder with the logs of engines that forfeited, one file a game.
const FaultsName = "faults"

// maxFaultLogs is how many logs a run keeps.
const maxFaultLogs = 100

// KeepFaultLog writes the log of the engine that forfeited the game into the run's folder, if
// there is one and the folder has fewer than 100. The log of a game that is played again
// replaces the earlier one. Logs depend on the machine: no other file of the run contains them.
func KeepFaultLog(dir string, r *selfplay.Result) error {
	if r.FaultLog == "" {
		return nil
	}
	info, _ := durable.ReadRunInfo(dir) // without it players have no names
	text := fmt.Sprintf("game %d: %s\n%s\nWhite %s\nBlack %s\n\n%s", r.Number, r.Termination, r.Fault,
		NameOf(info.Players, r.Players[0]), NameOf(info.Players, r.Players[1]), r.FaultLog)
	path := filepath.Join(dir, FaultsName, fmt.Sprintf("game-%d.txt", r.Number))
	if _, err := os.Stat(path); err != nil && FaultLogs(dir) >= maxFaultLogs {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// FaultLogs returns the number of logs in the run's folder.
func FaultLogs(dir string) int {
	names, err := os.ReadDir(filepath.Join(dir, FaultsName))
	if err != nil {
		return 0 // there is none
	}
	return len(names)
}

// MissingFaultLogs returns how many of a run's forfeited games have no log because the folder
// has as many as it may.
func MissingFaultLogs(dir string, forfeits int64) int64 {
	logs := FaultLogs(dir)
	if logs < maxFaultLogs {
		return 0
	}
	return max(0, forfeits-int64(logs))
}

// Process says what a result owes to the machine and to this process. It is no part of the result.
type Process struct {
	Load    machine.Load  `json:"-"` // of the machine, while all processes played
	Already bool          `json:"-"` // the run was complete before
	Played  int64         `json:"-"` // games played by this process, including those that do not count
	Took    time.Duration `json:"-"`
}

// Process returns it as far as it is known.
func (p *Pairs) Process() Process {
	return Process{Load: p.load, Played: p.played, Took: time.Since(p.started)}
}

// Before is the Process of a run that was complete before.
func Before(run *durable.Run) Process { return Process{Load: ReadLoad(run.Dir()), Already: true} }

// Run is a run of pairs, in the folder of its setup if that names one.
type Run[R any] struct {
	Setup    *selfplay.Setup
	Limits   func(player int) selfplay.Limits // of each move of a player; nil: the setup's
	Try      []selfplay.Player                // play a move before the first game
	Players  []*selfplay.Player               // keep the names with which the run began
	Identity any
	Tags     []pgn.Tag
	Short    func(*R) bool                     // whether a complete run has fewer games than it is to have; may be nil
	Games    uint64                            // how many there may be; 0: no limit
	Reload   func(*durable.Run, *R) error      // completes the result of a run that was complete before
	Begin    func(*durable.Run) error          // called before games of the journal are counted; may be nil
	Play     func(context.Context) (*R, error) // plays the pairs, and finishes them
	// White's and Black's player in a game; nil: those of Players that Pairs.Who says
	Sides func(game uint64) [2]selfplay.Player
}

// PlayRun plays a run of pairs to its end, or resumes it.
func PlayRun[R any](ctx context.Context, p *Pairs, r Run[R]) (*R, error) {
	s := r.Setup
	p.started, p.Guard.Tally.Terminations = time.Now(), map[string]int64{}
	if s.Progress == nil {
		p.After = func() {}
	}
	if r.Limits == nil {
		r.Limits = func(int) selfplay.Limits { return s.Limits }
	}
	if !Complete(s.Out) || Short(s.Out, r.Short) {
		if err := s.Preflight(ctx, r.Limits, r.Try...); err != nil {
			return nil, err
		}
	}
	if s.Out == "" {
		return r.Play(ctx)
	}
	sides := func(game uint64) (players [2]selfplay.Player, limits [2]selfplay.Limits) {
		for side, player := range p.players(game) {
			limits[side] = r.Limits(player)
			if r.Sides == nil {
				players[side] = *r.Players[player]
			}
		}
		if r.Sides != nil {
			players = r.Sides(game)
		}
		return players, limits
	}
	info := durable.RunInfo{Command: p.Name, Resume: s.Resume, Program: s.Program, Pinned: s.Pinned, Total: r.Games}
	for _, e := range r.Players {
		info.Players = append(info.Players, Players(*e)...)
	}
	return InFolder(s.Out, info, r.Identity, r.Short, r.Reload, func(run *durable.Run) (*R, error) {
		keepNames(run, p.Guard.Names, r.Players...)
		if s.Progress != nil {
			s.Progress = run.Progress(s.Progress)
		}
		if r.Begin != nil {
			if err := r.Begin(run); err != nil {
				return nil, err
			}
		}
		err := p.keep(destination{Run: run, Identity: r.Identity, Seed: s.Seed, Program: s.Program, Event: "assay " + p.Name,
			Tags: r.Tags, Sides: sides})
		if err != nil {
			return nil, err
		}
		defer p.games.Close()
		if err := CheckTotal(s.Out, max(p.games.kept, p.has), r.Games); err != nil {
			return nil, err
		}
		return r.Play(ctx)
	})
}
