package uci

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// process is a running program with pipes to it.
//
// It is read and written by whoever waits for it, with deadlines on the pipes: a line
// costs one system call and no switch to another goroutine.
type process struct {
	stdin, stdout, stderr *os.File // our ends
	lines                 lineBuffer
	noise                 tail

	ending chan struct{}    // closed: kill and reap it
	reaped chan struct{}    // closed: it is gone, and state is set
	state  *os.ProcessState // nil where it could not be waited for
}

// reapTimeout is how long a killed process may take to be gone, and its error output
// to be read.
const reapTimeout = time.Second

// startProcess starts a program.
func startProcess(path string, args []string) (*process, error) {
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = processAttributes()
	p := &process{ending: make(chan struct{}), reaped: make(chan struct{})}
	var theirs [3]*os.File
	err := func() (err error) {
		if theirs[0], p.stdin, err = os.Pipe(); err != nil {
			return err
		}
		if p.stdout, theirs[1], err = os.Pipe(); err != nil {
			return err
		}
		if p.stderr, theirs[2], err = os.Pipe(); err != nil {
			return err
		}
		if err := p.stdout.SetReadDeadline(time.Time{}); err != nil {
			return fmt.Errorf("foreign engines need pipes with deadlines, which this system lacks: %w", err)
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
		started := make(chan error, 1)
		go p.live(cmd, started)
		return <-started
	}()
	for _, f := range theirs {
		if f != nil {
			f.Close() // the process has its own
		}
	}
	if err != nil {
		p.closePipes()
		return nil, err
	}
	p.lines = lineBuffer{from: p.stdout, buf: make([]byte, lookedAt)}
	p.noise.done = make(chan struct{})
	go p.noise.drain(p.stderr)
	return p, nil
}

// live starts the process and, when it is to end, kills its group and reaps it.
//
// Nobody reaps it before: as long as the process is there, if only as a zombie, its
// number is no other group's. And all of this is one thread's, because Linux can tie
// the life of a process to that of the thread that started it: should we be killed,
// it is too.
func (p *process) live(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	started <- err
	if err != nil {
		return
	}
	<-p.ending
	killGroup(cmd.Process)
	_ = cmd.Wait() // the state says more
	p.state = cmd.ProcessState
	close(p.reaped)
}

// deadline sets when reading ends; never, if it is the zero time.
func (p *process) deadline(t time.Time) {
	_ = p.stdout.SetReadDeadline(t) // known to work since the start
}

func (p *process) write(text []byte, within time.Duration) error {
	if len(text) == 0 {
		return nil
	}
	if err := p.stdin.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	_, err := p.stdin.Write(text)
	return err
}

// ended says how a process came to its end.
type ended struct {
	state *os.ProcessState
	noise string // last line on its error output
}

// end kills the process's group and frees all of it.
func (p *process) end() ended {
	close(p.ending)
	timer := time.NewTimer(reapTimeout)
	defer timer.Stop()
	var e ended
	select {
	case <-p.reaped:
		e.state = p.state
	case <-timer.C: // the system does not let go of it
	}
	// What it has written is there to be read; only a stranger may still hold the pipe.
	_ = p.stderr.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	e.noise = p.noise.last()
	p.closePipes()
	return e
}

// quit asks the process to end, gives it some time, and then ends it.
func (p *process) quit(within time.Duration) {
	until := time.Now().Add(within)
	_ = p.write([]byte("quit\n"), within) // the answer is that it ends
	p.stdin.Close()
	p.deadline(until)
	_, _ = io.Copy(io.Discard, p.stdout)
	p.end()
}

func (p *process) closePipes() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if f != nil {
			f.Close() // nothing is left to be lost
		}
	}
}

// how says how the process ended that had closed its channel before it was killed.
func (e ended) how() string {
	switch {
	case e.state == nil:
		return "it cannot be killed"
	case e.state.String() == "signal: killed":
		return "it closed its output or input, or was killed"
	case e.state.Exited():
		return "it ended with " + e.state.String()
	}
	return "it crashed with " + e.state.String()
}

// lastWords returns what was last on the error output, as the end of a message.
func (e ended) lastWords() string {
	if e.noise == "" {
		return ""
	}
	return fmt.Sprintf(" (last on its error output: %s)", e.noise)
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// tail keeps the end of what is read.
type tail struct {
	done chan struct{} // closed when all is read
	data []byte
}

// tailSize is how much is kept, in bytes.
const tailSize = 1024

func (t *tail) drain(r io.Reader) {
	defer close(t.done)
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		t.data = append(t.data, buf[:n]...)
		if over := len(t.data) - tailSize; over > 0 {
			t.data = t.data[:copy(t.data, t.data[over:])]
		}
		if err != nil {
			return
		}
	}
}

// last waits until all is read and returns the last line that says something.
func (t *tail) last() string {
	<-t.done
	data := bytes.TrimSpace(t.data)
	line := data[bytes.LastIndexByte(data, '\n')+1:]
	return clean(string(line), 200)
}

// clean returns text that can be printed, and no more of it than so many bytes.
func clean(text string, most int) string {
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(text, "?")))
}
