// Package coordinator is a selfplay.Runner whose workers are on other machines.
//
// It publishes each selfplay.Task as a unit into a work queue of JetStream, from which workers take them. The first
// answer to a unit that can be right counts: it goes to the series, which keeps it in the run's own journal, and the
// unit is acknowledged. The servers redeliver a unit whose worker is silent. What they lose, the coordinator publishes
// again: it compares the units that it waits for with those in the queue.
//
// A few units are published a second time, for another worker. Where two answers to a unit differ that should be
// equal, the run stops and names both workers.
//
// It contains no chess. Serve starts a server in this process.
//
// No promise of stability. Start reading at Coordinator.Run, then session and queue.
package coordinator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/nats-io/nats.go"
)

// Config configures a coordinator.
type Config struct {
	Dir     string                     // its own folder, in the run's, which is locked
	Connect func() (*nats.Conn, error) // connects to the servers, when the first job comes
	Open    selfplay.Opener            // opens players, for fingerprints
	Log     func(line string)          // receives a line for each event; may be nil

	// Measure returns how many nodes a second one core of this machine searches while that many cores do (0: all). If it
	// is nil, clocks are not scaled.
	Measure        func(ctx context.Context, cores int) (nodesPerSecond float64, err error)
	ReferenceSpeed float64 // nodes/s of a core for which clocks are meant; 0: this machine's

	Program     string        // version and bench signature: workers need the same
	ReplayShare float64       // share of the units that a second worker plays, too; 0: none
	Lease       time.Duration // how long a worker may be silent about a unit; 0: DefaultLease
	CheckEvery  time.Duration // how often open units are compared with the queue; 0: a minute
}

const (
	// DefaultLease is how long a worker may be silent before its units go to others.
	DefaultLease = 30 * time.Second
	// DefaultReplayShare is the share of units that a second worker plays.
	DefaultReplayShare = 0.002
)

// Names in a coordinator's folder.
const (
	// DirName is the name of the folder, in a run's folder.
	DirName = ".cluster"
	// StoreName is the name of the folder with the streams of a server that Serve starts.
	StoreName = "jetstream"
	// WorkersName is the name of the file with a Snapshot of the workers.
	WorkersName = "workers.json"
	stateName   = "state.json"
	filesName   = "files"
)

// state is what a coordinator remembers when it is started again.
type state struct {
	Run   string  `json:"run"`                        // random, so that no two runs on a server have the same
	Speed float64 `json:"nodes_per_second,omitempty"` // of a core for which the run's clocks are meant
}

// Coordinator is a selfplay.Runner whose workers are on other machines. It starts with the first task, and runs any
// number of series, one after the other.
type Coordinator struct {
	Config
	state
	queue    *queue
	registry *registry
	players  *portablePlayers
	queued   map[string]bool // ids of units that an earlier process left in the queue
	finished bool            // the last series ended by itself
}

var _ selfplay.Runner = (*Coordinator)(nil)

// New returns a coordinator, which starts with its first task. Close it when done.
func New(c Config) *Coordinator {
	c.Lease, c.CheckEvery = cmp.Or(c.Lease, DefaultLease), cmp.Or(c.CheckEvery, time.Minute)
	if c.Log == nil {
		c.Log = func(string) {}
	}
	return &Coordinator{Config: c,
		registry: &registry{Config: &c, members: map[string]*WorkerStatus{}, noted: map[string]time.Time{}}}
}

// Parallel returns how many tasks should be under way: as many as present workers have cores.
func (c *Coordinator) Parallel() int {
	_, cores := c.registry.present()
	return min(max(4, cores), maxOpen)
}

// Load implements selfplay.Runner: games are played elsewhere.
func (c *Coordinator) Load() machine.Load { return machine.Load{} }

// maxOpen bounds the units under way, and so the coordinator's memory, however many cores workers claim to have.
const maxOpen = 1 << 14

// Run implements selfplay.Runner.
func (c *Coordinator) Run(ctx context.Context, tasks <-chan selfplay.Task, results chan<- selfplay.Result) error {
	if err := c.start(ctx); err != nil {
		return err
	}
	err := newSession(c).loop(ctx, tasks, results)
	c.finished = ctx.Err() == nil || errors.Is(context.Cause(ctx), selfplay.ErrStop)
	c.queue.purge() // units of a series that ended early
	c.queued = nil
	c.saveSnapshot()
	return err
}

