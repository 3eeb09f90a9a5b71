package processtest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// soonEnough is how long a test waits for a process before it gives up. It is far longer
// than anything takes on a busy machine: it only ends tests that would hang.
const soonEnough = 3 * time.Minute

// process is a running assay and its standard error.
type process struct {
	*exec.Cmd
	t      *testing.T
	stderr processOutput
	heard  int           // bytes of its output that expect has passed
	ended  chan struct{} // closed when the process has ended, with err
	err    error
}

// output collects what a process has written so far.
type processOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *processOutput) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *processOutput) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// start starts a command with additions to the environment. It is killed when the test ends.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command("assay", args...), t: t}
	p.Env = append(os.Environ(), env...)
	p.Cmd.Stderr = &p.stderr
	setup.Check(t, p.Start())
	p.ended = make(chan struct{})
	go func() { defer close(p.ended); p.err = p.Wait() }()
	t.Cleanup(func() { _ = p.Process.Kill(); <-p.ended })
	return p
}

// expect waits for a line with the words, after the lines that it found before, and returns
// the line.
func (p *process) expect(words string) string {
	p.t.Helper()
	for until := time.Now().Add(soonEnough); ; {
		over := false // looked at before the output, so that all of it is there
		select {
		case <-p.ended:
			over = true
		case <-time.After(10 * time.Millisecond):
		}
		text := p.stderr.String()[p.heard:]
		whole := text[:strings.LastIndexByte(text, '\n')+1]
		for line := range strings.Lines(whole) {
			p.heard += len(line)
			if strings.Contains(line, words) {
				return strings.TrimSpace(line)
			}
		}
		if over || time.Now().After(until) {
			p.t.Fatalf("%q printed %s, and no line with %q", p.Args, &p.stderr, words)
		}
	}
}

// interrupt is Ctrl-C.
func (p *process) interrupt() {
	p.t.Helper()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
}

// interruptUntilEnd presses Ctrl-C until the process has ended. The program may still be
// about to give the signal back to the system, so the first one may be lost.
func (p *process) interruptUntilEnd() {
	p.t.Helper()
	for until := time.Now().Add(soonEnough); ; {
		_ = p.Process.Signal(os.Interrupt) // it may have ended
		select {
		case <-p.ended:
			return
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(until) {
			p.t.Fatalf("%q does not end: %s", p.Args, &p.stderr)
		}
	}
}

// kill is kill -9.
func (p *process) kill() {
	p.t.Helper()
	if err := p.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	<-p.ended
}

// ends waits for the process to end with the exit code: -1 for a signal.
func (p *process) ends(code int) {
	p.t.Helper()
	timer := time.AfterFunc(soonEnough, func() { _ = p.Process.Kill() })
	<-p.ended
	if !timer.Stop() {
		p.t.Fatalf("%q does not end: %s", p.Args, &p.stderr)
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) || p.ProcessState.ExitCode() != code {
		p.t.Fatalf("%q: %v, want exit code %d: %s", p.Args, p.err, code, &p.stderr)
	}
}

// startCoordinator starts a command that serves workers, on a free port unless args name
// another, and returns it and the address it prints.
func startCoordinator(t *testing.T, env []string, command string, args ...string) (run *process, url string) {
	t.Helper()
	run = start(t, env, append([]string{command, "--serve", "127.0.0.1:0"}, args...)...)
	_, url, _ = strings.Cut(run.expect("assay work "), "assay work ")
	return run, url
}

// startWorker starts a worker.
func startWorker(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	return start(t, env, append([]string{"work", "--concurrency", "1", "--nice", "0", "--library", t.TempDir()},
		args...)...)
}

// serveProcess starts assay serve on a free port and returns its address.
func serveProcess(t *testing.T, runs string) (url string) {
	t.Helper()
	line := start(t, nil, "serve", runs, "--listen", "127.0.0.1:0").expect("http://")
	_, rest, _ := strings.Cut(line, "http://")
	address, _, _ := strings.Cut(rest, "/")
	return "http://" + address
}
