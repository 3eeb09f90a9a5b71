package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/roster"
)

// play plays a unit. An error gives the unit back, and ends the worker if it wraps errRefused; a unit that cannot be
// played is an answer. A game that started is finished.
func (s *service) play(ctx context.Context, slot *selfplay.Slot, u *wire.Unit) (*wire.Answer, error) {
	job := u.Job.Job
	job.Number = u.Job.Number
	for side, spec := range u.Job.Players {
		if spec.Name == "" {
			continue
		}
		local, err := s.localSpec(ctx, spec, u, side)
		switch {
		case errors.Is(err, errRefused), errors.Is(err, wire.ErrNoFile), err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			return &wire.Answer{Failed: err.Error()}, nil
		}
		job.Players[side] = local
	}
	ctx = context.WithoutCancel(ctx)
	f, err := s.clockScale(ctx, u)
	if err != nil {
		return nil, err
	}
	for side := range job.Limits {
		job.Limits[side] = job.Limits[side].Scaled(f)
	}
	r, err := slot.Play(ctx, &job)
	if err != nil {
		return &wire.Answer{Failed: err.Error()}, nil
	}
	r.Rescale(1 / f)
	r.Try, r.Players = u.Job.Try, u.Job.Specs()
	s.Units.Add(1)
	s.Nodes.Add(int64(r.Nodes[0] + r.Nodes[1]))
	if r.Try == 0 {
		s.Games.Add(1)
	}
	return &wire.Answer{Result: &r}, nil
}

// localSpec returns the specification of a player on this machine, after it verified that the player's fingerprint is
// the coordinator's.
func (s *service) localSpec(ctx context.Context, spec engine.Spec, u *wire.Unit, side int) (engine.Spec, error) {
	if spec.External() {
		return s.foreignSpec(ctx, spec, u, side)
	}
	s.verifying.Lock()
	defer s.verifying.Unlock()
	want := u.Fingerprints[side]
	key := spec.String() + want
	if known, ok := s.verified[key]; ok {
		return known, nil
	}
	local, err := s.withWeights(ctx, spec)
	if err != nil {
		return spec, err
	}
	if want != "" {
		own, err := wire.Fingerprint(ctx, (&selfplay.Local{Open: s.Open}).One, local)
		if err != nil {
			return spec, err
		}
		if own != want {
			return spec, fmt.Errorf("%w: this build plays %s differently from the coordinator's, though both "+
				"are %s: build both "+
				"from the same source", errRefused, spec, s.Program)
		}
	}
	s.verified[key] = local
	return local, nil
}

// withWeights returns the specification with the path of the worker's own copy of the weights, which it fetches if
// there is none.
func (s *service) withWeights(ctx context.Context, spec engine.Spec) (engine.Spec, error) {
	name := roster.WeightsName(spec)
	if name == "" {
		return spec, nil
	}
	want, ok := strings.CutPrefix(name, wire.WeightsPrefix)
	if !ok || !wire.IsSHA256(want) {
		return spec, fmt.Errorf("cluster: player %q: want weights named %s and the SHA-256 of their file", spec,
			wire.WeightsPrefix)
	}
	path := filepath.Join(s.Library, name+".json")
	spec.Weights = path
	if sum, err := durable.SumFile(path); err == nil && sum.SHA256 == want {
		return spec, nil
	}
	data, err := wire.FetchFile(ctx, s.nc, s.Access.Name, s.run, want)
	if err != nil {
		return spec, err
	}
	if err := os.MkdirAll(s.Library, 0o777); err != nil {
		return spec, err
	}
	return spec, durable.WriteFile(path, data)
}

// foreignSpec returns the specification of an engine that the worker's owner allowed. The run chooses the engine's
// options, except those that name files.
func (s *service) foreignSpec(ctx context.Context, spec engine.Spec, u *wire.Unit, side int) (engine.Spec, error) {
	program := u.Programs[side]
	if err := roster.CheckPortable(spec, u.Job.Options[side]...); err != nil {
		return spec, fmt.Errorf("%w: %w", errRefused, err)
	}
	path, err := s.Engines.path(program, func() ([]byte, error) {
		s.Log(fmt.Sprintf("fetching engine %s, SHA-256 %.12s", program.Name, program.SHA256))
		return wire.FetchFile(ctx, s.nc, s.Access.Name, s.run, program.SHA256)
	})
	if err != nil && !errors.Is(err, wire.ErrNoFile) && ctx.Err() == nil { // other workers may have it
		err = fmt.Errorf("%w: its owner does not allow the engine %q with SHA-256 %.64s: %w", errRefused, program.Name,
			program.SHA256, err)
	}
	return spec.WithProgram(path), err
}
