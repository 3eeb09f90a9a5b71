// Package coordinator is a selfplay.Runner whose workers are on other machines.
//
// It sends each selfplay.Job as a unit to a worker, which plays it and sends its answer. The
// coordinator verifies the answer and writes it into a ledger on disk before the worker may
// forget it; each result counts once. How many units a worker may have at once follows from
// its answers. A unit whose worker is silent, or takes far longer for it than games take,
// goes to another worker.
//
// The results of one worker count in batches. One game of each batch, chosen at random, is
// replayed by another worker and must be the same bit by bit. Where two differ, the
// coordinator plays the game itself; the worker that was wrong gets no more units, and its
// unconfirmed results are played again. What workers cannot play, or take far too long for,
// the coordinator plays too, so a broken worker holds up nothing.
//
// It contains no chess and links no server.
//
// No promise of stability. Start reading at Coordinator.Run, then session, dispatcher,
// pendingBatches and ledger.
package coordinator

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
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Config configures a coordinator.
type Config struct {
	Dir     string                     // its own folder, in the run's
	Connect func() (*nats.Conn, error) // connects to the server, when the first job comes
	Open    selfplay.Opener            // opens players, for fingerprints and replays

	Ban func(worker string) // is called for a worker that gets no more units; may be nil
	Log func(line string)   // receives a line for each event; may be nil

	// Measure returns how many nodes a second one core of this machine searches while that
	// many cores do (0: all). If it is nil, clocks are not scaled.
	Measure        func(ctx context.Context, cores int) (nodesPerSecond float64, err error)
	ReferenceSpeed float64 // nodes/s of a core for which clocks are meant; 0: this machine's

	Program     string        // version and bench signature: workers need the same
	ReplayShare float64       // share of a worker's units that is replayed; 0: none
	Lease       time.Duration // how long a worker may be silent; 0: DefaultLease
}

const (
	// DefaultLease is how long a worker may be silent before its units go to others.
	DefaultLease = 30 * time.Second
	// DefaultReplayShare is the share of units that is replayed.
	DefaultReplayShare = 0.02
)

// Names in a coordinator's folder.
const (
	// DirName is the name of the folder, in a run's folder.
	DirName = ".cluster"
	// WorkersName is the name of the file with a Snapshot of the workers.
	WorkersName = "workers.json"
	runFile     = "run"
	lockFile    = ".lock"
)

// Coordinator is a selfplay.Runner whose workers are on other machines. It starts with the
// first job, and runs any number of series, one after the other.
type Coordinator struct {
	Config
	lock       *durable.Lock
	nc         *nats.Conn
	run        string // as workers know it
	ledger     *ledger
	past       *pastAnswers
	registry   *registry
	players    *portablePlayers
	referee    *referee
	clockSpeed float64 // nodes/s for which clocks are meant; 0: not settled yet
	answers    chan *nats.Msg
	stop       context.CancelFunc
}

var _ selfplay.Runner = (*Coordinator)(nil)

// New returns a coordinator, which starts with its first job. Close it when done.
func New(c Config) *Coordinator {
	c.setDefaults()
	r := newRegistry(&c)
	return &Coordinator{Config: c, registry: r}
}

func (c *Config) setDefaults() {
	if c.Lease == 0 {
		c.Lease = DefaultLease
	}
	if c.Log == nil {
		c.Log = func(string) {}
	}
	if c.Ban == nil {
		c.Ban = func(string) {}
	}
}

// Parallel returns how many jobs should be under way: the cores of the present workers, and
// what waits in each worker's batch for the replay.
func (c *Coordinator) Parallel() int {
	workers, cores := c.registry.capacity()
	held := 0
	if c.ReplayShare > 0 {
		// a series has 8 openings under way for each game
		held = workers * newPendingBatches(c.ReplayShare).size / 4
	}
	return min(max(4, cores+held), maxParallel)
}

// maxParallel bounds the jobs under way, and so the coordinator's memory, however many cores
// workers claim to have.
const maxParallel = 1 << 14

// Run implements selfplay.Runner. It fails if neither workers nor the coordinator can play a
// job.
func (c *Coordinator) Run(ctx context.Context, jobs <-chan selfplay.Job, results chan<- selfplay.Result) error {
	if err := c.start(); err != nil {
		return err
	}
	s := newSession(ctx, c)
	err := s.loop(jobs, results)
	s.out.close()
	c.referee.queue = nil
	if e := c.ledger.sync(); err == nil {
		err = e
	}
	c.saveSnapshot()
	return err
}

