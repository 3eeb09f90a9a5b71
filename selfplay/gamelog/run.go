package gamelog

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
)

// Process says what a result owes to the machine and to this process. It is no part of the result.
type Process struct {
	Load    machine.Load  `json:"-"` // of the machine, while all processes played
	Already bool          `json:"-"` // the run was complete before
	Played  int64         `json:"-"` // games played by this process, including those that do not count
	Took    time.Duration `json:"-"`
}

// Process returns what is known of it so far.
func (p *Pairs) Process() Process {
	return Process{Load: p.load, Played: p.played, Took: time.Since(p.started)}
}

// Before is the Process of a run that was complete before.
func Before(run *durable.Run) Process { return Process{Load: ReadLoad(run.Dir()), Already: true} }

// Run is a run of pairs, in the folder of its setup if that names one.
type Run[R any] struct {
	Setup    *selfplay.Setup
	Limits   func(player int) selfplay.Limits // of those that are tried; nil: the setup's
	Try      []selfplay.Player                // play a move before the first game
	Players  []*selfplay.Player               // keep the names with which the run began
	Identity any
	Tags     []pgn.Tag
	Header   func(*selfplay.Result) Header
	Short    func(*R) bool                     // whether a complete run has fewer games than it is to have; may be nil
	Games    uint64                            // how many there may be; 0: no limit
	Reload   func(*durable.Run, *R) error      // completes the result of a run that was complete before
	Begin    func(*durable.Run) error          // called before games of the journal are counted; may be nil
	Play     func(context.Context) (*R, error) // plays the pairs, and finishes them
}

// PlayRun plays a run of pairs to its end, or goes on with it.
func PlayRun[R any](ctx context.Context, p *Pairs, r Run[R]) (*R, error) {
	s := r.Setup
	p.started, p.Guard.Tally.Terminations = time.Now(), map[string]int64{}
	if s.Progress == nil {
		p.After = nil
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
	info := durable.RunInfo{Command: p.Name, Resume: s.Resume, Program: s.Program, Pinned: s.Pinned, Total: r.Games}
	for _, e := range r.Players {
		info.Players = append(info.Players, Players(*e)...)
	}
	reload := func(run *durable.Run, result *R) error {
		if r.Short != nil && r.Short(result) {
			return errShort
		}
		return r.Reload(run, result)
	}
	return inFolder(s.Out, info, r.Identity, reload, func(run *durable.Run) (*R, error) {
		keepNames(run, r.Players...)
		if s.Progress != nil {
			s.Progress = run.Progress(s.Progress)
		}
		if r.Begin != nil {
			if err := r.Begin(run); err != nil {
				return nil, err
			}
		}
		err := p.keep(destination{Run: run, Identity: r.Identity, Seed: s.Seed, Program: s.Program, Event: "assay " + p.Name,
			Tags: r.Tags, Header: r.Header})
		if err != nil {
			return nil, err
		}
		defer p.Close()
		if err := CheckTotal(s.Out, p.games.kept, r.Games); err != nil {
			return nil, err
		}
		return r.Play(ctx)
	})
}

// HeaderOf returns the header of a game of pairs, White's part of limits and sides first.
func HeaderOf(game uint64, limits [2]selfplay.Limits, sides [2]selfplay.Player) Header {
	return Header{White: sides[0], Black: sides[1], Nodes: limits[0].Nodes,
		TimeControls: [2]string{limits[0].TimeControl(), limits[1].TimeControl()},
		Round:        fmt.Sprintf("%d.%d", game/2+1, game%2+1)}
}
