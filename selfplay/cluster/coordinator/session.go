package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// ErrDiffer means that two workers played the same unit differently.
var ErrDiffer = errors.New("cluster: two workers played the same game differently")

// maxFailures is how many workers may fail to play a unit before the run ends.
const maxFailures = 3

// maxReplays bounds the replays in the queue: with one worker they would wait there for ever.
const maxReplays = 64

// maxRecent is how many answers are remembered, to compare later ones with them.
const maxRecent = 1 << 15

// atLeastOpen is how many units may be under way at least, and perCore how many for each core of the workers: three at
// the worker, and two that wait for it.
const atLeastOpen, perCore = 256, 5

// snapshotEvery is how often the list of workers is written.
const snapshotEvery = 3 * time.Second

// session is one series of jobs on its way through a coordinator. One goroutine does all its work.
type session struct {
	*Coordinator
	open    map[string]*unit // without an answer, by id
	results []selfplay.Result
	ends    []uint64 // the results' sequences in the stream of answers

	recent  map[string]first // answered, by id
	order   []string         // their ids, oldest first
	replays int              // in the queue

	view    *view // that waits until its answers were received
	views   chan view
	looking bool // the next one is on its way
}

// unit is a job without an answer.
type unit struct {
	job        selfplay.Job // with local specifications
	body       []byte
	replayable bool // its result is the same on every machine
	sent       time.Time
	failedBy   []string // workers
}

// first is the first answer to a unit.
type first struct {
	worker, sum string
	number      uint64
	replay      bool // it is in the queue a second time
}

func newSession(c *Coordinator) *session {
	return &session{Coordinator: c, open: map[string]*unit{}, recent: map[string]first{}, views: make(chan view, 1)}
}

