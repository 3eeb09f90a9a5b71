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
// The goroutine that waits for an answer reads and writes the pipes itself, with
// deadlines: a line costs one system call and no switch to another goroutine.
type process struct {
	stdin, stdout, stderr pipe // our ends
	lines                 lineBuffer
	noise                 tail

	ending chan struct{}    // closed to have the process killed and reaped
	reaped chan struct{}    // closed when the process is gone and state is set
	state  *os.ProcessState // nil if the process could not be waited for
}

// pipe is one end of a pipe: an *os.File, or in tests a net.Conn.
type pipe interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// newProcess returns a process with these ends of its pipes, and starts to read its
// error output.
func newProcess(stdin, stdout, stderr pipe) *process {
	p := &process{
		stdin: stdin, stdout: stdout, stderr: stderr,
		lines:  lineBuffer{from: stdout, buf: make([]byte, lineBufferSize)},
		ending: make(chan struct{}), reaped: make(chan struct{}),
	}
	p.noise.done = make(chan struct{})
	go p.noise.drain(stderr)
	return p
}

// reapTimeout is how long to wait for a killed process to disappear.
const reapTimeout = time.Second

// startProcess starts a program.
func startProcess(path string, args []string) (*process, error) {
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = processAttributes()
	var ours, theirs [3]*os.File // standard input, output and error output
	err := func() (err error) {
		for i := range ours {
			reader, writer, err := os.Pipe()
			if err != nil {
				return err
			}
			ours[i], theirs[i] = reader, writer
		}
		ours[0], theirs[0] = theirs[0], ours[0] // we write its input
		if err := ours[1].SetReadDeadline(time.Time{}); err != nil {
			return fmt.Errorf("foreign engines need pipes with deadlines, which this system lacks: %w", err)
		}
		return nil
	}()
	defer closeFiles(theirs[:]) // the process has its own copies
	if err != nil {
		closeFiles(ours[:])
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	p := newProcess(ours[0], ours[1], ours[2])
	started := make(chan error, 1)
	go p.supervise(cmd, started)
	if err := <-started; err != nil {
		p.closePipes()
		return nil, err
	}
	return p, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// supervise starts the process, waits until p.ending is closed, kills the process group
// and reaps the process.
//
// The process is not reaped earlier: while it exists, if only as a zombie, no other
// process group can have its id. All of this runs on one thread, because Linux can kill
// a process when the thread that started it ends: if we are killed, so is the engine.
func (p *process) supervise(cmd *exec.Cmd, started chan<- error) {
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

// readUntil sets the deadline for reading; the zero time means none.
func (p *process) readUntil(t time.Time) {
	_ = p.stdout.SetReadDeadline(t) // startProcess has checked that it works
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

// exit says how a process ended.
type exit struct {
	state *os.ProcessState
	noise string // last line on its error output
}

// kill kills the process group and frees what belongs to it.
func (p *process) kill() exit {
	close(p.ending)
	timer := time.NewTimer(reapTimeout)
	defer timer.Stop()
	var e exit
	select {
	case <-p.reaped:
		e.state = p.state
	case <-timer.C: // the system cannot end it
	}
	// What it wrote can be read at once; only an unrelated process can still hold the pipe.
	_ = p.stderr.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	e.noise = p.noise.last()
	p.closePipes()
	return e
}

// quit asks the process to end, waits for a time, and then kills it.
func (p *process) quit(within time.Duration) {
	until := time.Now().Add(within)
	_ = p.write([]byte("quit\n"), within) // if this fails, kill ends it all the same
	p.stdin.Close()
	p.readUntil(until)
	_, _ = io.Copy(io.Discard, p.stdout)
	p.kill()
}

func (p *process) closePipes() {
	for _, f := range []pipe{p.stdin, p.stdout, p.stderr} {
		f.Close() // all data that matters has been read
	}
}

// how says how a process ended that had closed its output before it was killed.
func (e exit) how() string {
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

// lastWords returns the last line of the error output, as the end of an error message.
func (e exit) lastWords() string {
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

// last waits until everything is read and returns the last line that is not blank.
func (t *tail) last() string {
	<-t.done
	data := bytes.TrimSpace(t.data)
	line := data[bytes.LastIndexByte(data, '\n')+1:]
	return clean(string(line), 200)
}

// clean returns at most limit bytes of the text, without what cannot be printed.
func clean(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit] + "..."
	}
	return strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(text, "?")))
}
