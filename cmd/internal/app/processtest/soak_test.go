//go:build soak && linux

package processtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/runtest"
)

// warmUp is how long the steady processes run before they are measured. The heap of a coordinator
// takes that long to its size: 23 MB after some seconds, 38 after a minute, 45 after an hour.
const warmUp = time.Minute

var soakFor = flag.Duration("soak", time.Minute, "how long TestSoak lasts")

// TestSoak runs self-play, a match, the loop and shared games again and again under random
// faults: kill -9, SIGSTOP, a full disk (if a tmpfs can be mounted, which needs root), and a
// wall clock that jumps by up to twelve hours twice a second.
// Each run must end with the bytes of an undisturbed one. Beside them, processes that are
// never killed run from start to end; their memory, descriptors, threads and goroutines, and
// the temporary files of all, must not grow: see growthBounds.
//
//	go test -tags soak ./cmd/internal/app/processtest -run TestSoak -v -soak 1h -timeout 2h
func TestSoak(t *testing.T) {
	dir := t.TempDir()
	s := &soak{t: t, dir: dir, temp: filepath.Join(dir, "temp"), faults: map[string]int{}, rounds: map[string]int{}}
	for _, name := range []string{s.temp, filepath.Join(dir, "runs"), filepath.Join(dir, "library")} {
		setup.Check(t, os.Mkdir(name, 0o777))
	}
	t.Setenv("TMPDIR", s.temp)
	setup.Check(t, os.WriteFile(filepath.Join(dir, "plan.json"), []byte(planOfOne), 0o666))
	small := []string{"--nodes", "20", "--hard-nodes", "--opening-nodes", "50", "--max-plies", "80"}
	jobs := []soakJob{
		{name: "selfplay", args: append([]string{"selfplay", "--games", "600", "--players", "assay:hash=1"}, small...),
			files: []string{"games-*.arrow", "manifest.json", "result.json"}},
		{name: "match", args: append([]string{"match", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "--games",
			"200"}, small...),
			files: []string{"games.pgn", "games/*.arrow", "games/manifest.json", "result.json"}},
		{name: "learn", args: []string{"learn", "--plan", filepath.Join(dir, "plan.json")},
			files: []string{"result.json", "gen-1/games/*.arrow", "gen-1/positions/*.arrow", "gen-1/gate/games.pgn",
				"gen-1/final/games.pgn"}},
		{name: "workers", args: append([]string{"selfplay", "--games", "300", "--players", "assay:hash=1"}, small...),
			shared: true,
			files:  []string{"games-*.arrow", "manifest.json", "result.json"}},
	}
	for i := range jobs {
		jobs[i].whole = s.reference(&jobs[i])
	}
	stepped := buildWithClockSteps(t)
	t.Setenv("PATH", stepped+string(os.PathListSeparator)+os.Getenv("PATH"))
	s.steady()
	time.Sleep(warmUp)
	s.end = time.Now().Add(*soakFor)
	var all sync.WaitGroup
	for i := range jobs {
		all.Go(func() {
			for n := 0; time.Now().Before(s.end); n++ {
				s.round(&jobs[i], n)
			}
		})
	}
	s.sample()
	all.Wait()
	s.report()
}

type soakJob struct {
	name   string
	args   []string
	files  []string // that promise to be the same
	shared bool     // its games are played by workers
	whole  string   // the undisturbed run
}

type soak struct {
	t         *testing.T
	dir, temp string
	end       time.Time
	processes []*steadyProcess
	tempFiles []float64

	mu             sync.Mutex
	faults, rounds map[string]int
	clockError     time.Duration // the largest that a run has recorded
}