// loop takes jobs and answers until all jobs are answered, or ctx ends.
func (s *session) loop(ctx context.Context, jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
	check, snapshot := time.NewTicker(s.CheckEvery), time.NewTicker(snapshotEvery)
	defer check.Stop()
	defer snapshot.Stop()
	for jobs != nil || len(s.open) > 0 || len(s.results) > 0 {
		var send chan<- selfplay.Result
		var next selfplay.Result
		if len(s.results) > 0 {
			send, next = results, s.results[0]
		}
		take := jobs
		if open := len(s.open); open >= max(atLeastOpen, perCore*s.registry.cores()) || open >= maxOpen || s.seen < s.began {
			take = nil // later jobs may be more urgent, and the answers of an earlier process come first
		}
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case job, ok := <-take:
			if !ok {
				jobs = nil
				continue
			}
			err = s.takeJob(ctx, job)
		case send <- next:
			s.delivered = max(s.delivered, s.ends[0])
			s.results, s.ends = s.results[1:], s.ends[1:]
		case a := <-s.streams.answers:
			s.seen = max(s.seen, a.sequence)
			err = s.receive(&a)
			s.compare()
		case v := <-s.views:
			s.looked(&v)
			s.compare()
		case <-s.streams.back:
			err = s.look(ctx)
		case <-check.C:
			err = s.look(ctx)
		case <-snapshot.C:
			s.saveSnapshot()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeJob takes a job. If an earlier process got its answer, it is not played again.
func (s *session) takeJob(ctx context.Context, job selfplay.Job) error {
	u := &unit{job: job, replayable: true}
	sent := wire.Unit{Job: job}
	for side, spec := range job.Players {
		p, err := s.players.portable(ctx, spec)
		if err != nil {
			return err
		}
		sent.Job.Players[side], sent.Fingerprints[side], sent.Programs[side] = p.spec, p.fingerprint, p.program
		u.replayable = u.replayable && job.Limits[side].Deterministic() && !spec.Foreign()
	}
	for side, l := range job.Limits {
		if job.Players[side].Name == "" || l.Deterministic() || sent.Speed > 0 {
			continue
		}
		var err error
		if sent.Speed, err = s.clockSpeed(ctx); err != nil {
			return err
		}
	}
	var err error
	if u.body, err = json.Marshal(&sent); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	id := wire.Digest(u.body)
	if s.open[id] != nil {
		return fmt.Errorf("cluster: game %d was asked for twice", job.Number)
	}
	s.open[id] = u
	for _, sequence := range s.past[id] {
		if a, err := s.streams.at(ctx, sequence); err == nil {
			if err := s.receive(&a); err != nil {
				return err
			}
		}
	}
	delete(s.past, id)
	if u.sent = time.Now(); s.open[id] != nil && !s.queued[id] {
		s.publish(id, u)
	}
	return nil
}

// publish publishes a unit. Each attempt has an id of its own: servers drop messages with an id that they had lately.
func (s *session) publish(id string, u *unit) {
	s.attempts++
	u.sent = time.Now()
	s.streams.publish(wire.UnitSubject(s.state.Run, id), fmt.Sprintf("%s.%d.%d", id, s.Starts, s.attempts), u.body, nil)
}

// receive takes an answer. It counts if it can be one to an open unit.
func (s *session) receive(m *answer) error {
	var a wire.Answer
	if m.worker == "" || json.Unmarshal(m.data, &a) != nil || len(a.Unit) != idLength {
		return nil // it may be what a server was made to send
	}
	u := s.open[a.Unit]
	switch {
	case u == nil && m.sequence <= s.began:
		s.past[a.Unit] = append(s.past[a.Unit], m.sequence)
		return nil
	case u == nil:
		return s.receiveSecond(m.worker, &a)
	case a.Failed != "":
		why := printable(a.Failed)
		s.registry.failed(m.worker, u.job.Number, why)
		if !slices.Contains(u.failedBy, m.worker) {
			u.failedBy = append(u.failedBy, m.worker)
		}
		if len(u.failedBy) >= maxFailures {
			return fmt.Errorf("cluster: %d workers could not play game %d; the last error, of %s: %s; "+
				"fix the cause and start the run again", len(u.failedBy), u.job.Number, m.worker, why)
		}
		return nil
	case a.Result == nil:
		s.registry.wrong(m.worker, "it sent an answer without a result")
		return nil
	}
	if err := a.Result.Verify(&u.job); err != nil {
		s.registry.wrong(m.worker, "it sent an impossible result: "+err.Error())
		return nil // another worker plays the unit after the next comparison
	}
	if err := s.keepSpeed(); err != nil {
		return err
	}
	delete(s.open, a.Unit)
	s.registry.answered(m.worker, a.Result)
	if err := s.remember(&a, m.worker, u); err != nil {
		return err
	}
	a.Result.Players, a.Result.Worker = u.job.PlayerTexts(), m.worker
	s.results, s.ends = append(s.results, *a.Result), append(s.ends, m.sequence)
	return nil
}

// idLength is the length of a unit's id.
const idLength = 32

// remember keeps the checksum of a first answer, and has some of the units played by another worker, too.
func (s *session) remember(a *wire.Answer, worker string, u *unit) error {
	if !u.replayable {
		return nil
	}
	sum, err := wire.Checksum(a.Result)
	if err != nil {
		return err
	}
	f := first{worker: worker, sum: sum, number: u.job.Number}
	if s.replays < maxReplays && s.registry.several() && rand.Float64() < s.ReplayShare {
		f.replay = true
		s.replays++
		s.streams.publish(wire.ReplaySubject(s.state.Run, a.Unit),
			fmt.Sprintf("%s.%d.%d.again", a.Unit, s.Starts, s.attempts), u.body,
			nats.Header{wire.PlayedBy: []string{worker}})
	}
	s.recent[a.Unit] = f
	if s.order = append(s.order, a.Unit); len(s.order) > maxRecent {
		delete(s.recent, s.order[0])
		s.order = s.order[1:]
	}
	return nil
}

// receiveSecond compares another answer to a unit with the first: a replay, or the answer of a worker that was slow.
func (s *session) receiveSecond(worker string, a *wire.Answer) error {
	f, ok := s.recent[a.Unit]
	if !ok || a.Result == nil || f.worker == worker {
		return nil
	}
	sum, err := wire.Checksum(a.Result)
	if err != nil {
		return err
	}
	if sum != f.sum {
		return fmt.Errorf("%w: %s and %s, game %d: one of the machines is at fault, or its owner. The game of %s is in the "+
			"run's journal; play it on this machine, and resume the run without the worker that is wrong", ErrDiffer, f.worker, worker,
			f.number, f.worker)
	}
	if f.replay {
		f.replay = false
		s.replays--
		s.registry.replayed(f.worker)
		s.recent[a.Unit] = f
	}
	return nil
}

// printable shortens a text of a worker, and drops what could control a terminal.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
	return text[:min(len(text), 300)]
}

// look looks at the servers, unless it does already. Answers that the series took before the last look are on disk by
// now, in the run's journal.
func (s *session) look(ctx context.Context) error {
	if s.looking {
		return nil
	}
	if s.view != nil { // the answers do not arrive
		s.view = nil
		if err := s.streams.read(s.background, s.seen); err != nil {
			s.registry.note("servers", err.Error())
		}
	}
	drop := s.safe
	s.safe = s.delivered
	if drop != s.Answers {
		s.Answers = drop
		if err := s.saveState(); err != nil {
			return err
		}
	}
	s.looking = true
	go func() { s.views <- s.streams.look(ctx, drop) }()
	return nil
}

// looked takes what is at the servers.
func (s *session) looked(v *view) {
	s.looking = false
	if v.err != nil {
		s.registry.note("servers", fmt.Sprintf("warning: the NATS servers do not answer; trying again: %v", v.err))
		_ = s.streams.nc.ForceReconnect() // this server may be cut off from the others
		return
	}
	s.view = v
	if v.last < s.seen { // the servers lost the stream, and have another one
		s.seen, s.delivered, s.safe, s.began = 0, 0, 0, 0
		clear(s.ends)
		if err := s.streams.read(s.background, 0); err != nil {
			s.registry.note("servers", err.Error())
		}
	}
}

// compare publishes the open units again that are not in the queue, once the answers up to the time of the look were
// received.
func (s *session) compare() {
	v := s.view
	if v == nil || s.seen < v.waitFor {
		return
	}
	s.view = nil
	again := 0
	for id, u := range s.open {
		if !v.units[id] && u.sent.Before(v.at.Add(-min(s.CheckEvery, settled))) {
			s.publish(id, u)
			again++
		}
	}
	if again > 0 {
		s.registry.note("lost", fmt.Sprintf("%d games were neither answered nor in the queue, and are played again", again))
	}
}

// settled is how long a unit may take until it is in the queue.
const settled = 3 * time.Second
