package cluster

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
	speed   float64 // that clocks are meant for
	scores  *residuals
}

type member struct {
	Member
	checks []string      // that it has, by its last word
	units  []string      // that it leased, by its last word
	missed bool          // it did not make the last check that it was sent
	nodes  uint64        // of its games
	took   time.Duration // its games, by the clocks that were meant
	warned bool          // its residuals were told of
	told   int           // lines about it
	inARow int           // units that it could not play, since one that it could
	pace   [20]int64     // games at the last saves, for the rate
	at     [20]time.Time
	next   int
}

// helloEvery is how often a worker says that it is there; after three times as long
// without a word it is gone.
const helloEvery = 5 * time.Second

// maxMembers bounds the names on the list: workers that share a token could take any.
const maxMembers = 10_000

// maxLeased bounds the units that one worker is believed to have leased.
const maxLeased = 1 << 12

const (
	// maxWhy bounds a text that says why, in bytes.
	maxWhy = 400
	// maxTold bounds the lines about one worker: it could come and leave a thousand times a second.
	maxTold = 200
	// slowest and fastest are the speeds that are believed, in nodes/s of a core.
	slowest, fastest = 1, 1e12
)

// onItsWay is how long a message to a worker may be on its way.
const onItsWay = 2 * time.Second

func newRoll(c *Config) *roll {
	return &roll{program: c.Program, lease: c.Lease, tell: c.Tell, bans: map[string]string{}, members: map[string]*member{}, scores: newResiduals()}
}

// remember takes what an earlier life knew.
func (r *roll) remember(run string, bans map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run, r.bans = run, bans
}

