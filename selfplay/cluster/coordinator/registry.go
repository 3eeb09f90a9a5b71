package coordinator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Snapshot is the content of the file WorkersName: the state of a run's workers.
type Snapshot struct {
	Format  string         `json:"format"` // SnapshotFormat
	Run     string         `json:"run"`
	Updated time.Time      `json:"updated"`
	Workers []WorkerStatus `json:"workers"`
}

// SnapshotFormat names the format of a Snapshot.
const SnapshotFormat = "assay.workers/3"

// WorkerStatus is the state of one worker, with counts since the coordinator started.
type WorkerStatus struct {
	Name    string `json:"name"`
	Program string `json:"program"`
	System  string `json:"system"`
	Cores   int    `json:"cores"`
	// of one core, as the worker measured it; 0: no game had a clock
	Speed  float64 `json:"nodes_per_second,omitempty"`
	State  State   `json:"state"`
	Reason string  `json:"why,omitempty"` // why it is refused, or what is wrong with it

	Units    int64     `json:"units"`    // answered: games, and checks of openings
	Replays  int64     `json:"replays"`  // its games that another worker played, too, and equally
	Failures int64     `json:"failures"` // units that it could not play
	Seen     time.Time `json:"last_seen"`
}

// State is the state of a worker.
type State string

// The states of a worker.
const (
	Working State = "working"
	Gone    State = "gone"    // it left, or is silent
	Refused State = "refused" // it cannot play for this run: another version or build, or an engine that it lacks
)

// registry knows the workers that said hello. It is safe for concurrent use.
type registry struct {
	*Config
	run    string
	hellos *nats.Subscription

	mu      sync.Mutex
	members map[string]*WorkerStatus

	noting sync.Mutex
	noted  map[string]time.Time // when something was last logged about a worker, or another subject
}

// maxMembers bounds the workers that are remembered.
const maxMembers = 1 << 14

// listen replies to workers from now on.
func (r *registry) listen(nc *nats.Conn, run string) (err error) {
	r.run = run
	r.hellos, err = nc.Subscribe(wire.HelloSubject("*"), func(m *nats.Msg) {
		worker := wire.Last(m.Subject)
		var h wire.Hello
		if wire.CheckName(worker) != nil || json.Unmarshal(m.Data, &h) != nil || h.Run != "" && h.Run != run {
			return
		}
		if data, err := json.Marshal(r.hello(worker, &h)); err == nil {
			_ = m.Respond(data) // a worker without a reply asks again
		}
	})
	return err
}

// hello takes a worker's hello.
func (r *registry) hello(worker string, h *wire.Hello) *wire.Welcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &wire.Welcome{Run: r.run, Lease: r.Lease}
	p := r.members[worker]
	if p == nil {
		if h.Leaving && h.Trouble == "" || len(r.members) >= maxMembers {
			return w
		}
		p = &WorkerStatus{Name: worker}
		r.members[worker] = p
	}
	p.Seen, p.Program, p.System = time.Now(), printable(h.Program), printable(h.System)
	p.Cores, p.Speed = min(max(h.Cores, 1), 4096), h.Speed
	switch {
	case h.Protocol != wire.Protocol || h.Program != r.Program:
		w.Refused = fmt.Sprintf("it is %s, and the run needs %s", p.Program, r.Program)
		r.enter(p, Refused, w.Refused)
	case h.Trouble != "":
		r.enter(p, Refused, printable(h.Trouble))
	case h.Leaving:
		r.enter(p, Gone, "")
	default:
		r.enter(p, Working, "")
	}
	return w
}

// enter sets the state of a worker, and logs a change.
func (r *registry) enter(p *WorkerStatus, state State, reason string) {
	before := p.State
	p.State, p.Reason = state, reason
	if before == state {
		return
	}
	says := map[State]string{Gone: "is gone", Refused: "does not play: " + reason,
		Working: fmt.Sprintf("is here, with %d cores", p.Cores)}
	r.note(p.Name+string(state), "worker "+p.Name+" "+says[state])
}

// note logs something about a subject, but not again within a minute.
func (r *registry) note(subject, text string) {
	r.noting.Lock()
	defer r.noting.Unlock()
	if time.Since(r.noted[subject]) < time.Minute || len(r.noted) > 4*maxMembers {
		return
	}
	r.noted[subject] = time.Now()
	r.Log(text)
}

func (p *WorkerStatus) present(now time.Time) bool {
	return p.State == Working && now.Sub(p.Seen) < 3*wire.HelloEvery+wire.ReplyTimeout
}

// present returns how many workers are there, and their cores.
func (r *registry) present() (workers, cores int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, p := range r.members {
		if p.present(now) {
			workers++
			cores += p.Cores
		}
	}
	return workers, cores
}

// of calls a function with a worker that said hello.
func (r *registry) of(worker string, f func(*WorkerStatus)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.members[worker]; p != nil {
		f(p)
	}
}

// save writes a Snapshot.
func (r *registry) save(path string) error {
	r.mu.Lock()
	now := time.Now()
	all := Snapshot{Format: SnapshotFormat, Run: r.run, Updated: now.UTC()}
	for _, name := range slices.Sorted(maps.Keys(r.members)) {
		p := r.members[name]
		if p.State == Working && !p.present(now) {
			r.enter(p, Gone, "")
		}
		all.Workers = append(all.Workers, *p)
	}
	r.mu.Unlock()
	return durable.WriteJSON(path, &all)
}
