package coordinator

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// registry is the list of workers. It is safe for concurrent use.
type registry struct {
	program string
	lease   time.Duration
	log     func(string)

	rooms *rooms

	mu         sync.Mutex
	run        string
	bans       map[string]string
	members    map[string]*entry
	units      int64
	clockSpeed float64 // nodes/s for which clocks are meant
	residuals  *residuals

	countedAt      time.Time
	present, cores int // workers and their cores, then
}

type entry struct {
	WorkerStatus
	replays      []string      // ids of replays that it has, by its last hello
	units        []string      // ids of units that it has, by its last hello
	serving      bool          // it plays for this run, by its last hello
	credit       int           // units that it may have at once, whatever its cores
	missedReplay bool          // it did not deliver the last replay that it was sent
	nodes        uint64        // of its games
	took         time.Duration // its games, by the clocks as meant
	warned       bool          // its residuals were logged
	foreign      bool          // it was logged that it wants replies sent to others
	lines        int           // logged about it
	failedInARow int           // units that it could not play, since one that it could
	gamesAtSave  [20]int64     // at the last saves, for the rate
	saveTimes    [20]time.Time
	next         int
}

// maxWorkers bounds the list: workers that share a token could use any number of names.
const maxWorkers = 10_000

// maxListed bounds the units that a hello may list.
const maxListed = 1 << 14

// firstCredit is how many units a worker may have before its first answer. Each answer adds
// creditPerAnswer, up to two units for each core. A worker that sits on its units has to
// start again, with one.
const (
	firstCredit     = 16
	creditPerAnswer = 2
	maxCredit       = 1 << 14
)

const (
	// maxReason bounds a text that a worker sends, in bytes.
	maxReason = 400
	// maxLines bounds the log lines about one worker: it could come and leave at any rate.
	maxLines = 200
	// minSpeed and maxSpeed are the plausible speeds, in nodes/s of a core.
	minSpeed, maxSpeed = 1, 1e12
)

// deliveryTime is how long a message to a worker may be on its way.
const deliveryTime = 2 * time.Second

func newRegistry(c *Config) *registry {
	r := &registry{
		program: c.Program, lease: c.Lease, log: c.Log,
		bans: map[string]string{}, members: map[string]*entry{}, residuals: newResiduals(),
	}
	r.rooms = newRooms(r)
	return r
}

// restore takes what an earlier process of the run knew.
func (r *registry) restore(run string, bans map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.run = run
	for worker, why := range bans {
		r.bans[worker] = why
		if p := r.members[worker]; p != nil {
			p.State, p.Reason = Banned, why
		}
	}
}

// failureReason says why a worker that fails again and again is refused.
func failureReason(units int, last string) string {
	return fmt.Sprintf("it could not play %d units in a row; the last error: %s", units, last)
}

func (r *registry) announce(p *entry) {
	text := fmt.Sprintf("worker %s (%d cores, %s) is %s", p.Name, p.Cores, p.System, p.State)
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	r.logAbout(p, text)
}

// logAbout logs a line about a worker, unless there were too many.
func (r *registry) logAbout(p *entry, text string) {
	if p.lines++; p.lines == maxLines {
		text += "; further lines about it are not shown"
	}
	if p.lines <= maxLines {
		r.log(text)
	}
}

// foreignReply notes that a worker wants a reply sent to someone else. This is ignored.
func (r *registry) foreignReply(name, reply string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.members[name]; p != nil && reply != "" && !p.foreign {
		p.foreign = true
		r.logAbout(p, fmt.Sprintf("worker %s wants replies sent to %q, which is not its own inbox: "+
			"such messages are ignored", name, sanitize(reply, 100)))
	}
}

// note logs a line about a worker, unless there were too many.
func (r *registry) note(name, text string) {
	r.update(name, func(p *entry) { r.logAbout(p, text) })
}

