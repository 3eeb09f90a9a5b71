package coordinator

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Snapshot is the content of the file WorkersName: the state of a run's workers.
type Snapshot struct {
	Format  string         `json:"format"` // SnapshotFormat
	Run     string         `json:"run"`
	Updated time.Time      `json:"updated"`
	Units   int64          `json:"units"` // answered since the coordinator started
	Workers []WorkerStatus `json:"workers"`
}

// SnapshotFormat names the format of a Snapshot.
const SnapshotFormat = "assay.workers/2"

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

	Units        int64     `json:"units"` // answered: games, and checks of openings
	Games        int64     `json:"games"`
	GamesASecond float64   `json:"games_per_second"` // since the snapshot before
	Replays      int64     `json:"replays"`          // its games that another worker played, too, and equally
	Failures     int64     `json:"failures"`         // units that it could not play
	Joined       time.Time `json:"joined"`
	Seen         time.Time `json:"last_seen"`
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
	run, program string
	lease        time.Duration
	log          func(string)
	hellos       *nats.Subscription

	mu      sync.Mutex
	members map[string]*member
	units   int64
	noted   map[string]time.Time // when something was last logged about a worker, or another subject
	saved   time.Time
}

type member struct {
	WorkerStatus
	before int64 // games at the snapshot before
}

// maxMembers bounds the workers that are remembered.
const maxMembers = 1 << 14

func newRegistry(c *Config) *registry {
	return &registry{program: c.Program, lease: c.Lease, log: c.Log, members: map[string]*member{},
		noted: map[string]time.Time{}}
}

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
	w := &wire.Welcome{Run: r.run, Lease: r.lease}
	p := r.members[worker]
	now := time.Now()
	if p == nil {
		if h.Leaving && h.Trouble == "" || len(r.members) >= maxMembers {
			return w
		}
		p = &member{WorkerStatus: WorkerStatus{Name: worker, Joined: now}}
		r.members[worker] = p
	}
	before := p.State
	p.Seen, p.Program, p.System = now, printable(h.Program), printable(h.System)
	p.Cores, p.Speed, p.Reason, p.State = min(max(h.Cores, 1), 4096), h.Speed, "", Working
	switch {
	case h.Protocol != wire.Protocol || h.Program != r.program:
		p.State = Refused
		p.Reason = fmt.Sprintf("it is %s, and the run needs %s", p.Program, r.program)
		w.Refused = p.Reason
	case h.Trouble != "":
		p.State, p.Reason = Refused, printable(h.Trouble)
	case h.Leaving:
		p.State = Gone
	}
	if p.State != before {
		r.announce(p)
	}
	return w
}

func (r *registry) announce(p *member) {
	says := fmt.Sprintf("worker %s is gone", p.Name)
	switch p.State {
	case Refused:
		says = fmt.Sprintf("worker %s does not play: %s", p.Name, p.Reason)
	case Working:
		says = fmt.Sprintf("worker %s is here, with %d cores", p.Name, p.Cores)
	}
	r.noteLocked(p.Name+string(p.State), says)
}

// note logs something about a subject, but not again within a minute.
func (r *registry) note(subject, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noteLocked(subject, text)
}

func (r *registry) noteLocked(subject, text string) {
	now := time.Now()
	if last, ok := r.noted[subject]; ok && now.Sub(last) < time.Minute || len(r.noted) > 4*maxMembers {
		return
	}
	r.noted[subject] = now
	r.log(text)
}

func (p *member) present(now time.Time) bool {
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
func (r *registry) of(worker string, f func(*member)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.members[worker]; p != nil {
		f(p)
	}
}

func (r *registry) answered(worker string, g *selfplay.Result) {
	r.of(worker, func(p *member) {
		r.units++
		p.Units++
		if g.Try == 0 {
			p.Games++
		}
	})
}

func (r *registry) replayed(worker string) { r.of(worker, func(p *member) { p.Replays++ }) }

// failed notes that a worker could not play a unit.
func (r *registry) failed(worker string, number uint64, why string) {
	r.of(worker, func(p *member) { p.Failures++; p.Reason = why })
	r.note(worker+" failed", fmt.Sprintf("worker %s could not play game %d: %s", worker, number, why))
}

// wrong notes that what a worker sent cannot be right.
func (r *registry) wrong(worker, why string) {
	why = printable(why)
	r.of(worker, func(p *member) { p.Reason = why })
	r.note(worker+" wrong", fmt.Sprintf("warning: worker %s: %s; check its machine, or stop it", worker, why))
}

// save writes a Snapshot, which only the owner can read.
func (r *registry) save(path string) error {
	r.mu.Lock()
	now := time.Now()
	all := Snapshot{Format: SnapshotFormat, Run: r.run, Updated: now.UTC(), Units: r.units}
	for _, name := range slices.Sorted(maps.Keys(r.members)) {
		p := r.members[name]
		if p.State == Working && !p.present(now) {
			p.State = Gone
			r.announce(p)
		}
		if !r.saved.IsZero() {
			p.GamesASecond = float64(p.Games-p.before) / max(now.Sub(r.saved).Seconds(), 1e-3)
		}
		p.before = p.Games
		all.Workers = append(all.Workers, p.WorkerStatus)
	}
	r.saved = now
	r.mu.Unlock()
	if err := durable.WriteJSON(path, &all); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}
