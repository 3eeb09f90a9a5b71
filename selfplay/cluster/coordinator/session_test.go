package coordinator

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// newTestSession returns a session without a server, whose referee plays nothing, and the
// workers of which are present.
func newTestSession(t *testing.T, share float64, workers ...string) *session {
	t.Helper()
	l, _, err := openLedger(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.close() })
	c := New(Config{Dir: t.TempDir(), Program: "p", ReplayShare: share, Lease: time.Second})
	c.run, c.ledger, c.referee = "run", l, &referee{playing: true}
	for _, name := range workers {
		hello(t, c.registry, name, wire.Hello{Cores: 1})
	}
	return newSession(t.Context(), c)
}

func hello(t testing.TB, r *registry, name string, h wire.Hello) {
	t.Helper()
	h.Protocol, h.Program = wire.Protocol, "p"
	data, err := json.Marshal(&h)
	if err != nil {
		t.Fatal(err)
	}
	r.handleHello(&nats.Msg{Subject: wire.HelloSubject(name), Reply: wire.InboxPrefix(name) + ".1", Data: data})
}

// wanted adds a unit that has no answer.
func wanted(s *session, id string) *unit {
	u := &unit{id: id, job: matedJob(), deterministic: true, replayable: true}
	s.units[id] = u
	s.unanswered++
	s.uncounted++
	return u
}

