package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay"
)

// atOnce bounds the answers that are written together.
const atOnce = 1024

// maxFailures is how often a unit may turn out to be unplayable, or, where the coordinator
// cannot play it, to how many workers; and how many units in a row may be so for one worker.
const maxFailures = 3

// receive takes the answers that are there. They are in the ledger, on disk, before
// their workers hear that they are.
func (d *desk) receive(m *nats.Msg) error {
	messages := []*nats.Msg{m}
	for len(messages) < atOnce && len(d.answers) > 0 {
		messages = append(messages, <-d.answers)
	}
	replies := make([]Reply, len(messages))
	var fresh []*unit
	for i, m := range messages {
		u, reply, err := d.open(m)
		if err != nil {
			return err
		}
		if u != nil {
			fresh = append(fresh, u)
		}
		replies[i] = reply
	}
	if err := d.ledger.sync(); err != nil {
		return err
	}
	for i, m := range messages {
		data, err := json.Marshal(&replies[i])
		if err != nil {
			return err
		}
		if m.Reply != "" {
			_ = m.Respond(data) // a worker that does not hear it sends the answer again
		}
	}
	for _, u := range fresh {
		if u.state == asked && u.result != nil { // its worker may have been condemned meanwhile
			if err := d.accept(u); err != nil {
				return err
			}
		}
	}
	return nil
}

// open looks at an answer and writes it into the ledger if it is the first to its unit,
// which it then returns.
func (d *desk) open(m *nats.Msg) (*unit, Reply, error) {
	worker, ok := sender(m, answerSubject(d.run, ""))
	if !ok {
		m.Reply = ""
		return nil, Reply{}, nil
	}
	if why := d.roll.barred(worker); why != "" {
		return nil, Reply{Refused: why}, nil
	}
	var a Answer
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return nil, Reply{}, d.refuse(worker, "it sent what is no answer: "+err.Error())
	}
	u := d.units[a.Unit]
	if u == nil {
		return nil, Reply{Kept: true}, nil // of a series that ended
	}
	if a.Failed != "" {
		return nil, Reply{Kept: true}, d.unplayable(u, worker, bounded(a.Failed, maxWhy))
	}
	result := &selfplay.Result{}
	if err := json.Unmarshal(a.Result, result); err != nil {
		return nil, Reply{}, d.refuse(worker, "it sent what is no result: "+err.Error())
	}
	sum, err := Checksum(result)
	if err != nil {
		return nil, Reply{}, err
	}
	if sum != a.Sum {
		return nil, Reply{Again: "its checksum is wrong: it was damaged on its way"}, nil
	}
	if err := result.Verify(&u.job); err != nil {
		return nil, Reply{Refused: "made up"}, d.refuse(worker, "its answer is no result of its unit: "+err.Error())
	}
	if u.state != asked || u.result != nil {
		reply, err := d.compare(u, worker, sum, a.Check)
		return nil, reply, err
	}
	result.Players = u.sent.Job.Players
	data, err := json.Marshal(result) // and not what came: it may be long, and say more than a result does
	if err != nil {
		return nil, Reply{}, err
	}
	u.from, u.sum, u.result = worker, sum, result
	if u.published.After(d.reached) {
		d.reached = u.published
	}
	d.pace.add(result, time.Since(u.published))
	d.roll.answered(worker, result)
	return u, Reply{Kept: true}, d.ledger.write(&line{Unit: u.id, Worker: worker, Sum: sum, Result: data})
}

// unplayable notes that a worker could not play a unit. What fails again and again the
// coordinator plays itself: then either the workers are at fault, or the unit, and the run
// ends. A game with a clock it cannot play for them: at fault is what several cannot play.
func (d *desk) unplayable(u *unit, worker, why string) error {
	d.roll.failed(worker, u.job.Number, why)
	if d.checks[u].worker == worker {
		d.judgeCheck(u)
		return nil
	}
	if u.state != asked {
		return nil
	}
	u.failed++
	if !slices.Contains(u.failedBy, worker) {
		u.failedBy = append(u.failedBy, worker)
	}
	switch {
	case u.fixed && u.failed >= maxFailures:
		d.judge.ask(u)
	case !u.fixed && len(u.failedBy) >= maxFailures:
		return fmt.Errorf("cluster: game %d could not be played by %d workers, at last %s: %s", u.job.Number, len(u.failedBy), worker, why)
	}
	return nil
}