// start starts the coordinator, once.
func (c *Coordinator) start(ctx context.Context) (err error) {
	if c.queue != nil {
		return nil
	}
	if err := durable.MakeDir(c.Dir); err != nil {
		return err
	}
	if err := os.Chmod(c.Dir, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := c.readState(); err != nil {
		return err
	}
	nc, err := c.Connect()
	if err != nil {
		return err
	}
	q, err := openQueue(ctx, nc, c.state.Run, &c.Config)
	if err == nil {
		c.queued, err = q.look(ctx)
	}
	c.players = &portablePlayers{open: c.Open, dir: filepath.Join(c.Dir, filesName), known: map[string]portablePlayer{}}
	if err == nil {
		_, err = nc.Subscribe(wire.FileSubject("*"), func(m *nats.Msg) {
			var part wire.Part
			if json.Unmarshal(m.Data, &part) == nil && part.Run == q.run {
				_ = m.Respond(c.players.part(&part)) // a worker without a reply gives the unit back
			}
		})
	}
	if err == nil {
		err = c.registry.listen(nc, q.run)
	}
	if err != nil {
		nc.Close()
		return err
	}
	c.queue = q
	c.saveSnapshot()
	return nil
}

// readState reads the state of an earlier process, or makes a new one.
func (c *Coordinator) readState() error {
	path := filepath.Join(c.Dir, stateName)
	err := durable.ReadJSON(path, &c.state)
	switch {
	case errors.Is(err, os.ErrNotExist):
		c.state.Run = fmt.Sprintf("%016x", rand.Uint64())
		return c.saveState()
	case err == nil && (len(c.state.Run) != 16 || wire.CheckName(c.state.Run) != nil):
		err = fmt.Errorf("%s: %w", path, durable.ErrDamaged)
	}
	if errors.Is(err, durable.ErrDamaged) {
		err = fmt.Errorf("cluster: %w: delete it, and the games that are not in the run's journal are played again", err)
	}
	return err
}

func (c *Coordinator) saveState() error {
	return durable.WriteJSON(filepath.Join(c.Dir, stateName), &c.state)
}

// clockSpeed returns the speed for which the run's clocks are meant; 0: they are not scaled. The first game with a
// clock settles it for the whole run.
func (c *Coordinator) clockSpeed(ctx context.Context) (speed float64, err error) {
	switch {
	case c.Speed > 0 && c.ReferenceSpeed > 0 && c.Speed != c.ReferenceSpeed:
		return 0, fmt.Errorf("cluster: %w: for %.0f nodes/s, not %.0f", ErrSpeed, c.Speed, c.ReferenceSpeed)
	case c.Speed > 0 || c.ReferenceSpeed == 0 && c.Measure == nil:
		return c.Speed, nil
	case c.ReferenceSpeed > 0:
		c.Speed = c.ReferenceSpeed
	default:
		c.Log("measuring this machine's speed: the clocks are meant for it")
		if c.Speed, err = c.Measure(ctx, 0); err != nil {
			return 0, fmt.Errorf("cluster: measuring this machine's speed: %w", err)
		}
	}
	c.Log(fmt.Sprintf("clocks are meant for a core that searches %.0f nodes/s; workers scale theirs to it", c.Speed))
	return c.Speed, c.saveState()
}

// saveSnapshot writes the state of the workers for readers outside this process.
func (c *Coordinator) saveSnapshot() {
	if err := c.registry.save(filepath.Join(c.Dir, WorkersName)); err != nil {
		c.Log(err.Error()) // the run does not depend on it
	}
}

// Close stops the coordinator. If its last series came to its end, nothing of the run stays at the servers.
func (c *Coordinator) Close() {
	if c.queue != nil {
		_ = c.registry.hellos.Unsubscribe() // workers whose consumer is gone leave if nobody replies
		if c.finished {
			c.queue.delete()
			_ = os.RemoveAll(c.players.dir) // what stays is of no use
		}
		c.queue.nc.Close()
		c.queue = nil
	}
}

// portablePlayer is a player as workers see it.
type portablePlayer struct {
	spec        engine.Spec // names weights by content, and a program without its folder
	fingerprint string      // empty: not asked for
	program     wire.Program
}

// portablePlayers makes local specifications portable, each of them once, and keeps the files that workers need.
type portablePlayers struct {
	open  selfplay.Opener
	dir   string // of the files, whose names are their SHA-256
	known map[string]portablePlayer
}

// portable returns a player as workers see it. The options are the job's.
func (p *portablePlayers) portable(ctx context.Context, spec engine.Spec, options []engine.Option) (portablePlayer,
	error) {
	if spec.External() {
		if err := roster.CheckPortable(spec, options...); err != nil {
			return portablePlayer{}, fmt.Errorf("workers cannot play this: %w", err)
		}
	}
	text := spec.String()
	if found, ok := p.known[text]; ok || text == "" {
		return found, nil
	}
	found, err := portablePlayer{spec: spec}, error(nil)
	if spec.External() {
		err = p.foreign(&found)
	} else if name := roster.WeightsName(spec); name != "" {
		err = p.withWeights(ctx, name, &found)
	}
	if err != nil {
		return found, fmt.Errorf("player %q: %w", spec.Shown(), err)
	}
	p.known[text] = found
	return found, nil
}

// foreign makes an external engine portable: workers run their own copy of the program, or fetch it, and only if their
// owners allow it.
func (p *portablePlayers) foreign(found *portablePlayer) error {
	path, err := exec.LookPath(found.spec.Command[0])
	if err != nil {
		return err
	}
	data, err := durable.ReadFile(path, wire.MaxFile)
	if err != nil {
		return err
	}
	found.program = wire.Program{Name: filepath.Base(path)}
	found.spec = found.spec.WithProgram(found.program.Name)
	found.program.SHA256, err = p.keep(data)
	return err
}

// withWeights makes a player with weights portable, embedded ones, too: they are named by content, and its fingerprint
// is taken.
func (p *portablePlayers) withWeights(ctx context.Context, name string, found *portablePlayer) error {
	file, err := models.Open(name)
	if err != nil {
		return err
	}
	data, err := file.Encode()
	if err != nil {
		return err
	}
	sum, err := p.keep(data)
	if err != nil {
		return err
	}
	found.fingerprint, err = wire.Fingerprint(ctx, p.open, found.spec)
	found.spec.Weights = wire.WeightsPrefix + sum
	return err
}

// keep keeps a file for workers: the original may change while the run lasts.
func (p *portablePlayers) keep(data []byte) (sum string, err error) {
	if err := durable.MakeDir(p.dir); err != nil {
		return "", err
	}
	sum = durable.SumBytes(data)
	return sum, durable.WriteFile(filepath.Join(p.dir, sum), data)
}

// part returns a part of a file; nil if there is none.
func (p *portablePlayers) part(part *wire.Part) []byte {
	if !wire.IsSHA256(part.SHA256) {
		return nil
	}
	f, err := os.Open(filepath.Join(p.dir, part.SHA256))
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, wire.PartSize)
	n, _ := f.ReadAt(data, part.Offset) // the worker notices a gap
	return data[:n]
}
