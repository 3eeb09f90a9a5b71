package coordinator

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// nowhere is a JetStream that is out of reach.
type nowhere struct{ jetstream.JetStream }

func (nowhere) PublishMsgAsync(*nats.Msg, ...jetstream.PublishOpt) (jetstream.PubAckFuture, error) {
	return nil, errors.New("out of reach")
}

// newTestDesk is a desk without a server, whose judge plays nothing, and at which the
// workers of the names are present.
func newTestDesk(t *testing.T, share float64, workers ...string) *session {
	t.Helper()
	l, _, err := openLedger(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.close() })
	config := Config{Dir: t.TempDir(), Program: "p", ReplayShare: share, Lease: time.Second, Log: func(string) {}}
	c := &Coordinator{Config: config, run: "run", registry: newRegistry(&config), ledger: l, queue: &unitQueue{js: nowhere{}}, referee: &referee{wake: make(chan struct{}, 1)}}
	for _, name := range workers {
		hello(t, c.registry, name, wire.Hello{Cores: 1})
	}
	return newSession(t.Context(), c)
}

func hello(t *testing.T, r *registry, name string, h wire.Hello) {
	t.Helper()
	h.Protocol, h.Program = wire.Protocol, "p"
	data, err := json.Marshal(&h)
	if err != nil {
		t.Fatal(err)
	}
	r.handleHello(&nats.Msg{Subject: wire.HelloSubject(name), Reply: wire.InboxPrefix(name) + ".1", Data: data})
}

// wanted adds a unit that has no answer.
func wanted(d *session, id string) *unit {
	u := &unit{id: id, job: matedJob(), deterministic: true, replayable: true}
	d.units[id] = u
	d.unanswered++
	d.uncounted++
	return u
}

