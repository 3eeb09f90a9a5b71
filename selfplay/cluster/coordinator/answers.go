package coordinator

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// atOnce bounds the answers that are written together.
const maxAnswers = 1024

// maxFailures is how often a unit may turn out to be unplayable, or, where the coordinator
// cannot play it, to how many workers; and how many units in a row may be so for one worker.
const maxFailures = 3

// receive takes the answers that are there. They are in the ledger, on disk, before
// their workers hear that they are.
func (d *session) receive(m *nats.Msg) error {
	messages := []*nats.Msg{m}
	for len(messages) < maxAnswers && len(d.answers) > 0 {
		messages = append(messages, <-d.answers)
	}
	replies := make([]wire.Reply, len(messages))
	var fresh []*unit
	for i, m := range messages {
		u, reply, err := d.readAnswer(m)
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
		if u.state == unanswered && u.result != nil { // its worker may have been condemned meanwhile
			if err := d.accept(u); err != nil {
				return err
			}
		}
	}
	return nil
}

// open looks at an answer and writes it into the ledger if it is the first to its unit,
// which it then returns.
func (d *session) readAnswer(m *nats.Msg) (*unit, wire.Reply, error) {
	worker, ok := wire.Sender(m, wire.AnswerSubject(d.run, ""))
	if !ok {
		m.Reply = ""
		return nil, wire.Reply{}, nil
	}
	if why := d.registry.whyRefused(worker); why != "" {
		return nil, wire.Reply{Refused: why}, nil
	}
	var a wire.Answer
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return nil, wire.Reply{}, d.banFor(worker, "it sent what is no answer: "+err.Error())
	}
	u := d.units[a.Unit]
	if u == nil {
		return nil, wire.Reply{Kept: true}, nil // of a series that ended
	}
	if a.Failed != "" {
		return nil, wire.Reply{Kept: true}, d.unitFailed(u, worker, sanitize(a.Failed, maxReason))
	}
	result := &selfplay.Result{}
	if err := json.Unmarshal(a.Result, result); err != nil {
		return nil, wire.Reply{}, d.banFor(worker, "it sent what is no result: "+err.Error())
	}
	sum, err := wire.Checksum(result)
	if err != nil {
		return nil, wire.Reply{}, err
	}
	if sum != a.Sum {
		return nil, wire.Reply{Again: "its checksum is wrong: it was damaged on its way"}, nil
	}
	if err := result.Verify(&u.job); err != nil {
		return nil, wire.Reply{Refused: "made up"}, d.banFor(worker, "its answer is no result of its unit: "+err.Error())
	}
	if u.state != unanswered || u.result != nil {
		reply, err := d.compare(u, worker, sum, a.Replay)
		return nil, reply, err
	}
	result.Players = u.sent.Job.Players
	data, err := json.Marshal(result) // and not what came: it may be long, and say more than a result does
	if err != nil {
		return nil, wire.Reply{}, err
	}
	u.worker, u.sum, u.result = worker, sum, result
	if u.published.After(d.newestAnswered) {
		d.newestAnswered = u.published
	}
	d.gameTime.add(result, time.Since(u.published))
	d.registry.answered(worker, result)
	return u, wire.Reply{Kept: true}, d.ledger.write(&line{Unit: u.id, Worker: worker, Sum: sum, Result: data})
}

// unplayable notes that a worker could not play a unit. What fails again and again the
// coordinator plays itself: then either the workers are at fault, or the unit, and the run
// ends. A game with a clock it cannot play for them: at fault is what several cannot play.
func (d *session) unitFailed(u *unit, worker, why string) error {
	d.registry.failed(worker, u.job.Number, why)
	if d.replays[u].worker == worker {
		d.replayHere(u)
		return nil
	}
	if u.state != unanswered {
		return nil
	}
	u.failures++
	if !slices.Contains(u.failedBy, worker) {
		u.failedBy = append(u.failedBy, worker)
	}
	switch {
	case u.deterministic && u.failures >= maxFailures:
		d.referee.request(u)
	case !u.deterministic && len(u.failedBy) >= maxFailures:
		return fmt.Errorf("cluster: game %d could not be played by %d workers, at last %s: %s", u.job.Number, len(u.failedBy), worker, why)
	}
	return nil
}

