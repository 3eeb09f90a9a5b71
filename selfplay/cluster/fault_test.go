//go:build unix

package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/roster"
)

var long = flag.Bool("long", false, "runs with faults in their long form: up to 16 workers, the "+
	"coordinator killed 20 times")

// roleEnv turns this test binary into a process of its own, which a test can kill.
const roleEnv = "ASSAY_CLUSTER_TEST"

func TestMain(m *testing.M) {
	flag.Parse()
	durable.SyncEvery = 0 // games are announced one by one, and faults happen between them
	role := os.Getenv(roleEnv)
	if role == "" {
		// The tests wait for disks, the network and elections more than they compute.
		if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
			_ = f.Value.Set("6")
		}
		os.Exit(testengine.Tests{M: m}.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := play(ctx, role, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, role, err)
		os.Exit(1)
	}
}

// play is the main function of the process of a role.
func play(ctx context.Context, role string, args []string) error {
	switch role {
	case "server":
		return serveAlone(args)
	case "worker":
		w := worker.Worker{Access: wire.Access{URL: args[0], Name: args[1]}, Open: roster.Open,
			Program: program, Cores: 1, Library: args[2]}
		return w.Run(ctx)
	}
	var n uint64
	if _, err := fmt.Sscan(args[2], &n); err != nil {
		return err
	}
	access := wire.Access{URL: args[0]}
	k := coordinator.New(coordinator.Config{Dir: filepath.Join(args[1], coordinator.DirName), Open: roster.Open,
		Program: program, ReplayShare: 0.05, Lease: time.Second, CheckEvery: 500 * time.Millisecond,
		Connect: func() (*nats.Conn, error) { return access.Dial(ctx) }})
	// The parent says when to continue, or a fast run would be over before its faults.
	watcher := bufio.NewReader(os.Stdin)
	progress := func(done, _ int64, _ string) {
		fmt.Println(done)
		_, _ = watcher.ReadString('\n')
	}
	var err error
	if role == "match" {
		c := matchOf(args[1], n, k)
		c.Progress = progress
		_, err = match.Run(ctx, c)
	} else {
		c := games(args[1], n, k)
		c.Progress = progress
		_, err = datagen.Run(ctx, c)
	}
	k.Close()
	return err
}

// process is a child process that is killed and started again.
type process struct {
	t    testing.TB
	role string
	args []string
	out  *bufio.Scanner
	in   io.Writer
	cmd  *exec.Cmd
}

func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(os.Args[0], p.args...)
	p.cmd.Env = append(os.Environ(), roleEnv+"="+p.role)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.out = bufio.NewScanner(out)
}

func (p *process) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	_ = p.cmd.Wait()
}

// pause stops a process for a time, with its connections open.
func (p *process) pause(during time.Duration) {
	process := p.cmd.Process
	_ = process.Signal(syscall.SIGSTOP)
	time.AfterFunc(during, func() { _ = process.Signal(syscall.SIGCONT) })
}

// portsTried counts ports, so that no two tests that run at once take the same one.
var portsTried atomic.Int32

// freePort returns a port below those that systems give to connections and to listeners on port 0
// (from 32768 on Linux, 49152 elsewhere): a server that stops and starts again finds it free.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 15000 + (os.Getpid()*61+int(portsTried.Add(1)))%15000
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port between 15000 and 30000")
	return 0
}

// node is a NATS server of its own process.
type node struct {
	process
	name, dir, routes string
	port, clusterPort int
}

func (n *node) up() {
	n.t.Helper()
	n.process.role = "server"
	n.args = []string{n.name, n.dir, fmt.Sprint(n.port), fmt.Sprint(n.clusterPort), n.routes}
	if n.start(); !n.out.Scan() {
		n.t.Fatal("the server does not start")
	}
}

func (n *node) url() string { return fmt.Sprint("nats://127.0.0.1:", n.port) }

// serveAlone is the process of a server, given as in up. It ends with the process that started it.
func serveAlone(args []string) error {
	o := &server.Options{Host: "127.0.0.1", NoSigs: true, NoLog: true, ServerName: args[0], JetStream: true,
		StoreDir: args[1]}
	if _, err := fmt.Sscan(args[2], &o.Port); err != nil {
		return err
	}
	if args[4] != "" {
		o.Cluster = server.ClusterOpts{Name: "assay", Host: "127.0.0.1", Advertise: "127.0.0.1:1"}
		o.Routes = server.RoutesFromStr(args[4])
		if _, err := fmt.Sscan(args[3], &o.Cluster.Port); err != nil {
			return err
		}
	}
	s, err := server.NewServer(o)
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

// Workers, a coordinator and a server are killed, stopped and started again at random, in a data set and a match. The
// files are the same as on one undisturbed machine: no game is lost, and none is there twice.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		role           string
		workers, kills int // of the coordinator
		games          uint64
		long           bool
	}{{"selfplay", 3, 3, 150, false}, {"selfplay", 1, 20, 1500, true}, {"selfplay", 16, 20, 1500, true},
		{"match", 3, 20, 1000, true}} {
		t.Run(fmt.Sprint(tt.role, tt.workers), func(t *testing.T) {
			if tt.long && !*long {
				t.Skip("with -long")
			}
			faults(t, tt.role, tt.workers, tt.kills, tt.games)
		})
	}
}

