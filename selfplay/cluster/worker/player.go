package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// hand plays units of one run, and answers them.
type player struct {
	*Worker
	run string
}

// perform plays a unit as soon as a seat is free; nil if ctx ends before. What is begun is
// played to its end. An error ends the worker; what is wrong with the unit alone is an
// answer.
func (h *player) perform(ctx context.Context, u *wire.Unit) (*wire.Answer, error) {
	h.playing.Add(1)
	defer func() {
		h.lastWork.Store(time.Now().UnixNano())
		h.playing.Add(-1)
	}()
	select {
	case s := <-h.slots:
		defer func() { h.slots <- s }()
		return h.play(context.WithoutCancel(ctx), s, u)
	case <-ctx.Done():
		return nil, nil
	}
}

func (h *player) play(ctx context.Context, s *slot, u *wire.Unit) (*wire.Answer, error) {
	a := &wire.Answer{Unit: u.ID, Replay: u.Replay}
	job := u.Job
	for side, spec := range u.Job.Players {
		if spec == "" {
			continue
		}
		local, err := h.localSpec(ctx, spec, u, side)
		var t *fatalError
		if errors.As(err, &t) {
			return nil, err
		}
		if err != nil {
			a.Failed = err.Error()
			return a, nil
		}
		job.Players[side] = local
	}
	f, err := h.clockScale(ctx, u)
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
	r.Players = u.Job.Players
	if a.Sum, err = wire.Checksum(&r); err == nil {
		a.Result, err = json.Marshal(&r)
	}
	if err != nil {
		return nil, err
	}
	h.tally(&r)
	return a, nil
}

func (h *player) tally(r *selfplay.Result) {
	h.units.Add(1)
	h.nodes.Add(int64(r.Nodes[0] + r.Nodes[1]))
	if r.Try == 0 {
		h.games.Add(1)
	}
}

// player returns the specification of a player on this machine, after it has proved that
// it plays here as it does at the coordinator's.
func (h *player) localSpec(ctx context.Context, spec string, u *wire.Unit, side int) (string, error) {
	if roster.Foreign(spec) {
		local, err := h.foreignSpec(spec, u.Programs[side], u.Job.Options[side])
		if err != nil {
			return "", &fatalError{fmt.Errorf("%w: %w", ErrRefused, err)} // others may have it
		}
		return local, nil
	}
	proof := u.Fingerprints[side]
	if proof == "" {
		return h.weights.local(ctx, spec)
	}
	h.verifying.Lock()
	defer h.verifying.Unlock()
	if known, ok := h.verified.Load(spec + proof); ok {
		return known.(string), nil
	}
	local, err := h.weights.local(ctx, spec)
	if err != nil {
		return "", err
	}
	own, err := wire.Fingerprint(ctx, h.Open, local)
	if err != nil {
		return "", err
	}
	if own != proof {
		return "", &fatalError{fmt.Errorf("%w: this build plays %s otherwise than the coordinator's, though both call themselves %s: build both from the same source", ErrRefused, spec, h.Program)}
	}
	h.verified.Store(spec+proof, local)
	return local, nil
}

// foreign returns the specification of an engine that the worker's owner allowed. What
// options it gets in its games is the coordinator's to say, as long as they name no files.
func (h *player) foreignSpec(spec string, program wire.Program, options []selfplay.Option) (string, error) {
	for _, o := range options {
		if err := roster.CheckOption(spec, o.Name, o.Value); err != nil {
			return "", err
		}
	}
	return h.Engines.local(spec, program)
}

// answer sends an answer until the coordinator has it on disk, again at once when another
// life of it begins, which may not have heard the first. A worker that is told to
// leave waits for that no longer than a moment, and it is not kept then.
func (h *player) answer(ctx context.Context, a *wire.Answer) (kept bool, err error) {
	data, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	for {
		called := h.wakeup.wait()
		r, err := h.send(data, called)
		switch {
		case err == nil && r.Refused != "":
			return false, fmt.Errorf("%w: %s", ErrRefused, r.Refused)
		case err == nil && r.Kept:
			return true, nil
		case ctx.Err() != nil:
			return false, nil
		case err != nil:
			select {
			case h.recheck <- struct{}{}:
			default:
			}
		}
		select {
		case <-ctx.Done():
		case <-called:
		case <-time.After(retryAfter):
		}
	}
}

func (h *player) send(data []byte, called <-chan struct{}) (*wire.Reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	go func() {
		select {
		case <-called:
			cancel()
		case <-ctx.Done():
		}
	}()
	m, err := h.nc.RequestWithContext(ctx, wire.AnswerSubject(h.run, h.Access.Name), data)
	if err != nil {
		return nil, err
	}
	var r wire.Reply
	return &r, json.Unmarshal(m.Data, &r)
}
