package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
)

// desk is one series of jobs on its way through a coordinator. All of it is done by one
// goroutine.
type desk struct {
	*Coordinator
	ctx     context.Context
	escrow  *escrow
	units   map[string]*unit // that are wanted, and those that were counted lately
	counted []*unit          // the latter, oldest first
	checks  map[*unit]errand // that are being played again by workers

	disputes map[string]*unit // by worker: what it answered otherwise than the first, and the judge plays

	waiting int // units without an answer
	left    int // units that are not counted
	out     []selfplay.Result
	lost    []string  // ids of units that were not published
	pace    tempo     // of games
	reached time.Time // when the youngest unit that is answered was published
	fed     time.Time
	emptied time.Time // when the last unit that the queue holds was leased; zero: it holds others
	seen    time.Time // when the desk last looked after what does not come by itself
	saved   time.Time // when it last saved the roster
}

// unit is a job and what became of it.
type unit struct {
	id        string
	job       selfplay.Job // as it was asked for
	sent      Unit         // as workers see it
	fixed     bool         // no clock: the coordinator may play it as well as a worker
	checkable bool         // it is the same whoever plays it

	state     state
	from, sum string // whose answer it is
	result    *selfplay.Result
	batch     *batch
	rivals    map[string]string // other workers' checksums, where they differ
	published time.Time
	passed    time.Time // when it was found that younger ones are answered
	failed    int       // times that a worker could not play it
	failedBy  []string  // the workers
}

type state int

const (
	asked   state = iota // in the queue
	held                 // answered, in escrow
	counted              // answered, and handed on
)

// glimpse is how often the desk looks around.
const glimpse = 25 * time.Millisecond

func newDesk(ctx context.Context, c *Coordinator) *desk {
	return &desk{Coordinator: c, ctx: ctx, escrow: newEscrow(c.Share), units: map[string]*unit{}, checks: map[*unit]errand{}, disputes: map[string]*unit{}}
}

// loop takes jobs and answers until every job is answered, or ctx ends.
func (d *desk) loop(jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
	tick := time.NewTicker(glimpse)
	defer tick.Stop()
	for jobs != nil || d.left > 0 || len(d.out) > 0 {
		var send chan<- selfplay.Result
		var first selfplay.Result
		if len(d.out) > 0 {
			send, first = results, d.out[0]
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
			err = d.take(job)
		case send <- first:
			d.out = d.out[1:]
		case m := <-d.answers:
			err = d.receive(m)
		case v := <-d.judge.verdicts:
			err = d.hear(v)
		case id := <-d.room.lost:
			d.lost = append(d.lost, id)
		case n := <-d.queued:
			err = d.count(n)
		case <-tick.C:
			err = d.look()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take takes a job. One that was answered in an earlier life is not played again.
func (d *desk) take(job selfplay.Job) error {
	d.fed = time.Now()
	u := &unit{job: job, fixed: true, checkable: true}
	u.sent = Unit{Protocol: Protocol, Job: job}
	for side, spec := range job.Players {
		p, err := d.players.portable(d.ctx, spec)
		if err != nil {
			return err
		}
		u.sent.Job.Players[side], u.sent.Proofs[side], u.sent.Programs[side] = p.spec, p.proof, p.program
		u.fixed = u.fixed && job.Limits[side].Deterministic()
		u.checkable = u.checkable && u.fixed && !roster.Foreign(spec)
	}
	if err := d.timed(u); err != nil {
		return err
	}
	var err error
	if u.id, err = digest(&u.sent.Job); err != nil {
		return err
	}
	u.sent.ID = u.id
	if d.units[u.id] != nil {
		return fmt.Errorf("cluster: job %d came twice", job.Number)
	}
	d.units[u.id] = u
	d.left++
	d.waiting++
	if known := d.memory.answers[u.id]; known != nil {
		delete(d.memory.answers, u.id)
		return d.recall(u, known)
	}
	return d.publish(u)
}

// timed notes what speed the clocks of a unit are meant for, if it has any.
func (d *desk) timed(u *unit) (err error) {
	if u.fixed {
		return nil
	}
	if d.speed == 0 {
		if d.speed, err = d.clockSpeed(d.ctx); err != nil {
			return err
		}
		d.roll.meant(d.speed)
	}
	u.sent.Speed = d.speed
	return nil
}

// recall takes the answer to a unit from an earlier life.
func (d *desk) recall(u *unit, known *remembered) error {
	result := &selfplay.Result{}
	if err := json.Unmarshal(known.Result, result); err != nil {
		return fmt.Errorf("cluster: the ledger's unit %s: %w", u.id, err)
	}
	if d.roll.barred(known.Worker) != "" && !known.counts {
		return d.publish(u)
	}
	u.from, u.sum, u.result = known.Worker, known.Sum, result
	if known.counts {
		d.waiting--
		d.handOn(u)
		return nil
	}
	return d.accept(u)
}

// publish puts a unit into the queue.
func (d *desk) publish(u *unit) error {
	u.published, u.passed = time.Now(), time.Time{}
	return d.room.publish(&u.sent)
}

// accept takes a unit's answer, which is in the ledger: it counts now, or after the
// check of its batch.
func (d *desk) accept(u *unit) error {
	u.state = held
	d.waiting--
	if d.escrow.size == 0 || !u.checkable || u.from == own {
		return d.believe([]*unit{u})
	}
	picked := d.escrow.add(u.from, u)
	if u.result.Fault != "" { // our players do not fail: nobody is believed that they did
		d.escrow.want(u)
		d.judge.ask(u)
	} else if picked {
		if err := d.check(u); err != nil {
			return err
		}
	}
	return d.believe(d.escrow.release(u.batch))
}

// believe counts answers.
func (d *desk) believe(units []*unit) error {
	if len(units) == 0 {
		return nil
	}
	x := &line{}
	for _, u := range units {
		x.Counts = append(x.Counts, u.id)
		d.handOn(u)
	}
	return d.ledger.write(x)
}

// remembered units are compared with what comes late.
const countedKept = 4096

// handOn hands a unit's result to the series.
func (d *desk) handOn(u *unit) {
	u.state = counted
	r := *u.result
	r.Players = u.job.Players // the workers' lie elsewhere
	d.out = append(d.out, r)
	u.result = nil
	d.left--
	d.counted = append(d.counted, u)
	for len(d.counted) > countedKept {
		delete(d.units, d.counted[0].id)
		d.counted = d.counted[1:]
	}
}