// deliver gives the session an answer, which counts if it may.
func deliver(t *testing.T, s *session, worker string, data []byte) wire.Reply {
	t.Helper()
	u, reply, err := s.readAnswer(&nats.Msg{Subject: wire.AnswerSubject("run", worker),
		Reply: wire.InboxPrefix(worker) + ".1", Data: data})
	if err == nil && u != nil {
		err = s.accept(u)
	}
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// altered is a valid answer to a unit, with a change in its result.
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

// An accomplice that confirms a worker's answers without being asked does not make them
// count.
func TestOnlyTheWorkerThatWasAskedConfirms(t *testing.T) {
	s := newTestSession(t, 1, "mallory", "anna")
	u := wanted(s, "u")
	deliver(t, s, "mallory", matedAnswer(t, "u"))
	hello(t, s.registry, "friend", wire.Hello{Cores: 1})
	deliver(t, s, "friend", matedAnswer(t, "u"))
	if u.state != pending {
		t.Fatal("an answer counts that a worker confirmed without being asked")
	}
	deliver(t, s, "anna", matedAnswer(t, "u"))
	if u.state != counted {
		t.Error("the worker that was asked does not confirm")
	}
}

// A worker that claims thousands of cores does not get all replays.
func TestReplaysGoByAnswers(t *testing.T) {
	s := newTestSession(t, 1, "mallory", "anna")
	hello(t, s.registry, "friend", wire.Hello{Cores: 4096})
	n := map[string]int{}
	for range 2000 {
		n[s.registry.pickOther("mallory")]++
	}
	if n["friend"] > 1200 || n["anna"] < 800 || n["mallory"] > 0 {
		t.Errorf("2000 replays go to %v", n)
	}
	for range 9 {
		s.registry.answered("anna", &selfplay.Result{})
	}
	clear(n)
	for range 2000 {
		n[s.registry.pickOther("mallory")]++
	}
	if n["friend"] > 300 || n["friend"] < 80 { // one in eleven
		t.Errorf("2000 replays go to %v", n)
	}
}

// A game that ends by a player's fault counts only when the coordinator's replay found the
// same, even if another replay confirmed its batch.
func TestFaultsAreReplayedBeforeTheyCount(t *testing.T) {
	for range 20 {
		s := newTestSession(t, 0.5, "mallory", "anna")
		good, bad := wanted(s, "good"), wanted(s, "bad")
		deliver(t, s, "mallory", matedAnswer(t, "good"))
		deliver(t, s, "mallory", altered(t, "bad", failing))
		deliver(t, s, "anna", matedAnswer(t, "good"))
		if bad.state == counted {
			t.Fatal("a fault counts without a replay by the coordinator")
		}
		if !slices.Contains(s.referee.queue, bad) {
			t.Fatal("the coordinator does not replay the fault")
		}
		if err := s.takeVerdict(verdict{unit: bad, sum: "another"}); err != nil ||
			s.registry.whyRefused("mallory") == "" || good.state == counted && bad.state != unanswered {
			t.Fatalf("the verdict: %v, refused %q", err, s.registry.whyRefused("mallory"))
		}
	}
}

// A foreign engine need not play the same game twice. If the coordinator's game differs from
// a worker's, no one is at fault.
func TestForeignGameThatTheCoordinatorPlaysToo(t *testing.T) {
	s := newTestSession(t, 0.5, "anna")
	for _, own := range []bool{false, true} {
		u := wanted(s, fmt.Sprint("u", own))
		u.replayable = false
		if own {
			if err := s.takeVerdict(verdict{unit: u, sum: "one", result: &selfplay.Result{}}); err != nil {
				t.Fatal(err)
			}
		} else {
			deliver(t, s, "anna", matedAnswer(t, u.id))
		}
		if err := s.takeVerdict(verdict{unit: u, sum: "another"}); err != nil || s.registry.whyRefused("anna") != "" {
			t.Errorf("%v, refused %q", err, s.registry.whyRefused("anna"))
		}
	}
}

// A worker that denies again and again that it has a replay does not delay it for long.
func TestDeniedReplay(t *testing.T) {
	s := newTestSession(t, 1, "anna", "denier")
	s.games, s.played = 1, 20*time.Second
	u := wanted(s, "u")
	deliver(t, s, "anna", matedAnswer(t, "u"))
	age := func(by time.Duration) {
		e := s.replays[u]
		e.firstSent, e.sent = e.firstSent.Add(-by), e.sent.Add(-by)
		s.replays[u] = e
	}
	for range 200 {
		age(deliveryTime + time.Second)
		hello(t, s.registry, "denier", wire.Hello{Cores: 1})
		if err := s.resendReplays(); err != nil {
			t.Fatal(err)
		}
		if s.replayLateHere(time.Now(), true); len(s.replays) == 0 {
			break
		}
	}
	if !slices.Contains(s.referee.queue, u) {
		t.Error("the coordinator does not make the replay")
	}
}

// A worker that disputes every game has the coordinator play one of them at a time. When it
// is banned, the others are not played.
func TestDisputesAreBounded(t *testing.T) {
	s := newTestSession(t, 0, "anna", "mallory")
	var units []*unit
	for n := range 5 {
		u := wanted(s, fmt.Sprint(n))
		units = append(units, u)
		deliver(t, s, "anna", matedAnswer(t, u.id))
	}
	for _, u := range units {
		reply := deliver(t, s, "mallory", altered(t, u.id, failing))
		if first := u == units[0]; reply.Kept != first || (reply.Again != "") == first {
			t.Errorf("game %s: %+v", u.id, reply)
		}
	}
	if !slices.Equal(s.referee.queue, units[:1]) {
		t.Errorf("the referee has %d units to play", len(s.referee.queue))
	}
	if err := s.takeVerdict(verdict{unit: units[0], sum: units[0].sum}); err != nil ||
		s.registry.whyRefused("mallory") == "" || len(s.disputes) != 0 {
		t.Errorf("%v, refused %q, disputes %v", err, s.registry.whyRefused("mallory"), s.disputes)
	}
	faulty := newTestSession(t, 0.01, "mallory")
	for n := range 5 {
		deliver(t, faulty, "mallory", altered(t, wanted(faulty, fmt.Sprint(n)).id, failing))
	}
	first := faulty.referee.queue[0]
	faulty.referee.queue = faulty.referee.queue[1:]
	if err := faulty.takeVerdict(verdict{unit: first, sum: "another"}); err != nil ||
		len(faulty.referee.queue) != 0 || faulty.unanswered != 5 {
		t.Errorf("%v, the referee has %d units to play, %d are unanswered", err,
			len(faulty.referee.queue), faulty.unanswered)
	}
}

// However long an answer is, the run goes on, and the ledger keeps only the result.
func TestLongAnswers(t *testing.T) {
	s := newTestSession(t, 0, "anna", "mallory", "eve")
	u := wanted(s, "u")
	long := altered(t, "u", func(r *selfplay.Result) { failing(r); r.Fault = strings.Repeat("\x7f", 1<<20) })
	if deliver(t, s, "mallory", long); s.registry.whyRefused("mallory") == "" ||
		len(s.registry.whyRefused("mallory")) > maxReason || u.result != nil {
		t.Errorf("refused for %.80q", s.registry.whyRefused("mallory"))
	}
	number := fmt.Appendf(nil, `{"unit":"u","result":{"number":1%s}}`, strings.Repeat("0", 1<<20))
	if deliver(t, s, "eve", number); s.registry.whyRefused("eve") == "" ||
		len(s.registry.whyRefused("eve")) > maxReason {
		t.Errorf("refused for %.80q", s.registry.whyRefused("eve"))
	}
	padded := altered(t, "u", func(r *selfplay.Result) { r.Players[0] = strings.Repeat("<", 1<<20) })
	deliver(t, s, "anna", padded)
	info, err := os.Stat(s.ledger.journal.Path())
	if err != nil || u.state != counted || info.Size() > 5000 {
		t.Errorf("%v: state %v, the ledger %v", err, u.state, info)
	}
	for players := range s.registry.residuals.all {
		if players != (pairing{}) {
			t.Errorf("%.40q are compared", players)
		}
	}
}

// One worker that cannot play a game by the clock does not end the run; three do.
func TestClockGameThatCannotBePlayed(t *testing.T) {
	s := newTestSession(t, 0, "anna", "bert", "carl")
	u := wanted(s, "u")
	u.deterministic, u.replayable = false, false
	for _, worker := range []string{"anna", "anna", "anna", "anna", "bert", "bert"} {
		if err := s.unitFailed(u, worker, "out of order"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.unitFailed(u, "carl", "out of order"); err == nil ||
		!strings.Contains(err.Error(), "3 workers could not play") {
		t.Error(err)
	}
}

// What a worker says of itself is bounded, and any of it can be written.
func TestHellosAreBounded(t *testing.T) {
	s := newTestSession(t, 0)
	lines := 0
	s.registry.log = func(text string) {
		if lines++; len(text) > 1000 || strings.ContainsAny(text, "\x1b\n") {
			t.Errorf("a log line of %d bytes", len(text))
		}
	}
	s.registry.setClockSpeed(1e6)
	for _, speed := range []float64{5e-324, 1e308, -1, 0} {
		hello(t, s.registry, "odd", wire.Hello{Cores: 1, Speed: speed})
		if err := s.registry.save(filepath.Join(s.Dir, WorkersName)); err != nil {
			t.Errorf("speed %g: %v", speed, err)
		}
	}
	hello(t, s.registry, "long", wire.Hello{Cores: 1,
		Replays: append(make([]string, 1<<16), strings.Repeat("x", 1<<16)), Trouble: strings.Repeat("x", 1<<16)})
	if p := s.registry.members["long"]; len(p.replays) > wire.MaxReplays || cap(p.replays) > 2*wire.MaxReplays ||
		len(p.Reason) > maxReason {
		t.Errorf("%d replays kept, capacity %d; the reason has %d bytes", len(p.replays), cap(p.replays), len(p.Reason))
	}
	data, err := json.Marshal(&wire.Hello{Protocol: wire.Protocol, Program: "\x1b[2J" + strings.Repeat("x", 1<<16)})
	if err != nil {
		t.Fatal(err)
	}
	s.registry.handleHello(&nats.Msg{Subject: wire.HelloSubject("other"), Reply: wire.InboxPrefix("other") + ".1",
		Data: data})
	if p := s.registry.members["other"]; p.State != Refused || len(p.Reason) > 1000 {
		t.Errorf("%s, %d bytes", p.State, len(p.Reason))
	}
	for range 1000 {
		hello(t, s.registry, "restless", wire.Hello{Cores: 1})
		hello(t, s.registry, "restless", wire.Hello{Cores: 1, Leaving: true})
	}
	if lines > maxLines+20 {
		t.Errorf("%d log lines", lines)
	}
	for n := range 1000 {
		hello(t, s.registry, fmt.Sprint("w", n), wire.Hello{Cores: 1 << 40})
	}
	if n := s.Parallel(); n > maxParallel {
		t.Errorf("%d jobs at once", n)
	}
}

// runUpkeep lets a worker say hello with the units it has, and the session do its upkeep, for
// a time.
func runUpkeep(t *testing.T, s *session, worker string, units []string, during time.Duration) {
	t.Helper()
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(time.Second) {
		hello(t, s.registry, worker, wire.Hello{Cores: 1, Units: units})
		s.out.reconcile()
		if err := s.upkeep(time.Now(), false); err != nil {
			t.Fatal(err)
		}
	}
}

// A unit that was lost on its way to a worker is sent again after the next hello. One that
// the worker has is not.
func TestLostUnitIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for has, want := range map[bool]int{true: 1, false: 2} {
			s := newTestSession(t, 0, "anna")
			sent := countSent(s)
			s.Lease, s.registry.lease = time.Hour, time.Hour
			s.out.reconcile()
			s.out.enqueue(wanted(s, "u"))
			var units []string
			if has {
				units = []string{"u"}
			}
			time.Sleep(time.Millisecond)
			runUpkeep(t, s, "anna", units, deliveryTime+2*time.Second)
			if sent["anna"] != want {
				t.Errorf("the worker has it: %t; sent %d times, want %d", has, sent["anna"], want)
			}
		}
	})
}

