package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/roster"
)

// cheat is a player that searches correctly only with one limit of nodes; otherwise it plays the first legal move.
type cheat struct {
	engine.Player
	honest uint64
}

func (c cheat) Search(ctx context.Context, g *board.Game, l engine.Limits) (engine.Result, error) {
	if l.Nodes == c.honest {
		return c.Player.Search(ctx, g, l)
	}
	moves := g.Position().LegalMoves(nil)
	if len(moves) == 0 {
		return engine.Result{}, nil
	}
	return engine.Result{Move: moves[0], Score: 7, Depth: 3, Nodes: 30}, nil
}

// cheating makes a worker's players cheat.
func cheating(honest uint64) func(*worker.Worker) {
	return func(w *worker.Worker) {
		w.Open = func(spec engine.Spec) (engine.Player, error) {
			p, err := roster.Open(spec)
			return cheat{p, honest}, err
		}
	}
}

// A worker that cheats after its fingerprint stops the run when another worker plays one of its games, too; the error
// names both.
func TestWorkerWithAnotherSearch(t *testing.T) {
	t.Parallel()
	b := serve(t, coordinator.ServerConfig{})
	c := games(filepath.Join(t.TempDir(), "games"), 5000, newCoordinator(t, b, coordinator.Config{ReplayShare: 0.5}))
	startWorker(t, b.URL(), "mallory", cheating(1000))
	startWorker(t, b.URL(), "anna", nil)
	ctx, cancel := patient(t)
	defer cancel()
	if _, err := datagen.Run(ctx, c); !errors.Is(err, coordinator.ErrDiffer) || !hasText(err, "mallory") ||
		!hasText(err, "anna") {
		t.Errorf("the run ended with %v", err)
	}
}

