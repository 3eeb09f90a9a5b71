package machine

import (
	"sync"
	"time"
)

const (
	// stallLimit is the shortest pause that counts as a stall.
	stallLimit = 250 * time.Millisecond
	// beat is how often the heartbeat looks at the clock.
	beat = 10 * time.Millisecond
)

// Watch notices, between Start and Stop, when this process did not run or ran late. Time that passed then must not be
// charged to a player, and a timeout that expired then proves nothing.
//
// A stall is a pause of 250 ms or more: the process was stopped, the machine was suspended or swapping, or a virtual
// machine was paused. It is measured by the boot clock, which runs on while the machine is suspended. Where the system
// has none, the wall clock is used, and a jump of that clock looks like a stall.
//
// The zero Watch is ready for use. One goroutine may use it at a time. All watches share one timer, because one a game
// would take more of the processor than the games.
type Watch struct {
	heart *heartbeat // nil: the process's

	running bool
	start   time.Duration
	before  stalls // at the start
	seen    stalls // since then
	late    time.Duration
}

// stalls are some pauses of the process.
type stalls struct {
	n     int
	total time.Duration
}

// Start forgets earlier stalls and begins to watch.
func (w *Watch) Start() {
	if w.heart == nil {
		w.heart = &processHeart
	}
	w.start, w.before = w.heart.join(!w.running)
	w.running, w.seen, w.late = true, stalls{}, 0
}

// Seen returns how many stalls there were since Start, and how long they were together. A stall may be up to a beat
// shorter than counted.
func (w *Watch) Seen() (n int, total time.Duration) {
	if w.running {
		now, late := w.heart.look(w.start)
		w.seen, w.late = stalls{now.n - w.before.n, now.total - w.before.total}, late
	}
	return w.seen.n, w.seen.total
}

// Stop ends the watch and returns what Seen returns.
func (w *Watch) Stop() (n int, total time.Duration) {
	n, total = w.Seen()
	if w.running {
		w.running = false
		w.heart.leave()
	}
	return n, total
}

// Late returns, after Stop, how late goroutines of this process ran at worst since Start: an answer may have waited as
// long until it was read.
func (w *Watch) Late() time.Duration { return w.late }

var processHeart heartbeat

// heartbeat looks at the clock every 10 ms while anyone watches.
type heartbeat struct {
	clock func() time.Duration // nil: bootTime

	mu       sync.Mutex
	watching int
	armed    int           // number of the timer that is set; a beat of another is ignored
	due      time.Duration // of the next beat
	last     time.Duration // last look
	stalls   stalls
	late     []lateness // of beats, the latest first: an entry is later than all that follow
}

// lateness is a beat that came too late.
type lateness struct{ at, by time.Duration }

func (h *heartbeat) now() time.Duration {
	if h.clock != nil {
		return h.clock()
	}
	return bootTime()
}

// join begins a watch; another one than those that run already if new.
func (h *heartbeat) join(new bool) (now time.Duration, before stalls) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now = h.now(); h.watching == 0 {
		h.last, h.late = now, h.late[:0]
		if h.due <= now { // the timer has fired
			h.arm(now)
		}
	}
	h.note(now)
	if new {
		h.watching++
	}
	return now, h.stalls
}

// leave ends a watch. The timer fires once more: to set it for each move of a game would cost more.
func (h *heartbeat) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watching--
}

func (h *heartbeat) arm(now time.Duration) {
	h.due = now + beat
	h.armed++
	number := h.armed
	time.AfterFunc(beat, func() { h.beat(number) })
}

func (h *heartbeat) beat(number int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if number != h.armed || h.watching == 0 {
		return
	}
	now := h.now()
	h.note(now)
	for n := len(h.late); n > 0 && h.late[n-1].by <= now-h.due; n-- {
		h.late = h.late[:n-1]
	}
	h.late = append(h.late, lateness{now, now - h.due})
	h.arm(now)
}

// note counts the time since the last look if it was a stall.
func (h *heartbeat) note(now time.Duration) {
	if gap := now - h.last; gap >= stallLimit {
		h.stalls.n++
		h.stalls.total += gap
	}
	h.last = now
}

// look returns all stalls until now, and how late the beats since start were at worst.
func (h *heartbeat) look(start time.Duration) (all stalls, late time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	h.note(now)
	late = min(now-start, now-h.due) // of a beat that is due
	for _, l := range h.late {
		if l.at >= start {
			late = max(late, min(l.by, l.at-start))
			break
		}
	}
	return h.stalls, max(late, 0)
}

func wallTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