// countSent counts the units that a session sends to each worker.
func countSent(s *session) map[string]int {
	sent := map[string]int{}
	s.out.send = func(worker string, _ *unit) { sent[worker]++ }
	return sent
}

// A worker that claims thousands of cores gets few units before it answers. If it answers
// none within a lease, it is named, and all of them go to others.
func TestHoarder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestSession(t, 0, "anna")
		var said []string
		s.registry.log = func(text string) { said = append(said, text) }
		sent := countSent(s)
		s.Lease, s.registry.lease = 30*time.Second, 30*time.Second
		s.games, s.played = 1, time.Second
		hello(t, s.registry, "eve", wire.Hello{Cores: 4096})
		hello(t, s.registry, "anna", wire.Hello{Cores: 1})
		s.out.reconcile()
		for n := range 1000 {
			s.out.enqueue(wanted(s, fmt.Sprint(n)))
		}
		if sent["eve"] != firstCredit || sent["anna"] != 2 {
			t.Fatalf("before their first answers they get %v", sent)
		}
		hoarded := slices.Collect(maps.Keys(s.out.held["eve"]))
		had := slices.Collect(maps.Keys(s.out.held["anna"]))
		for range 50 {
			time.Sleep(time.Second)
			hello(t, s.registry, "eve", wire.Hello{Cores: 4096, Units: slices.Collect(maps.Keys(s.out.held["eve"]))})
			hello(t, s.registry, "anna", wire.Hello{Cores: 1, Units: had})
			for len(had) > 0 {
				deliver(t, s, "anna", matedAnswer(t, had[0]))
				had = had[1:]
			}
			s.out.reconcile()
			if err := s.upkeep(time.Now(), false); err != nil {
				t.Fatal(err)
			}
			had = slices.Collect(maps.Keys(s.out.held["anna"]))
		}
		for _, id := range hoarded {
			if s.units[id].state != counted {
				t.Errorf("unit %s, which eve sat on, has state %d", id, s.units[id].state)
			}
		}
		if p := s.registry.members["eve"]; p.Expired < firstCredit || sent["eve"] > firstCredit+2 {
			t.Errorf("%d units of eve expired, and it was sent %d", p.Expired, sent["eve"])
		}
		if text := strings.Join(said, "\n"); !strings.Contains(text, "worker eve did not answer 16 units within 30s") {
			t.Errorf("the log says\n%s", text)
		}
	})
}