// One worker alone cannot play its own games a second time. The run ends without that.
func TestReplaysNeedAnotherWorker(t *testing.T) {
	t.Parallel()
	want := local(t, 30)
	b := serve(t, coordinator.ServerConfig{})
	c := games(filepath.Join(t.TempDir(), "games"), 30, newCoordinator(t, b, coordinator.Config{ReplayShare: 1}))
	startWorker(t, b.URL(), "anna", nil)
	n := 0
	c.Progress = func(int64, int64, string) {
		if n++; n == 5 { // a second one says hello, and plays nothing
			nc, err := (&wire.Access{URL: b.URL(), Name: "idle"}).Dial(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer nc.Close()
			hello, _ := json.Marshal(wire.Hello{Protocol: wire.Protocol, Program: program, Cores: 1})
			if _, err := nc.Request(wire.HelloSubject("idle"), hello, patience); err != nil {
				t.Error(err)
			}
		}
	}
	generate(t, c)
	sameFiles(t, c.Out, want)
}

// A build that plays differently fails at the fingerprint, and another version at the hello. The units that they took
// go to others.
func TestBuildsThatDiffer(t *testing.T) {
	t.Parallel()
	b, notes := serve(t, coordinator.ServerConfig{}), newLogBook(t)
	c := games(filepath.Join(t.TempDir(), "games"), 20, newCoordinator(t, b, coordinator.Config{Log: notes.add}))
	_, stale := startWorker(t, b.URL(), "stale", cheating(0))
	_, old := startWorker(t, b.URL(), "old", func(w *worker.Worker) { w.Program = "assay test bench 0" })
	ended := make(chan struct{})
	go func() { defer close(ended); generate(t, c) }()
	if err := stale(); !hasText(err, "cluster: refused") || !hasText(err, "from the same source") {
		t.Errorf("stale ended with %v", err)
	}
	if err := old(); !hasText(err, "cluster: refused") || !hasText(err, "bench 0") {
		t.Errorf("old ended with %v", err)
	}
	startWorker(t, b.URL(), "anna", nil)
	<-ended
}

// What the servers lose is published again: here the queue before a worker comes, and later all streams.
func TestLostStreams(t *testing.T) {
	t.Parallel()
	want := local(t, 60)
	b, notes := serve(t, coordinator.ServerConfig{}), newLogBook(t)
	js := api(t, b)
	c := games(filepath.Join(t.TempDir(), "games"), 60, newCoordinator(t, b, coordinator.Config{Log: notes.add,
		CheckEvery: 200 * time.Millisecond}))
	n := 0
	c.Progress = func(int64, int64, string) {
		if n++; n == 30 {
			for name := range js.StreamNames(t.Context()).Name() {
				if err := js.DeleteStream(t.Context(), name); err != nil {
					t.Error(err)
				}
			}
		}
	}
	ended := make(chan struct{})
	go func() { defer close(ended); generate(t, c) }()
	for lost := uint64(0); lost == 0; time.Sleep(10 * time.Millisecond) {
		for name := range js.StreamNames(t.Context()).Name() {
			stream := setup.Must(js.Stream(t.Context(), name))
			lost += setup.Must(stream.Info(t.Context())).State.Msgs
			setup.Check(t, stream.Purge(t.Context()))
		}
	}
	notes.expect("neither answered nor in the queue")
	startWorker(t, b.URL(), "anna", nil)
	<-ended
	sameFiles(t, c.Out, want)
}

// newKey makes a worker's key, and returns its file and its public half.
func newKey(t *testing.T, name string) (path string, key wire.Key) {
	t.Helper()
	private, line, err := wire.NewKey(name)
	setup.Check(t, err)
	path = filepath.Join(t.TempDir(), name)
	setup.Check(t, os.WriteFile(path, private, 0o600))
	return path, wire.Key{Name: name, Public: strings.Fields(line)[1]}
}

// A worker with a key may do what workers have to do, and no more.
func TestKeysAndRights(t *testing.T) {
	t.Parallel()
	notes := newLogBook(t)
	eve, eveKey := newKey(t, "eve")
	anna, annaKey := newKey(t, "anna")
	stranger, _ := newKey(t, "stranger")
	b := serve(t, coordinator.ServerConfig{Keys: []wire.Key{eveKey, annaKey}, Log: notes.add})
	for _, path := range []string{"", stranger} {
		access := wire.Access{URL: b.URL(), Name: "stranger", Credentials: path}
		if _, err := access.Dial(t.Context()); !errors.Is(err, wire.ErrCredentials) {
			t.Errorf("with the credentials %q: %v", path, err)
		}
	}
	errs := make(chan error, 10)
	access := wire.Access{URL: b.URL(), Name: "eve", Credentials: eve, Log: func(err error) { errs <- err }}
	nc := setup.Must(access.Dial(t.Context()))
	defer nc.Close()
	for _, subject := range []string{"assay.>", "_INBOX.anna.>", "$JS.API.>"} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		if err := <-errs; !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
			t.Errorf("subscribing to %s: %v", subject, err)
		}
	}
	notes.expect("eve", "Violation")
	for _, subject := range []string{"assay.answer.x.anna", "assay.unit.x.y", "assay.hello.anna", "$O.ASSAY_x.C.y",
		"$JS.API.STREAM.DELETE.ASSAY_x", "$JS.API.STREAM.PURGE.ASSAY_x", "$JS.API.CONSUMER.CREATE.ASSAY_x_answers",
		"$JS.API.CONSUMER.DELETE.ASSAY_x.workers", "$JS.API.STREAM.MSG.GET.ASSAY_x_answers",
		"$JS.API.CONSUMER.MSG.NEXT.ASSAY_x.eve"} {
		setup.Check(t, nc.Publish(subject, nil))
		if err := <-errs; !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
			t.Errorf("publishing to %s: %v", subject, err)
		}
	}
	_, ended := startWorker(t, b.URL(), "bert", func(w *worker.Worker) { w.Access.Credentials = anna })
	if err := ended(); !errors.Is(err, wire.ErrCredentials) || !hasText(err, "another worker than bert") {
		t.Errorf("with the key of another name: %v", err)
	}
}

