package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/selfplay"
)

// Roster is what a coordinator's folder says about its workers (WorkersName).
type Roster struct {
	Format  string    `json:"format"` // RosterFormat
	Run     string    `json:"run"`
	Updated time.Time `json:"updated"`
	Units   int64     `json:"units"` // answered since the coordinator began
	Workers []Member  `json:"workers"`
}

// RosterFormat names the format of a Roster.
const RosterFormat = "assay.workers/1"

// Member is one worker, since the coordinator began.
type Member struct {
	Name    string `json:"name"`
	Program string `json:"program"`
	System  string `json:"system"`
	Cores   int    `json:"cores"`
	State   State  `json:"state"`
	Why     string `json:"why,omitempty"` // refused, or its last failure

	Units        int64     `json:"units"` // answered: games, and checks of openings
	Games        int64     `json:"games"`
	Share        float64   `json:"share"`            // of all units
	GamesASecond float64   `json:"games_per_second"` // over the last minute
	Checks       int64     `json:"checks"`           // its batches that passed a check
	Late         int64     `json:"late"`             // answers after somebody else's
	Failures     int64     `json:"failures"`         // units that it could not play
	Joined       time.Time `json:"joined"`
	Seen         time.Time `json:"last_seen"`
}

// State is what a coordinator thinks of a worker.
type State string

// The states of a worker.
const (
	Working State = "working"
	Gone    State = "gone"    // it left, or has not been heard of
	Refused State = "refused" // it never was let in: another version, another build
	Banned  State = "banned"  // its answers were wrong
)

// roll is the list of the workers. It is used from several goroutines.
type roll struct {
	program string
	lease   time.Duration
	tell    func(string)

	mu      sync.Mutex
	run     string
	bans    map[string]string
	members map[string]*member
	units   int64
}

type member struct {
	Member
	pace [20]int64 // games at the last saves, for the rate
	at   [20]time.Time
	next int
}

// helloEvery is how often a worker says that it is there; after three times as long
// without a word it is gone.
const helloEvery = 5 * time.Second

func newRoll(c *Config) *roll {
	return &roll{program: c.Program, lease: c.Lease, tell: c.Tell, bans: map[string]string{}, members: map[string]*member{}}
}

// remember takes what an earlier life knew.
func (r *roll) remember(run string, bans map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run, r.bans = run, bans
}

// hear answers a worker's hello.
func (r *roll) hear(m *nats.Msg) {
	name := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	var h Hello
	if CheckName(name) != nil || json.Unmarshal(m.Data, &h) != nil {
		return // no worker of any version says that
	}
	data, err := json.Marshal(r.welcome(name, &h, time.Now()))
	if err == nil {
		_ = m.Respond(data) // it says hello again
	}
}

func (r *roll) welcome(name string, h *Hello, now time.Time) Welcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.members[name]
	if p == nil {
		p = &member{Member: Member{Name: name, Joined: now, State: Gone}}
		r.members[name] = p
	}
	before := p.State
	p.Program, p.System, p.Cores, p.Seen = h.Program, h.System, max(0, min(h.Cores, 4096)), now
	switch refusal := r.refusal(h); {
	case r.bans[name] != "":
		p.State, p.Why = Banned, r.bans[name]
	case refusal != "":
		p.State, p.Why = Refused, refusal
	case h.Trouble != "":
		p.State, p.Why = Refused, h.Trouble
	case h.Leaving:
		p.State = Gone
	default:
		p.State, p.Why = Working, ""
	}
	if p.State != before {
		r.announce(p)
	}
	w := Welcome{Run: r.run, Lease: r.lease}
	if p.State == Banned || p.State == Refused {
		w.Refused = p.Why
	}
	return w
}

// refusal says why a worker of another version gets no units, and what to do.
func (r *roll) refusal(h *Hello) string {
	switch {
	case h.Protocol != Protocol:
		return fmt.Sprintf("it speaks version %d of the protocol, and this run version %d: install %s on it", h.Protocol, Protocol, r.program)
	case h.Program != r.program:
		return fmt.Sprintf("it is %s, and this run is of %s: its games would be others; install that version on it, or begin the run with its version", h.Program, r.program)
	}
	return ""
}

func (r *roll) announce(p *member) {
	text := fmt.Sprintf("worker %s (%d cores, %s) is %s", p.Name, p.Cores, p.System, p.State)
	if p.Why != "" {
		text += ": " + p.Why
	}
	r.tell(text)
}

// barred says why a worker's answers are not taken, or nothing.
func (r *roll) barred(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why := r.bans[name]; why != "" {
		return why
	}
	switch p := r.members[name]; {
	case p == nil:
		return "" // of the coordinator's earlier life: it did not say hello to this one yet
	case p.State == Refused:
		return p.Why
	}
	return ""
}

func (r *roll) ban(name, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bans[name] = why
	if p := r.members[name]; p != nil {
		p.State, p.Why = Banned, why
	}
}

func (r *roll) banned() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.bans)
}

// of calls do with the worker, which it makes one of the list if need be.
func (r *roll) of(name string, do func(*member)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.members[name]
	if p == nil {
		p = &member{Member: Member{Name: name, Joined: time.Now(), Seen: time.Now(), State: Working}}
		r.members[name] = p
	}
	do(p)
}

func (r *roll) answered(name string, g *selfplay.Result) {
	r.of(name, func(p *member) {
		r.units++
		p.Units++
		if g.Try == 0 {
			p.Games++
		}
	})
}

func (r *roll) late(name string)    { r.of(name, func(p *member) { p.Late++ }) }
func (r *roll) checked(name string) { r.of(name, func(p *member) { p.Checks++ }) }
func (r *roll) failed(name, why string) {
	r.of(name, func(p *member) { p.Failures++; p.Why = why })
}

// present tells whether a worker can be reckoned with.
func (p *member) present(now time.Time) bool {
	return p.State == Working && now.Sub(p.Seen) < 3*helloEvery
}

// strength returns how many workers and cores are there.
func (r *roll) strength() (workers, cores int) {
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

// others tells whether anybody but the worker is there.
func (r *roll) others(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, p := range r.members {
		if p.Name != name && p.present(now) {
			return true
		}
	}
	return false
}

// save writes the list.
func (r *roll) save(path string) error {
	r.mu.Lock()
	now := time.Now().UTC()
	all := Roster{Format: RosterFormat, Run: r.run, Updated: now, Units: r.units}
	for _, name := range sortedKeys(r.members) {
		p := r.members[name]
		if p.State == Working && !p.present(now) {
			p.State = Gone
			r.announce(p)
		}
		p.measure(now)
		if r.units > 0 {
			p.Share = float64(p.Units) / float64(r.units)
		}
		all.Workers = append(all.Workers, p.Member)
	}
	r.mu.Unlock()
	data, err := json.MarshalIndent(&all, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteFile(path, append(data, '\n'))
}

// measure notes the games so far, and their rate since the oldest note.
func (p *member) measure(now time.Time) {
	oldest, since := p.pace[p.next], p.at[p.next]
	if since.IsZero() {
		oldest, since = 0, p.Joined
	}
	if seconds := now.Sub(since).Seconds(); seconds > 0 {
		p.GamesASecond = float64(p.Games-oldest) / seconds
	}
	p.pace[p.next], p.at[p.next] = p.Games, now
	p.next = (p.next + 1) % len(p.pace)
}

func sortedKeys(m map[string]*member) []string { return slices.Sorted(maps.Keys(m)) }
