package coordinator

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

// pool is the room that the workers have for units, and which session may use it. A run that
// is alone uses all of it. Sessions that share a Hub get seconds of play in proportion to
// their weights, by stride scheduling: each has a pass, which grows by the seconds that its
// units take, divided by its weight, and of the sessions whose units wait the one with the
// lowest pass is next. So none starves, and none saves up room that it did not use, but for
// what it misses in a short pause: SPSA waits for all games of an iteration before the next.
//
// Room is granted when it comes free, to any session whose turn it is, and that session uses
// its grants when it runs: none waits for another that writes its ledger meanwhile.
// It is safe for concurrent use.
type pool struct {
	registry *registry

	mu     sync.Mutex
	shares map[*share]bool
	seats  map[string]*seat // by worker
	roomy  []string         // workers that may have room for a unit, the next one first
	pass   float64          // from which a session starts if no other is at work
}

// seat is what a pool knows of a worker.
type seat struct {
	held   int            // units that it has or may be sent, of all sessions
	of     map[*share]int // the same of each session
	listed bool           // it is in roomy
}

// share is what a session may use of a pool. The pool's lock guards it.
type share struct {
	pool     *pool
	weight   float64
	most     int // units that workers may have at once; 0: any number
	held     int // units that workers have or may be sent
	waiting  int
	taken    int // grants that were used since wait
	grants   []grant
	greeted  map[string]bool      // workers with units of it that said hello since takeGreeted
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

// grant is the room of a worker for one unit, and what the session was charged for it.
type grant struct {
	worker  string
	seconds float64
}

// maxGrants bounds the room that waits for one session, which may be busy.
const maxGrants = 64

// declinedFor is how long a worker is left alone that cannot take any of the units that wait.
const declinedFor = time.Second

// checkCost is the cost of the check of an opening, whose time is not measured, as a share of
// a game's.
const checkCost = 0.02

func newPool(r *registry) *pool {
	return &pool{registry: r, shares: map[*share]bool{}, seats: map[string]*seat{}}
}

// join adds a session.
func (p *pool) join(weight float64, most int) *share {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &share{
		pool: p, weight: weight, most: most, pass: p.pass, wake: make(chan struct{}, 1),
		greeted: map[string]bool{}, declined: map[string]time.Time{}, excluded: map[string]string{},
	}
	p.shares[s] = true
	return s
}

// leave removes a session.
func (s *share) leave() {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	delete(s.pool.shares, s)
	s.giveBack(0)
	s.pool.wakeNext()
}

// set changes the weight of a session, and how many units workers may have at once.
func (s *share) set(weight float64, most int) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.weight, s.most = weight, most
	s.pool.wakeNext()
}

// wait notes how many units of the session wait for a worker, and gives back grants for which
// there are none. A session that had none starts again where the others are.
func (s *share) wait(units int) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if s.waiting == 0 && units > 0 {
		s.pass = max(s.pass, s.pool.start(s))
	}
	s.waiting, s.taken = units, 0
	if len(s.grants) > units {
		s.giveBack(units)
		s.pool.wakeNext()
	}
}

// giveBack gives back all grants but the first ones.
func (s *share) giveBack(keep int) {
	for _, g := range s.grants[min(keep, len(s.grants)):] {
		s.credit(g.seconds)
		s.pool.release(s, g.worker, 1)
		s.pool.list(g.worker)
	}
	s.grants = s.grants[:min(keep, len(s.grants))]
}

// wants reports whether the session has units that wait and for which no room was granted.
func (s *share) wants() bool {
	return s.waiting-s.taken > len(s.grants) && len(s.grants) < maxGrants && !s.full()
}

// paid is the pass without what was charged for units under way.
func (s *share) paid() float64 { return s.pass - s.owed/s.weight }

// In a pause of either length a session loses nothing of its share: in maxPause times the time
// that the workers need for all units that they have, and in shortPause, since it may have no
// unit while it writes its files or its first answers wait for a replay.
const (
	maxPause   = 2
	shortPause = 250 * time.Millisecond
)

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
	_, cores := p.registry.capacity()
	return low - max(maxPause*owed, shortPause.Seconds()*float64(cores))/weights
}

// room notes that workers may have room.
func (p *pool) room(workers ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, worker := range workers {
		p.list(worker)
	}
	p.wakeNext()
}

// greet notes that a worker said hello: the sessions whose units it has compare them with it.
func (p *pool) greet(worker string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.seat(worker).of {
		s.greeted[worker] = true
	}
	p.list(worker)
	p.wakeNext()
}

