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
// bytes of the run. A worker comes in the middle of it, and needs weights. attack returns the
// log of the coordinator and its server.
func attack(t *testing.T, n uint64, do func(eve *attacker)) (notes *logBook) {
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
		t.Logf("%s the attack: %d games, %.0f a second; %d hostile messages so far", phase, done-last, float64(done-last)/time.Since(began).Seconds(), eve.sent.Load())
		began, last = time.Now(), done
	}
	c.Progress = func(done, _ int64, _ string) {
		switch {
		case ended == nil && done >= int64(n/3):
			report("before", done)
			eve.connect(b, files["eve"])
			ended = make(chan struct{})
			go func() { defer close(ended); do(eve) }()
			for eve.sent.Load() < 100 && !isClosed(ended) { // the attack is under way
				time.Sleep(time.Millisecond)
			}
			start("carl")
		case ended != nil && done >= int64(2*n/3) && !isClosed(eve.done):
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
	a.run = a.hello(&wire.Hello{}).Run
}

func (a *attacker) hello(h *wire.Hello) (w wire.Welcome) {
	a.t.Helper()
	h.Protocol, h.Program, h.Cores = wire.Protocol, program, 1000
	data, err := json.Marshal(h)
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
func (a *attacker) send(messages ...*nats.Msg) {
	for !isClosed(a.done) {
		for _, m := range messages {
			if a.nc.PublishMsg(m) == nil {
				a.sent.Add(1)
			}
		}
		_ = a.nc.Flush() // as fast as the server takes them
	}
}

// A worker creates no consumers in JetStream, which has a limited number of them. It asks the
// coordinator for weights, and asking without end does no harm.
func TestAttackOnWeights(t *testing.T) {
	t.Parallel()
	notes := attack(t, fewer(90), func(eve *attacker) {
		config := []byte(`{"stream_name":"OBJ_assay","config":{"deliver_policy":"all","ack_policy":"none","max_deliver":1,"mem_storage":true,"inactive_threshold":300000000000}}`)
		for _, subject := range []string{"$JS.API.CONSUMER.CREATE.OBJ_assay", "$JS.API.CONSUMER.CREATE.OBJ_assay.x", "$JS.API.CONSUMER.CREATE.ASSAY.x"} {
			if m, err := eve.nc.Request(subject, config, 100*time.Millisecond); err == nil && !strings.Contains(string(m.Data), `"error"`) {
				eve.t.Errorf("eve creates a consumer: %s", m.Data)
			}
		}
		eve.send(&nats.Msg{Subject: "assay.weights." + eve.run + ".eve", Reply: eve.nc.NewInbox(), Data: []byte(`{"name":"x"}`)},
			&nats.Msg{Subject: "assay.weights." + eve.run + ".eve", Reply: "assay.unit." + eve.run, Data: []byte(`{"name":"x"}`)})
	})
	notes.expect("eve", "Violation", "CONSUMER.CREATE.OBJ_assay")
	notes.expect("worker eve asked for weights more than")
}