// A worker that says nothing for a lease is named, and its units go to others. Until it says
// hello again it gets no more.
func TestSilentWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestSession(t, 0, "eve")
		var said []string
		s.registry.log = func(text string) { said = append(said, text) }
		sent := countSent(s)
		s.out.reconcile()
		u := wanted(s, "u")
		s.out.enqueue(u)
		runUpkeep(t, s, "anna", nil, 3*time.Second)
		if sent["eve"] != 1 || sent["anna"] == 0 || s.out.held["anna"]["u"] != u {
			t.Errorf("it was sent to %v", sent)
		}
		if text := strings.Join(said, "\n"); !strings.Contains(text,
			"worker eve was silent for 1s: its 1 units go to others") {
			t.Errorf("the log says\n%s", text)
		}
	})
}

// A worker that earns its credit gets two units for each core, and one that sits on them has
// to start again.
func TestCreditFollowsAnswers(t *testing.T) {
	s := newTestSession(t, 0, "anna")
	hello(t, s.registry, "anna", wire.Hello{Cores: 64})
	for n, want := range []int{16, 18, 20} {
		if got := s.registry.quota("anna"); got != want {
			t.Errorf("after %d answers: %d units, want %d", n, got, want)
		}
		s.registry.answered("anna", &selfplay.Result{})
	}
	for range 100 {
		s.registry.answered("anna", &selfplay.Result{})
	}
	if got := s.registry.quota("anna"); got != 128 {
		t.Errorf("%d units, want 128", got)
	}
	s.registry.sat("anna", 3, time.Second)
	if got := s.registry.quota("anna"); got != 1 {
		t.Errorf("%d units, want 1", got)
	}
}

