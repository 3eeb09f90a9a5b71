package machine

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestBootTimeRuns(t *testing.T) {
	for start := bootTime(); bootTime() <= start; {
		time.Sleep(time.Millisecond)
	}
}

// Pauses of the process are gaps between two looks at the clock. The fake clock of the
// bubble drives the looks; the boot clock gets ahead of it by each pause.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var paused atomic.Int64
		w := Watch{heart: &heartbeat{clock: func() time.Duration { return time.Since(start) + time.Duration(paused.Load()) }}}
		pause := func(d time.Duration) { paused.Add(int64(d)) }
		for _, tt := range []struct {
			name   string
			pauses []time.Duration // each a second after the one before
			n      int
			total  time.Duration // without the time since the last look
		}{
			{"none", nil, 0, 0},
			{"short", []time.Duration{100 * time.Millisecond, 190 * time.Millisecond}, 0, 0},
			{"long", []time.Duration{5 * time.Second}, 1, 5 * time.Second},
			{"some", []time.Duration{time.Second, 0, 150 * time.Millisecond, stallLimit}, 2, time.Second + stallLimit},
			{"after a reset", nil, 0, 0},
		} {
			w.Start()
			for _, d := range tt.pauses {
				time.Sleep(time.Second)
				pause(d)
			}
			n, total := w.Seen() // before the next look
			if n != tt.n || total < tt.total || total > tt.total+time.Duration(n)*beat {
				t.Errorf("%s: %d stalls of %v, want %d of %v", tt.name, n, total, tt.n, tt.total)
			}
			if again, _ := w.Stop(); again != n {
				t.Errorf("%s: Stop counts %d stalls, Seen %d", tt.name, again, n)
			}
			pause(time.Minute) // no one watches
			if late, _ := w.Seen(); late != n {
				t.Errorf("%s: %d stalls after Stop, %d before", tt.name, late, n)
			}
		}
	})
}

// A beat that comes late, or is due, says how late this process runs.
func TestLate(t *testing.T) {
	const ms = time.Millisecond
	h := &heartbeat{watching: 1, armed: 1, due: 100 * ms, last: 90 * ms}
	var now time.Duration
	h.clock = func() time.Duration { return now }
	at := func(t time.Duration) { now = t; h.beat(h.armed) }
	at(140 * ms) // due at 100, the next at 150
	at(155 * ms) // the next at 165
	at(165 * ms) // the next at 175
	for _, tt := range []struct {
		name             string
		start, now, want time.Duration
	}{
		{"all", 90 * ms, 170 * ms, 40 * ms},
		{"began while a beat was late", 120 * ms, 170 * ms, 20 * ms},
		{"after the first", 145 * ms, 170 * ms, 5 * ms},
		{"nothing late", 160 * ms, 170 * ms, 0},
		{"a beat is due", 145 * ms, 205 * ms, 30 * ms},
		{"due before the start", 200 * ms, 205 * ms, 5 * ms},
	} {
		now = tt.now
		if _, late := h.look(tt.start); late != tt.want {
			t.Errorf("%s: %v late, want %v", tt.name, late, tt.want)
		}
	}
}