// takeGreeted returns the workers with units of the session that said hello since it was
// called last.
func (s *share) takeGreeted() []string {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if len(s.greeted) == 0 {
		return nil
	}
	names := slices.Collect(maps.Keys(s.greeted))
	clear(s.greeted)
	return names
}

func (p *pool) seat(worker string) *seat {
	if p.seats[worker] == nil {
		p.seats[worker] = &seat{of: map[*share]int{}}
	}
	return p.seats[worker]
}

func (p *pool) list(worker string) {
	if seat := p.seat(worker); !seat.listed {
		seat.listed = true
		p.roomy = append(p.roomy, worker)
	}
}

// take returns a worker to which the session may send a unit now, one after the other in
// turn; false if there is none, or if it is another session's turn. The caller sends a unit,
// or calls decline.
func (s *share) take() (worker string, ok bool) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if len(s.grants) == 0 {
		s.pool.assign()
	}
	if len(s.grants) == 0 {
		return "", false
	}
	g := s.grants[0]
	s.grants = s.grants[1:]
	s.taken++
	s.credit(g.seconds) // the caller charges what the unit costs
	return g.worker, true
}

// assign grants room to the sessions whose turn it is, of one worker after the other.
func (p *pool) assign() {
	for looks := 0; looks < len(p.roomy); looks++ {
		next := p.first("")
		if next == nil {
			return
		}
		worker := p.roomy[0]
		p.roomy = p.roomy[1:]
		seat := p.seats[worker]
		if seat.held >= p.registry.quota(worker) {
			if seat.listed = false; seat.held == 0 {
				delete(p.seats, worker)
			}
			looks--
			continue
		}
		p.roomy = append(p.roomy, worker)
		if next.declines(worker) {
			if next = p.first(worker); next == nil {
				continue
			}
		}
		p.grant(next, worker)
		looks = -1
	}
}

func (p *pool) grant(s *share, worker string) {
	seat := p.seats[worker]
	seat.held++
	seat.of[s]++
	s.held++
	g := grant{worker, s.expected()}
	s.pass += g.seconds / s.weight
	s.owed += g.seconds
	s.grants = append(s.grants, g)
	p.pass = max(p.pass, s.paid())
	s.poke()
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

// first returns the session whose turn it is at a worker, empty for any; nil if no units wait
// that it takes.
func (p *pool) first(worker string) (next *share) {
	for s := range p.shares {
		if s.wants() && (next == nil || s.pass < next.pass) && !s.declines(worker) {
			next = s
		}
	}
	return next
}

// wakeNext grants room that came free, and wakes the sessions that get it.
func (p *pool) wakeNext() {
	if len(p.shares) > 1 { // a session alone looks after each answer and hello
		p.assign()
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
	p.list(worker)
	p.wakeNext()
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
	seat := p.seats[worker]
	if seat == nil {
		return
	}
	if seat.of[s] -= units; seat.of[s] <= 0 {
		delete(seat.of, s)
	}
	if seat.held -= units; seat.held <= 0 && !seat.listed {
		delete(p.seats, worker)
	}
}

func (s *share) release(worker string, units int) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.release(s, worker, units)
	s.pool.wakeNext()
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
	if seconds == 0 {
		return
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.credit(seconds)
}

func (s *share) credit(seconds float64) {
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

// gamesExceed returns a time that few games of any session exceed, because a unit may wait at
// a worker until another session's game is over; and whether a game of this session has ended.
// It goes by the mean: one worker that lies about the longest would make all wait forever.
func (s *share) gamesExceed() (most time.Duration, known bool) {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	seconds := 0.
	for o := range s.pool.shares {
		switch {
		case o.games > 0:
			seconds = max(seconds, 4*o.played/float64(o.games))
		case o != s:
			seconds = max(seconds, o.budget)
		}
	}
	return time.Duration(seconds * float64(time.Second)), s.games > 0
}

// part returns how many of that many cores the session should use, beside those that play too.
func (s *share) part(cores int) int {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	weights := 0.
	for o := range s.pool.shares {
		if o == s || o.waiting > 0 || o.held > 0 {
			weights += o.weight
		}
	}
	part := int(math.Ceil(float64(cores) * s.weight / weights))
	if s.most > 0 {
		part = min(part, s.most)
	}
	return part
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
		if p.seats[worker].held == 0 && p.registry.quota(worker) > 0 {
			return true
		}
	}
	return false
}
