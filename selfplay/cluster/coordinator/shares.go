package coordinator

import (
	"math"
	"sync"
	"time"
)

// pool is the room that the workers have for units, and which session may use it. A run that
// is alone uses all of it. Sessions that share a Hub get seconds of play in proportion to
// their weights, by stride scheduling: each has a pass, which grows by the seconds that its
// units take, divided by its weight, and of the sessions whose units wait the one with the
// lowest pass is next. So none starves, and none saves up room that it did not use, but for
// what it misses in a short pause: SPSA waits for all games of an iteration before the next.
// It is safe for concurrent use.
type pool struct {
	registry *registry

	mu     sync.Mutex
	shares map[*share]bool
	held   map[string]int  // units that each worker has, of all sessions
	roomy  []string        // workers that may have room for a unit, the next one first
	listed map[string]bool // workers in roomy
	pass   float64         // from which a session starts if no other is at work
}

// share is what a session may use of a pool. The pool's lock guards it.
type share struct {
	pool     *pool
	weight   float64
	most     int // units that workers may have at once; 0: any number
	held     int // units that workers have
	waiting  int
	pass     float64              // grows when units are sent; corrected by what they took
	owed     float64              // seconds that were charged for units without an answer
	played   float64              // seconds of play so far
	replayed float64              // seconds of replays so far
	games    int64                // so far
	budget   float64              // seconds that a game by the clock may take; 0: no clock
	declined map[string]time.Time // until when a worker gets no units of it
	excluded map[string]string    // workers that get no units of it, and why
	wake     chan struct{}        // room may be free
}

// declinedFor is how long a worker is left alone that cannot take any of the units that wait.
const declinedFor = time.Second

// checkCost is the cost of the check of an opening, whose time is not measured, as a share of
// a game's.
const checkCost = 0.02

func newPool(r *registry) *pool {
	return &pool{registry: r, shares: map[*share]bool{}, held: map[string]int{}, listed: map[string]bool{}}
}

// join adds a session.
func (p *pool) join(weight float64, most int) *share {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &share{pool: p, weight: weight, most: most, pass: p.pass, declined: map[string]time.Time{}, excluded: map[string]string{}, wake: make(chan struct{}, 1)}
	p.shares[s] = true
	return s
}

// leave removes a session.
func (s *share) leave() {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	delete(s.pool.shares, s)
	s.pool.wakeNext()
}

// set changes the weight of a session, and how many units workers may have at once.
func (s *share) set(weight float64, most int) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.weight, s.most = weight, most
	s.pool.wakeNext()
}

// wait notes how many units of the session wait for a worker. A session that had none starts
// again where the others are.
func (s *share) wait(units int) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if s.waiting == 0 && units > 0 {
		s.pass = max(s.pass, s.pool.start(s))
	}
	s.waiting = units
}

// paid is the pass without what was charged for units under way.
func (s *share) paid() float64 { return s.pass - s.owed/s.weight }

// maxPause is how long a pause may be in which a session loses nothing of its share, in the
// time that the workers need for all units that they have.
const maxPause = 2

// start returns the lowest pass with which a session may start again. It is that of the
// others, without what they were charged for units under way, and less what the session may
// have missed in a short pause.
func (p *pool) start(s *share) float64 {
	low, owed, weights := math.Inf(1), 0., 0.
	for o := range p.shares {
		if o.waiting > 0 || o.held > 0 || o == s {
			owed += o.owed
			weights += o.weight
		}
		if o != s && (o.waiting > 0 || o.held > 0) {
			low = min(low, o.paid())
		}
	}
	if math.IsInf(low, 1) {
		low = p.pass
	}
	return low - maxPause*owed/weights
}

// room notes that a worker may have room.
func (p *pool) room(worker string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addRoom(worker)
}

func (p *pool) addRoom(worker string) {
	if !p.listed[worker] {
		p.listed[worker] = true
		p.roomy = append(p.roomy, worker)
	}
	p.wakeNext()
}

// take returns a worker to which the session may send a unit now, one after the other in
// turn; false if there is none, or if it is another session's turn. The caller sends a unit,
// or calls decline.
func (s *share) take() (worker string, ok bool) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for looks := 0; looks < len(p.roomy); looks++ {
		if s.full() {
			return "", false
		}
		worker := p.roomy[0]
		p.roomy = p.roomy[1:]
		if p.held[worker] >= p.registry.quota(worker) {
			delete(p.listed, worker)
			looks--
			continue
		}
		p.roomy = append(p.roomy, worker)
		if s.declines(worker) {
			continue
		}
		if other := p.first(worker); other != nil && other != s && other.pass < s.pass {
			if other.poke(); looks > maxLook {
				return "", false // it is the other's turn at all workers, or nearly so
			}
			continue
		}
		p.held[worker]++
		s.held++
		p.pass = max(p.pass, s.paid())
		return worker, true
	}
	return "", false
}

