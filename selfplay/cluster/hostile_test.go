package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// cheat is a player that searches correctly only with one limit of nodes; otherwise it plays
// the first legal move.
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

// A worker that cheats after its fingerprint is found out by the first replay. None of its
// games counts.
func TestWorkerWithAnotherSearch(t *testing.T) {
	t.Parallel()
	local := games(t, 60, nil)
	generate(t, local)
	b, notes := serve(t, broker.Config{}), newLogBook(t)
	c := games(t, 60, newCoordinator(t, b, coordinator.Config{ReplayShare: 0.1, Log: notes.add}))
	_, ended := startWorker(t, b, "mallory", cheating(1000))
	startWorker(t, b, "anna", nil)
	generate(t, c)
	sameFiles(t, c.Out, local.Out)
	notes.expect("mallory", "is banned", "differs from the coordinator's")
	if err := ended(); !hasText(err, "cluster: refused") {
		t.Errorf("mallory ended with %v", err)
	}
}

// A build that plays differently by mistake fails at the fingerprint.
func TestBuildThatPlaysOtherwise(t *testing.T) {
	t.Parallel()
	b, notes := serve(t, broker.Config{}), newLogBook(t)
	c := games(t, 20, newCoordinator(t, b, coordinator.Config{Log: notes.add}))
	_, ended := startWorker(t, b, "stale", cheating(0))
	startWorker(t, b, "anna", nil)
	generate(t, c)
	notes.expect("stale", "plays", "differently", "from the same source")
	if err := ended(); !hasText(err, "cluster: refused") {
		t.Errorf("stale ended with %v", err)
	}
}

func TestWorkerOfAnotherVersion(t *testing.T) {
	t.Parallel()
	b, notes := serve(t, broker.Config{}), newLogBook(t)
	c := games(t, 20, newCoordinator(t, b, coordinator.Config{Log: notes.add}))
	_, ended := startWorker(t, b, "old", func(w *worker.Worker) { w.Program = "assay test bench 0" })
	startWorker(t, b, "anna", nil)
	generate(t, c)
	notes.expect("old", "refused", "assay test bench 0", "install that version")
	if err := ended(); !hasText(err, "cluster: refused") || !strings.Contains(err.Error(), "install that version") {
		t.Errorf("old ended with %v", err)
	}
}

// forger is a worker that sends messages by hand.
type forger struct {
	t    *testing.T
	nc   *nats.Conn
	name string
	run  string
	sub  *nats.Subscription
}

func newForger(t *testing.T, b *broker.Broker, name string) *forger {
	t.Helper()
	access := wire.Access{URL: b.URL(), Name: name}
	nc, err := access.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	f := &forger{t: t, nc: nc, name: name}
	f.hello()
	if f.sub, err = nc.SubscribeSync("assay.unit." + f.run + "." + name); err != nil {
		t.Fatal(err)
	}
	return f
}