// hear answers a worker's hello.
func (r *roll) hear(m *nats.Msg) {
	name, ok := sender(m, helloSubject(""))
	var h Hello
	if !ok || json.Unmarshal(m.Data, &h) != nil {
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
	p := r.member(name)
	if p == nil {
		return Welcome{Run: r.run, Lease: r.lease, Refused: crowded}
	}
	before := p.State
	if p.State == Gone {
		p.inARow = 0 // it was looked after, perhaps
	}
	p.Program, p.System, p.Cores = bounded(h.Program, 100), bounded(h.System, 40), max(0, min(h.Cores, 4096))
	p.Speed, p.Scale = 0, 0
	if h.Speed >= slowest && h.Speed <= fastest {
		p.Speed, p.Scale = h.Speed, r.speed/h.Speed
	}
	p.Seen, p.checks, p.units = now, unitIDs(h.Checks, maxErrands), unitIDs(h.Units, maxLeased)
	switch refusal := r.refusal(h.Protocol, p.Program); {
	case r.bans[name] != "":
		p.State, p.Why = Banned, r.bans[name]
	case refusal != "":
		p.State, p.Why = Refused, refusal
	case h.Trouble != "":
		p.State, p.Why = Refused, bounded(h.Trouble, maxWhy)
	case h.Leaving:
		p.State = Gone
	case p.inARow >= maxFailures:
		p.State, p.Why = Refused, p.hopeless()
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

// crowded is why no more names are let in.
var crowded = fmt.Sprintf("%d workers of other names came already", maxMembers)

// unitIDs are those of a list from elsewhere that can be some, in a copy: the rest may be long.
func unitIDs(list []string, most int) (ids []string) {
	for _, id := range list[:min(len(list), most)] {
		if len(id) <= idLength {
			ids = append(ids, strings.Clone(id))
		}
	}
	return ids
}

// bounded is a text from elsewhere as it can be shown: in one line, of so many bytes.
func bounded(text string, most int) string {
	return strings.Clone(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text[:min(len(text), most)], ""))) // a part would keep the whole
}

// hopeless says why a worker that fails again and again gets no more units.
func (p *member) hopeless() string {
	return fmt.Sprintf("it could not play %d units in a row, at last because %s", p.inARow, p.Failure)
}

// refusal says why a worker of another version gets no units, and what to do.
func (r *roll) refusal(protocol int, program string) string {
	switch {
	case protocol != Protocol:
		return fmt.Sprintf("it speaks version %d of the protocol, and this run version %d: install %s on it", protocol, Protocol, r.program)
	case program != r.program:
		return fmt.Sprintf("it is %s, and this run is of %s: its games would be others; install that version on it, or begin the run with its version", program, r.program)
	}
	return ""
}

func (r *roll) announce(p *member) {
	text := fmt.Sprintf("worker %s (%d cores, %s) is %s", p.Name, p.Cores, p.System, p.State)
	if p.Why != "" {
		text += ": " + p.Why
	}
	r.say(p, text)
}

// say tells a line about a worker, unless there were many.
func (r *roll) say(p *member, text string) {
	if p.told++; p.told == maxTold {
		text += "; that is the last line about it"
	}
	if p.told <= maxTold {
		r.tell(text)
	}
}

// barred says why a worker's answers are not taken, or nothing.
func (r *roll) barred(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why := r.bans[name]; why != "" {
		return why
	}
	switch p := r.member(name); { // one of the coordinator's earlier life did not say hello to this one yet
	case p == nil:
		return crowded
	case p.State == Refused:
		return p.Why
	}
	return ""
}

func (r *roll) ban(name, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bans[name] = why
	r.scores.forget(name)
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
	if p := r.member(name); p != nil {
		do(p)
	}
}

// member returns the worker of the name, which it makes one of the list if need be; nil if
// the list is full.
func (r *roll) member(name string) *member {
	p := r.members[name]
	if p == nil && len(r.members) < maxMembers {
		p = &member{Member: Member{Name: name, Joined: time.Now(), State: Gone}}
		r.members[name] = p
	}
	return p
}

func (r *roll) answered(name string, g *selfplay.Result) {
	r.of(name, func(p *member) {
		r.units++
		p.Units++
		p.inARow, p.missed = 0, false
		if g.Try == 0 {
			p.Games++
			r.scores.add(name, g)
			p.nodes += g.Nodes[0] + g.Nodes[1]
			p.took += g.Time[0] + g.Time[1]
		}
	})
}

func (r *roll) missed(name string)  { r.of(name, func(p *member) { p.missed = true }) }
func (r *roll) late(name string)    { r.of(name, func(p *member) { p.Late++ }) }
func (r *roll) checked(name string) { r.of(name, func(p *member) { p.Checks++ }) }

// failed notes that a worker could not play a unit. One that can play none at all is refused.
func (r *roll) failed(name string, game uint64, why string) {
	r.of(name, func(p *member) {
		p.Failures++
		p.Failure = bounded(why, maxWhy)
		r.say(p, fmt.Sprintf("worker %s could not play game %d: %s", name, game, p.Failure))
		if p.inARow++; p.inARow >= maxFailures && p.State == Working {
			p.State, p.Why = Refused, p.hopeless()
			r.announce(p)
		}
	})
}

// meant notes what speed clocks are meant for.
func (r *roll) meant(speed float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.speed = speed
}

// holds tells whether a worker has a check that it was sent: it is there, and says so, or
// did not say anything since.
func (r *roll) holds(name, unit string, sent time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.members[name]
	return p != nil && p.present(time.Now()) && (p.Seen.Before(sent.Add(onItsWay)) || slices.Contains(p.checks, unit))
}

// leased returns the units that workers say they have, and since when all who are there
// have said it: the time of the oldest of their last words.
func (r *roll) leased(now time.Time) (units map[string]bool, since time.Time) {
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

// other returns a worker other than the one that can be relied on: each as often as it
// answers, and not as it says that it has cores, or who wants to pass a friend's checks
// would have thousands. There is none if it is empty.
func (r *roll) other(name string) (other string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, all := time.Now(), int64(0)
	for _, p := range r.members {
		if p.Name == name || p.Cores == 0 || p.missed || !p.present(now) {
			continue
		}
		if all += p.Units + 1; rand.Int64N(all) <= p.Units {
			other = p.Name
		}
	}
	return other
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
		r.compare(p)
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
	return durable.WriteFile(path, append(data, '\n'))
}

// compare compares a worker's scores with those of all, and tells once if they differ by
// more than chance explains. Games with clocks cannot be checked in any other way.
func (r *roll) compare(p *member) {
	p.Residual, p.Faulty, p.Forfeits = r.scores.of(p.Name)
	if !p.warned && r.scores.strange(p.Name) {
		p.warned = true
		r.say(p, fmt.Sprintf("warning: the games of worker %s differ from the others': scores by %.1f standard errors, games forfeited (%d) by %.1f; look at its machine, or have it leave", p.Name, p.Residual, p.Forfeits, p.Faulty))
	}
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
	if p.took > 0 {
		p.Played = float64(p.nodes) / p.took.Seconds()
	}
	p.pace[p.next], p.at[p.next] = p.Games, now
	p.next = (p.next + 1) % len(p.pace)
}

func sortedKeys(m map[string]*member) []string { return slices.Sorted(maps.Keys(m)) }