// whyRefused says why a worker's answers are not accepted; empty if they are.
func (r *registry) whyRefused(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why := r.bans[name]; why != "" {
		return why
	}
	switch p := r.entry(name); { // a worker that answers after a restart may not have said hello yet
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

// update calls do with the entry of a worker, which it creates if necessary.
func (r *registry) update(name string, do func(*entry)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.entry(name); p != nil {
		do(p)
	}
}

// entry returns the entry of a worker, which it creates if necessary; nil if the registry is
// full.
func (r *registry) entry(name string) *entry {
	p := r.members[name]
	if p == nil && len(r.members) < maxWorkers {
		p = &entry{WorkerStatus: WorkerStatus{Name: name, Joined: time.Now(), State: Gone}, credit: firstCredit}
		r.members[name] = p
	}
	return p
}

// answered notes an answer, of the session with this key.
func (r *registry) answered(name string, g *selfplay.Result) {
	r.update(name, func(p *entry) {
		r.units++
		p.Units++
		p.failedInARow, p.missedReplay = 0, false
		p.credit = min(p.credit+creditPerAnswer, maxCredit)
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

// failed notes that a worker could not play a unit. One that fails again and again is refused.
func (r *registry) failed(name string, game uint64, why string) {
	r.update(name, func(p *entry) {
		p.Failures++
		p.Failure = sanitize(why, maxReason)
		r.logAbout(p, fmt.Sprintf("worker %s could not play game %d: %s", name, game, p.Failure))
		if p.failedInARow++; p.failedInARow >= maxFailures && p.State == Working {
			p.State, p.Reason = Refused, failureReason(p.failedInARow, p.Failure)
			r.announce(p)
		}
	})
}

// setClockSpeed notes the speed for which clocks are meant.
func (r *registry) setClockSpeed(speed float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clockSpeed = speed
}

// holdsReplay reports whether a worker may still have a replay that it was sent: it is
// present, and its last hello lists the replay or is too old to do so.
func (r *registry) holdsReplay(name, unit string, sent time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.members[name]
	return p != nil && p.present(time.Now()) && (p.Seen.Before(sent.Add(deliveryTime)) ||
		slices.Contains(p.replays, unit))
}

// size returns how many workers are listed.
func (r *registry) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.members)
}

// quota returns how many units a worker may have now.
func (r *registry) quota(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.members[name]
	now := time.Now()
	if p == nil || !p.serving || !p.present(now) || now.Sub(p.Seen) > r.lease {
		return 0
	}
	return min(2*p.Cores, p.credit)
}

// whyLost says why a worker's units go to others; empty if they do not.
func (r *registry) whyLost(name string, now time.Time) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.members[name]
	switch {
	case p == nil:
		return "is unknown"
	case p.State == Banned || p.State == Refused:
		return "is " + string(p.State)
	case now.Sub(p.Seen) > r.lease:
		return fmt.Sprintf("was silent for %v", r.lease)
	}
	return ""
}

// sat notes that a worker had that many units for longer than games take.
func (r *registry) sat(name string, units int, within time.Duration) {
	r.update(name, func(p *entry) {
		p.Expired += int64(units)
		p.credit = 1
		r.logAbout(p, fmt.Sprintf("worker %s did not answer %d units within %v: they go to others, "+
			"and it gets one at a time until it answers", name, units, within.Round(time.Millisecond)))
	})
}

func (r *registry) runID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.run
}

// present reports whether a worker is accepted and said hello lately.
func (e *entry) present(now time.Time) bool {
	return e.State == Working && now.Sub(e.Seen) < 3*wire.HelloEvery
}

// capacity returns the number of present workers and of their cores, as of this moment or a
// few before: all sessions ask at each tick.
func (r *registry) capacity() (workers, cores int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if now.Sub(r.countedAt) < tickEvery {
		return r.present, r.cores
	}
	for _, p := range r.members {
		if p.present(now) {
			workers++
			cores += p.Cores
		}
	}
	r.countedAt, r.present, r.cores = now, workers, cores
	return workers, cores
}

// pickOther returns a random present worker other than the one of the name; empty if there is
// none. Workers are chosen in proportion to their answers and not to the cores they claim,
// so that an accomplice of a cheat does not get all the replays.
func (r *registry) pickOther(name string) (other string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, all := time.Now(), int64(0)
	for _, p := range r.members {
		if p.Name == name || p.Cores == 0 || !p.serving || p.missedReplay || !p.present(now) {
			continue
		}
		if all += p.Units + 1; rand.Int64N(all) <= p.Units {
			other = p.Name
		}
	}
	return other
}
