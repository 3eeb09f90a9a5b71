package coordinator

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// session is one series of jobs on its way through a coordinator. One goroutine does all its
// work.
type session struct {
	*Coordinator
	ctx     context.Context
	pending *pendingBatches
	out     *dispatcher
	units   map[string]*unit // by id: those not counted yet, and the recent ones
	recent  []*unit          // counted lately, oldest first: late answers are compared with them
	replays map[*unit]replay // that workers are playing again

	disputes map[string]*unit // by worker: a unit to which it gave another answer than the first

	games  int64         // that ended
	played time.Duration // of them

	unanswered   int // units without an accepted answer
	uncounted    int // units that do not count yet
	waitingMost  int // no more jobs are taken while as many units wait
	results      []selfplay.Result
	nothingWaits time.Time // since when no unit waits for a worker; zero: some do
	lastJob      time.Time
	lastUpkeep   time.Time
	lastSave     time.Time // of the snapshot
}

// unit is a job and its state.
type unit struct {
	id            string
	job           selfplay.Job // with local specifications
	sent          wire.Unit    // as workers see it
	deterministic bool         // it has no clock, so the coordinator may play it too
	replayable    bool         // its result is the same on every machine

	state       state
	worker, sum string // of the first answer
	result      *selfplay.Result
	batch       *batch
	disputes    map[string]string // other workers' checksums that differ
	queued      bool              // it waits for a worker
	holder      string            // worker that has it; empty: none
	given       time.Time         // when the last holder was sent it
	firstSent   time.Time         // when the first one was
	failedTo    []string          // workers that had it for too long
	failures    int               // times that a worker could not play it
	failedBy    []string          // these workers
}

type state int

const (
	unanswered state = iota // waiting for a worker, or sent to one
	received                // answered, and not on disk yet
	pending                 // waiting for its batch
	counted                 // delivered to the series
)

// leastWaiting is how many units may wait for workers at least, and waitingPerCore how many for
// each of the cores that the session should use: enough until the next tick.
const leastWaiting, waitingPerCore = 256, 4

// tickEvery is how often a session looks at what depends on time.
const tickEvery = 25 * time.Millisecond

func newSession(ctx context.Context, c *Coordinator) *session {
	return &session{
		Coordinator: c, ctx: ctx, waitingMost: leastWaiting,
		out: newDispatcher(c.registry, c.sendUnit), pending: newPendingBatches(c.ReplayShare),
		units: map[string]*unit{}, replays: map[*unit]replay{}, disputes: map[string]*unit{},
	}
}

// loop takes jobs and answers until all jobs are answered, or ctx ends.
func (s *session) loop(jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for jobs != nil || s.uncounted > 0 || len(s.results) > 0 {
		var send chan<- selfplay.Result
		var first selfplay.Result
		if len(s.results) > 0 {
			send, first = results, s.results[0]
		}
		next := jobs
		if len(s.out.waiting) >= s.waitingMost {
			next = nil // a job costs memory and time long before a worker can play it
		}
		var err error
		select {
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		case job, ok := <-next:
			if !ok {
				jobs = nil
				continue
			}
			err = s.takeJob(job)
		case send <- first:
			s.results = s.results[1:]
		case m := <-s.answers:
			err = s.receive(m)
		case v := <-s.referee.verdicts:
			err = s.takeVerdict(v)
			s.referee.finished()
		case <-tick.C:
			err = s.tick()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeJob takes a job. If the ledger has its answer, it is not played again.
func (s *session) takeJob(job selfplay.Job) error {
	s.lastJob = time.Now()
	u := &unit{job: job, deterministic: true, replayable: true, sent: wire.Unit{Job: job}}
	for side, spec := range job.Players {
		p, err := s.players.portable(s.ctx, spec)
		if err != nil {
			return err
		}
		u.sent.Job.Players[side], u.sent.Fingerprints[side], u.sent.Programs[side] = p.spec, p.fingerprint, p.program
		u.deterministic = u.deterministic && job.Limits[side].Deterministic()
		u.replayable = u.replayable && u.deterministic && !spec.Foreign()
	}
	if err := s.setClockSpeed(u); err != nil {
		return err
	}
	var err error
	if u.id, err = wire.Digest(&u.sent.Job); err != nil {
		return err
	}
	u.sent.ID = u.id
	if s.units[u.id] != nil {
		return fmt.Errorf("cluster: job %d came twice: two jobs of a series must differ", job.Number)
	}
	s.units[u.id] = u
	s.uncounted++
	s.unanswered++
	if known := s.past.answers[u.id]; known != nil {
		delete(s.past.answers, u.id)
		return s.takePastAnswer(u, known)
	}
	s.out.enqueue(u)
	return nil
}

// setClockSpeed notes the speed for which a unit's clocks are meant, if it has any.
func (s *session) setClockSpeed(u *unit) (err error) {
	if u.deterministic {
		return nil
	}
	if s.clockSpeed == 0 {
		if s.clockSpeed, err = s.settleClockSpeed(s.ctx); err != nil {
			return err
		}
		s.registry.setClockSpeed(s.clockSpeed)
	}
	u.sent.Speed = s.clockSpeed
	return nil
}

// takePastAnswer takes the answer to a unit from the ledger of an earlier process.
func (s *session) takePastAnswer(u *unit, known *pastAnswer) error {
	result := &selfplay.Result{}
	if err := json.Unmarshal(known.Result, result); err != nil {
		return fmt.Errorf("cluster: the ledger's result of unit %s is damaged: %w; start the "+
			"run again in another folder",
			u.id, err)
	}
	if s.registry.whyRefused(known.Worker) != "" && !known.counted {
		s.out.enqueue(u)
		return nil
	}
	u.worker, u.sum, u.result = known.Worker, known.Sum, result
	if known.counted {
		s.unanswered--
		s.deliver(u)
		return nil
	}
	return s.accept(u)
}

// accept takes a unit's answer, which is in the ledger: it counts now, or when its batch is
// confirmed.
func (s *session) accept(u *unit) error {
	u.state = pending
	s.unanswered--
	if s.pending.size == 0 || !u.replayable || u.worker == coordinatorItself {
		return s.count([]*unit{u})
	}
	picked := s.pending.add(u.worker, u)
	if u.result.Fault != "" || u.result.Void != "" { // our players do not fail: the coordinator replays every such game
		s.pending.await(u)
		s.referee.request(u)
	} else if picked {
		if err := s.requestReplay(u); err != nil {
			return err
		}
	}
	return s.count(s.pending.release(u.batch))
}

// count makes answers count.
func (s *session) count(units []*unit) error {
	if len(units) == 0 {
		return nil
	}
	x := &line{}
	for _, u := range units {
		x.Counts = append(x.Counts, u.id)
		s.deliver(u)
	}
	return s.ledger.write(x)
}

// recentKept is how many counted units are kept to compare late answers with.
const recentKept = 4096

// deliver hands a unit's result to the series.
func (s *session) deliver(u *unit) {
	u.state = counted
	r := *u.result
	r.Players = u.job.PlayerTexts() // the workers' specifications name their own files
	s.results = append(s.results, r)
	u.result = nil
	s.uncounted--
	s.recent = append(s.recent, u)
	for len(s.recent) > recentKept {
		delete(s.units, s.recent[0].id)
		s.recent = s.recent[1:]
	}
}
