package coordinator

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// roll is the list of the workers. It is used from several goroutines.
type registry struct {
	program string
	lease   time.Duration
	log     func(string)

	mu         sync.Mutex
	run        string
	bans       map[string]string
	members    map[string]*entry
	units      int64
	clockSpeed float64 // that clocks are meant for
	residuals  *residuals
}

type entry struct {
	WorkerStatus
	replays      []string      // that it has, by its last word
	units        []string      // that it leased, by its last word
	missedReplay bool          // it did not make the last check that it was sent
	nodes        uint64        // of its games
	took         time.Duration // its games, by the clocks that were meant
	warned       bool          // its residuals were told of
	lines        int           // lines about it
	failedInARow int           // units that it could not play, since one that it could
	gamesAtSave  [20]int64     // games at the last saves, for the rate
	saveTimes    [20]time.Time
	next         int
}

// maxMembers bounds the names on the list: workers that share a token could take any.
const maxWorkers = 10_000

// maxLeased bounds the units that one worker is believed to have leased.
const maxLeased = 1 << 12

const (
	// maxWhy bounds a text that says why, in bytes.
	maxReason = 400
	// maxTold bounds the lines about one worker: it could come and leave a thousand times a second.
	maxLines = 200
	// slowest and fastest are the speeds that are believed, in nodes/s of a core.
	minSpeed, maxSpeed = 1, 1e12
)

// onItsWay is how long a message to a worker may be on its way.
const deliveryTime = 2 * time.Second

func newRegistry(c *Config) *registry {
	return &registry{program: c.Program, lease: c.Lease, log: c.Log, bans: map[string]string{}, members: map[string]*entry{}, residuals: newResiduals()}
}

// remember takes what an earlier life knew.
func (r *registry) restore(run string, bans map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run, r.bans = run, bans
}

// hear answers a worker's hello.
func (r *registry) handleHello(m *nats.Msg) {
	name, ok := wire.Sender(m, wire.HelloSubject(""))
	var h wire.Hello
	if !ok || json.Unmarshal(m.Data, &h) != nil {
		return // no worker of any version says that
	}
	data, err := json.Marshal(r.welcome(name, &h, time.Now()))
	if err == nil {
		_ = m.Respond(data) // it says hello again
	}
}

func (r *registry) welcome(name string, h *wire.Hello, now time.Time) wire.Welcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.entry(name)
	if p == nil {
		return wire.Welcome{Run: r.run, Lease: r.lease, Refused: tooManyWorkers}
	}
	before := p.State
	if p.State == Gone {
		p.failedInARow = 0 // it was looked after, perhaps
	}
	p.Program, p.System, p.Cores = sanitize(h.Program, 100), sanitize(h.System, 40), max(0, min(h.Cores, 4096))
	p.Speed, p.Scale = 0, 0
	if h.Speed >= minSpeed && h.Speed <= maxSpeed {
		p.Speed, p.Scale = h.Speed, r.clockSpeed/h.Speed
	}
	p.Seen, p.replays, p.units = now, unitIDs(h.Replays, wire.MaxReplays), unitIDs(h.Units, maxLeased)
	switch refusal := r.versionMismatch(h.Protocol, p.Program); {
	case r.bans[name] != "":
		p.State, p.Reason = Banned, r.bans[name]
	case refusal != "":
		p.State, p.Reason = Refused, refusal
	case h.Trouble != "":
		p.State, p.Reason = Refused, sanitize(h.Trouble, maxReason)
	case h.Leaving:
		p.State = Gone
	case p.failedInARow >= maxFailures:
		p.State, p.Reason = Refused, p.failureReason()
	default:
		p.State, p.Reason = Working, ""
	}
	if p.State != before {
		r.announce(p)
	}
	w := wire.Welcome{Run: r.run, Lease: r.lease}
	if p.State == Banned || p.State == Refused {
		w.Refused = p.Reason
	}
	return w
}

// crowded is why no more names are let in.
var tooManyWorkers = fmt.Sprintf("%d workers of other names came already", maxWorkers)

