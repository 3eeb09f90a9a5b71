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

// maxAnswers bounds the answers that are put on disk together.
const maxAnswers = 1024

// maxFailures is how often workers may fail to play a unit before the coordinator plays it;
// how many workers may fail to play a unit that the coordinator cannot play for them; and
// how many units in a row one worker may fail to play.
const maxFailures = 3

// receive takes all answers that have arrived. They are on disk, in the ledger, before their
// workers get a reply.
func (s *session) receive(m *nats.Msg) error {
	messages := []*nats.Msg{m}
	for len(messages) < maxAnswers && len(s.answers) > 0 {
		messages = append(messages, <-s.answers)
	}
	replies := make([]wire.Reply, len(messages))
	var fresh []*unit
	for i, m := range messages {
		u, reply, err := s.readAnswer(m)
		if err != nil {
			return err
		}
		if u != nil {
			fresh = append(fresh, u)
		}
		replies[i] = reply
	}
	if err := s.ledger.sync(); err != nil {
		return err
	}
	for i, m := range messages {
		if m.Reply != "" {
			respond(m, &replies[i])
		}
	}
	for _, u := range fresh {
		if u.state == received { // its worker may have been banned meanwhile
			if err := s.accept(u); err != nil {
				return err
			}
		}
	}
	s.out.handOut()
	return nil
}

// respond replies to a worker. If the reply is lost, the worker asks or answers again.
func respond(m *nats.Msg, reply any) {
	if data, err := json.Marshal(reply); err == nil {
		_ = m.Respond(data)
	}
}

// readAnswer verifies an answer, and writes it into the ledger and returns the unit if it is
// the unit's first answer.
func (s *session) readAnswer(m *nats.Msg) (*unit, wire.Reply, error) {
	worker, ok := wire.Sender(m, wire.AnswerSubject(s.run, ""))
	if !ok {
		s.registry.foreignReply(worker, m.Reply)
		m.Reply = ""
		return nil, wire.Reply{}, nil
	}
	if why := s.registry.whyRefused(worker); why != "" {
		return nil, wire.Reply{Refused: why}, nil
	}
	var a wire.Answer
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return nil, wire.Reply{}, s.banFor(worker, "it sent a malformed answer: "+err.Error())
	}
	u := s.units[a.Unit]
	if u == nil {
		s.out.room(worker)
		return nil, wire.Reply{Kept: true}, nil // of a series that is over
	}
	if a.Returned != "" || a.Failed != "" {
		return nil, wire.Reply{Kept: true}, s.notPlayed(u, worker, &a)
	}
	result := &selfplay.Result{}
	if err := json.Unmarshal(a.Result, result); err != nil {
		return nil, wire.Reply{}, s.banFor(worker, "it sent a malformed result: "+err.Error())
	}
	sum, err := wire.Checksum(result)
	if err != nil {
		return nil, wire.Reply{}, err
	}
	if sum != a.Sum {
		return nil, wire.Reply{Again: "its checksum is wrong: it was damaged on the way"}, nil
	}
	if err := result.Verify(&u.job); err != nil {
		return nil, wire.Reply{Refused: "the result is impossible"},
			s.banFor(worker, "it sent an impossible result: "+err.Error())
	}
	s.out.freed(u, worker)
	if u.state != unanswered {
		reply, err := s.compare(u, worker, sum, a.Replay)
		return nil, reply, err
	}
	u.state = received
	if err := s.record(u, worker, sum, result); err != nil {
		return nil, wire.Reply{}, err
	}
	s.ended(result, timeOf(result, u.firstSent))
	s.registry.answered(worker, result)
	return u, wire.Reply{Kept: true}, nil
}

// timeOf returns what a game took by its clocks, within what is possible since it was sent.
func timeOf(r *selfplay.Result, sent time.Time) time.Duration {
	most := time.Since(sent)
	return min(max(0, min(r.Time[0], most))+max(0, min(r.Time[1], most)), most)
}

// record writes the first answer to a unit into the ledger. It writes the result and not the
// bytes that came: they may be long, and hold more than a result.
func (s *session) record(u *unit, worker, sum string, r *selfplay.Result) error {
	r.Players = u.sent.Job.PlayerTexts()
	u.worker, u.sum, u.result = worker, sum, r
	x, err := u.line()
	if err != nil {
		return err
	}
	return s.ledger.write(x)
}

// line returns the ledger's line of an answer.
func (u *unit) line() (*line, error) {
	data, err := json.Marshal(u.result)
	return &line{Unit: u.id, Worker: u.worker, Sum: u.sum, Result: data}, err
}

// notPlayed handles an answer that says why a worker did not play a unit.
func (s *session) notPlayed(u *unit, worker string, a *wire.Answer) error {
	s.out.freed(u, worker)
	defer s.takeBack(u)
	switch {
	case a.Returned != "":
		why := sanitize(a.Returned, maxReason)
		s.registry.note(worker, fmt.Sprintf("worker %s gives game %d back: %s", worker, u.job.Number, why))
	default:
		return s.unitFailed(u, worker, sanitize(a.Failed, maxReason))
	}
	return nil
}