// A hostile worker with a valid key has units, files and acknowledgements sent to where answers go, acknowledges what
// others play, and sends answers that are none, that are impossible, or that are to units which nobody asked for. Only
// answers with the digest of an open unit count: the games are the same as on one machine.
func TestHostileWorker(t *testing.T) {
	t.Parallel()
	n := fewer(90)
	want := local(t, n)
	eve, eveKey := newKey(t, "eve")
	anna, annaKey := newKey(t, "anna")
	b, notes := serve(t, coordinator.ServerConfig{Keys: []wire.Key{eveKey, annaKey}}), newLogBook(t)
	c := games(filepath.Join(t.TempDir(), "games"), n, newCoordinator(t, b, coordinator.Config{Log: notes.add,
		CheckEvery: 300 * time.Millisecond, Lease: time.Second}))
	startWorker(t, b.URL(), "anna", func(w *worker.Worker) { w.Access.Credentials = anna })
	access := wire.Access{URL: b.URL(), Name: "eve", Credentials: eve, Log: func(err error) { t.Error(err) }}
	nc := setup.Must(access.Dial(t.Context()))
	defer nc.Close()
	taken := setup.Must(nc.SubscribeSync(nc.NewInbox()))
	publish := func(subject, reply string, data []byte) {
		if err := nc.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: data}); err != nil {
			t.Error(err)
		}
	}
	lied := false
	attack := func(run string) {
		answers, units := wire.AnswerSubject(run, "eve"), "$JS.API.CONSUMER.MSG.NEXT.ASSAY_"+run+".workers"
		for _, reply := range []string{wire.AnswerSubject(run, "anna"), wire.HelloSubject("anna")} {
			publish(units, reply, []byte(`{"batch":2,"no_wait":true}`))
			publish(answers, reply, []byte(`{"unit":"none"}`))
			publish(wire.HelloSubject("eve"), reply, []byte(`{}`))
		}
		publish(units, taken.Subject, []byte(`{"batch":2,"expires":300000000}`))
		for range 2 {
			m, err := taken.NextMsg(300 * time.Millisecond)
			if err != nil || m.Header.Get("Status") != "" {
				continue
			}
			lied = true
			lie := &selfplay.Result{Result: board.WhiteWins}
			for _, a := range []wire.Answer{{}, {Unit: wire.Digest(m.Data)}, {Unit: wire.Digest(m.Data), Result: lie},
				{Unit: wire.Digest([]byte("another")), Result: lie}} {
				data, _ := json.Marshal(&a)
				publish(answers, "", data)
			}
			publish(answers, "", m.Data)
			_ = m.Respond(wire.Done)
		}
		for i := range 50 {
			publish(fmt.Sprintf("$JS.ACK.ASSAY_%s.workers.1.%d.%d.1.0", run, i, i), "", wire.Done)
		}
	}
	done := 0
	c.Progress = func(int64, int64, string) {
		if done++; done%20 == 5 || done > 5 && !lied { // until there was a unit for eve
			var w wire.Welcome
			m, err := nc.Request(wire.HelloSubject("eve"), []byte("{}"), patience)
			if err != nil || json.Unmarshal(m.Data, &w) != nil {
				t.Error(err)
			}
			attack(w.Run)
		}
	}
	generate(t, c)
	sameFiles(t, c.Out, want)
	notes.expect("worker eve", "check its machine")
}

// A key cannot have a server or the coordinator send what deletes or empties a stream, or what publishes a unit, to
// where it may not publish itself.
func TestRepliesThatWouldDelete(t *testing.T) {
	t.Parallel()
	eve, key := newKey(t, "eve")
	b := serve(t, coordinator.ServerConfig{Keys: []wire.Key{key}, Token: "secret"})
	k := newCoordinator(t, b, coordinator.Config{CheckEvery: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	jobs, ended := make(chan selfplay.Task), make(chan error)
	go func() { ended <- k.Run(ctx, jobs, nil) }()
	defer func() { cancel(); <-ended }()
	for i := range 20 {
		jobs <- &selfplay.Job{Number: uint64(i), Start: mated}
	}
	js := api(t, b)
	var stream string
	before := streams(t, js)
	for ; before[stream].State.Msgs < 20; before = streams(t, js) {
		for stream = range before {
		}
		time.Sleep(10 * time.Millisecond)
	}
	run := strings.TrimPrefix(stream, "ASSAY_")
	for _, access := range []wire.Access{{Name: "eve", Credentials: eve}, {Name: "eve", Token: "secret"}} {
		access.URL = b.URL()
		nc := setup.Must(access.Dial(t.Context()))
		for _, reply := range []string{"$JS.API.STREAM.DELETE." + stream, "$JS.API.STREAM.PURGE." + stream,
			"$JS.API.CONSUMER.DELETE." + stream + ".workers", wire.UnitSubject(run, "x")} {
			ack, _ := json.Marshal(&wire.Answer{Unit: wire.Digest(nil), Ack: reply})
			for subject, data := range map[string]string{
				"$JS.API.CONSUMER.MSG.NEXT." + stream + ".workers": `{"batch":3,"no_wait":true}`,
				wire.FileSubject("eve"):                            `{"run":"` + run + `","sha256":"../state.json"}`,
				wire.HelloSubject("eve"):                           "{}", wire.AnswerSubject(run, "eve"): string(ack)} {
				for range 10 { // after seven pulls the queue is empty, and the reply has no body
					setup.Check(t, nc.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: []byte(data)}))
				}
			}
		}
		if _, err := nc.Request(wire.HelloSubject("eve"), []byte("{}"), patience); err != nil { // all had their reply
			t.Error(err)
		}
		nc.Close()
		if after := streams(t, js); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("the streams were\n%v, and are\n%v", before, after)
		}
	}
}

