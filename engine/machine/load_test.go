package machine

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
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

// On Linux the kernel's list of features has the last ones that each level asks for.
func TestLevel(t *testing.T) {
	level := Level()
	if (level != "") != (runtime.GOARCH == "amd64") {
		t.Fatalf("Level() = %q on %s", level, runtime.GOARCH)
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || level == "" {
		t.Skip("needs Linux on amd64")
	}
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		t.Skip("Go hides features of the processor, which the kernel lists")
	}
	for _, c := range []struct{ level, feature string }{{"v2", "sse4_2"}, {"v3", "bmi2"}, {"v4", "avx512vl"}} {
		if has := regexp.MustCompile(`\b` + c.feature + `\b`).Match(info); has != (level >= c.level) {
			t.Errorf("Level() = %q, but %s: %v", level, c.feature, has)
		}
	}
}
