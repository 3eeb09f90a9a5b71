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
	checks  map[*unit]bool   // that are being played again by workers
	waiting int              // units without an answer
	left    int              // units that are not counted
	out     []selfplay.Result
	lost    []string // ids of units that were not published
	fed     time.Time
	saved   time.Time
}

// unit is a job and what became of it.
type unit struct {
	id        string
	job       selfplay.Job // as it was asked for
	sent      Unit         // as workers see it
	checkable bool         // it is the same whoever plays it

	state     state
	from, sum string // whose answer it is
	result    *selfplay.Result
	batch     *batch
	rivals    map[string]string // other workers' checksums, where they differ
	published time.Time
	failed    int // times that a worker could not play it
}

type state int

const (
	asked   state = iota // in the queue
	held                 // answered, in escrow
	counted              // answered, and handed on
)

// pace is how often the desk looks around.
const pace = 25 * time.Millisecond

func newDesk(ctx context.Context, c *Coordinator) *desk {
	return &desk{Coordinator: c, ctx: ctx, escrow: newEscrow(c.Share), units: map[string]*unit{}, checks: map[*unit]bool{}}
}

// loop takes jobs and answers until every job is answered, or ctx ends.
func (d *desk) loop(jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
	tick := time.NewTicker(pace)
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
	u := &unit{job: job, checkable: true}
	u.sent = Unit{Protocol: Protocol, Job: job}
	for side, spec := range job.Players {
		p, err := d.players.portable(d.ctx, spec)
		if err != nil {
			return err
		}
		u.sent.Job.Players[side], u.sent.Proofs[side], u.sent.Programs[side] = p.spec, p.proof, p.program
		u.checkable = u.checkable && !roster.Foreign(spec) && job.Limits[side].Deterministic()
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
	return d.publish(u, "")
}

// recall takes the answer to a unit from an earlier life.
func (d *desk) recall(u *unit, known *remembered) error {
	result := &selfplay.Result{}
	if err := json.Unmarshal(known.Result, result); err != nil {
		return fmt.Errorf("cluster: the ledger's unit %s: %w", u.id, err)
	}
	if d.roll.barred(known.Worker) != "" && !known.counts {
		return d.publish(u, "")
	}
	u.from, u.sum, u.result = known.Worker, known.Sum, result
	if known.counts {
		d.waiting--
		d.handOn(u)
		return nil
	}
	return d.accept(u)
}

// publish puts a unit into the queue: for anyone, or as the check of a worker's answer
// for anyone else.
func (d *desk) publish(u *unit, not string) error {
	u.published = time.Now()
	u.sent.Not = not
	return d.room.publish(&u.sent)
}

// accept takes a unit's answer, which is in the ledger: it counts now, or after the
// check of its batch.
func (d *desk) accept(u *unit) error {
	u.state = held
	d.waiting--
	if d.escrow.size == 0 || !u.checkable {
		return d.believe([]*unit{u})
	}
	if check := d.escrow.add(u.from, u); check != nil {
		if err := d.check(check); err != nil {
			return err
		}
	}
	if u.result.Fault != "" {
		d.judge.ask(u) // our players do not fail: nobody is believed that they did
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

// check has a unit played again, by another worker if there is one.
func (d *desk) check(u *unit) error {
	if !d.roll.others(u.from) {
		d.judge.ask(u)
		return nil
	}
	d.checks[u] = true
	return d.publish(u, u.from)
}

// passed notes that somebody else found the same as a unit's worker.
func (d *desk) passed(u *unit) error {
	delete(d.checks, u)
	if u.batch == nil || u.batch.check != u {
		return nil
	}
	d.roll.checked(u.from)
	d.escrow.pass(u)
	return d.believe(d.escrow.release(u.batch))
}
