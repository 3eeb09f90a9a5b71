package cluster_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// newKey makes a worker's key, and returns its file and its public half.
func newKey(t *testing.T, name string) (path string, key wire.Key) {
	t.Helper()
	private, line, err := wire.NewKey(name)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), name)
	write(t, path, private)
	list := path + ".list"
	write(t, list, []byte(line))
	keys, err := wire.ReadKeys(list)
	if err != nil {
		t.Fatal(err)
	}
	return path, keys[0]
}

// No worker can make the coordinator or the server speak for it to another worker: messages
// that want the reply elsewhere than in the sender's inbox are ignored, and no one is refused
// for what the server sends in its name.
func TestNoWorkerSpeaksForAnother(t *testing.T) {
	t.Parallel()
	eve, eveKey := newKey(t, "eve")
	anna, annaKey := newKey(t, "anna")
	b := serve(t, broker.Config{Keys: []wire.Key{eveKey, annaKey}})
	listener, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	checks, err := listener.SubscribeSync("assay.check.*.anna")
	if err = errors.Join(err, listener.Flush()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	k := newCoordinator(t, b, coordinator.Config{Dir: dir})
	jobs, results := make(chan selfplay.Job), make(chan selfplay.Result, 10)
	end := inBackground(t, func() error { return k.Run(t.Context(), jobs, results) })
	l := selfplay.Limits{Nodes: 30, HardNodes: true}
	job := func(n uint64) selfplay.Job {
		return selfplay.Job{Number: n, Players: toy.Specs("assay:hash=1", "assay:hash=1"),
			Limits: [2]selfplay.Limits{l, l}, Plies: 10, Seed: n}
	}
	jobs <- job(1)
	startWorker(t, b, "anna", func(w *worker.Worker) { w.Access.Credentials = anna })
	<-results
	nc, err := (&wire.Access{URL: b.URL(), Name: "eve", Credentials: eve}).Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	hello, _ := json.Marshal(wire.Hello{Protocol: wire.Protocol, Program: program, Cores: 0})
	ctx, cancel := patient(t)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, "assay.hello.eve", hello)
	var w wire.Welcome
	if err == nil {
		err = json.Unmarshal(m.Data, &w)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []nats.Msg{
		{Subject: "assay.hello.eve", Reply: "assay.check." + w.Run + ".anna", Data: hello},
		{Subject: "assay.answer." + w.Run + ".eve", Reply: "assay.check." + w.Run + ".anna", Data: []byte(`{"unit":"none"}`)},
		{Subject: "assay.answer." + w.Run + ".eve", Reply: "$JS.API.STREAM.DELETE.ASSAY", Data: []byte(`garbage`)},
		{Subject: "$JS.API.CONSUMER.MSG.NEXT.ASSAY." + w.Run, Reply: "assay.answer." + w.Run + ".anna",
			Data: []byte(`{"batch":1,"no_wait":true}`)},
		{Subject: "$JS.API.CONSUMER.INFO.ASSAY." + w.Run, Reply: "assay.hello.anna"},
	} {
		if err := nc.PublishMsg(&x); err != nil {
			t.Fatal(err)
		}
	}
	// The coordinator handled all of it before it replies to these two.
	for subject, data := range map[string][]byte{"assay.hello.eve": hello,
		"assay.answer." + w.Run + ".eve": []byte(`{"unit":"none"}`)} {
		if _, err := nc.RequestWithContext(ctx, subject, data); err != nil {
			t.Fatal(err)
		}
	}
	const sentinel = "the first message to anna"
	if err := listener.Publish("assay.check."+w.Run+".anna", []byte(sentinel)); err != nil {
		t.Fatal(err)
	}
	if m, err := checks.NextMsgWithContext(ctx); err != nil || string(m.Data) != sentinel {
		t.Errorf("the coordinator says for eve %+v: %v", m, err)
	}
	jobs <- job(2)
	<-results
	close(jobs)
	end()
	var r coordinator.Snapshot
	readJSON(t, filepath.Join(dir, coordinator.WorkersName), &r)
	for _, m := range r.Workers {
		if m.State != coordinator.Working {
			t.Errorf("%s is %s: %s", m.Name, m.State, m.Reason)
		}
	}
}

// A worker that was banned in an earlier process of the run stays banned at the server.
func TestBansOutliveTheCoordinator(t *testing.T) {
	t.Parallel()
	b := serve(t, broker.Config{})
	dir := t.TempDir()
	journal, err := durable.OpenJournal(filepath.Join(dir, "ledger-000001.jsonl"), nil)
	if err == nil {
		err = errors.Join(journal.Append(map[string]string{"worker": "eve", "banned": "it lied"}), journal.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	var banned []string
	k := newCoordinator(t, b,
		coordinator.Config{Dir: dir, Ban: func(worker string) { banned = append(banned, worker) }})
	k.Open = roster.Open
	if playJobs(t, k); len(banned) != 1 || banned[0] != "eve" {
		t.Errorf("banned: %q", banned)
	}
}
