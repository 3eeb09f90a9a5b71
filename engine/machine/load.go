// Package machine is what a run needs to know of the machine and of its processes: it pins threads to processor cores,
// measures how busy the machine is and how much memory it has, notices when this process did not run, and ends programs
// with the programs that they started. Elsewhere than on Linux nothing can be pinned, and nothing is measured.
//
// No promise of stability. Start reading at Claim, Pin, Meter, Watch and Command.
package machine

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Load is how many threads of all processes wanted to run, on average over a time.
type Load struct {
	Threads float64       `json:"threads"` // running, or waiting for a core
	Cores   int           `json:"cores"`
	Time    time.Duration `json:"time_ns"` // 0: not measured
}

// Busy reports whether more threads wanted to run than there are cores. Half a thread is
// tolerated: it is what a program does beside its games.
func (l Load) Busy() bool { return l.Time > 0 && l.Threads > float64(l.Cores)+0.5 }

// Fit returns about how many of the games that were played at once the cores can carry.
func (l Load) Fit(games int) int {
	return max(1, int(float64(games*l.Cores)/max(l.Threads, float64(l.Cores))))
}

// String returns the load in words.
func (l Load) String() string { return fmt.Sprintf("load %.1f on %d cores", l.Threads, l.Cores) }

// Add adds the load of another time.
func (l *Load) Add(m Load) {
	if m.Time <= 0 {
		return
	}
	total := l.Time + m.Time
	l.Threads = (l.Threads*float64(l.Time) + m.Threads*float64(m.Time)) / float64(total)
	l.Cores, l.Time = m.Cores, total
}

const (
	meterTick  = 100 * time.Millisecond
	minSamples = 3
)

// Meter measures the load from StartMeter to Stop.
type Meter struct {
	stop, stopped chan struct{}
	load          Load
}

// StartMeter starts a meter. Every 100 ms it counts the threads that want to run.
func StartMeter() *Meter {
	m := &Meter{stop: make(chan struct{}), stopped: make(chan struct{})}
	go m.measure(machineCores(), runnable)
	return m
}

// Stop ends the meter and returns the load; its Time is 0 if it was not measured, because the
// time was too short or the system does not say.
func (m *Meter) Stop() Load {
	close(m.stop)
	<-m.stopped
	return m.load
}

// measure counts until stop. Without a number of cores there is nothing to compare with.
func (m *Meter) measure(cores int, runnable func() (int, bool)) {
	defer close(m.stopped)
	if cores == 0 {
		return
	}
	start := time.Now()
	tick := time.NewTicker(meterTick)
	defer tick.Stop()
	samples, sum := 0, 0
	for {
		select {
		case <-m.stop:
			if samples >= minSamples {
				m.load = Load{Threads: float64(sum) / float64(samples), Cores: cores, Time: time.Since(start)}
			}
			return
		case <-tick.C:
		}
		if n, ok := runnable(); ok {
			samples++
			sum += n
		}
	}
}

// Memory returns how much memory this process may use, in bytes: the machine's, or the lowest limit of its control
// groups, which a container has. It returns 0 where that is not known: on systems other than Linux.
func Memory() int64 { return memory(os.DirFS("/")) }

func memory(root fs.FS) int64 {
	data, _ := fs.ReadFile(root, "proc/meminfo")
	var kB int64
	if _, err := fmt.Fscanf(bytes.NewReader(data), "MemTotal: %d kB", &kB); err != nil {
		return 0
	}
	least := kB << 10
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for lines := bufio.NewScanner(bytes.NewReader(groups)); lines.Scan(); {
		// hierarchy:controllers:folder, without controllers in version 2. Inside a container the folder may be the host's,
		// and the limit is at the top.
		part := strings.SplitN(lines.Text(), ":", 3)
		if len(part) != 3 || part[1] != "" && part[1] != "memory" {
			continue
		}
		top, file := "sys/fs/cgroup", "memory.max"
		if part[1] != "" {
			top, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for dir := path.Clean("/" + part[2]); ; dir = path.Dir(dir) {
			text, _ := fs.ReadFile(root, path.Join(top, dir, file))
			if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
				least = min(least, limit)
			}
			if dir == "/" {
				break
			}
		}
	}
	return least
}

// Tail keeps the end of a text, such as a program's standard error.
type Tail struct {
	mu   sync.Mutex
	data []byte
}

// tailSize is how much is kept, in bytes.
const tailSize = 4096

func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[max(0, len(p)-tailSize):]...)
	t.data = t.data[max(0, len(t.data)-tailSize):]
	return len(p), nil
}

// Text returns the kept bytes, with a question mark for each run of bytes that are no text.
func (t *Tail) Text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.data), "?")
}

// Last returns the last line that is not empty.
func (t *Tail) Last() string {
	text := strings.TrimSpace(t.Text())
	return text[strings.LastIndexByte(text, '\n')+1:]
}