func faults(t *testing.T, role string, crowd, kills int, n uint64) {
	want, out := filepath.Join(t.TempDir(), "local"), filepath.Join(t.TempDir(), "cluster")
	if role == "match" {
		setup.Must(match.Run(t.Context(), matchOf(want, n, nil)))
	} else {
		setup.Must(datagen.Run(t.Context(), games(want, n, nil)))
	}
	nats := &node{process: process{t: t}, name: "alone", dir: t.TempDir(), port: freePort(t)}
	nats.up()
	defer func() { nats.kill() }()
	library := t.TempDir()
	var workers []*process
	for i := range crowd {
		w := &process{t: t, role: "worker", args: []string{nats.url(), fmt.Sprint("worker", i), library}}
		w.start()
		defer w.kill()
		workers = append(workers, w)
	}
	k := &process{t: t, role: role, args: []string{nats.url(), out, fmt.Sprint(n)}}
	k.start()
	defer func() { k.kill() }()

	// The faults, in random order, at regular numbers of games: workers go on while the coordinator's process waits for
	// a fault, and a coordinator that finds all games in its journal is done.
	events := []func(){func() { nats.kill(); nats.up() }}
	for _, w := range workers {
		events = append(events, func() { w.kill(); w.start() }, func() { w.pause(1500 * time.Millisecond) }) // over the lease
	}
	for range kills {
		events = append(events, func() { k.kill(); k.start() })
	}
	rng := rand.New(rand.NewPCG(5, n))
	rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	i := 0
	for k.out.Scan() { // from the coordinator's current process
		var done uint64
		if _, err := fmt.Sscan(k.out.Text(), &done); err != nil {
			t.Fatal(err)
		}
		if i < len(events) && done >= n*uint64(i+1)/uint64(len(events)+len(events)/2+2) {
			events[i]()
			i++
		}
		_, _ = fmt.Fprintln(k.in) // fails if the coordinator was just killed
	}
	setup.Check(t, k.cmd.Wait())
	if i < len(events) {
		t.Errorf("%d of %d faults happened", i, len(events))
	}
	sameFiles(t, out, want)
}

// three are three servers that form a cluster, each a process, and the cables between them.
type three struct {
	nodes  [3]*node
	cables map[[2]int]*cable // by the two servers; the first one dials
}

func serveThree(t *testing.T) *three {
	t.Helper()
	s := &three{cables: map[[2]int]*cable{}}
	for i := range s.nodes {
		s.nodes[i] = &node{process: process{t: t}, name: fmt.Sprint("server", i), dir: t.TempDir(), port: freePort(t),
			clusterPort: freePort(t)}
	}
	for i, from := range s.nodes {
		var routes []string
		for j, to := range s.nodes {
			if i != j {
				c := newCable(t, fmt.Sprint("127.0.0.1:", to.clusterPort))
				s.cables[[2]int{i, j}] = c
				routes = append(routes, "nats://"+c.address)
			}
		}
		from.routes = strings.Join(routes, ",")
	}
	for _, n := range s.nodes {
		n.up()
		t.Cleanup(func() { n.kill() })
	}
	return s
}

func (s *three) url() string {
	return s.nodes[0].url() + "," + s.nodes[1].url() + "," + s.nodes[2].url()
}

// cut separates a server from the others, or joins it with them.
func (s *three) cut(i int, cut bool) {
	for ends, c := range s.cables {
		if ends[0] == i || ends[1] == i {
			c.set(cut)
		}
	}
}

// Of three servers, one is killed, and started again; one is cut off from the others, and joined again some games
// later; one is paused; and all three are cut off from each other, and joined. The games are the same as on one
// machine.
func TestThreeServers(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("with -long: elections take seconds")
	}
	n := uint64(1000)
	want := local(t, n)
	s := serveThree(t)
	access := wire.Access{URL: s.url()}
	k := coordinator.New(configured(t, coordinator.Config{ReplayShare: 0.1, Log: func(text string) { t.Log(text) },
		Connect: func() (*nats.Conn, error) { return access.Dial(t.Context()) }}))
	defer k.Close()
	c := games(filepath.Join(t.TempDir(), "games"), n, k)
	for _, name := range []string{"anna", "bert"} {
		startWorker(t, s.url(), name, nil)
	}
	faults := []func(){
		func() { s.nodes[0].kill() },
		func() { s.nodes[0].up() },
		func() { s.cut(1, true) },
		func() { s.cut(1, false) },
		func() { s.nodes[2].pause(15 * time.Second) },
		func() {
			s.cut(0, true)
			s.cut(1, true)
			time.AfterFunc(10*time.Second, func() { s.cut(0, false); s.cut(1, false) })
		},
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
	sameFiles(t, c.Out, want)
	t.Logf("the longest pause between two games: %v", stall.Round(10*time.Millisecond))
	if happened != len(faults) {
		t.Errorf("%d of %d faults happened", happened, len(faults))
	}
}
