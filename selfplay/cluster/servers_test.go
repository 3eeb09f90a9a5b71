//go:build unix

package cluster_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// three are three servers that form a cluster, each a process, and the cables between them.
type three struct {
	t       *testing.T
	options [3]*server.Options
	servers [3]*process
	cables  map[[2]int]*cable // by the two servers; the first one dials
}

func serveThree(t *testing.T) *three {
	t.Helper()
	s := &three{t: t, cables: map[[2]int]*cable{}}
	for i := range s.options {
		o := natsOptions(t)
		o.ServerName, o.Cluster.Port = fmt.Sprint("server", i), freePort(t)
		s.options[i] = o
	}
	for i := range s.options {
		for j := range s.options {
			if i == j {
				continue
			}
			c := newCable(t, fmt.Sprint("127.0.0.1:", s.options[j].Cluster.Port))
			s.cables[[2]int{i, j}] = c
			s.options[i].RoutesStr += ",nats://" + c.addr()
		}
	}
	for i := range s.servers {
		s.start(i)
	}
	t.Cleanup(func() {
		for _, p := range s.servers {
			p.kill()
		}
	})
	return s
}

func (s *three) start(i int) {
	s.t.Helper()
	o := s.options[i]
	s.servers[i] = &process{t: s.t, role: "server", args: []string{o.RoutesStr, fmt.Sprint(o.Port),
		fmt.Sprint(o.Cluster.Port), o.ServerName}}
	if s.servers[i].start(); !s.servers[i].out.Scan() {
		s.t.Fatal("the server does not start")
	}
}

func init() { otherRoles["server"] = serveAlone }

// serveAlone is the process of a server, given as in start. It ends with the process that started it.
func serveAlone(args []string) error {
	var ports [2]int
	for i := range ports {
		ports[i], _ = strconv.Atoi(args[1+i])
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: ports[0], NoSigs: true, NoLog: true,
		ServerName: args[3], Routes: server.RoutesFromStr(strings.TrimPrefix(args[0], ",")),
		Cluster: server.ClusterOpts{Name: "assay", Host: "127.0.0.1", Port: ports[1], Advertise: "127.0.0.1:1"}})
	if err != nil {
		return err
	}
	if s.Start(); !s.ReadyForConnections(patience) {
		return errors.New("the server is not ready")
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// pause stops a server's process for a time, with its connections open.
func (s *three) pause(i int, during time.Duration) {
	p := s.servers[i].cmd.Process
	_ = p.Signal(syscall.SIGSTOP)
	time.AfterFunc(during, func() { _ = p.Signal(syscall.SIGCONT) })
}

// URL returns the addresses of all.
func (s *three) URL() string {
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

// Of three servers, the coordinator's is killed, and started again when the coordinator is connected to another. That
// one is cut off from the others, and joined again some games later; and its process is paused for 3 s (with -long for
// 45 s, until its clients have given it up). All three are cut off from each other, and joined. The games are those
// of one machine.
func TestThreeServers(t *testing.T) {
	t.Parallel()
	n, pause := uint64(120), 3*time.Second
	if *long {
		n, pause = 2000, 45*time.Second
	}
	local := games(t, n, nil)
	generate(t, local)
	s := serveThree(t)
	access := wire.Access{URL: s.URL()}
	var nc *nats.Conn // the coordinator's
	k := coordinator.New(coordinator.Config{Dir: t.TempDir(), Open: roster.Open, Program: program,
		ReplayShare: 0.2, Lease: 2 * time.Second,
		Connect: func() (_ *nats.Conn, err error) { nc, err = access.Dial(t.Context()); return nc, err }})
	defer k.Close()
	c := games(t, n, k)
	for _, name := range []string{"anna", "bert"} {
		startWorker(t, s, name, nil)
	}
	hurt := -1
	faults := []func(){
		func() { hurt = s.serverOf(nc, -1); s.servers[hurt].kill() },
		func() { s.serverOf(nc, hurt); s.start(hurt) },
		func() { hurt = s.serverOf(nc, -1); s.cut(hurt, true) },
		func() { s.cut(hurt, false) },
		func() { s.pause(s.serverOf(nc, -1), pause) },
		func() { s.cut(0, true); s.cut(1, true) },
		func() { s.cut(0, false); s.cut(1, false) },
	}
	happened := 0
	last, stall := time.Now(), time.Duration(0) // for the log
	c.Progress = func(done, _ int64, _ string) {
		if done > 1 {
			stall = max(stall, time.Since(last))
		}
		last = time.Now()
		if happened < len(faults) && done >= int64(n)*int64(happened+1)/9 {
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