// unitIDs are those of a list from elsewhere that can be some, in a copy: the rest may be long.
func unitIDs(list []string, most int) (ids []string) {
	for _, id := range list[:min(len(list), most)] {
		if len(id) <= wire.IDLength {
			ids = append(ids, strings.Clone(id))
		}
	}
	return ids
}

// bounded is a text from elsewhere as it can be shown: in one line, of so many bytes.
func sanitize(text string, most int) string {
	return strings.Clone(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text[:min(len(text), most)], ""))) // a part would keep the whole
}

// hopeless says why a worker that fails again and again gets no more units.
func (p *entry) failureReason() string {
	return fmt.Sprintf("it could not play %d units in a row, at last because %s", p.failedInARow, p.Failure)
}

// refusal says why a worker of another version gets no units, and what to do.
func (r *registry) versionMismatch(protocol int, program string) string {
	switch {
	case protocol != wire.Protocol:
		return fmt.Sprintf("it speaks version %d of the protocol, and this run version %d: install %s on it", protocol, wire.Protocol, r.program)
	case program != r.program:
		return fmt.Sprintf("it is %s, and this run is of %s: its games would be others; install that version on it, or begin the run with its version", program, r.program)
	}
	return ""
}

func (r *registry) announce(p *entry) {
	text := fmt.Sprintf("worker %s (%d cores, %s) is %s", p.Name, p.Cores, p.System, p.State)
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	r.logAbout(p, text)
}

// say tells a line about a worker, unless there were many.
func (r *registry) logAbout(p *entry, text string) {
	if p.lines++; p.lines == maxLines {
		text += "; that is the last line about it"
	}
	if p.lines <= maxLines {
		r.log(text)
	}
}

// barred says why a worker's answers are not taken, or nothing.
func (r *registry) whyRefused(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why := r.bans[name]; why != "" {
		return why
	}
	switch p := r.entry(name); { // one of the coordinator's earlier life did not say hello to this one yet
	case p == nil:
		return tooManyWorkers
	case p.State == Refused:
		return p.Reason
	}
	return ""
}

func (r *registry) ban(name, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bans[name] = why
	r.residuals.remove(name)
	if p := r.members[name]; p != nil {
		p.State, p.Reason = Banned, why
	}
}

func (r *registry) banned() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.bans)
}

// of calls do with the worker, which it makes one of the list if need be.
func (r *registry) update(name string, do func(*entry)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.entry(name); p != nil {
		do(p)
	}
}

// member returns the worker of the name, which it makes one of the list if need be; nil if
// the list is full.
func (r *registry) entry(name string) *entry {
	p := r.members[name]
	if p == nil && len(r.members) < maxWorkers {
		p = &entry{WorkerStatus: WorkerStatus{Name: name, Joined: time.Now(), State: Gone}}
		r.members[name] = p
	}
	return p
}

func (r *registry) answered(name string, g *selfplay.Result) {
	r.update(name, func(p *entry) {
		r.units++
		p.Units++
		p.failedInARow, p.missedReplay = 0, false
		if g.Try == 0 {
			p.Games++
			r.residuals.add(name, g)
			p.nodes += g.Nodes[0] + g.Nodes[1]
			p.took += g.Time[0] + g.Time[1]
		}
	})
}

func (r *registry) replayMissed(name string) {
	r.update(name, func(p *entry) { p.missedReplay = true })
}
func (r *registry) answeredLate(name string) { r.update(name, func(p *entry) { p.Late++ }) }
func (r *registry) replayPassed(name string) { r.update(name, func(p *entry) { p.Replays++ }) }

// failed notes that a worker could not play a unit. One that can play none at all is refused.
func (r *registry) failed(name string, game uint64, why string) {
	r.update(name, func(p *entry) {
		p.Failures++
		p.Failure = sanitize(why, maxReason)
		r.logAbout(p, fmt.Sprintf("worker %s could not play game %d: %s", name, game, p.Failure))
		if p.failedInARow++; p.failedInARow >= maxFailures && p.State == Working {
			p.State, p.Reason = Refused, p.failureReason()
			r.announce(p)
		}
	})
}

