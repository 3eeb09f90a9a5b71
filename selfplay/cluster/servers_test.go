package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
)

// three are three servers that form a cluster, and the cables between them.
type three struct {
	t       *testing.T
	options [3]*server.Options
	servers [3]natsServer
	cables  map[[2]int]*cable // by the two servers; the first one dials
}

func serveThree(t *testing.T) *three {
	t.Helper()
	s := &three{t: t, cables: map[[2]int]*cable{}}
	for i := range s.options {
		o := natsOptions(t)
		o.ServerName = fmt.Sprint("server", i)
		o.Cluster = server.ClusterOpts{Name: "assay", Host: "127.0.0.1", Port: freePort(t), Advertise: "127.0.0.1:1"}
		s.options[i] = o
	}
	for i := range s.options {
		for j := range s.options {
			if i == j {
				continue
			}
			c := newCable(t, fmt.Sprint("127.0.0.1:", s.options[j].Cluster.Port))
			s.cables[[2]int{i, j}] = c
			s.options[i].Routes = append(s.options[i].Routes, server.RoutesFromStr("nats://"+c.addr())...)
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
	s.servers[i] = startNATS(s.t, s.options[i])
}

func (s *three) urls() string {
	var all []string
	for _, o := range s.options {
		all = append(all, fmt.Sprint("nats://127.0.0.1:", o.Port))
	}
	return strings.Join(all, ",")
}

// serverOf returns the server to which a connection is, once it is not the one excluded; -1
// excludes none.
func (s *three) serverOf(nc *nats.Conn, but int) int {
	s.t.Helper()
	ctx, cancel := patient(s.t)
	defer cancel()
	for ctx.Err() == nil {
		for i, o := range s.options {
			if i != but && nc.IsConnected() && nc.ConnectedUrl() == fmt.Sprint("nats://127.0.0.1:", o.Port) {
				return i
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatal("the coordinator has no server")
	return 0
}

// cut separates a server from the others, or joins it with them.
func (s *three) cut(i int, cut bool) {
	for ends, c := range s.cables {
		if ends[0] == i || ends[1] == i {
			c.set(cut)
		}
	}
}

// Of three servers, the coordinator's is stopped, and started again when the coordinator is
// connected to another. Then that one is cut off from the others, and joined again some games
// later. The games are those of one machine.
func TestThreeServers(t *testing.T) {
	t.Parallel()
	n := uint64(120)
	if *long {
		n = 2000
	}
	local := games(t, n, nil)
	generate(t, local)
	s := serveThree(t)
	access := wire.Access{URL: s.urls()}
	var nc *nats.Conn // the coordinator's
	k := coordinator.New(coordinator.Config{Dir: t.TempDir(), Open: roster.Open, Program: program,
		ReplayShare: 0.2, Lease: 2 * time.Second,
		Connect: func() (_ *nats.Conn, err error) { nc, err = access.Dial(t.Context()); return nc, err }})
	defer k.Close()
	c := games(t, n, k)
	for _, name := range []string{"anna", "bert"} {
		startWorker(t, s.servers[0], name, func(w *worker.Worker) { w.Access.URL = s.urls() })
	}
	hurt := -1
	faults := []func(){
		func() { hurt = s.serverOf(nc, -1); s.servers[hurt].Close() },
		func() { s.serverOf(nc, hurt); s.start(hurt) },
		func() { hurt = s.serverOf(nc, -1); s.cut(hurt, true) },
		func() { s.cut(hurt, false) },
	}
	happened := 0
	last, stall := time.Now(), time.Duration(0) // for the log
	c.Progress = func(done, _ int64, _ string) {
		if done > 1 {
			stall = max(stall, time.Since(last))
		}
		last = time.Now()
		if happened < len(faults) && done >= int64(n)*int64(happened+1)/6 {
			faults[happened]()
			happened++
		}
	}
	generate(t, c)
	sameFiles(t, c.Out, local.Out)
	t.Logf("the longest pause between two games: %v", stall.Round(10*time.Millisecond))
	if happened != len(faults) {
		t.Errorf("%d of %d faults happened", happened, len(faults))
	}
}