// full reports whether workers have as many units of the session as they may.
func (s *share) full() bool { return s.most > 0 && s.held >= s.most }

func (s *share) declines(worker string) bool {
	if s.excluded[worker] != "" {
		return true
	}
	until, ok := s.declined[worker]
	if ok && time.Now().After(until) {
		delete(s.declined, worker)
		ok = false
	}
	return ok
}

// first returns the session whose turn it is at a worker.
func (p *pool) first(worker string) (next *share) {
	for s := range p.shares {
		if s.waiting > 0 && !s.full() && (next == nil || s.pass < next.pass) && !s.declines(worker) {
			next = s
		}
	}
	return next
}

// wakeNext wakes the session whose turn it is, if any waits.
func (p *pool) wakeNext() {
	if len(p.shares) < 2 {
		return // a session alone looks after each answer and hello
	}
	if s := p.first(""); s != nil {
		s.poke()
	}
}

func (s *share) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// decline gives the room of take back, because the session has no unit for this worker, for
// some time. Others may use it.
func (s *share) decline(worker string, within time.Duration) {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if within > 0 && len(p.shares) > 1 {
		s.declined[worker] = time.Now().Add(within)
	}
	p.release(s, worker, 1)
}

// exclude gives a worker no more units of the session. It reports whether that is new.
func (s *share) exclude(worker, why string) bool {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	before := s.excluded[worker]
	s.excluded[worker] = why
	return before == ""
}

// allow notes how long a game may take by its clocks.
func (s *share) allow(budget time.Duration) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.budget = max(s.budget, budget.Seconds())
}

// limit returns how many units workers may have at once, 0 for any number.
func (s *share) limit() int {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.most
}

// release notes that a worker no longer has that many units of the session.
func (p *pool) release(s *share, worker string, units int) {
	s.held -= units
	if p.held[worker] -= units; p.held[worker] <= 0 {
		delete(p.held, worker)
	}
	p.wakeNext()
}

func (s *share) release(worker string, units int) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.release(s, worker, units)
}

// charge returns what a unit is expected to take, in seconds, and adds it to the pass.
func (s *share) charge(check bool) (seconds float64) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	seconds = s.expected()
	if check {
		seconds *= checkCost
	}
	s.pass += seconds / s.weight
	s.owed += seconds
	return seconds
}

// refund takes back what was charged for a unit that was not played.
func (s *share) refund(seconds float64) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pass -= seconds / s.weight
	s.owed = max(0, s.owed-seconds)
}

// expected returns the mean time of a game in seconds. Before the first game has ended it is
// half of what the clocks allow, or the mean of the other sessions.
func (s *share) expected() float64 {
	if s.games > 0 {
		return s.played / float64(s.games)
	}
	if s.budget > 0 {
		return s.budget / 2
	}
	played, games := 0., int64(0)
	for o := range s.pool.shares {
		played += o.played
		games += o.games
	}
	if games == 0 {
		return 1
	}
	return played / float64(games)
}

// settle replaces the expected time of a unit by what it took.
func (s *share) settle(expected float64, check bool, took time.Duration) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.owed = max(0, s.owed-expected)
	if check {
		return
	}
	s.games++
	s.played += took.Seconds()
	s.pass += (took.Seconds() - expected) / s.weight
}

// replay notes what a replay took. It is not charged before, since it does not wait for room.
func (s *share) replay(took time.Duration) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.replayed += took.Seconds()
	s.pass += took.Seconds() / s.weight
}

// longest returns a time that few games of any session exceed: a unit may wait at a worker
// until another session's game is over.
func (s *share) longest(own time.Duration) time.Duration {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	for o := range s.pool.shares {
		if o != s {
			mean := o.budget
			if o.games > 0 {
				mean = 4 * o.played / float64(o.games)
			}
			own = max(own, time.Duration(mean*float64(time.Second)))
		}
	}
	return own
}

// idle reports whether a worker without units has room, and no session has units that wait.
func (p *pool) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.shares {
		if s.waiting > 0 {
			return false
		}
	}
	for _, worker := range p.roomy {
		if p.held[worker] == 0 && p.registry.quota(worker) > 0 {
			return true
		}
	}
	return false
}