// hello says hello until a coordinator replies.
func (f *forger) hello() {
	f.t.Helper()
	data, _ := json.Marshal(wire.Hello{Protocol: wire.Protocol, Program: program, Cores: 1, Run: f.run})
	ctx, cancel := patient(f.t)
	defer cancel()
	for {
		m, err := f.nc.Request("assay.hello."+f.name, data, time.Second)
		var w wire.Welcome
		if err == nil && json.Unmarshal(m.Data, &w) == nil && w.Run != "" {
			f.run = w.Run
			return
		}
		if ctx.Err() != nil {
			f.t.Fatal("no coordinator:", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// lease receives a unit and does nothing with it.
func (f *forger) lease() (u wire.Unit) {
	f.t.Helper()
	for range 100 {
		f.hello()
		m, err := f.sub.NextMsg(500 * time.Millisecond)
		if err == nil && json.Unmarshal(m.Data, &u) == nil && u.ID != "" {
			return u
		}
	}
	f.t.Fatal("no unit")
	return u
}

func (f *forger) answer(u *wire.Unit, r *selfplay.Result) (reply wire.Reply) {
	f.t.Helper()
	a := wire.Answer{Unit: u.ID}
	var err error
	if a.Sum, err = wire.Checksum(r); err == nil {
		a.Result, err = json.Marshal(r)
	}
	data, e := json.Marshal(&a)
	if err = errors.Join(err, e); err != nil {
		f.t.Fatal(err)
	}
	m, err := f.nc.Request(fmt.Sprintf("assay.answer.%s.%s", f.run, f.name), data, 20*time.Second)
	if err == nil {
		err = json.Unmarshal(m.Data, &reply)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return reply
}

// inBackground runs c in the background. The returned function waits for its end.
func inBackground(t *testing.T, c func() error) (end func()) {
	ended := make(chan error, 1)
	go func() { ended <- c() }()
	return func() {
		t.Helper()
		ctx, cancel := patient(t)
		defer cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
		case <-ctx.Done():
			t.Fatal("the run does not end")
		}
	}
}

// A worker that sends an invented result for a unit it leased is banned.
func TestMadeUpResult(t *testing.T) {
	t.Parallel()
	local := games(t, 40, nil)
	generate(t, local)
	b, notes := serve(t, broker.Config{}), newLogBook(t)
	c := games(t, 40, newCoordinator(t, b, coordinator.Config{ReplayShare: 0.1, Lease: time.Second, Log: notes.add}))
	end := inBackground(t, func() error { _, err := datagen.Run(t.Context(), c); return err })
	liar := newForger(t, b, "liar")
	u := liar.lease()
	r := selfplay.Result{Number: u.Job.Number, Try: u.Job.Try, Seed: u.Job.Seed, Opening: len(u.Job.Opening),
		Moves: u.Job.Opening, Termination: board.Checkmate, Result: board.WhiteWins}
	r.Scores, r.Depths = make([]int16, len(r.Moves)), make([]uint8, len(r.Moves))
	if reply := liar.answer(&u, &r); reply.Refused == "" {
		t.Errorf("the liar gets the reply %+v", reply)
	}
	notes.expect("liar", "is banned", "impossible result")
	startWorker(t, b, "anna", nil)
	end()
	sameFiles(t, c.Out, local.Out)
}

// A worker lets its lease expire and answers when another worker has done so. If its answer
// is right, this is noted and does no harm; if not, it is banned.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	b, notes := serve(t, broker.Config{}), newLogBook(t)
	dir := t.TempDir()
	k := newCoordinator(t, b, coordinator.Config{Dir: dir, ReplayShare: 0.1, Lease: time.Second, Log: notes.add})
	jobs, results := make(chan selfplay.Job), make(chan selfplay.Result, 10)
	end := inBackground(t, func() error { return k.Run(t.Context(), jobs, results) })
	l := selfplay.Limits{Nodes: 30, HardNodes: true}
	for n := range uint64(2) {
		jobs <- selfplay.Job{Number: n, Players: toy.Specs("assay:hash=1", "assay:hash=1"),
			Limits: [2]selfplay.Limits{l, l}, Plies: 10, Seed: n}
	}
	late, wrong := newForger(t, b, "late"), newForger(t, b, "latewrong")
	u1, u2 := late.lease(), wrong.lease()
	startWorker(t, b, "anna", nil)
	done := map[uint64]selfplay.Result{}
	for range 2 {
		r := <-results
		done[r.Number] = r
	}
	right := done[u1.Job.Number]
	if reply := late.answer(&u1, &right); !reply.Kept {
		t.Errorf("the late worker with the right answer gets the reply %+v", reply)
	}
	other := done[u2.Job.Number]
	other.Scores = append([]int16(nil), other.Scores...)
	other.Scores[len(other.Scores)-1]++
	wrong.answer(&u2, &other)
	notes.expect("latewrong", "is banned", "differs from the coordinator's")
	close(jobs)
	end()
	var r coordinator.Snapshot
	readJSON(t, filepath.Join(dir, coordinator.WorkersName), &r)
	for _, m := range r.Workers {
		switch {
		case m.Name == "late" && (m.Late != 1 || m.State == coordinator.Banned || m.Units != 0),
			m.Name == "latewrong" && (m.State != coordinator.Banned || m.Units != 0),
			m.Name == "anna" && m.State == coordinator.Banned:
			t.Errorf("the snapshot says %+v", m)
		}
	}
	if len(r.Workers) != 3 {
		t.Errorf("%d workers", len(r.Workers))
	}
}

// A worker without a key on the list is rejected. A worker with one may do what workers
// have to do, and nothing else. A banned key is rejected.
func TestKeysAndRights(t *testing.T) {
	t.Parallel()
	notes := newLogBook(t)
	dir := t.TempDir()
	key := func(name string) (path, line string) {
		private, line, err := wire.NewKey(name)
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(dir, name)
		write(t, path, private)
		return path, line
	}
	anna, lineA := key("anna")
	eve, lineE := key("eve")
	stranger, _ := key("stranger")
	list := filepath.Join(dir, "list")
	write(t, list, []byte("# who may come\n"+lineA+"\n"+lineE+" # a friend\n"))
	keys, err := wire.ReadKeys(list)
	if err != nil {
		t.Fatal(err)
	}
	b := serve(t, broker.Config{Keys: keys, Log: notes.add})
	for _, path := range []string{"", stranger} {
		access := wire.Access{URL: b.URL(), Name: "stranger", Credentials: path}
		if _, err := access.Dial(t.Context()); !errors.Is(err, wire.ErrCredentials) {
			t.Errorf("with the credentials %q: %v", path, err)
		}
	}
	notes.expect("authentication", "Nkey")

	errs := make(chan error, 10)
	access := wire.Access{URL: b.URL(), Name: "eve", Credentials: eve, Log: func(err error) { errs <- err }}
	nc, err := access.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
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
	for _, subject := range []string{"assay.answer.x.anna", "assay.unit.x.anna", "assay.unit.x.eve",
		"$JS.API.STREAM.DELETE.ASSAY"} {
		if err := nc.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		if err := <-errs; !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
			t.Errorf("publishing to %s: %v", subject, err)
		}
	}

	_, ended := startWorker(t, b, "bert", func(w *worker.Worker) { w.Access.Credentials = anna })
	if err := ended(); !errors.Is(err, wire.ErrCredentials) ||
		!strings.Contains(err.Error(), "another worker than bert") {
		t.Errorf("with the key of another name: %v", err)
	}

	c := games(t, 10, newCoordinator(t, b, coordinator.Config{ReplayShare: 0.5, Log: notes.add}))
	startWorker(t, b, "anna", func(w *worker.Worker) { w.Access.Credentials = anna })
	generate(t, c)
	if err := b.Ban(keys[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := (&wire.Access{URL: b.URL(), Name: "eve", Credentials: eve}).Dial(t.Context()); !errors.Is(err,
		wire.ErrCredentials) {
		t.Errorf("after the ban: %v", err)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	b := serve(t, broker.Config{Token: "a secret"})
	for token, shown := range map[string]string{"another": "of worker eve, which are a token",
		"": "of worker eve, which shows none"} {
		_, err := (&wire.Access{URL: b.URL(), Name: "eve", Token: token}).Dial(t.Context())
		if !errors.Is(err, wire.ErrCredentials) || !strings.Contains(err.Error(), shown) ||
			token != "" && strings.Contains(err.Error(), token) {
			t.Errorf("with the token %q: %v", token, err)
		}
	}
	// Workers that share a token may answer in each other's name. Keys prevent it: see TestKeysAndRights.
	listener, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	answers, err := listener.SubscribeSync("assay.answer.x.anna")
	if err = errors.Join(err, listener.Flush()); err != nil {
		t.Fatal(err)
	}
	eve, err := (&wire.Access{URL: b.URL(), Name: "eve", Token: "a secret"}).Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer eve.Close()
	if err := eve.Publish("assay.answer.x.anna", nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := patient(t)
	defer cancel()
	if _, err := answers.NextMsgWithContext(ctx); err != nil {
		t.Errorf("answering as anna with the shared token: %v", err)
	}
	c := games(t, 5, newCoordinator(t, b, coordinator.Config{}))
	startWorker(t, b, "anna", func(w *worker.Worker) { w.Access.Token = "a secret" })
	generate(t, c)
}

func TestLoopbackOnlyWithoutCredentials(t *testing.T) {
	t.Parallel()
	for addr, open := range map[string]bool{"0.0.0.0:0": true, ":0": false, "[::]:0": true,
		"localhost:0": false, "192.0.2.1:4222": true} {
		if err := (&broker.Config{Addr: addr}).Check(); errors.Is(err, broker.ErrOpen) != open {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if err := (&broker.Config{Addr: "0.0.0.0:0", Token: "x"}).Check(); err != nil {
		t.Error(err)
	}
}

// The URL of a server that listens on all addresses has the machine's name.
func TestAddressForWorkers(t *testing.T) {
	t.Parallel()
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	b := serve(t, broker.Config{Addr: "0.0.0.0:0", Token: "x"})
	if !strings.HasPrefix(b.URL(), "nats://"+host+":") {
		t.Errorf("%s, on %s", b.URL(), host)
	}
}
