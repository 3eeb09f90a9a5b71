package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
)

// three are three servers with one store, and the cables between them.
type three struct {
	t       *testing.T
	configs [3]broker.Config
	servers [3]*broker.Broker
	cables  map[[2]int]*cable // by the servers, of which the first dials
}

func serveThree(t *testing.T) *three {
	t.Helper()
	s := &three{t: t, cables: map[[2]int]*cable{}}
	for i := range s.configs {
		s.configs[i] = broker.Config{Addr: freePort(t), Dir: t.TempDir(), Open: true,
			Peers: broker.Peers{Name: fmt.Sprint("server", i), Addr: freePort(t), Advertise: "127.0.0.1:1"}}
	}
	for i := range s.configs {
		for j := range s.configs {
			if i == j {
				continue
			}
			c := lay(t, s.configs[j].Peers.Addr)
			s.cables[[2]int{i, j}] = c
			s.configs[i].Peers.Routes = append(s.configs[i].Peers.Routes, c.addr())
		}
	}
	for i := range s.servers {
		s.start(i)
	}
	t.Cleanup(func() {
		for _, b := range s.servers {
			b.Close()
		}
	})
	return s
}

func (s *three) start(i int) {
	s.t.Helper()
	var err error
	if s.servers[i], err = broker.Start(s.configs[i]); err != nil {
		s.t.Fatal(err)
	}
}

func (s *three) urls() string {
	var all []string
	for _, c := range s.configs {
		all = append(all, "nats://"+c.Addr)
	}
	return strings.Join(all, ",")
}

// leader returns the server that leads the queue.
func (s *three) leader() int {
	s.t.Helper()
	nc, err := nats.Connect(s.urls())
	if err != nil {
		s.t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		s.t.Fatal(err)
	}
	for range 100 {
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
		stream, err := js.Stream(ctx, "ASSAY")
		cancel()
		if err == nil {
			if c := stream.CachedInfo().Cluster; c != nil && c.Leader != "" {
				if c.Replicas == nil {
					s.t.Fatal("the queue has one replica")
				}
				return int(c.Leader[len(c.Leader)-1] - '0')
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatal("the queue has no leader")
	return 0
}

// cut separates a server from the others, or joins it with them again.
func (s *three) cut(i int, cut bool) {
	for ends, c := range s.cables {
		if ends[0] == i || ends[1] == i {
			c.set(cut)
		}
	}
}

// Three servers: the one that leads is stopped, and started again; then the one that leads
// is cut off from the others, and joined again. The games are those of one machine.
func TestThreeServers(t *testing.T) {
	n := uint64(240)
	if *long {
		n = 2000
	}
	local := games(t, n, nil)
	generate(t, local)
	s := serveThree(t)
	access := cluster.Access{URL: s.urls()}
	k := cluster.New(cluster.Config{Dir: t.TempDir(), Open: roster.Open, Program: program, Share: 0.05, Lease: 2 * time.Second,
		Link: func() (*nats.Conn, error) { return access.Dial(t.Context()) }})
	defer k.Close()
	c := games(t, n, k)
	for _, name := range []string{"anna", "bert"} {
		lend(t, s.servers[0], name, func(w *cluster.Worker) { w.Access.URL = s.urls() })
	}
	var mu sync.Mutex
	last, stall := time.Now(), time.Duration(0)
	var hurt int
	faults := map[int64]func(){
		int64(n) * 1 / 6: func() { hurt = s.leader(); s.servers[hurt].Close() },
		int64(n) * 2 / 6: func() { s.start(hurt) },
		int64(n) * 3 / 6: func() { hurt = s.leader(); s.cut(hurt, true) },
		int64(n) * 4 / 6: func() { s.cut(hurt, false) },
	}
	happened := 0
	c.Progress = func(done, _ int64, _ string) {
		mu.Lock()
		defer mu.Unlock()
		if done > 1 {
			stall = max(stall, time.Since(last))
		}
		if f := faults[done]; f != nil {
			delete(faults, done)
			happened++
			f()
		}
		last = time.Now()
	}
	generate(t, c)
	same(t, c.Out, local.Out)
	t.Logf("the longest stall took %v", stall.Round(10*time.Millisecond))
	if happened != 4 {
		t.Errorf("%d of 4 faults happened", happened)
	}
}
