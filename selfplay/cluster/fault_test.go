package cluster_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/internal/toy"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/opening"
)

var long = flag.Bool("long", false, "runs with faults in their long form: 2,000 games each")

// roleEnv turns this test binary into a process of its own, which a test can kill.
const roleEnv = "ASSAY_CLUSTER_TEST"

// otherRoles are those that not every system has.
var otherRoles = map[string]func(args []string) error{}

func TestMain(m *testing.M) {
	flag.Parse()
	role := os.Getenv(roleEnv)
	if role == "" {
		// The tests wait for disks, the network and elections more than they compute.
		if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
			_ = f.Value.Set("6")
		}
		os.Exit(m.Run())
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
	url := args[0]
	if f := otherRoles[role]; f != nil {
		return f(args)
	}
	if role == "crowd" {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return crowd(ctx, url, n, args[2])
	}
	if role == "worker" {
		w := worker.Worker{Access: wire.Access{URL: url, Name: args[1]}, Open: roster.Open,
			Program: program, Cores: 1, Library: args[2]}
		return w.Run(ctx)
	}
	n, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		return err
	}
	access := wire.Access{URL: url}
	k := coordinator.New(coordinator.Config{Dir: filepath.Join(args[1], coordinator.DirName), Open: roster.Open,
		Program: program, ReplayShare: 0.05, Lease: 2 * time.Second,
		Connect: func() (*nats.Conn,
			error) {
			return access.Dial(ctx)
		}, Log: func(text string) { fmt.Fprintln(os.Stderr, text) }})
	// The parent says when to continue, or a fast run would be over before its faults.
	watcher := bufio.NewReader(os.Stdin)
	progress := func(done, _ int64, _ string) {
		fmt.Println(done)
		_, _ = watcher.ReadString('\n')
	}
	if role == "match" {
		c := faultMatch(args[1], n, k)
		c.Progress = progress
		_, err = match.Run(ctx, c)
	} else {
		c := faultGames(args[1], n, k)
		c.Progress = progress
		_, err = datagen.Run(ctx, c)
	}
	if e := k.Close(); err == nil {
		err = e
	}
	return err
}

func faultGames(out string, n uint64, r selfplay.Runner) datagen.Config {
	c := datagen.Standard(out, n, selfplay.Entrant{Spec: toy.Spec("assay:hash=1")},
		selfplay.Limits{Nodes: 20, HardNodes: true})
	c.MaxPlies, c.Check.Nodes, c.Seed, c.Program = 20, 50, 7, "test"
	c.Open, c.Runner = roster.Open, r
	return c
}

func faultMatch(out string, n uint64, r selfplay.Runner) match.Config {
	l := selfplay.Limits{Nodes: 20, HardNodes: true}
	return match.Config{A: selfplay.Entrant{Spec: toy.Spec("assay:hash=1")},
		B: selfplay.Entrant{Spec: toy.Spec("assay:hash=1:weights=shannon-1950")}, Games: n,
		Setup: selfplay.Setup{Out: out, Limits: l, MaxPlies: 20, Check: selfplay.Check{Nodes: 50},
			Opening: opening.Spec{Plies: 8}, Seed: 3, Program: "test", Open: roster.Open, Runner: r}}
}

// process is a child process that is killed and started again.
type process struct {
	t    *testing.T
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

// TestFaults plays a data set and a match with three worker processes, each killed twice at
// random times, a coordinator killed twice and a server restarted once. The files are the
// same as those of one undisturbed machine.
func TestFaults(t *testing.T) {
	t.Parallel()
	n := uint64(300) // with fewer, all may be finished while one fault takes its time
	if *long {
		n = 2000
	}
	for _, role := range []string{"selfplay", "match"} {
		n := n
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			if role == "match" && testing.Short() {
				t.Skip("with -short the data set is enough: the faults are the same")
			}
			if role == "match" && !*long {
				n *= 2 // few openings: the coordinator would have handed out all games before it is killed
			}
			faults(t, role, n)
		})
	}
}

func faults(t *testing.T, role string, n uint64) {
	local, out := filepath.Join(t.TempDir(), "local"), filepath.Join(t.TempDir(), "cluster")
	var err error
	if role == "match" {
		_, err = match.Run(t.Context(), faultMatch(local, n, nil))
	} else {
		_, err = datagen.Run(t.Context(), faultGames(local, n, nil))
	}
	if err != nil {
		t.Fatal(err)
	}
	options := natsOptions(t)
	b := startNATS(t, options)
	defer func() { b.Close() }()
	library := t.TempDir()
	var workers []*process
	for _, name := range []string{"anna", "bert", "carl"} {
		w := &process{t: t, role: "worker", args: []string{b.URL(), name, library}}
		w.start()
		defer w.kill()
		workers = append(workers, w)
	}
	k := &process{t: t, role: role, args: []string{b.URL(), out, fmt.Sprint(n)}}
	k.start()
	defer func() { k.kill() }()

	// The faults, in random order, at regular numbers of games of the first half: workers go on while the
	// coordinator's process waits for a fault, and a coordinator that finds all games in its journal is done.
	events := []func(){}
	for _, w := range slices.Concat(workers, workers) {
		events = append(events, func() { w.kill(); w.start() })
	}
	for range 2 {
		events = append(events, func() { k.kill(); k.start() })
	}
	events = append(events, func() {
		b.Close()
		b = startNATS(t, options)
	})
	rng := rand.New(rand.NewPCG(5, n))
	rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	i := 0
	for k.out.Scan() { // from the coordinator's current process
		done, err := strconv.ParseUint(k.out.Text(), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for ; i < len(events) && done >= n*uint64(i+1)/uint64(2*len(events)+2); i++ {
			events[i]()
		}
		_, _ = fmt.Fprintln(k.in) // fails if the coordinator was just killed
	}
	if err := k.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if i < len(events) {
		t.Errorf("%d of %d faults happened", i, len(events))
	}
	sameFiles(t, out, local)
}

// cable is a connection between two servers that can be cut.
type cable struct {
	to string
	l  net.Listener

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{to: to, l: l}
	t.Cleanup(func() { l.Close(); c.set(true) })
	go func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", to)
			c.mu.Lock()
			if err != nil || c.cut {
				a.Close()
				if err == nil {
					b.Close()
				}
				c.mu.Unlock()
				continue
			}
			c.conns = append(c.conns, a, b)
			c.mu.Unlock()
			go pump(a, b)
			go pump(b, a)
		}
	}()
	return c
}

func pump(a, b net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := a.Read(buf)
		if err == nil {
			_, err = b.Write(buf[:n])
		}
		if err != nil {
			a.Close()
			b.Close()
			return
		}
	}
}

// set cuts or repairs the cable.
func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	if cut {
		for _, x := range c.conns {
			x.Close()
		}
		c.conns = nil
	}
}

func (c *cable) addr() string { return c.l.Addr().String() }
