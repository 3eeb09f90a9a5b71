package machine

import (
	"sync"
	"time"
)

// stallLimit is the shortest pause that counts as a stall.
const stallLimit = 250 * time.Millisecond

// watchTick is how often a Watch looks at the clock.
const watchTick = 50 * time.Millisecond

// Watch notices stalls between Start and Stop: the process was stopped, the machine was suspended or swapping, or a
// virtual machine was paused. Time that passed then must not be charged to a player, and a timeout that expired then
// proves nothing. A Watch looks at the boot clock every 50 ms; if 250 ms or more have passed since the last look, the
// process did not run in between. The boot clock runs on while the machine is suspended. Where the system has none, the
// wall clock is used, and a jump of that clock looks like a stall.
//
// The zero Watch is ready for use. One goroutine may use it at a time.
type Watch struct {
	clock func() time.Duration // bootTime but in tests

	mu      sync.Mutex
	timer   *time.Timer
	armed   bool // the timer is set
	running bool
	last    time.Duration // last look
	n       int
	total   time.Duration
}

// Start forgets earlier stalls and begins to watch.
func (w *Watch) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clock == nil {
		w.clock = bootTime
	}
	w.running, w.n, w.total, w.last = true, 0, 0, w.clock()
	switch {
	case w.timer == nil:
		w.timer = time.AfterFunc(watchTick, w.look)
	case !w.armed:
		w.timer.Reset(watchTick)
	}
	w.armed = true
}

func (w *Watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.armed = w.running; w.running {
		w.note()
		w.timer.Reset(watchTick)
	}
}

// note looks at the clock.
func (w *Watch) note() {
	now := w.clock()
	if gap := now - w.last; gap >= stallLimit {
		w.n++
		w.total += gap
	}
	w.last = now
}

// Seen returns how many stalls there were since Start, and how long they were together. A
// stall may be up to 50 ms shorter than counted.
func (w *Watch) Seen() (n int, total time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running {
		w.note()
	}
	return w.n, w.total
}

// Stop ends the watch and returns what Seen returns.
func (w *Watch) Stop() (n int, total time.Duration) {
	n, total = w.Seen()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false // the timer fires once more: to set it for each move of a game would cost more
	return n, total
}

// wallTime returns the time of the wall clock.
func wallTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