func TestLoopbackOnlyWithoutCredentials(t *testing.T) {
	t.Parallel()
	for addr, open := range map[string]bool{"0.0.0.0:0": true, ":0": false, "[::]:0": true,
		"localhost:0": false, "192.0.2.1:4222": true} {
		if err := (&coordinator.ServerConfig{Addr: addr}).Check(); errors.Is(err, coordinator.ErrOpen) != open {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if err := (&coordinator.ServerConfig{Addr: "0.0.0.0:0", Token: "x"}).Check(); err != nil {
		t.Error(err)
	}
}

// Errors of servers that cannot serve a run name what they lack.
func TestServersThatAreTooSmall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		conf, says string
	}{
		"messages": {"max_payload: 1000\njetstream {store_dir: DIR}", "set max_payload"},
		"no store": {"", "JetStream is not enabled"},
		"storage":  {"jetstream {store_dir: DIR, max_file_store: 1MB}", "MB of storage"},
	} {
		k := coordinator.New(configured(t, coordinator.Config{Connect: func() (*nats.Conn, error) {
			return nats.Connect(confServer(t, strings.ReplaceAll(c.conf, "DIR", strconv.Quote(t.TempDir()))))
		}}))
		err := k.Run(t.Context(), nil, nil)
		if !errors.Is(err, coordinator.ErrServers) || !hasText(err, c.says) {
			t.Errorf("%s: %v", name, err)
		}
		k.Close()
	}
}

// confServer starts a server with the configuration, and returns its address.
func confServer(t *testing.T, conf string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nats-server.conf")
	setup.Check(t, os.WriteFile(path, []byte(conf), 0o600))
	o := setup.Must(server.ProcessConfigFile(path))
	o.Host, o.Port, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	s := setup.Must(server.NewServer(o))
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}

// A server with the output of Conf gives each worker the rights that Serve gives it, and the coordinator all: a run is
// played.
func TestConf(t *testing.T) {
	t.Parallel()
	anna, annaKey := newKey(t, "anna")
	master, masterKey := newKey(t, "coordinator")
	if _, err := coordinator.Conf([]wire.Key{annaKey}); !errors.Is(err, coordinator.ErrNoCoordinator) {
		t.Errorf("without a coordinator: %v", err)
	}
	text := setup.Must(coordinator.Conf([]wire.Key{annaKey, masterKey}))
	url := confServer(t, text+"jetstream {store_dir: "+strconv.Quote(t.TempDir())+"}\n")
	with := func(key string) func() (*nats.Conn, error) {
		return func() (*nats.Conn, error) {
			return (&wire.Access{URL: url, Credentials: key, Log: func(error) {}}).Dial(t.Context())
		}
	}
	wrong := coordinator.New(configured(t, coordinator.Config{Connect: with(anna)}))
	if err := wrong.Run(t.Context(), nil, nil); !errors.Is(err, wire.ErrCredentials) || !hasText(err,
		"key named coordinator") {
		t.Errorf("with a worker's key: %v", err)
	}
	k := coordinator.New(configured(t, coordinator.Config{Connect: with(master)}))
	startWorker(t, url, "anna", func(w *worker.Worker) { w.Access.Credentials = anna })
	generate(t, games(filepath.Join(t.TempDir(), "games"), 5, k))
	k.Close()
}
