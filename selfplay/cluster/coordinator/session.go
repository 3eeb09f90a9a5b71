package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// ErrDiffer means that two workers played the same unit differently.
var ErrDiffer = errors.New("cluster: two workers played the same game differently")

const (
	// maxFailures is how many workers may fail to play a unit before the run ends.
	maxFailures = 3
	// maxVain is how many comparisons in a row may find no open unit in the queue before it is deleted and created
	// again: a stream that is created while the server still removes the one before it loses every unit. Servers that
	// do not answer are no reason: they may have it.
	maxVain = 5
	// maxReplays bounds the replays in the queue: with one worker they would wait there for ever.
	maxReplays = 64
	// maxRecent is how many answers are remembered, to compare later ones with them.
	maxRecent = 1 << 15
	// atLeastOpen is how many units may be under way at least, perCore how many for each core of the workers: those at
	// the worker, and as many that wait for it.
	atLeastOpen, perCore = 256, 8
	// snapshotEvery is how often the list of workers is written.
	snapshotEvery = 3 * time.Second
	// settled is how long a unit may take until it is in the queue.
	settled = 3 * time.Second
)

// session is one series of jobs on its way through a coordinator. One goroutine does all its work.
type session struct {
	*Coordinator
	open    map[string]*unit // without an answer, by id
	results []selfplay.Result

	recent  map[string]*first // answered, by id
	order   []string          // their ids, oldest first
	replays int               // in the queue
	vain    int               // the last comparisons, which found no open unit in the queue
}

// unit is a task without an answer.
type unit struct {
	task       selfplay.Task
	job        *selfplay.Job // what it plays, with local specifications
	body       []byte
	replayable bool // its result is the same on every machine
	sent       time.Time
	failedBy   []string // workers
}

// first is the first answer to a unit.
type first struct {
	worker, sum string
	task        selfplay.Task
	game        uint64
	replay      bool // it is in the queue a second time
}

func newSession(c *Coordinator) *session {
	return &session{Coordinator: c, open: map[string]*unit{}, recent: map[string]*first{}}
}