// compare takes one more answer to a unit that has one: the check that was asked for, or
// that of a worker who was late. Only who was asked passes a check: anybody else may be a
// friend of whom it is about.
func (d *session) compare(u *unit, worker, sum string, check bool) (wire.Reply, error) {
	if !check {
		d.registry.answeredLate(worker)
	}
	switch {
	case !u.replayable:
	case sum != u.sum:
		return d.dispute(u, worker, sum), nil
	case d.replays[u].worker == worker:
		return wire.Reply{Kept: true}, d.replayPassed(u)
	}
	return wire.Reply{Kept: true}, nil
}

// dispute has the coordinator play a unit to which a worker has another answer than the
// first. A worker has one dispute at a time, or one that lies would keep the coordinator
// busy for long after it is found out.
func (d *session) dispute(u *unit, worker, sum string) wire.Reply {
	if other := d.disputes[worker]; other != nil && other != u {
		return wire.Reply{Again: fmt.Sprintf("its answer to game %d is being looked into", other.job.Number)}
	}
	d.disputes[worker] = u
	if u.disputes == nil {
		u.disputes = map[string]string{}
	}
	u.disputes[worker] = sum
	d.referee.request(u)
	return wire.Reply{Kept: true}
}

// hear takes what the coordinator itself made of a unit: whoever says otherwise is wrong.
func (d *session) takeVerdict(v verdict) error {
	for worker := range v.unit.disputes {
		delete(d.disputes, worker)
	}
	u := d.units[v.unit.id]
	if u != v.unit {
		return nil // of a series that ended
	}
	if v.err != nil {
		return fmt.Errorf("cluster: game %d, played by the coordinator itself: %w", u.job.Number, v.err)
	}
	for worker, sum := range u.disputes {
		if sum != v.sum {
			if err := d.banFor(worker, fmt.Sprintf("it played game %d otherwise than the coordinator", u.job.Number)); err != nil {
				return err
			}
		}
	}
	u.disputes = nil
	switch {
	case u.state == unanswered:
		return d.answerOwn(u, v.result)
	case !u.replayable:
		return nil // a worker was faster, and its game need not be the same
	case u.sum == v.sum:
		return d.replayPassed(u)
	case u.state == counted:
		d.Log(fmt.Sprintf("warning: game %d, which worker %s played and which counts, is wrong: its batch passed a check of another game", u.job.Number, u.worker))
	}
	return d.banFor(u.worker, fmt.Sprintf("it played game %d otherwise than the coordinator", u.job.Number))
}

// own stands for the coordinator where a worker is named.
const coordinatorItself = ""

// answerOwn takes what the coordinator played itself as a unit's answer.
func (d *session) answerOwn(u *unit, r *selfplay.Result) error {
	r.Players = u.sent.Job.Players
	sum, err := wire.Checksum(r)
	if err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	u.worker, u.sum, u.result = coordinatorItself, sum, r
	if err := d.ledger.write(&line{Unit: u.id, Sum: sum, Result: data}); err != nil {
		return err
	}
	return d.accept(u)
}

// refuse gives a worker no more units, and its work that is not passed to others.
func (d *session) banFor(worker, why string) error {
	if worker == coordinatorItself {
		return fmt.Errorf("cluster: %s: does the coordinator's machine compute wrongly?", why)
	}
	if d.registry.whyRefused(worker) != "" {
		return nil
	}
	why = sanitize(why, maxReason)
	d.registry.ban(worker, why)
	if err := d.ledger.write(&line{Worker: worker, Banned: why}); err != nil {
		return err
	}
	void := &line{}
	for _, u := range d.pending.discard(worker) {
		void.Void = append(void.Void, u.id)
		if err := d.reset(u); err != nil {
			return err
		}
	}
	for _, u := range d.units { // answers of this very moment are not in escrow yet
		if u.state == unanswered && u.result != nil && u.worker == worker {
			void.Void = append(void.Void, u.id)
			u.worker, u.sum, u.result = "", "", nil
			if err := d.publish(u); err != nil {
				return err
			}
		}
	}
	d.Log(fmt.Sprintf("worker %s gets no more games: %s; %d of its games are played again", worker, why, len(void.Void)))
	d.banWorker(worker)
	if len(void.Void) == 0 {
		return d.ledger.sync()
	}
	if err := d.ledger.write(void); err != nil {
		return err
	}
	return d.ledger.sync()
}

// again has a unit played as if nobody had answered it.
func (d *session) reset(u *unit) error {
	delete(d.replays, u)
	if len(u.disputes) == 0 {
		d.referee.cancel(u) // what he was asked for was the answer that is void now
	}
	u.state, u.worker, u.sum, u.result = unanswered, "", "", nil
	d.unanswered++
	return d.publish(u)
}