// unitFailed notes that a worker could not play a unit. After several failures the
// coordinator plays the unit itself; if it fails too, the unit is at fault and the run ends.
// The coordinator cannot play games by the clock for workers: they are at fault if several
// workers cannot play them.
func (s *session) unitFailed(u *unit, worker, why string) error {
	s.registry.failed(worker, u.job.Number, why)
	if s.replays[u].worker == worker {
		s.replayHere(u)
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
		s.referee.request(u)
	case !u.deterministic && len(u.failedBy) >= maxFailures:
		return fmt.Errorf("cluster: %d workers could not play game %d; the last error, of %s: %s; "+
			"fix the cause and start the run again", len(u.failedBy), u.job.Number, worker, why)
	}
	return nil
}

// compare handles another answer to a unit that has one: the replay that was asked for, or
// the answer of a worker that was late. Only the worker that was asked confirms the first
// answer: any other may be in league with the worker that gave it.
func (s *session) compare(u *unit, worker, sum string, replay bool) (wire.Reply, error) {
	if !replay {
		s.registry.answeredLate(worker)
	}
	switch {
	case !u.replayable:
	case sum != u.sum:
		return s.dispute(u, worker, sum), nil
	case s.replays[u].worker == worker:
		return wire.Reply{Kept: true}, s.replayPassed(u)
	}
	return wire.Reply{Kept: true}, nil
}

// dispute handles an answer that differs from the first: the coordinator plays the unit
// itself. A worker has one dispute at a time, so that one that lies does not keep the
// coordinator busy for long after it is found out.
func (s *session) dispute(u *unit, worker, sum string) wire.Reply {
	if other := s.disputes[worker]; other != nil && other != u {
		return wire.Reply{Again: fmt.Sprintf("the coordinator is replaying game %d, which it disputes",
			other.job.Number)}
	}
	s.disputes[worker] = u
	if u.disputes == nil {
		u.disputes = map[string]string{}
	}
	u.disputes[worker] = sum
	s.referee.request(u)
	return wire.Reply{Kept: true}
}

// takeVerdict handles the coordinator's own result of a unit: a worker that differs is wrong.
func (s *session) takeVerdict(v verdict) error {
	for worker := range v.unit.disputes {
		delete(s.disputes, worker)
	}
	u := s.units[v.unit.id]
	if u != v.unit {
		return nil // of a series that is over
	}
	if v.err != nil {
		return fmt.Errorf("cluster: game %d, which workers could not settle, failed on the coordinator too: %w",
			u.job.Number, v.err)
	}
	differs := fmt.Sprintf("its game %d differs from the coordinator's", u.job.Number)
	for worker, sum := range u.disputes {
		if sum != v.sum {
			if err := s.banFor(worker, differs); err != nil {
				return err
			}
		}
	}
	u.disputes = nil
	switch {
	case u.state == unanswered:
		if err := s.record(u, coordinatorItself, v.sum, v.result); err != nil {
			return err
		}
		return s.accept(u)
	case !u.replayable:
		return nil // a worker was faster, and its game need not be equal
	case u.sum == v.sum:
		return s.replayPassed(u)
	case u.state == counted:
		s.Log(fmt.Sprintf("warning: game %d, played by worker %s, is wrong but already counted, "+
			"because the replay of another game confirmed its batch", u.job.Number, u.worker))
	}
	return s.banFor(u.worker, differs)
}

// coordinatorItself is the worker of units that the coordinator played.
const coordinatorItself = ""

// banFor gives a worker no more units, and its unconfirmed units to others.
func (s *session) banFor(worker, why string) error {
	if worker == coordinatorItself {
		return fmt.Errorf("cluster: %s: two runs of the same game differ on the coordinator's "+
			"machine; check its hardware", why)
	}
	if s.registry.whyRefused(worker) != "" {
		return nil
	}
	why = sanitize(why, maxReason)
	s.registry.ban(worker, why)
	s.Ban(worker)
	return s.voidAnswers(worker, why)
}

// voidAnswers has the unconfirmed answers of a banned worker played again.
func (s *session) voidAnswers(worker, why string) error {
	s.out.takeAll(worker)
	if err := s.ledger.write(&line{Worker: worker, Banned: why}); err != nil {
		return err
	}
	void := &line{}
	for _, u := range s.pending.discard(worker) {
		void.Void = append(void.Void, u.id)
		s.reset(u)
	}
	for _, u := range s.units { // answers that are being received are not in a batch yet
		if u.state == received && u.worker == worker {
			void.Void = append(void.Void, u.id)
			u.state, u.worker, u.sum, u.result = unanswered, "", "", nil
			s.takeBack(u)
		}
	}
	s.Log(fmt.Sprintf("worker %s is banned: %s; %d of its games are played again", worker, why, len(void.Void)))
	if len(void.Void) > 0 {
		if err := s.ledger.write(void); err != nil {
			return err
		}
	}
	return s.ledger.sync()
}

// reset has a unit played again as if it had no answer.
func (s *session) reset(u *unit) {
	delete(s.replays, u)
	if len(u.disputes) == 0 {
		s.referee.cancel(u) // it was asked about the answer that is now void
	}
	u.state, u.worker, u.sum, u.result = unanswered, "", "", nil
	s.unanswered++
	u.firstSent = time.Time{}
	s.takeBack(u)
}

// takeBack has a unit without an answer wait for a worker, unless one has it.
func (s *session) takeBack(u *unit) {
	if u.state == unanswered && u.holder == "" {
		s.out.enqueue(u)
	}
}
