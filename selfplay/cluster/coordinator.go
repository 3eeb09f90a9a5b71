package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay"
)

// Config says how a coordinator works.
type Config struct {
	Dir  string                     // its own folder, in the run's
	Link func() (*nats.Conn, error) // connects it with the server, when there is a first job
	Open selfplay.Opener            // players, for auditions and checks
	Ban  func(worker string)        // told of who gets no more units; may be nil
	Tell func(text string)          // told in a line what happens; may be nil

	Measure   Speedometer // of this machine; nil: clocks are not scaled
	Reference float64     // nodes/s of a core for which clocks are meant; 0: as measured here

	Program  string        // version and bench signature: workers need the same
	Share    float64       // of the units that are played again; 0: workers are believed
	Lease    time.Duration // of a unit, from its worker's last sign of life; 0: DefaultLease
	Replicas int           // of the queue; 0: 3 on a cluster of servers, else 1
}

const (
	// DefaultLease is after how long a silent worker's units go to others.
	DefaultLease = 30 * time.Second
	// DefaultShare of the units is played again.
	DefaultShare = 0.02
)

// Names in a coordinator's folder.
const (
	// DirName is that of the folder, in a run's.
	DirName = ".cluster"
	// WorkersName is the file that says who works; a Roster.
	WorkersName = "workers.json"
	runName     = "run"
)

// Coordinator is a selfplay.Runner whose workers are on other machines. It starts at its
// first job, and may then run any number of series, one after the other.
type Coordinator struct {
	Config
	lock    *durable.Lock
	nc      *nats.Conn
	run     string
	room    *room
	ledger  *ledger
	memory  *memory
	roll    *roll
	players *players
	judge   *judge
	speed   float64 // that clocks are meant for; 0: not settled yet
	answers chan *nats.Msg
	queued  chan load
	stop    context.CancelFunc
}

var _ selfplay.Runner = (*Coordinator)(nil)

// New returns a coordinator that has not begun. Close it when done.
func New(c Config) *Coordinator {
	if c.Lease == 0 {
		c.Lease = DefaultLease
	}
	if c.Tell == nil {
		c.Tell = func(string) {}
	}
	return &Coordinator{Config: c, roll: newRoll(&c)}
}

// Parallel counts the cores of the workers that are there, and what the escrow holds
// back from each worker in the meantime.
func (c *Coordinator) Parallel() int {
	workers, cores := c.roll.strength()
	held := 0
	if c.Share > 0 {
		held = workers * newEscrow(c.Share).size / 4 // a series has 8 openings under way for each
	}
	return min(max(4, cores+held), maxParallel)
}

// maxParallel bounds the jobs that are under way, and so the coordinator's memory, however
// many cores workers say that they have.
const maxParallel = 1 << 14

// Run implements selfplay.Runner. A job that no worker can play ends it with an error.
func (c *Coordinator) Run(ctx context.Context, jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	if err := c.room.clear(ctx); err != nil {
		return err
	}
	d := newDesk(ctx, c)
	err := d.loop(jobs, results)
	c.judge.forget()
	if e := c.ledger.sync(); err == nil {
		err = e
	}
	c.saveRoster()
	if e := c.room.clear(context.WithoutCancel(ctx)); err == nil {
		err = e
	}
	return err
}

// begin starts the coordinator, once.
func (c *Coordinator) begin(ctx context.Context) (err error) {
	if c.room != nil {
		return nil
	}
	if err := durable.MakeDir(c.Dir); err != nil {
		return err
	}
	if c.lock, err = durable.TryLock(filepath.Join(c.Dir, ".lock")); err != nil {
		return err
	}
	if c.run, err = runID(c.Dir); err != nil {
		return err
	}
	if c.ledger, c.memory, err = openLedger(c.Dir); err != nil {
		return err
	}
	c.roll.remember(c.run, c.memory.banned)
	if c.nc, err = c.Link(); err != nil {
		return err
	}
	for worker := range c.memory.banned {
		c.bar(worker)
	}
	room, err := newRoom(ctx, c.nc, c.run, c.Lease, c.Replicas)
	if err != nil {
		return err
	}
	c.players = &players{open: c.Open, put: room.put, seen: map[string]player{}}
	c.answers, c.queued = make(chan *nats.Msg, atOnce), make(chan load)
	background, stop := context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			stop()
		}
	}()
	hand := func(m *nats.Msg) { // more wait in the connection, which bounds their bytes; what it drops a worker sends again
		select {
		case c.answers <- m:
		case <-background.Done():
		}
	}
	if _, err := c.nc.Subscribe(answerSubject(c.run, "*"), hand); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if _, err := c.nc.Subscribe(helloSubject("*"), c.roll.hear); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	c.nc.SetReconnectHandler(func(*nats.Conn) { _ = c.call() }) // whoever missed it looks for itself
	if err := c.call(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	c.judge, c.stop = newJudge(background, c.Open), stop
	go c.watch(background, room)
	c.room = room
	return nil
}

// call asks who is there.
func (c *Coordinator) call() error { return c.nc.Publish(callSubject, []byte(c.run)) }

// runID returns the name of the run's queue: made by chance when it begins, so that no
// two runs on one server share it.
func runID(dir string) (string, error) {
	path := filepath.Join(dir, runName)
	data, err := os.ReadFile(path)
	if err == nil {
		if id := strings.TrimSpace(string(data)); len(id) == 16 && CheckName(id) == nil {
			return id, nil
		}
		return "", fmt.Errorf("cluster: %s: %w", path, durable.ErrDamaged)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("cluster: %w", err)
	}
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	id := hex.EncodeToString(random)
	return id, durable.WriteFile(path, []byte(id+"\n"))
}

// cutOff is after how many silences in a row a server is taken to be cut off.
const cutOff = 2

// soon is the pause before asking again, of a worker after a silence.
const soon = time.Second

// watch asks every second how many units the queue holds.
func (c *Coordinator) watch(ctx context.Context, room *room) {
	for failed := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(soon):
		}
		n, err := room.load(ctx)
		if err != nil { // the server is away, choosing a leader, or cut off from the others
			if failed++; failed%cutOff == 0 {
				_ = c.nc.ForceReconnect() // to another, if there is one
			}
			continue
		}
		failed = 0
		select {
		case c.queued <- n:
		case <-ctx.Done():
			return
		case <-time.After(time.Second): // no series is being played
		}
	}
}

// bar has whoever lets workers in turn one away.
func (c *Coordinator) bar(worker string) {
	if c.Ban != nil {
		c.Ban(worker)
	}
}

// saveRoster writes who works, for whoever wants to see it.
func (c *Coordinator) saveRoster() {
	if err := c.roll.save(filepath.Join(c.Dir, WorkersName)); err != nil {
		c.Tell(err.Error()) // it counts for nothing
	}
}

// Close ends the coordinator. Workers wait for the next.
func (c *Coordinator) Close() error {
	if c.stop != nil {
		c.stop()
		c.judge.wait()
	}
	err := c.ledger.close()
	if c.nc != nil {
		c.nc.Close()
	}
	c.lock.Unlock()
	return err
}
