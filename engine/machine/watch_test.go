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
		w := Watch{clock: func() time.Duration { return time.Since(start) + time.Duration(paused.Load()) }}
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
			if n != tt.n || total < tt.total || total > tt.total+time.Duration(n)*watchTick {
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