// buildWithClockSteps builds assay with a package time whose wall clock jumps, and returns
// its folder. Nothing else differs. Changing the machine's clock would need root and disturb
// everything else on it; libfaketime does not reach Go, which reads the vDSO.
func buildWithClockSteps(t *testing.T) string {
	root := setup.Must(exec.Command("go", "env", "GOROOT").Output())
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text := setup.Must(os.ReadFile(original))
	const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if bytes.Count(text, []byte(now)) != 1 {
		t.Fatalf("%s: time.Now has changed; no clock steps possible", original)
	}
	// Another offset for each half second of the monotonic clock.
	text = bytes.Replace(text, []byte(now), []byte(now+"\tsec += int64(uint64(mono/5e8)*0x9e3779b97f4a7c15>>33)%86400 - "+
		"43200\n"), 1)
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json")
	replace := setup.Must(json.Marshal(map[string]any{"Replace": map[string]string{original: changed}}))
	setup.Check(t, errors.Join(os.WriteFile(changed, text, 0o666), os.WriteFile(overlay, replace, 0o666)))
	bin := filepath.Join(dir, "bin")
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", filepath.Join(bin, "assay"),
		"github.com/assay-chess/assay/cmd/assay").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return bin
}

func (s *soak) count(m map[string]int, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m[what]++
}

// command returns the command of a job, its working folder, and where its run will be.
func (j *soakJob) command(work string) (cmd *exec.Cmd, out string) {
	out = filepath.Join(work, "out")
	args := append(j.args[:len(j.args):len(j.args)], "--concurrency", "2", "--out", out)
	cmd = exec.Command("assay", args...)
	cmd.Dir = work
	return cmd, out
}

func (s *soak) reference(j *soakJob) string {
	work := filepath.Join(s.dir, j.name+"-whole")
	setup.Check(s.t, os.Mkdir(work, 0o777))
	cmd, out := j.command(work)
	if text, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v: %s", j.name, err, text)
	}
	return out
}

// round runs a job under faults until it ends by itself, and compares it. Each process gets
// at most one fault; after a few, the rest is left in peace.
func (s *soak) round(j *soakJob, n int) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(len(j.name))))
	work := filepath.Join(s.dir, fmt.Sprintf("%s-%d", j.name, n))
	if err := os.Mkdir(work, 0o777); err != nil {
		s.t.Error(err)
		return
	}
	defer os.RemoveAll(work)
	faults := []string{"kill -9", "SIGSTOP"}
	if err := syscall.Mount("tmpfs", work, "tmpfs", 0, "size=64m"); err == nil {
		defer syscall.Unmount(work, syscall.MNT_DETACH) // a fork of another process may have a file open
		faults = append(faults, "full disk")
	}
	port := ""
	if j.shared {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.t.Error(err)
			return
		}
		port = l.Addr().String()
		l.Close()
		stop := s.workers("nats://" + port)
		defer stop()
	}
	for try := 0; ; try++ {
		cmd, out := j.command(work)
		if j.shared {
			cmd.Args = append(cmd.Args, "--serve", port, "--lease", "1s")
			cmd.Args = without(cmd.Args, "--concurrency")
		}
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		if err := cmd.Start(); err != nil {
			s.t.Error(err)
			return
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		fault := ""
		if try < 4 {
			fault = faults[rng.IntN(len(faults))]
		}
		err := s.disturb(cmd.Process, fault, time.Duration(rng.IntN(1500))*time.Millisecond, work, ended)
		var exit *exec.ExitError
		switch {
		case err == nil:
			s.count(s.rounds, j.name)
			runtest.SameFiles(s.t, out, j.whole, j.files...)
			s.noteClock(out)
			return
		case fault == "kill -9" && errors.As(err, &exit) && !exit.Exited():
		case fault == "full disk" && strings.Contains(text.String(), "no space left"):
		default:
			s.t.Errorf("%s, round %d, try %d, fault %q: %v: %s", j.name, n, try, fault, err, tail(text.String()))
			return
		}
	}
}

