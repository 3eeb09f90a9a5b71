package machine

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

func TestMeter(t *testing.T) {
	for _, tt := range []struct {
		cores, threads int
		took           time.Duration
		busy           bool
		text           string
	}{
		{2, 5, time.Minute, true, "load 5.0 on 2 cores"},
		{2, 2, time.Minute, false, "load 2.0 on 2 cores"},
		{2, 5, meterTick * (minSamples - 1), false, "load 0.0 on 0 cores"}, // too short
		{0, 5, time.Minute, false, "load 0.0 on 0 cores"},                  // unknown
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &Meter{stop: make(chan struct{}), stopped: make(chan struct{})}
			go m.measure(tt.cores, func() (int, bool) { return tt.threads, true })
			time.Sleep(tt.took)
			synctest.Wait()
			if l := m.Stop(); l.Busy() != tt.busy || l.String() != tt.text {
				t.Errorf("%d threads on %d cores for %v: %v, busy %v", tt.threads, tt.cores, tt.took, l, l.Busy())
			}
		})
	}
}

// Loads count by their times.
func TestLoadAdd(t *testing.T) {
	var l Load
	for _, m := range []Load{{}, {8, 2, time.Second}, {4, 2, 3 * time.Second}, {}} {
		l.Add(m)
	}
	if want := (Load{5, 2, 4 * time.Second}); l != want {
		t.Errorf("%+v, want %+v", l, want)
	}
}

func TestMemory(t *testing.T) {
	const host = "MemTotal:       16384000 kB\nMemFree: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no proc":  {nil, 0},
		"no group": {map[string]string{"proc/meminfo": host}, 16384000 << 10},
		"no limit": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/user\n",
			"sys/fs/cgroup/user/memory.max": "max\n"}, 16384000 << 10},
		"container": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "2147483648\n"}, 2 << 30},
		"folder of the host": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/kube/pod1\n",
			"sys/fs/cgroup/memory.max": "2147483648\n"}, 2 << 30},
		"a group above": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "0::/slice/unit\n",
			"sys/fs/cgroup/slice/unit/memory.max": "4294967296\n", "sys/fs/cgroup/slice/memory.max": "1073741824\n"}, 1 << 30},
		"version 1": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "5:cpu:/a\n4:memory:/docker/1\n",
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "536870912\n"}, 512 << 20},
		"version 1 without a limit": {map[string]string{"proc/meminfo": host, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 16384000 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for file, text := range c.files {
				files[file] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := memory(files); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// TestTail: the last line that is not empty is kept, however much comes before it and in however many pieces.
func TestTail(t *testing.T) {
	var tail Tail
	for _, piece := range []string{strings.Repeat("noise\n", 1000), "segmentation ", "fault\n", "\n"} {
		fmt.Fprint(&tail, piece)
	}
	if got := tail.Last(); got != "segmentation fault" {
		t.Errorf("%q", got)
	}
	fmt.Fprint(&tail, strings.Repeat("x", 3*tailSize))
	if got := tail.Last(); got != strings.Repeat("x", tailSize) {
		t.Errorf("%d bytes of a long line", len(got))
	}
}

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