// A worker that hangs says hello and lists its units forever. The coordinator plays its
// units when they are overdue, and not before.
func TestOverdueUnitIsPlayedHere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestSession(t, 0, "hung")
		s.games, s.played = 1, 10*time.Second
		u := wanted(s, "u")
		s.out.reconcile()
		s.out.enqueue(u)
		time.Sleep(time.Millisecond)
		runUpkeep(t, s, "hung", []string{"u"}, s.unitTimeout())
		if len(s.referee.queue) != 0 {
			t.Error("the coordinator plays a unit that is not overdue")
		}
		runUpkeep(t, s, "hung", []string{"u"}, 2*time.Second)
		if !slices.Contains(s.referee.queue, u) {
			t.Error("the coordinator does not play the overdue unit")
		}
	})
}

// A worker that claims that games take forever does not make the coordinator wait that long.
func TestTimeThatFewGamesExceed(t *testing.T) {
	s := newTestSession(t, 0)
	if most, known := s.gamesExceed(); most != 0 || known {
		t.Error("a time without a game")
	}
	add := func(r *selfplay.Result, within time.Duration) {
		s.ended(r, timeOf(r, time.Now().Add(-within)))
	}
	for range 99 {
		add(&selfplay.Result{Time: [2]time.Duration{time.Second, time.Second}}, time.Hour)
		add(&selfplay.Result{Try: 1, Time: [2]time.Duration{time.Millisecond, 0}}, time.Hour)
	}
	if got, known := s.gamesExceed(); got != 8*time.Second || !known {
		t.Errorf("%v", got)
	}
	add(&selfplay.Result{Time: [2]time.Duration{1 << 62, 1 << 62}}, time.Minute)
	add(&selfplay.Result{Time: [2]time.Duration{-1 << 62, -1 << 62}}, time.Minute)
	if got, _ := s.gamesExceed(); got < 8*time.Second || got > 15*time.Second {
		t.Errorf("%v", got)
	}
}
