package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
)

// lane has one unit after the other played and answers it.
type lane struct {
	*feed
	run string
}

const (
	// pause is how long a worker waits when something is amiss.
	pause = 500 * time.Millisecond
	// answerWithin is how long a coordinator may take to write an answer down.
	answerWithin = 5 * time.Second
)

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// serve works until there are no more units, which is no error. When ctx ends, a unit that
// is being played is played to its end; one that is not goes back to the queue.
func (l *lane) serve(ctx context.Context) error {
	for m := range l.leased {
		if err := l.work(ctx, m); err != nil {
			return err
		}
		l.idle <- struct{}{}
	}
	return nil
}

// work does what a unit asks for.
func (l *lane) work(ctx context.Context, m jetstream.Msg) error {
	defer l.leases.remove(m)
	if ctx.Err() != nil {
		back(m, 0)
		return nil
	}
	l.worked.Store(time.Now().UnixNano())
	defer func() { l.worked.Store(time.Now().UnixNano()) }()
	var u Unit
	if err := json.Unmarshal(m.Data(), &u); err != nil {
		_ = m.Term() // whatever it is, it is not for us
		return nil
	}
	if u.Not == l.Access.Name {
		// A check of what this worker did is for others. Were the delay always the same, two
		// checks could go round between two workers, each to the wrong one, for ever.
		back(m, pause/4+rand.N(pause))
		return nil
	}
	var s *seat
	select {
	case s = <-l.seats:
	case <-ctx.Done():
		back(m, 0)
		return nil
	}
	// What is begun is played to its end, even if no more is wanted from here.
	a, err := l.play(context.WithoutCancel(ctx), s, &u)
	l.seats <- s
	if err != nil {
		back(m, 0)
		return err
	}
	return l.answer(ctx, m, a)
}

// play plays a unit. An error ends the worker; what is wrong with the unit alone is an
// answer.
func (l *lane) play(ctx context.Context, s *seat, u *Unit) (*Answer, error) {
	a := &Answer{Unit: u.ID, Check: u.Not != ""}
	job := u.Job
	for side, spec := range u.Job.Players {
		if spec == "" {
			continue
		}
		local, err := l.player(ctx, spec, u, side)
		var t *troubled
		if errors.As(err, &t) {
			return nil, err
		}
		if err != nil {
			a.Failed = err.Error()
			return a, nil
		}
		job.Players[side] = local
	}
	r, err := s.play(ctx, job)
	if err != nil {
		a.Failed = err.Error()
		return a, nil
	}
	r.Players = u.Job.Players
	if a.Sum, err = Checksum(&r); err == nil {
		a.Result, err = json.Marshal(&r)
	}
	if err != nil {
		return nil, err
	}
	l.tally(&r)
	return a, nil
}

func (l *lane) tally(r *selfplay.Result) {
	l.units.Add(1)
	l.nodes.Add(int64(r.Nodes[0] + r.Nodes[1]))
	if r.Try == 0 {
		l.games.Add(1)
	}
}

// player returns the specification of a player on this machine, after it has proved that
// it plays here as it does at the coordinator's.
func (l *lane) player(ctx context.Context, spec string, u *Unit, side int) (string, error) {
	if roster.Foreign(spec) {
		local, err := l.foreign(spec, u.Programs[side], u.Job.Options[side])
		if err != nil {
			return "", &troubled{fmt.Errorf("%w: %w", ErrRefused, err)} // others may have it
		}
		return local, nil
	}
	proof := u.Proofs[side]
	if proof == "" {
		return l.library.local(ctx, spec)
	}
	l.proving.Lock()
	defer l.proving.Unlock()
	if known, ok := l.proofs.Load(spec + proof); ok {
		return known.(string), nil
	}
	local, err := l.library.local(ctx, spec)
	if err != nil {
		return "", err
	}
	own, err := Audition(ctx, l.Open, local)
	if err != nil {
		return "", err
	}
	if own != proof {
		return "", &troubled{fmt.Errorf("%w: this build plays %s otherwise than the coordinator's, though both call themselves %s: build both from the same source", ErrRefused, spec, l.Program)}
	}
	l.proofs.Store(spec+proof, local)
	return local, nil
}

// foreign returns the specification of an engine that the worker's owner allowed. What
// options it gets in its games is the coordinator's to say, as long as they name no files.
func (l *lane) foreign(spec string, program Program, options []selfplay.Option) (string, error) {
	for _, o := range options {
		if err := roster.CheckOption(spec, o.Name, o.Value); err != nil {
			return "", err
		}
	}
	return l.Foreign.local(spec, program)
}

// answer sends an answer until the coordinator has it on disk, then acknowledges the
// unit. The lease is kept meanwhile, however long the coordinator is away; a worker that
// is told to leave waits for it no longer than a moment.
func (l *lane) answer(ctx context.Context, m jetstream.Msg, a *Answer) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	for {
		r, err := l.send(data)
		switch {
		case err == nil && r.Refused != "":
			back(m, 0)
			return fmt.Errorf("%w: %s", ErrRefused, r.Refused)
		case err == nil && r.Kept && a.Failed != "":
			sleep(ctx, pause)
			back(m, pause)
			return nil
		case err == nil && r.Kept:
			_ = m.Ack() // does it not arrive, the unit is leased again, and its second answer compared
			return nil
		case ctx.Err() != nil:
			back(m, 0)
			return nil
		}
		sleep(ctx, pause)
	}
}

func (l *lane) send(data []byte) (*Reply, error) {
	m, err := l.nc.Request(answerSubject(l.run, l.Access.Name), data, answerWithin)
	if err != nil {
		return nil, err
	}
	var r Reply
	return &r, json.Unmarshal(m.Data, &r)
}

// back gives a unit back, for others to lease after the delay. Does that not arrive, its
// lease runs out.
func back(m jetstream.Msg, delay time.Duration) { _ = m.NakWithDelay(delay) }