// compare takes one more answer to a unit that has one: the check that was asked for, or
// that of a worker who was late. Only who was asked passes a check: anybody else may be a
// friend of whom it is about.
func (d *desk) compare(u *unit, worker, sum string, check bool) (Reply, error) {
	if !check {
		d.roll.late(worker)
	}
	switch {
	case !u.checkable:
	case sum != u.sum:
		return d.dispute(u, worker, sum), nil
	case d.checks[u].worker == worker:
		return Reply{Kept: true}, d.passed(u)
	}
	return Reply{Kept: true}, nil
}

// dispute has the coordinator play a unit to which a worker has another answer than the
// first. A worker has one dispute at a time, or one that lies would keep the coordinator
// busy for long after it is found out.
func (d *desk) dispute(u *unit, worker, sum string) Reply {
	if other := d.disputes[worker]; other != nil && other != u {
		return Reply{Again: fmt.Sprintf("its answer to game %d is being looked into", other.job.Number)}
	}
	d.disputes[worker] = u
	if u.rivals == nil {
		u.rivals = map[string]string{}
	}
	u.rivals[worker] = sum
	d.judge.ask(u)
	return Reply{Kept: true}
}

// hear takes what the coordinator itself made of a unit: whoever says otherwise is wrong.
func (d *desk) hear(v verdict) error {
	for worker := range v.unit.rivals {
		delete(d.disputes, worker)
	}
	u := d.units[v.unit.id]
	if u != v.unit {
		return nil // of a series that ended
	}
	if v.err != nil {
		return fmt.Errorf("cluster: game %d, played by the coordinator itself: %w", u.job.Number, v.err)
	}
	for worker, sum := range u.rivals {
		if sum != v.sum {
			if err := d.refuse(worker, fmt.Sprintf("it played game %d otherwise than the coordinator", u.job.Number)); err != nil {
				return err
			}
		}
	}
	u.rivals = nil
	switch {
	case u.state == asked:
		return d.answerOwn(u, v.result)
	case !u.checkable:
		return nil // a worker was faster, and its game need not be the same
	case u.sum == v.sum:
		return d.passed(u)
	case u.state == counted:
		d.Tell(fmt.Sprintf("warning: game %d, which worker %s played and which counts, is wrong: its batch passed a check of another game", u.job.Number, u.from))
	}
	return d.refuse(u.from, fmt.Sprintf("it played game %d otherwise than the coordinator", u.job.Number))
}

// own stands for the coordinator where a worker is named.
const own = ""

// answerOwn takes what the coordinator played itself as a unit's answer.
func (d *desk) answerOwn(u *unit, r *selfplay.Result) error {
	r.Players = u.sent.Job.Players
	sum, err := Checksum(r)
	if err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	u.from, u.sum, u.result = own, sum, r
	if err := d.ledger.write(&line{Unit: u.id, Sum: sum, Result: data}); err != nil {
		return err
	}
	return d.accept(u)
}

// refuse gives a worker no more units, and its work that is not passed to others.
func (d *desk) refuse(worker, why string) error {
	if worker == own {
		return fmt.Errorf("cluster: %s: does the coordinator's machine compute wrongly?", why)
	}
	if d.roll.barred(worker) != "" {
		return nil
	}
	why = bounded(why, maxWhy)
	d.roll.ban(worker, why)
	if err := d.ledger.write(&line{Worker: worker, Banned: why}); err != nil {
		return err
	}
	void := &line{}
	for _, u := range d.escrow.seize(worker) {
		void.Void = append(void.Void, u.id)
		if err := d.again(u); err != nil {
			return err
		}
	}
	for _, u := range d.units { // answers of this very moment are not in escrow yet
		if u.state == asked && u.result != nil && u.from == worker {
			void.Void = append(void.Void, u.id)
			u.from, u.sum, u.result = "", "", nil
			if err := d.publish(u); err != nil {
				return err
			}
		}
	}
	d.Tell(fmt.Sprintf("worker %s gets no more games: %s; %d of its games are played again", worker, why, len(void.Void)))
	d.bar(worker)
	if len(void.Void) == 0 {
		return d.ledger.sync()
	}
	if err := d.ledger.write(void); err != nil {
		return err
	}
	return d.ledger.sync()
}

// again has a unit played as if nobody had answered it.
func (d *desk) again(u *unit) error {
	delete(d.checks, u)
	if len(u.rivals) == 0 {
		d.judge.drop(u) // what he was asked for was the answer that is void now
	}
	u.state, u.from, u.sum, u.result = asked, "", "", nil
	d.waiting++
	return d.publish(u)
}
