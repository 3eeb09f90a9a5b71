package coordinator

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// matedJob is a job whose game is over before it begins.
func matedJob() selfplay.Job {
	return selfplay.Job{Number: 1, Start: "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Seed: 9}
}

func matedAnswer(t testing.TB, id string) []byte {
	t.Helper()
	job := matedJob()
	r, err := selfplay.Play(t.Context(), &job, [2]engine.Player{})
	if err != nil {
		t.Fatal(err)
	}
	a := wire.Answer{Unit: id}
	if a.Sum, err = wire.Checksum(&r); err == nil {
		a.Result, err = json.Marshal(&r)
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(&a)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzAnswer sends a coordinator any bytes as a worker's answer. The run goes on, and no
// impossible result is accepted.
func FuzzAnswer(f *testing.F) {
	l, _, err := openLedger(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	defer l.close()
	right := matedAnswer(f, "u")
	f.Add(right)
	f.Add(matedAnswer(f, "another"))
	f.Add(slices.Concat(right[:len(right)-9], []byte(`1"}`)))
	f.Add([]byte(`{"unit":"u","failed":"no"}`))
	f.Add([]byte(`{"unit":"u","replay":true,"sum":"0","result":{"number":1,"moves":[1,2,3],"opening":-1}}`))
	f.Add([]byte(`{"unit":"u","result":[]}`))
	f.Add([]byte(`null`))
	f.Add([]byte{0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		c := New(Config{Program: "p"})
		c.run, c.ledger = "run", l
		s := newSession(t.Context(), c)
		u := &unit{id: "u", job: matedJob(), replayable: true}
		s.units[u.id] = u
		got, reply, err := s.readAnswer(&nats.Msg{Subject: wire.AnswerSubject("run", "mallory"),
			Reply: wire.InboxPrefix("mallory") + ".1", Data: data})
		if err != nil {
			t.Fatalf("the answer ended the run: %v", err)
		}
		banned := c.registry.whyRefused("mallory") != ""
		if got == nil {
			if u.result != nil || reply.Kept && banned {
				t.Errorf("reply %+v, banned %v, result %v", reply, banned, u.result)
			}
			return
		}
		if banned || got != u || !reply.Kept || u.worker != "mallory" {
			t.Errorf("reply %+v, banned %v, from %q", reply, banned, u.worker)
		}
		if err := u.result.Verify(&u.job); err != nil {
			t.Errorf("accepted an impossible result: %v", err)
		}
		if sum, err := wire.Checksum(u.result); err != nil || sum != u.sum {
			t.Errorf("accepted the checksum %s, want %s: %v", u.sum, sum, err)
		}
	})
}

// FuzzHello sends a coordinator any bytes as a worker's hello. It accepts only workers with
// the protocol and the program of the run.
func FuzzHello(f *testing.F) {
	f.Add([]byte(`{"protocol":6,"program":"p","cores":4}`))
	f.Add([]byte(`{"protocol":6,"program":"p","cores":-4,"leaving":true}`))
	f.Add([]byte(`{"protocol":9,"program":"p","trouble":"x"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		config := Config{Program: "p", Log: func(string) {}}
		r := newRegistry(&config)
		r.handleHello(&nats.Msg{Subject: wire.HelloSubject("anna"), Reply: wire.InboxPrefix("anna") + ".1", Data: data})
		if err := r.save(filepath.Join(t.TempDir(), WorkersName)); err != nil {
			t.Error(err)
		}
		workers, cores := r.capacity()
		if cores < 0 || cores > 4096 {
			t.Errorf("%d cores", cores)
		}
		var h wire.Hello
		if good := json.Unmarshal(data, &h) == nil && h.Protocol == wire.Protocol &&
			h.Program == "p"; workers > 0 && !good {
			t.Errorf("accepted %q", data)
		}
	})
}
