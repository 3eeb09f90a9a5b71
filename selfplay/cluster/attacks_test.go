package cluster_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
)

// attack plays games with two honest workers and a hostile one, each with a valid key. The
// attack begins after a third of the games, ends after the second, and must not change the
// bytes of the run; it lasts at least that many hostile messages. A worker comes in the middle
// of it, and needs weights. attack returns the log of the coordinator and its server.
func attack(t *testing.T, n uint64, messages int64, do func(eve *attacker)) (notes *logBook) {
	t.Helper()
	local := games(t, n, nil)
	generate(t, local)
	notes = newLogBook(t)
	files, keys := map[string]string{}, []wire.Key{}
	for _, name := range []string{"anna", "bert", "carl", "eve"} {
		path, key := newKey(t, name)
		files[name], keys = path, append(keys, key)
	}
	b := serve(t, broker.Config{Keys: keys, Log: notes.add})
	c := games(t, n, newCoordinator(t, b, coordinator.Config{ReplayShare: 0.1, Log: notes.add}))
	start := func(name string) {
		startWorker(t, b, name, func(w *worker.Worker) { w.Access.Credentials = files[name] })
	}
	start("anna")
	start("bert")
	eve := &attacker{t: t, done: make(chan struct{})}
	var ended chan struct{}
	began, last := time.Now(), int64(0)
	report := func(phase string, done int64) {
		t.Logf("%s the attack: %d games, %.0f a second; %d hostile messages so far", phase, done-last,
			float64(done-last)/time.Since(began).Seconds(), eve.sent.Load())
		began, last = time.Now(), done
	}
	c.Progress = func(done, _ int64, _ string) {
		switch {
		case ended == nil && done >= int64(n/3):
			report("before", done)
			eve.connect(b, files["eve"])
			ended = make(chan struct{})
			go func() { defer close(ended); do(eve) }()
			eve.waitSent(min(messages, 100))
			start("carl")
		// Not before the first: a hoarder may have to wait until others answer.
		case ended != nil && done >= int64(2*n/3) && eve.sent.Load() > 0 && !isClosed(eve.done):
			eve.waitSent(messages)
			close(eve.done)
			<-ended
			report("during", done)
		}
	}
	generate(t, c)
	report("after", int64(n))
	if !isClosed(ended) {
		t.Error("the attack was not over")
	}
	sameFiles(t, c.Out, local.Out)
	return notes
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// attacker is a worker with a valid key that sends what it likes.
type attacker struct {
	t    *testing.T
	nc   *nats.Conn
	run  string
	mine *nats.Subscription // the units sent to it
	sent atomic.Int64
	done chan struct{} // closed when the attack should end
}

// connect connects, and says hello like a worker of many cores.
func (a *attacker) connect(b *broker.Broker, key string) {
	a.t.Helper()
	var err error
	if a.nc, err = (&wire.Access{URL: b.URL(), Name: "eve", Credentials: key}).Dial(a.t.Context()); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(a.nc.Close)
	// Before hello: units that come before this subscription are lost.
	if a.mine, err = a.nc.SubscribeSync("assay.unit.*.eve"); err != nil {
		a.t.Fatal(err)
	}
	if err = a.nc.Flush(); err != nil {
		a.t.Fatal(err)
	}
	a.run = a.hello(nil).Run
}

// waitSent waits until that many hostile messages are sent.
func (a *attacker) waitSent(n int64) {
	a.t.Helper()
	ctx, cancel := patient(a.t)
	defer cancel()
	for a.sent.Load() < n {
		if ctx.Err() != nil {
			a.t.Fatalf("the attack does not get on: %d messages", a.sent.Load())
		}
		time.Sleep(time.Millisecond)
	}
}

// hello says hello like an honest worker that has these units.
func (a *attacker) hello(units []string) (w wire.Welcome) {
	a.t.Helper()
	data, err := json.Marshal(map[string]any{"protocol": wire.Protocol, "program": program,
		"cores": 1000, "run": a.run, "units": units})
	if err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := patient(a.t)
	defer cancel()
	m, err := a.nc.RequestWithContext(ctx, "assay.hello.eve", data)
	if err == nil {
		err = json.Unmarshal(m.Data, &w)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return w
}

// send publishes messages, again and again, until the attack should end.
func (a *attacker) send(messages ...nats.Msg) {
	for !isClosed(a.done) {
		for range 50 {
			for i := range messages {
				if a.nc.PublishMsg(&messages[i]) == nil {
					a.sent.Add(1)
				}
			}
		}
		_ = a.nc.Flush() // as fast as the server takes them
	}
}

// A worker creates no consumers in JetStream, which has a limited number of them. It asks the
// coordinator for weights, and asking without end does no harm.
func TestAttackOnWeights(t *testing.T) {
	t.Parallel()
	notes := attack(t, fewer(90), 1000, func(eve *attacker) {
		config := []byte(`{"stream_name":"OBJ_assay","config":{"deliver_policy":"all","ack_policy":"none","max_deliver":1,"mem_storage":true,"inactive_threshold":300000000000}}`)
		for _, subject := range []string{"$JS.API.CONSUMER.CREATE.OBJ_assay", "$JS.API.CONSUMER.CREATE.OBJ_assay.x",
			"$JS.API.CONSUMER.CREATE.ASSAY.x"} {
			if m, err := eve.nc.Request(subject, config, 100*time.Millisecond); err == nil &&
				!strings.Contains(string(m.Data), `"error"`) {
				eve.t.Errorf("eve creates a consumer: %s", m.Data)
			}
		}
		eve.send(nats.Msg{Subject: "assay.weights." + eve.run + ".eve", Reply: eve.nc.NewInbox(),
			Data: []byte(`{"name":"x"}`)})
	})
	notes.expect("eve", "Violation", "CONSUMER.CREATE.OBJ_assay")
	notes.expect("worker eve asked for weights more than")
}

// A worker has no server and no coordinator put messages among the units: it may not publish
// what a server replies to, and the coordinator replies to its own inbox only.
func TestAttackOnUnits(t *testing.T) {
	t.Parallel()
	notes := attack(t, fewer(90), 2000, func(eve *attacker) {
		var all []nats.Msg
		for _, reply := range []string{"assay.unit." + eve.run, "assay.unit." + eve.run + ".anna",
			"assay.check." + eve.run + ".anna"} {
			for _, subject := range []string{"$JS.API.CONSUMER.INFO.ASSAY." + eve.run,
				"$JS.ACK.ASSAY." + eve.run + ".1.1.1.1.0", "assay.hello.eve", "assay.weights." + eve.run + ".eve"} {
				all = append(all, nats.Msg{Subject: subject, Reply: reply, Data: []byte(`{}`)})
			}
			all = append(all, nats.Msg{Subject: "$JS.API.CONSUMER.MSG.NEXT.ASSAY." + eve.run, Reply: reply,
				Data: []byte(`{"batch":10,"no_wait":true}`)},
				nats.Msg{Subject: "assay.answer." + eve.run + ".eve", Reply: reply, Data: []byte(`{"unit":"none"}`)},
				nats.Msg{Subject: reply,
					Data: []byte(`{"protocol":5,"unit":"x","job":{"players":["random","random"]}}`)})
		}
		eve.send(all...)
	})
	notes.expect("worker eve wants replies sent to", "not its own inbox")
}

// A worker that takes all units that it can get, says hello and answers none of them gets few
// and delays the run by a lease.
func TestAttackByHoarding(t *testing.T) {
	t.Parallel()
	// Ninety games even with -short: sixteen units wait for each new worker, and some must be left
	// for eve.
	notes := attack(t, 90, 0, func(eve *attacker) {
		var units []string
		have := map[string]*nats.Msg{}
		inbox, err := eve.nc.SubscribeSync(eve.nc.NewInbox())
		if err != nil {
			eve.t.Error(err)
			return
		}
		for !isClosed(eve.done) {
			eve.hello(units)
			_ = eve.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.ASSAY."+eve.run, inbox.Subject,
				[]byte(`{"batch":1000,"no_wait":true}`))
			for _, from := range []*nats.Subscription{inbox, eve.mine} {
				for m, err := from.NextMsg(20 * time.Millisecond); err == nil; m, err = from.NextMsg(20 * time.Millisecond) {
					var u wire.Unit
					if json.Unmarshal(m.Data, &u) == nil && u.ID != "" && have[u.ID] == nil {
						have[u.ID] = m
						units = append(units, u.ID)
						eve.sent.Add(1)
					}
				}
			}
			for _, m := range have {
				if m.Reply != "" {
					_ = m.InProgress()
				}
			}
		}
	})
	// It "did not answer", or "was silent" where the attack ends before games are late.
	notes.expect("worker eve ", "go to others")
}