// deliver gives the desk an answer, and lets it count as it may.
func deliver(t *testing.T, d *session, worker string, data []byte) wire.Reply {
	t.Helper()
	u, reply, err := d.readAnswer(&nats.Msg{Subject: wire.AnswerSubject("run", worker), Reply: wire.InboxPrefix(worker) + ".1", Data: data})
	if err == nil && u != nil {
		err = d.accept(u)
	}
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// altered is a right answer to a unit, but for what is changed in its result.
func altered(t *testing.T, id string, change func(*selfplay.Result)) []byte {
	t.Helper()
	var a wire.Answer
	r := &selfplay.Result{}
	err := json.Unmarshal(matedAnswer(t, id), &a)
	if err == nil {
		err = json.Unmarshal(a.Result, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	change(r)
	if a.Sum, err = wire.Checksum(r); err == nil {
		a.Result, err = json.Marshal(r)
	}
	data, e := json.Marshal(&a)
	if err = errors.Join(err, e); err != nil {
		t.Fatal(err)
	}
	return data
}

func failing(r *selfplay.Result) {
	r.Termination, r.Result, r.Fault = selfplay.PlayerFailed, board.BlackWins, "White: it broke"
}

// Two friends of whom one confirms whatever the other answers, without having been asked,
// pass no check by that.
func TestOnlyWhoWasAskedPassesACheck(t *testing.T) {
	d := newTestDesk(t, 1, "mallory", "anna")
	u := wanted(d, "u")
	deliver(t, d, "mallory", matedAnswer(t, "u"))
	hello(t, d.registry, "friend", wire.Hello{Cores: 1})
	deliver(t, d, "friend", matedAnswer(t, "u"))
	if u.state != pending {
		t.Fatal("the check is passed by whom nobody asked")
	}
	deliver(t, d, "anna", matedAnswer(t, "u"))
	if u.state != counted {
		t.Error("the check is not passed by whom it was sent to")
	}
}

// Who says that it has thousands of cores is not sent everybody's checks.
func TestChecksGoByWhatWorkersDo(t *testing.T) {
	d := newTestDesk(t, 1, "mallory", "anna")
	hello(t, d.registry, "friend", wire.Hello{Cores: 4096})
	n := map[string]int{}
	for range 2000 {
		n[d.registry.pickOther("mallory")]++
	}
	if n["friend"] > 1200 || n["anna"] < 800 || n["mallory"] > 0 {
		t.Errorf("of 2000 checks they get %v", n)
	}
	for range 9 {
		d.registry.answered("anna", &selfplay.Result{})
	}
	clear(n)
	for range 2000 {
		n[d.registry.pickOther("mallory")]++
	}
	if n["friend"] > 300 || n["friend"] < 80 { // one in eleven
		t.Errorf("of 2000 checks they get %v", n)
	}
}

// A player's fault counts when the coordinator found the same, though its batch passed the
// check of another unit.
func TestFaultsAreJudgedBeforeTheyCount(t *testing.T) {
	for range 20 {
		d := newTestDesk(t, 0.5, "mallory", "anna")
		good, bad := wanted(d, "good"), wanted(d, "bad")
		deliver(t, d, "mallory", matedAnswer(t, "good"))
		deliver(t, d, "mallory", altered(t, "bad", failing))
		deliver(t, d, "anna", matedAnswer(t, "good"))
		if bad.state == counted {
			t.Fatal("a fault counts that nobody looked into")
		}
		if !slices.Contains(d.referee.queue, bad) {
			t.Fatal("nobody looks into the fault")
		}
		if err := d.takeVerdict(verdict{unit: bad, sum: "another"}); err != nil || d.registry.whyRefused("mallory") == "" || good.state == counted && bad.state != unanswered {
			t.Fatalf("the verdict: %v, barred %q", err, d.registry.whyRefused("mallory"))
		}
	}
}

// A foreign engine need not play the same game twice: that the coordinator's is another
// than a worker's says nothing against the worker, or the coordinator.
func TestForeignGameThatTheCoordinatorPlaysToo(t *testing.T) {
	d := newTestDesk(t, 0.5, "anna")
	for _, own := range []bool{false, true} {
		u := wanted(d, fmt.Sprint("u", own))
		u.replayable = false
		if own {
			if err := d.answerOwn(u, &selfplay.Result{}); err != nil {
				t.Fatal(err)
			}
		} else {
			deliver(t, d, "anna", matedAnswer(t, u.id))
		}
		if err := d.takeVerdict(verdict{unit: u, sum: "another"}); err != nil || d.registry.whyRefused("anna") != "" {
			t.Errorf("%v, barred %q", err, d.registry.whyRefused("anna"))
		}
	}
}

// A worker that says again and again that it was sent no check does not keep it waiting.
func TestCheckThatAWorkerDenies(t *testing.T) {
	d := newTestDesk(t, 1, "anna", "denier")
	d.gameTime = meanGameTime{games: 1, total: 20 * time.Second}
	u := wanted(d, "u")
	deliver(t, d, "anna", matedAnswer(t, "u"))
	age := func(by time.Duration) {
		e := d.replays[u]
		e.firstSent, e.sent = e.firstSent.Add(-by), e.sent.Add(-by)
		d.replays[u] = e
	}
	for range 200 {
		age(deliveryTime + time.Second)
		hello(t, d.registry, "denier", wire.Hello{Cores: 1})
		if err := d.resendReplays(); err != nil {
			t.Fatal(err)
		}
		if d.replayLateHere(time.Now(), true); len(d.replays) == 0 {
			break
		}
	}
	if !slices.Contains(d.referee.queue, u) {
		t.Error("nobody makes the check")
	}
}

// A worker that disputes everything has the coordinator play one unit, and not thousands;
// what was asked for its sake is not played when it is found out.
func TestDisputesAreBounded(t *testing.T) {
	d := newTestDesk(t, 0, "anna", "mallory")
	var units []*unit
	for n := range 5 {
		u := wanted(d, fmt.Sprint(n))
		units = append(units, u)
		deliver(t, d, "anna", matedAnswer(t, u.id))
	}
	for _, u := range units {
		reply := deliver(t, d, "mallory", altered(t, u.id, failing))
		if first := u == units[0]; reply.Kept != first || (reply.Again != "") == first {
			t.Errorf("game %s: %+v", u.id, reply)
		}
	}
	if !slices.Equal(d.referee.queue, units[:1]) {
		t.Errorf("the judge has %d units to play", len(d.referee.queue))
	}
	if err := d.takeVerdict(verdict{unit: units[0], sum: units[0].sum}); err != nil || d.registry.whyRefused("mallory") == "" || len(d.disputes) != 0 {
		t.Errorf("%v, barred %q, disputes %v", err, d.registry.whyRefused("mallory"), d.disputes)
	}
	faulty := newTestDesk(t, 0.01, "mallory")
	for n := range 5 {
		deliver(t, faulty, "mallory", altered(t, wanted(faulty, fmt.Sprint(n)).id, failing))
	}
	first := faulty.referee.queue[0]
	faulty.referee.queue = faulty.referee.queue[1:]
	if err := faulty.takeVerdict(verdict{unit: first, sum: "another"}); err != nil || len(faulty.referee.queue) != 0 || faulty.unanswered != 5 {
		t.Errorf("%v, the judge has %d units to play, %d wait", err, len(faulty.referee.queue), faulty.unanswered)
	}
}

// However long an answer is, the run goes on, and what is kept of it is a result.
func TestLongAnswers(t *testing.T) {
	d := newTestDesk(t, 0, "anna", "mallory", "eve")
	u := wanted(d, "u")
	long := altered(t, "u", func(r *selfplay.Result) { failing(r); r.Fault = strings.Repeat("\x7f", 1<<20) })
	if deliver(t, d, "mallory", long); d.registry.whyRefused("mallory") == "" || len(d.registry.whyRefused("mallory")) > maxReason || u.result != nil {
		t.Errorf("barred for %.80q", d.registry.whyRefused("mallory"))
	}
	number := fmt.Appendf(nil, `{"unit":"u","result":{"number":1%s}}`, strings.Repeat("0", 1<<20))
	if deliver(t, d, "eve", number); d.registry.whyRefused("eve") == "" || len(d.registry.whyRefused("eve")) > maxReason {
		t.Errorf("barred for %.80q", d.registry.whyRefused("eve"))
	}
	padded := altered(t, "u", func(r *selfplay.Result) { r.Players[0] = strings.Repeat("<", 1<<20) })
	deliver(t, d, "anna", padded)
	info, err := os.Stat(d.ledger.journal.Path())
	if err != nil || u.state != counted || info.Size() > 5000 {
		t.Errorf("%v: state %v, the ledger %v", err, u.state, info)
	}
	for players := range d.registry.residuals.all {
		if players != (pairing{}) {
			t.Errorf("%.40q are compared", players)
		}
	}
}

// One worker that cannot play a game with a clock does not end the run; three do.
func TestClockGameThatCannotBePlayed(t *testing.T) {
	d := newTestDesk(t, 0, "anna", "bert", "carl")
	u := wanted(d, "u")
	u.deterministic, u.replayable = false, false
	for _, worker := range []string{"anna", "anna", "anna", "anna", "bert", "bert"} {
		if err := d.unitFailed(u, worker, "out of order"); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.unitFailed(u, "carl", "out of order"); err == nil || !strings.Contains(err.Error(), "by 3 workers") {
		t.Error(err)
	}
}

// What a worker says of itself is bounded, and can be written whatever it is.
func TestHellosAreBounded(t *testing.T) {
	d := newTestDesk(t, 0)
	lines := 0
	d.registry.log = func(text string) {
		if lines++; len(text) > 1000 || strings.ContainsAny(text, "\x1b\n") {
			t.Errorf("it tells %d bytes", len(text))
		}
	}
	d.registry.setClockSpeed(1e6)
	for _, speed := range []float64{5e-324, 1e308, -1, 0} {
		hello(t, d.registry, "odd", wire.Hello{Cores: 1, Speed: speed})
		if err := d.registry.save(filepath.Join(d.Dir, WorkersName)); err != nil {
			t.Errorf("speed %g: %v", speed, err)
		}
	}
	hello(t, d.registry, "long", wire.Hello{Cores: 1, Replays: append(make([]string, 1<<16), strings.Repeat("x", 1<<16)), Trouble: strings.Repeat("x", 1<<16)})
	if p := d.registry.members["long"]; len(p.replays) > wire.MaxReplays || cap(p.replays) > 2*wire.MaxReplays || len(p.Reason) > maxReason {
		t.Errorf("%d checks kept of %d; why is %d bytes", len(p.replays), cap(p.replays), len(p.Reason))
	}
	data, err := json.Marshal(&wire.Hello{Protocol: wire.Protocol, Program: "\x1b[2J" + strings.Repeat("x", 1<<16)})
	if err != nil {
		t.Fatal(err)
	}
	d.registry.handleHello(&nats.Msg{Subject: wire.HelloSubject("other"), Reply: wire.InboxPrefix("other") + ".1", Data: data})
	if p := d.registry.members["other"]; p.State != Refused || len(p.Reason) > 1000 {
		t.Errorf("%s, %d bytes", p.State, len(p.Reason))
	}
	for range 1000 {
		hello(t, d.registry, "restless", wire.Hello{Cores: 1})
		hello(t, d.registry, "restless", wire.Hello{Cores: 1, Leaving: true})
	}
	if lines > maxLines+20 {
		t.Errorf("%d lines are told", lines)
	}
	for n := range 1000 {
		hello(t, d.registry, fmt.Sprint("w", n), wire.Hello{Cores: 1 << 40})
	}
	if n := d.Parallel(); n > maxParallel {
		t.Errorf("%d jobs at once", n)
	}
}

// A worker that says that games take for ever does not make the coordinator wait so long.
func TestTempo(t *testing.T) {
	var pace meanGameTime
	if pace.fewGamesExceed() != 0 {
		t.Error("it knows before there was a game")
	}
	for range 99 {
		pace.add(&selfplay.Result{Time: [2]time.Duration{time.Second, time.Second}}, time.Hour)
		pace.add(&selfplay.Result{Try: 1, Time: [2]time.Duration{time.Millisecond, 0}}, time.Hour)
	}
	if got := pace.fewGamesExceed(); got != 8*time.Second {
		t.Errorf("%v", got)
	}
	pace.add(&selfplay.Result{Time: [2]time.Duration{1 << 62, 1 << 62}}, time.Minute)
	pace.add(&selfplay.Result{Time: [2]time.Duration{-1 << 62, -1 << 62}}, time.Minute)
	if got := pace.fewGamesExceed(); got < 8*time.Second || got > 15*time.Second {
		t.Errorf("%v", got)
	}
}