// meant notes what speed clocks are meant for.
func (r *registry) setClockSpeed(speed float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clockSpeed = speed
}

// holds tells whether a worker has a check that it was sent: it is there, and says so, or
// did not say anything since.
func (r *registry) holdsReplay(name, unit string, sent time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.members[name]
	return p != nil && p.present(time.Now()) && (p.Seen.Before(sent.Add(deliveryTime)) || slices.Contains(p.replays, unit))
}

// leased returns the units that workers say they have, and since when all who are there
// have said it: the time of the oldest of their last words.
func (r *registry) leased(now time.Time) (units map[string]bool, since time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	units, since = map[string]bool{}, now
	for _, p := range r.members {
		if p.State == Banned || p.State == Refused || now.Sub(p.Seen) > r.lease && !p.present(now) {
			continue // the queue leases its units to others
		}
		for _, id := range p.units {
			units[id] = true
		}
		if p.present(now) && p.Seen.Before(since) {
			since = p.Seen
		}
	}
	return units, since
}

// present tells whether a worker can be reckoned with.
func (p *entry) present(now time.Time) bool {
	return p.State == Working && now.Sub(p.Seen) < 3*wire.HelloEvery
}

// strength returns how many workers and cores are there.
func (r *registry) capacity() (workers, cores int) {
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

// other returns a worker other than the one that can be relied on: each as often as it
// answers, and not as it says that it has cores, or who wants to pass a friend's checks
// would have thousands. There is none if it is empty.
func (r *registry) pickOther(name string) (pickOther string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, all := time.Now(), int64(0)
	for _, p := range r.members {
		if p.Name == name || p.Cores == 0 || p.missedReplay || !p.present(now) {
			continue
		}
		if all += p.Units + 1; rand.Int64N(all) <= p.Units {
			pickOther = p.Name
		}
	}
	return pickOther
}

// save writes the list.
func (r *registry) save(path string) error {
	r.mu.Lock()
	now := time.Now().UTC()
	all := Snapshot{Format: SnapshotFormat, Run: r.run, Updated: now, Units: r.units}
	for _, name := range sortedKeys(r.members) {
		p := r.members[name]
		if p.State == Working && !p.present(now) {
			p.State = Gone
			r.announce(p)
		}
		p.updateRates(now)
		r.updateResiduals(p)
		if r.units > 0 {
			p.Share = float64(p.Units) / float64(r.units)
		}
		all.Workers = append(all.Workers, p.WorkerStatus)
	}
	r.mu.Unlock()
	data, err := json.MarshalIndent(&all, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(path, append(data, '\n'))
}

// compare compares a worker's scores with those of all, and tells once if they differ by
// more than chance explains. Games with clocks cannot be checked in any other way.
func (r *registry) updateResiduals(p *entry) {
	p.Residual, p.ForfeitResidual, p.Forfeits = r.residuals.residual(p.Name)
	if !p.warned && r.residuals.suspicious(p.Name) {
		p.warned = true
		r.logAbout(p, fmt.Sprintf("warning: the games of worker %s differ from the others': scores by %.1f standard errors, games forfeited (%d) by %.1f; look at its machine, or have it leave", p.Name, p.Residual, p.Forfeits, p.ForfeitResidual))
	}
}

// measure notes the games so far, and their rate since the oldest note.
func (p *entry) updateRates(now time.Time) {
	oldest, since := p.gamesAtSave[p.next], p.saveTimes[p.next]
	if since.IsZero() {
		oldest, since = 0, p.Joined
	}
	if seconds := now.Sub(since).Seconds(); seconds > 0 {
		p.GamesASecond = float64(p.Games-oldest) / seconds
	}
	if p.took > 0 {
		p.Played = float64(p.nodes) / p.took.Seconds()
	}
	p.gamesAtSave[p.next], p.saveTimes[p.next] = p.Games, now
	p.next = (p.next + 1) % len(p.gamesAtSave)
}

func sortedKeys(m map[string]*entry) []string { return slices.Sorted(maps.Keys(m)) }
