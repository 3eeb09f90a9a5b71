package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Hub shares one server and its workers among the coordinators of several runs. To workers it
// is one run, whose units are of any of them: the id of a unit begins with the key of its
// run. Which run gets the room of a worker follows from the weights of the runs (see pool).
// It is safe for concurrent use.
type Hub struct {
	config   Config
	id       string
	lock     *durable.Lock
	nc       *nats.Conn
	registry *registry
	store    *weightsStore
	opened   time.Time
	stop     context.CancelFunc

	mu    sync.Mutex
	runs  map[string]*Coordinator // by key
	speed float64                 // of this machine, if it was measured
}

// restartTime is how long after its start a hub keeps workers waiting that have answers for
// runs that it does not know: they may not have been resumed yet.
const restartTime = 15 * time.Second

// OpenHub connects to the server. Of the configuration the hub uses Dir, Connect, Program,
// Lease, Log, Ban, Measure and ReferenceSpeed. The bans are of earlier processes.
func OpenHub(c Config, bans map[string]string) (h *Hub, err error) {
	c.setDefaults()
	h = &Hub{config: c, registry: newRegistry(&c), runs: map[string]*Coordinator{}, opened: time.Now()}
	h.registry.queue = true
	defer func() {
		if err != nil {
			_ = h.Close()
		}
	}()
	if h.lock, h.id, err = openFolder(c.Dir); err != nil {
		return h, err
	}
	h.registry.restore(h.id, bans)
	if h.nc, err = c.Connect(); err != nil {
		return h, err
	}
	for worker := range bans {
		c.Ban(worker)
	}
	h.store = newWeightsStore(h.id, h.registry)
	if err := listen(h.nc, h.id, h.take, h.registry, h.store); err != nil {
		return h, err
	}
	background, stop := context.WithCancel(context.Background())
	h.stop = stop
	go h.saveSnapshots(background)
	return h, nil
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

// take passes an answer to its run. It does not wait for it: that would hold up the others,
// and workers send again what gets no reply.
func (h *Hub) take(m *nats.Msg) {
	var a struct {
		Unit string `json:"unit"`
	}
	if json.Unmarshal(m.Data, &a) == nil && len(a.Unit) == wire.IDLength {
		if c := h.run(a.Unit[:wire.KeyLength]); c != nil {
			select {
			case c.answers <- m:
			default:
			}
			return
		}
	}
	worker, ok := wire.Sender(m, wire.AnswerSubject(h.id, ""))
	if !ok {
		h.registry.foreignReply(worker, m.Reply)
		return
	}
	r := wire.Reply{Kept: true, Refused: h.registry.whyRefused(worker)} // of a run that has ended
	if time.Since(h.opened) < restartTime {
		r = wire.Reply{Again: "its run is not yet resumed"}
	}
	respond(m, &r)
}

func (h *Hub) run(key string) *Coordinator {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runs[key]
}

// Coordinator returns the coordinator of a run, like New, with the workers of the hub. Of the
// configuration the hub decides what OpenHub uses, except Dir and Log. The weight is above
// zero; most is how many games workers play at once, 0 for any number.
func (h *Hub) Coordinator(c Config, weight float64, most int) *Coordinator {
	c.Connect, c.Program, c.Lease, c.Ban = h.config.Connect, h.config.Program, h.config.Lease, h.config.Ban
	c.Measure, c.ReferenceSpeed = h.measure, h.config.ReferenceSpeed
	c.setDefaults()
	return &Coordinator{Config: c, hub: h, registry: h.registry, share: h.registry.pool.join(weight, most)}
}

// measure measures this machine once for all runs.
func (h *Hub) measure(ctx context.Context, cores int) (speed float64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.speed == 0 && h.config.Measure != nil {
		h.speed, err = h.config.Measure(ctx, cores)
	}
	return h.speed, err
}

// errSameKey means that two runs of a hub have keys that begin alike.
var errSameKey = errors.New("cluster: the run's folder is a copy of another run's, which is in progress: their " +
	"units would be mixed up; wait for that run")

// admit takes a run's answers from now on.
func (h *Hub) admit(c *Coordinator) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runs[c.key] != nil {
		return errSameKey
	}
	h.runs[c.key] = c
	return nil
}

// leave ends what Coordinator and admit began.
func (h *Hub) leave(c *Coordinator) {
	h.mu.Lock()
	if h.runs[c.key] == c {
		delete(h.runs, c.key)
	}
	h.mu.Unlock()
	h.registry.endResiduals(c.key)
	c.share.leave()
}

// saveSnapshots writes the state of the workers at intervals.
func (h *Hub) saveSnapshots(ctx context.Context) {
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for {
		if err := h.registry.save(filepath.Join(h.config.Dir, WorkersName)); err != nil {
			h.config.Log(err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Banned returns the workers whose answers were wrong, with the reasons.
func (h *Hub) Banned() map[string]string { return h.registry.banned() }

// Close ends the connection. The coordinators are closed before.
func (h *Hub) Close() error {
	if h.stop != nil {
		h.stop()
	}
	if h.nc != nil {
		h.nc.Close()
	}
	h.lock.Unlock()
	return nil
}

// Share changes the weight of a run of a hub, and how many games workers play at once.
func (c *Coordinator) Share(weight float64, most int) { c.share.set(weight, most) }

// Usage is what a run of a hub used so far, since its coordinator was made.
type Usage struct {
	Seconds  float64           // of play, on workers' cores, with replays
	Games    int64             //
	Held     int               // units that workers have
	Waiting  int               // units that wait for a worker
	Declined map[string]string // workers that do not play for the run, and why
}

// Usage returns what a run used so far.
func (c *Coordinator) Usage() Usage {
	s := c.share
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return Usage{
		Seconds: s.played + s.replayed, Games: s.games, Held: s.held, Waiting: s.waiting,
		Declined: maps.Clone(s.excluded),
	}
}