// loop takes tasks and answers until all tasks are answered, or ctx ends.
func (s *session) loop(ctx context.Context, tasks <-chan selfplay.Task, results chan<- selfplay.Result) error {
	check, snapshot := time.NewTicker(s.CheckEvery), time.NewTicker(snapshotEvery)
	defer check.Stop()
	defer snapshot.Stop()
	for tasks != nil || len(s.open) > 0 || len(s.results) > 0 {
		var send chan<- selfplay.Result
		var next selfplay.Result
		if len(s.results) > 0 {
			send, next = results, s.results[0]
		}
		take := tasks
		if _, cores := s.registry.present(); len(s.open) >= min(max(atLeastOpen, perCore*cores), maxOpen) {
			take = nil // later tasks may be more urgent
		}
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case task, ok := <-take:
			if !ok {
				tasks = nil
				continue
			}
			err = s.takeTask(ctx, task)
		case send <- next:
			s.results = s.results[1:]
		case m := <-s.queue.answers:
			err = s.receive(m)
		case <-s.queue.back:
			s.compare(ctx)
		case <-check.C:
			s.compare(ctx)
		case <-snapshot.C:
			s.saveSnapshot()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeTask takes a task, and publishes it unless an earlier process did.
func (s *session) takeTask(ctx context.Context, task selfplay.Task) error {
	job, _ := task.Play()
	u := &unit{task: task, job: job, replayable: true, sent: time.Now()}
	sent := wire.Unit{Job: wire.JobOf(task)}
	for side, spec := range job.Players {
		p, err := s.players.portable(ctx, spec, job.Options[side])
		if err != nil {
			return err
		}
		sent.Job.Players[side], sent.Fingerprints[side], sent.Programs[side] = p.spec, p.fingerprint, p.program
		timed := !job.Limits[side].Deterministic()
		u.replayable = u.replayable && !timed && !spec.External()
		if timed && spec.Name != "" && sent.Speed == 0 {
			if sent.Speed, err = s.clockSpeed(ctx); err != nil {
				return err
			}
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
	if !s.queued[id] {
		s.queue.publish(id, u.body, "")
	}
	return nil
}

// receive takes an answer. It counts if it can be one to an open unit.
func (s *session) receive(m *nats.Msg) error {
	worker := wire.Last(m.Subject)
	var a wire.Answer
	if wire.CheckName(worker) != nil || json.Unmarshal(m.Data, &a) != nil {
		return nil
	}
	u := s.open[a.Unit]
	switch {
	case u == nil:
		s.queue.settle(&a, wire.Done)
		return s.receiveSecond(worker, &a)
	case a.Failed != "":
		s.queue.settle(&a, wire.GiveBack(s.Lease/10)) // to another worker
		return s.failed(worker, u, printable(a.Failed))
	case a.Result == nil:
		s.wrong(worker, "it sent an answer without a result")
		return nil
	}
	if err := a.Result.Verify(u.task); err != nil {
		s.queue.settle(&a, wire.GiveBack(s.Lease/10))
		s.wrong(worker, "it sent an impossible result: "+err.Error())
		return nil
	}
	delete(s.open, a.Unit)
	s.queue.settle(&a, wire.Done)
	s.registry.of(worker, func(p *WorkerStatus) { p.Units++ })
	s.remember(&a, worker, u)
	a.Result.Players, a.Result.Worker = u.job.Specs(), worker
	s.results = append(s.results, *a.Result)
	return nil
}

// wrong notes that what a worker sent cannot be right.
func (s *session) wrong(worker, why string) {
	why = printable(why)
	s.registry.of(worker, func(p *WorkerStatus) { p.Reason = why })
	s.registry.note(worker+" wrong", fmt.Sprintf("warning: worker %s: %s; check its machine, or stop it", worker, why))
}

// failed notes that a worker could not play a unit.
func (s *session) failed(worker string, u *unit, why string) error {
	s.registry.of(worker, func(p *WorkerStatus) { p.Failures++; p.Reason = why })
	s.registry.note(worker+" failed", fmt.Sprintf("worker %s could not play game %d: %s", worker, u.job.Number, why))
	if !slices.Contains(u.failedBy, worker) {
		u.failedBy = append(u.failedBy, worker)
	}
	if len(u.failedBy) < maxFailures {
		return nil
	}
	return fmt.Errorf("cluster: %d workers could not play game %d; the last error, of %s: %s; fix the cause and start "+
		"the run again", len(u.failedBy), u.job.Number, worker, why)
}

// remember keeps the checksum of a first answer, and has some of the units played by another worker, too.
func (s *session) remember(a *wire.Answer, worker string, u *unit) {
	if !u.replayable {
		return
	}
	f := &first{worker: worker, sum: wire.Checksum(a.Result), task: u.task, game: u.job.Number}
	if s.replays < maxReplays && rand.Float64() < s.ReplayShare {
		if workers, _ := s.registry.present(); workers > 1 {
			f.replay = true
			s.replays++
			s.queue.publish(a.Unit, u.body, worker)
		}
	}
	s.recent[a.Unit] = f
	if s.order = append(s.order, a.Unit); len(s.order) > maxRecent {
		if s.recent[s.order[0]].replay {
			s.replays--
		}
		delete(s.recent, s.order[0])
		s.order = s.order[1:]
	}
}

// receiveSecond compares another answer to a unit with the first: a replay, or the answer of a worker that was slow.
func (s *session) receiveSecond(worker string, a *wire.Answer) error {
	f := s.recent[a.Unit]
	if f == nil || f.worker == worker {
		return nil
	}
	replayed := f.replay
	if replayed { // whatever the answer is, the unit is no longer in the queue
		f.replay = false
		s.replays--
	}
	if a.Result == nil {
		return nil
	}
	if err := a.Result.Verify(f.task); err != nil { // or anybody with a key could stop the run
		s.wrong(worker, "it sent an impossible result: "+err.Error())
		return nil
	}
	if wire.Checksum(a.Result) != f.sum {
		return fmt.Errorf("%w: %s and %s, game %d: one of the machines is at fault, or its owner. The game of %s is in the "+
			"run's journal; play it on this machine, and resume the run without the worker that is wrong", ErrDiffer, f.worker,
			worker, f.game, f.worker)
	}
	if replayed {
		s.registry.of(f.worker, func(p *WorkerStatus) { p.Replays++ })
	}
	return nil
}

// printable shortens a text of a worker, and escapes what could control a terminal.
func printable(text string) string { return quote.Text(text[:min(len(text), 300)]) }

// inVain counts a comparison, and reports whether the queue is to be created again.
func (s *session) inVain(works bool, err error) bool {
	var api *jetstream.APIError
	if works {
		s.vain = 0
	} else if err == nil || errors.As(err, &api) && api.Code != http.StatusServiceUnavailable {
		s.vain++
		return s.vain%maxVain == 0
	}
	return false
}

// compare publishes the open units again that are not in the queue: only the coordinator takes them out.
func (s *session) compare(ctx context.Context) {
	now, again := time.Now(), 0
	queued, err := s.queue.look(ctx)
	works := err == nil && len(s.open) == 0
	for id, u := range s.open {
		if err == nil && !queued[id] && u.sent.Before(now.Add(-min(s.CheckEvery, settled))) {
			u.sent = time.Now()
			s.queue.publish(id, u.body, "")
			again++
		}
		works = works || queued[id]
	}
	if s.inVain(works, err) {
		s.queue.delete() // the next comparison creates it, and publishes all open units again
	}
	switch {
	case err != nil:
		s.registry.note("servers", fmt.Sprintf("warning: the NATS servers do not answer; trying again: %v", err))
		_ = s.queue.nc.ForceReconnect() // this server may be cut off from the others
	case again > 0:
		s.registry.note("lost", fmt.Sprintf("%d games were neither answered nor in the queue, and are played again", again))
	}
}
