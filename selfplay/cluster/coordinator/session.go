package coordinator

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// desk is one series of jobs on its way through a coordinator. All of it is done by one
// goroutine.
type session struct {
	*Coordinator
	ctx     context.Context
	pending *pendingBatches
	units   map[string]*unit // that are wanted, and those that were counted lately
	recent  []*unit          // the latter, oldest first
	replays map[*unit]replay // that are being played again by workers

	disputes map[string]*unit // by worker: what it answered otherwise than the first, and the judge plays

	unanswered     int // units without an answer
	uncounted      int // units that are not counted
	results        []selfplay.Result
	lost           []string     // ids of units that were not published
	gameTime       meanGameTime // of games
	newestAnswered time.Time    // when the youngest unit that is answered was published
	lastJob        time.Time
	queueEmpty     time.Time // when the last unit that the queue holds was leased; zero: it holds others
	lastUpkeep     time.Time // when the desk last looked after what does not come by itself
	lastSave       time.Time // when it last saved the roster
}

// unit is a job and what became of it.
type unit struct {
	id            string
	job           selfplay.Job // as it was asked for
	sent          wire.Unit    // as workers see it
	deterministic bool         // no clock: the coordinator may play it as well as a worker
	replayable    bool         // it is the same whoever plays it

	state       state
	worker, sum string // whose answer it is
	result      *selfplay.Result
	batch       *batch
	disputes    map[string]string // other workers' checksums, where they differ
	published   time.Time
	overtaken   time.Time // when it was found that younger ones are answered
	failures    int       // times that a worker could not play it
	failedBy    []string  // the workers
}

type state int

const (
	unanswered state = iota // in the queue
	pending                 // answered, in escrow
	counted                 // answered, and handed on
)

// glimpse is how often the desk looks around.
const tickEvery = 25 * time.Millisecond

func newSession(ctx context.Context, c *Coordinator) *session {
	return &session{Coordinator: c, ctx: ctx, pending: newPendingBatches(c.ReplayShare), units: map[string]*unit{}, replays: map[*unit]replay{}, disputes: map[string]*unit{}}
}

// loop takes jobs and answers until every job is answered, or ctx ends.
func (d *session) loop(jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for jobs != nil || d.uncounted > 0 || len(d.results) > 0 {
		var send chan<- selfplay.Result
		var first selfplay.Result
		if len(d.results) > 0 {
			send, first = results, d.results[0]
		}
		var err error
		select {
		case <-d.ctx.Done():
			return context.Cause(d.ctx)
		case job, ok := <-jobs:
			if !ok {
				jobs = nil
				continue
			}
			err = d.takeJob(job)
		case send <- first:
			d.results = d.results[1:]
		case m := <-d.answers:
			err = d.receive(m)
		case v := <-d.referee.verdicts:
			err = d.takeVerdict(v)
		case id := <-d.queue.lost:
			d.lost = append(d.lost, id)
		case n := <-d.loads:
			err = d.checkQueue(n)
		case <-tick.C:
			err = d.tick()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take takes a job. One that was answered in an earlier life is not played again.
func (d *session) takeJob(job selfplay.Job) error {
	d.lastJob = time.Now()
	u := &unit{job: job, deterministic: true, replayable: true}
	u.sent = wire.Unit{Protocol: wire.Protocol, Job: job}
	for side, spec := range job.Players {
		p, err := d.players.portable(d.ctx, spec)
		if err != nil {
			return err
		}
		u.sent.Job.Players[side], u.sent.Fingerprints[side], u.sent.Programs[side] = p.spec, p.fingerprint, p.program
		u.deterministic = u.deterministic && job.Limits[side].Deterministic()
		u.replayable = u.replayable && u.deterministic && !roster.Foreign(spec)
	}
	if err := d.setClockSpeed(u); err != nil {
		return err
	}
	var err error
	if u.id, err = wire.Digest(&u.sent.Job); err != nil {
		return err
	}
	u.sent.ID = u.id
	if d.units[u.id] != nil {
		return fmt.Errorf("cluster: job %d came twice", job.Number)
	}
	d.units[u.id] = u
	d.uncounted++
	d.unanswered++
	if known := d.past.answers[u.id]; known != nil {
		delete(d.past.answers, u.id)
		return d.takePastAnswer(u, known)
	}
	return d.publish(u)
}

// timed notes what speed the clocks of a unit are meant for, if it has any.
func (d *session) setClockSpeed(u *unit) (err error) {
	if u.deterministic {
		return nil
	}
	if d.clockSpeed == 0 {
		if d.clockSpeed, err = d.settleClockSpeed(d.ctx); err != nil {
			return err
		}
		d.registry.setClockSpeed(d.clockSpeed)
	}
	u.sent.Speed = d.clockSpeed
	return nil
}

// recall takes the answer to a unit from an earlier life.
func (d *session) takePastAnswer(u *unit, known *pastAnswer) error {
	result := &selfplay.Result{}
	if err := json.Unmarshal(known.Result, result); err != nil {
		return fmt.Errorf("cluster: the ledger's unit %s: %w", u.id, err)
	}
	if d.registry.whyRefused(known.Worker) != "" && !known.counted {
		return d.publish(u)
	}
	u.worker, u.sum, u.result = known.Worker, known.Sum, result
	if known.counted {
		d.unanswered--
		d.deliver(u)
		return nil
	}
	return d.accept(u)
}

// publish puts a unit into the queue.
func (d *session) publish(u *unit) error {
	u.published, u.overtaken = time.Now(), time.Time{}
	return d.queue.publish(&u.sent)
}

// accept takes a unit's answer, which is in the ledger: it counts now, or after the
// check of its batch.
func (d *session) accept(u *unit) error {
	u.state = pending
	d.unanswered--
	if d.pending.size == 0 || !u.replayable || u.worker == coordinatorItself {
		return d.count([]*unit{u})
	}
	picked := d.pending.add(u.worker, u)
	if u.result.Fault != "" { // our players do not fail: nobody is believed that they did
		d.pending.await(u)
		d.referee.request(u)
	} else if picked {
		if err := d.requestReplay(u); err != nil {
			return err
		}
	}
	return d.count(d.pending.release(u.batch))
}

// believe counts answers.
func (d *session) count(units []*unit) error {
	if len(units) == 0 {
		return nil
	}
	x := &line{}
	for _, u := range units {
		x.Counts = append(x.Counts, u.id)
		d.deliver(u)
	}
	return d.ledger.write(x)
}

// remembered units are compared with what comes late.
const recentKept = 4096

// handOn hands a unit's result to the series.
func (d *session) deliver(u *unit) {
	u.state = counted
	r := *u.result
	r.Players = u.job.Players // the workers' lie elsewhere
	d.results = append(d.results, r)
	u.result = nil
	d.uncounted--
	d.recent = append(d.recent, u)
	for len(d.recent) > recentKept {
		delete(d.units, d.recent[0].id)
		d.recent = d.recent[1:]
	}
}