// start starts the coordinator, once.
func (c *Coordinator) start() (err error) {
	if c.referee != nil {
		return nil
	}
	if c.lock, c.run, err = openFolder(c.Dir); err != nil {
		return err
	}
	if c.ledger, c.past, err = openLedger(c.Dir); err != nil {
		return err
	}
	if len(c.past.answers) == 0 { // a run that failed before its first game does not bind its folder
		if err := os.RemoveAll(filepath.Join(c.Dir, speedFile)); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	background, stop := context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			stop()
		}
	}()
	c.answers = make(chan *nats.Msg, maxAnswers)
	store, err := c.listen(background)
	if err != nil {
		return err
	}
	here := &selfplay.Local{Open: c.Open, Workers: 1}
	c.players = &portablePlayers{
		play: here.One, store: store, known: map[string]portablePlayer{},
	}
	for worker := range c.past.banned {
		c.Ban(worker)
	}
	c.referee, c.stop = newReferee(background, here.One), stop
	return nil
}

// listen connects the run with its workers.
func (c *Coordinator) listen(background context.Context) (store *weightsStore, err error) {
	c.registry.restore(c.run, c.past.banned)
	if c.nc, err = c.Connect(); err != nil {
		return nil, err
	}
	store = newWeightsStore(c.run, c.registry)
	take := func(m *nats.Msg) { // more wait in the connection, which bounds their bytes; workers resend what it drops
		select {
		case c.answers <- m:
		case <-background.Done():
		}
	}
	return store, listen(c.nc, c.run, take, c.registry, store)
}

// listen subscribes to what workers send, and wakes them.
func listen(nc *nats.Conn, id string, take nats.MsgHandler, r *registry, store *weightsStore) error {
	for subject, handle := range map[string]nats.MsgHandler{
		wire.AnswerSubject(id, "*"):  take,
		wire.HelloSubject("*"):       r.handleHello,
		wire.WeightsSubject(id, "*"): store.handle,
	} {
		if _, err := nc.Subscribe(subject, handle); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	if err := mayCoordinate(nc); err != nil {
		return err
	}
	// workers that miss it retry by themselves
	wake := func() error { return nc.Publish(wire.WakeupSubject, []byte(id)) }
	nc.SetReconnectHandler(func(*nats.Conn) { _ = wake() })
	if err := wake(); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// openFolder locks the folder of a coordinator, which only its owner can read, and returns
// the run's id.
func openFolder(dir string) (lock *durable.Lock, id string, err error) {
	if err := makePrivate(dir); err != nil {
		return nil, "", err
	}
	if lock, err = durable.TryLock(filepath.Join(dir, lockFile)); err != nil {
		return nil, "", err
	}
	id, err = runID(dir)
	return lock, id, err
}

// makePrivate makes a folder that only its owner can read.
func makePrivate(dir string) error {
	if err := durable.MakeDir(dir); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// mayCoordinate reports whether the server let the coordinator subscribe to what workers send.
func mayCoordinate(nc *nats.Conn) error {
	if err := nc.FlushTimeout(answerTimeout); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return fmt.Errorf("%w: they are a worker's, and a run needs the key named coordinator: %w", wire.ErrCredentials,
			err)
	}
	return nil
}

// answerTimeout bounds the server's reply to what the coordinator asks at its start.
const answerTimeout = 20 * time.Second

// runID returns the run's id. It is random, so that no two runs on a server have the same.
func runID(dir string) (string, error) {
	path := filepath.Join(dir, runFile)
	data, err := durable.ReadFile(path, durable.MaxJSON)
	if err == nil {
		if id := strings.TrimSpace(string(data)); len(id) == 16 && wire.CheckName(id) == nil {
			return id, nil
		}
		return "", fmt.Errorf("cluster: %s: %w: want the run's id of 16 hex digits", path, durable.ErrDamaged)
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

// saveSnapshot writes the state of the workers for readers outside this process.
func (c *Coordinator) saveSnapshot() {
	if err := c.registry.save(filepath.Join(c.Dir, WorkersName)); err != nil {
		c.Log(err.Error()) // the run does not depend on it
	}
}

// Close stops the coordinator. Workers wait for the next one.
func (c *Coordinator) Close() error {
	if c.stop != nil {
		c.stop()
		c.referee.games.Wait()
	}
	err := c.ledger.close()
	if c.nc != nil {
		c.nc.Close()
	}
	c.lock.Unlock()
	return err
}