// disturb waits for a while, applies the fault, and waits for the process to end.
func (s *soak) disturb(p *os.Process, fault string, after time.Duration, work string, ended chan error) error {
	select {
	case err := <-ended:
		return err
	case <-time.After(after):
	}
	if fault != "" {
		s.count(s.faults, fault)
	}
	switch fault {
	case "kill -9":
		_ = p.Kill()
	case "SIGSTOP":
		_ = p.Signal(syscall.SIGSTOP)
		time.Sleep(700 * time.Millisecond)
		_ = p.Signal(syscall.SIGCONT)
	case "full disk":
		full := filepath.Join(work, "filler")
		if f, err := os.Create(full); err == nil {
			_, _ = io.Copy(f, zeros{})
			f.Close()
		}
		defer os.Remove(full)
		select {
		case err := <-ended:
			return err
		case <-time.After(3 * time.Second): // it may write nothing
		}
		_ = os.Remove(full)
	}
	for size, next := int64(-1), int64(0); ; size = next {
		if next = bytesIn(work); next == size {
			_ = p.Kill()
			<-ended
			return errors.New("the process hangs")
		}
		select {
		case err := <-ended:
			return err
		case <-time.After(soonEnough): // slow is not hanging: it must write something
		}
	}
}

// bytesIn returns the size of all files in a folder that can be read.
func bytesIn(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil {
			if info, err := e.Info(); err == nil && !e.IsDir() {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// workers keeps two workers at work, which are killed at random, until stop.
func (s *soak) workers(url string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				limit, done := context.WithTimeout(ctx, time.Duration(1+rand.IntN(8))*time.Second)
				cmd := exec.CommandContext(limit, "assay", "work", url, "--concurrency", "1", "--nice", "0", "--name",
					fmt.Sprintf("w%d-%d", i, n), "--library", filepath.Join(s.dir, "library"))
				if err := cmd.Start(); err == nil {
					_ = cmd.Wait() // killed, or the coordinator is gone
				}
				if limit.Err() == context.DeadlineExceeded {
					s.count(s.faults, "worker kill -9")
				}
				done()
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// noteClock notes how far the clock was off when the first process of a run started.
func (s *soak) noteClock(out string) {
	off := time.Since(durable.Status(out).Info.Started).Abs()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clockError = max(s.clockError, off)
}

// steadyProcess is one that runs from the start to the end.
type steadyProcess struct {
	name   string
	p      *process
	values [soakMetrics][]float64
}

const soakMetrics = 4

var metricNames = [soakMetrics]string{"memory, MB", "descriptors", "threads", "goroutines"}

// steady starts the processes that are never killed: a match, a coordinator with a worker, and
// a server with a viewer.
func (s *soak) steady() {
	runs := filepath.Join(s.dir, "runs")
	env := []string{"ASSAY_GOROUTINES=1s"}
	endless := []string{"--games", "100000000", "--nodes", "20", "--hard-nodes", "--opening-nodes", "50", "--max-plies",
		"60", "--concurrency", "1"}
	add := func(name string, p *process) *process {
		s.processes = append(s.processes, &steadyProcess{name: name, p: p})
		return p
	}
	add("match", start(s.t, env, append([]string{"match", "assay:hash=1", "assay:hash=1:weights=shannon-1950", "--out",
		filepath.Join(runs, "match")}, endless...)...))
	run := add("coordinator", start(s.t, env, append([]string{"selfplay", "--serve", "127.0.0.1:0", "--players",
		"assay:hash=1", "--out", filepath.Join(runs, "shared")}, without(endless, "--concurrency")...)...))
	_, url, _ := strings.Cut(run.expect("assay work "), "assay work ")
	add("worker", start(s.t, env, "work", url, "--name", "steady", "--concurrency", "1", "--nice", "0", "--library",
		filepath.Join(s.dir, "library")))
	server := add("serve", start(s.t, env, "serve", runs, "--listen", "127.0.0.1:0"))
	_, rest, _ := strings.Cut(server.expect("http://"), "http://")
	address, _, _ := strings.Cut(rest, "/")
	go func() {
		for {
			if answer, err := http.Get("http://" + address + "/"); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
			time.Sleep(time.Second)
		}
	}()
}

func without(args []string, name string) []string {
	i := slices.Index(args, name)
	return slices.Delete(slices.Clone(args), i, i+2)
}

// sample measures the steady processes until the end.
func (s *soak) sample() {
	for every := *soakFor / 120; time.Now().Before(s.end); time.Sleep(every) {
		for _, x := range s.processes {
			if err := x.measure(); err != nil {
				s.t.Errorf("%s ended: %v: %s", x.name, err, tail(x.p.stderr.String()))
				return
			}
		}
		n := 0
		_ = filepath.WalkDir(s.temp, func(_ string, _ fs.DirEntry, err error) error { n++; return nil })
		_ = filepath.WalkDir(filepath.Join(s.dir, "runs"), func(path string, d fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".tmp") {
				n++
			}
			return nil
		})
		s.tempFiles = append(s.tempFiles, float64(n-1))
	}
}

var goroutinesLine = regexp.MustCompile(`goroutines: (\d+)`)

func (x *steadyProcess) measure() error {
	pid := strconv.Itoa(x.p.Process.Pid)
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return err
	}
	fields := map[string]float64{}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 {
			fields[f[0]], _ = strconv.ParseFloat(f[1], 64)
		}
	}
	if fields["VmRSS:"] == 0 {
		return errors.New("a zombie")
	}
	fds, err := os.ReadDir("/proc/" + pid + "/fd")
	if err != nil {
		return err
	}
	goroutines := 0.0
	if all := goroutinesLine.FindAllStringSubmatch(x.p.stderr.String(), -1); len(all) > 0 {
		goroutines, _ = strconv.ParseFloat(all[len(all)-1][1], 64)
	}
	for i, v := range []float64{fields["RssAnon:"] / 1024, float64(len(fds)), fields["Threads:"], goroutines} {
		x.values[i] = append(x.values[i], v)
	}
	return nil
}

// growthBounds says by how much a steady process may grow in the whole run, whatever its length:
// the median slope between all pairs of samples after the first quarter, times the length.
// The last bound is for temporary files. Memory is in MB; a run keeps the keys of its
// openings and the list of its shards.
var growthBounds = [soakMetrics + 1]float64{16, 2, 2, 2, 2}

func (s *soak) report() {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; faults: %v; clocks up to %s off; runs that ended with the right bytes: %v\n\n", *soakFor,
		s.faults, s.clockError.Round(time.Minute), s.rounds)
	fmt.Fprintf(&b, "%-12s %-16s %14s %14s %8s %6s\n", "process", "", "first quarter", "last quarter", "growth", "bound")
	line := func(name, metric string, v []float64, bound float64) {
		q := len(v) / 4
		if q < 2 {
			s.t.Errorf("%s: only %d samples", name, len(v))
			return
		}
		growth, verdict := medianSlope(v[q:])*float64(len(v)), ""
		if growth > bound {
			verdict = "  GROWS"
			s.t.Errorf("%s, %s: grows by %.1f, bound %g", name, metric, growth, bound)
		}
		fmt.Fprintf(&b, "%-12s %-16s %14.1f %14.1f %8.1f %6g%s\n", name, metric, stat.Mean(v[:q], nil),
			stat.Mean(v[len(v)-q:], nil), growth, bound, verdict)
	}
	for _, x := range s.processes {
		for i, v := range x.values {
			line(x.name, metricNames[i], v, growthBounds[i])
		}
	}
	line("all", "temporary files", s.tempFiles, growthBounds[soakMetrics])
	s.t.Log("\n" + b.String())
	for _, j := range []string{"selfplay", "match", "learn", "workers"} {
		if s.rounds[j] == 0 {
			s.t.Errorf("no run of %s ended: this shows nothing about it", j)
		}
	}
	for _, x := range s.processes { // a busy machine may delay a few hellos
		if x.name == "coordinator" && strings.Count(x.p.stderr.String(), "is gone") > 2 {
			s.t.Errorf("the coordinator takes its worker for gone: %s", tail(x.p.stderr.String()))
		}
	}
	if s.clockError < time.Minute {
		s.t.Errorf("no clock was off by more than %s: this shows nothing about clock steps", s.clockError)
	}
}

// medianSlope returns the growth for each sample (Theil and Sen): outliers do not change it.
func medianSlope(v []float64) float64 {
	var slopes []float64
	for i := range v {
		for k := i + 1; k < len(v); k++ {
			slopes = append(slopes, (v[k]-v[i])/float64(k-i))
		}
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}

func tail(s string) string { return s[max(0, len(s)-1500):] }
