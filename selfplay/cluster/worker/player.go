package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// player plays units of one run, and sends the answers.
type player struct {
	*Worker
	run     string
	weights weightsFolder
}

func newPlayer(w *Worker, welcome *wire.Welcome) *player {
	p := &player{Worker: w, run: welcome.Run}
	p.weights = weightsFolder{dir: w.Library, get: p.fetch}
	return p
}

// perform plays a unit as soon as a slot is free. It returns nil if ctx ends before that; a
// game that started is finished. An error ends the worker; a unit that cannot be played is
// an answer.
func (p *player) perform(ctx context.Context, u *wire.Unit) (*wire.Answer, error) {
	p.playing.Add(1)
	defer func() {
		p.lastWork.Store(new(time.Now()))
		p.playing.Add(-1)
	}()
	select {
	case s := <-p.slots:
		defer func() { p.slots <- s }()
		return p.play(ctx, s, u)
	case <-ctx.Done():
		return nil, nil
	}
}

func (p *player) play(ctx context.Context, s *slot, u *wire.Unit) (*wire.Answer, error) {
	a := &wire.Answer{Unit: u.ID, Replay: u.Replay}
	job := u.Job
	for side, spec := range u.Job.Players {
		if spec.Name == "" {
			continue
		}
		local, err := p.localSpec(ctx, spec, u, side)
		var t *fatalError
		switch {
		case errors.As(err, &t):
			return nil, err
		case err != nil && ctx.Err() != nil:
			return nil, nil
		case errors.Is(err, errNoWeights):
			a.Returned = err.Error()
			return a, nil
		}
		if err != nil {
			a.Failed = err.Error()
			return a, nil
		}
		job.Players[side] = local
	}
	ctx = context.WithoutCancel(ctx) // a game that started is finished
	f, err := p.clockScale(ctx, u)
	if err != nil {
		return nil, err
	}
	for side := range job.Limits {
		job.Limits[side] = job.Limits[side].Scaled(f)
	}
	r, err := s.play(ctx, job)
	if err != nil {
		a.Failed = err.Error()
		return a, nil
	}
	r.Rescale(1 / f)
	r.Players = u.Job.PlayerTexts()
	if a.Sum, err = wire.Checksum(&r); err == nil {
		a.Result, err = json.Marshal(&r)
	}
	if err != nil {
		return nil, err
	}
	p.tally(&r)
	return a, nil
}

func (p *player) tally(r *selfplay.Result) {
	p.units.Add(1)
	p.nodes.Add(int64(r.Nodes[0] + r.Nodes[1]))
	if r.Try == 0 {
		p.games.Add(1)
	}
}

// localSpec returns the specification of a player on this machine, after it verified that
// the player's fingerprint is the coordinator's.
func (p *player) localSpec(ctx context.Context, spec engine.Spec, u *wire.Unit, side int) (engine.Spec, error) {
	if spec.Foreign() {
		local, err := p.foreignSpec(spec, u.Programs[side], u.Job.Options[side])
		if err != nil {
			return spec, &fatalError{fmt.Errorf("%w: %w", errRefused, err)} // other workers may have it
		}
		return local, nil
	}
	want := u.Fingerprints[side]
	if want == "" {
		return p.weights.local(ctx, spec)
	}
	p.verifying.Lock()
	defer p.verifying.Unlock()
	key := spec.String() + want
	if known, ok := p.verified[key]; ok {
		return known, nil
	}
	local, err := p.weights.local(ctx, spec)
	if err != nil {
		return spec, err
	}
	own, err := wire.Fingerprint(ctx, (&selfplay.Local{Open: p.Open}).One, local)
	if err != nil {
		return spec, err
	}
	if own != want {
		return spec, &fatalError{fmt.Errorf("%w: this build plays %s differently from the coordinator's, though both "+
			"are %s: build both from the same source", errRefused, spec, p.Program)}
	}
	if p.verified == nil {
		p.verified = map[string]engine.Spec{}
	}
	p.verified[key] = local
	return local, nil
}

// foreignSpec returns the specification of an engine that the worker's owner allowed. The
// coordinator chooses the engine's options, except those that name files.
func (p *player) foreignSpec(
	spec engine.Spec, program wire.Program, options []engine.Option) (engine.Spec, error) {
	if err := roster.CheckPortable(spec, options...); err != nil {
		return spec, err
	}
	return p.Engines.local(spec, program)
}

// answer sends an answer until the coordinator has it on disk. A coordinator that starts
// again wakes the worker, which then sends the answer at once. When ctx ends, it sends the
// answer one last time, and does not wait for a coordinator that is away.
func (p *player) answer(ctx context.Context, a *wire.Answer) error {
	for {
		called := p.wakeup.wait()
		r, err := p.send(a, called)
		switch {
		case err == nil && r.Refused != "":
			return fmt.Errorf("%w: %s", errRefused, r.Refused)
		case err == nil && r.Kept, ctx.Err() != nil:
			return nil
		case err != nil:
			p.helloNow()
		}
		select {
		case <-ctx.Done():
		case <-called:
		case <-time.After(retryAfter):
		}
	}
}

func (p *player) send(a *wire.Answer, called <-chan struct{}) (r wire.Reply, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	go func() {
		select {
		case <-called:
			cancel()
		case <-ctx.Done():
		}
	}()
	err = p.request(ctx, wire.AnswerSubject(p.run, p.Access.Name), a, &r)
	return r, err
}
