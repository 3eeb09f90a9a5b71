package uci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/assay-chess/assay/engine/machine"
)

// process is a running program with pipes to it.
//
// The goroutine that waits for an answer reads and writes the pipes itself, with
// deadlines: no line needs a switch to another goroutine.
type process struct {
	stdin, stdout, stderr pipe // our ends
	lines                 lineBuffer
	noise                 machine.Tail
	quiet                 chan struct{} // closed at the end of the error output
	log                   conversation

	watch    machine.Watch // while we wait
	credited time.Duration // stalls that have extended this wait

	mu          sync.Mutex
	end         time.Time       // of this wait; zero: none
	context     context.Context // of this wait
	interrupted bool            // this wait
	exited      bool            // noticed by wait, not by the end of its output
	drained     bool            // what it had written before it exited has been read

	followed <-chan struct{} // Done of the context whose end calls interrupt; may be nil
	unfollow func() bool     // ends that

	noteStrays func() // looks for processes that leave the group; nil in tests
	pid        int    // 0 in tests

	ending chan struct{}    // closed to have the process killed and reaped
	reaped chan struct{}    // closed when the process is gone and state is set
	state  *os.ProcessState // nil if the process could not be waited for
}

// pipe is our end of a pipe. After SetReadDeadline a read that waits ends at the new deadline.
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
		lines:   lineBuffer{from: stdout, buf: make([]byte, firstLineBuffer)},
		context: context.Background(), unfollow: func() bool { return false },
		ending: make(chan struct{}), reaped: make(chan struct{}), quiet: make(chan struct{}),
	}
	go func() {
		defer close(p.quiet)
		_, _ = io.CopyBuffer(&p.noise, struct{ io.Reader }{stderr}, make([]byte, 4096)) // by our Read, without much memory
	}()
	return p
}

// exitGrace is how long to read what a process wrote before it exited. Its children may
// keep the pipe open.
const exitGrace = 50 * time.Millisecond

// reapTimeout is how long to wait for a killed process to disappear. That takes seconds only
// where the processors have far too much to do.
const reapTimeout = 20 * time.Second

// startProcess starts a program, pinned to the core unless that is anyCore.
func startProcess(c *Command, core int) (*process, error) {
	cmd := exec.Command(c.Path, c.Args...)
	machine.OwnGroup(cmd)
	endWithUs(cmd)
	strays := newStrays()
	cmd.Env = strays.environment()
	ours, theirs, err := newPipes()
	if err != nil {
		return nil, err
	}
	defer closeAll(theirs[:]...) // the process has its own copies
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	p := newProcess(ours[0], ours[1], ours[2])
	started := make(chan error, 1)
	go p.supervise(cmd, strays, core, started)
	if err := <-started; err != nil {
		p.closePipes()
		return nil, err
	}
	p.noteStrays = func() { strays.note(p.pid) }
	return p, nil
}

// newPipes returns our and the program's ends of its standard input, output and error output.
func newPipes() (ours [3]pipe, theirs [3]*os.File, err error) {
	for i := range ours {
		own, its, errPipe := os.Pipe()
		if err = errPipe; err != nil {
			break
		}
		if i == 0 { // we write its input
			own, its = its, own
		}
		theirs[i] = its
		if ours[i], err = ourEnd(own); err != nil {
			break
		}
	}
	if err != nil {
		closeAll(ours[:]...)
		closeAll(theirs[:]...)
	}
	return ours, theirs, err
}

// closeAll closes our or the program's ends of its pipes.
func closeAll[F interface {
	comparable
	io.Closer
}](files ...F) {
	var none F
	for _, f := range files {
		if f != none {
			f.Close() // all data that matters has been read
		}
	}
}

// supervise starts the process, waits until p.ending is closed, kills the process group
// and what has left it, and reaps the process.
//
// The process is not reaped earlier: while it exists, if only as a zombie, no other
// process group can have its id. All of this runs on one thread, because Linux can kill
// a process when the thread that started it ends: if we are killed, so is the engine.
func (p *process) supervise(cmd *exec.Cmd, strays *strays, core int, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd, err := startOn(core, cmd)
	if err != nil {
		started <- err
		return
	}
	p.pid = cmd.Process.Pid
	started <- nil
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		<-p.ending
		strays.note(p.pid)
		_ = machine.KillGroup(cmd.Process) // it fails only if all have exited
	}()
	if awaitExit(p.pid) {
		p.noteExit()
	}
	<-killed
	_ = machine.KillGroup(cmd.Process) // of an exited process: its children
	_ = cmd.Wait()                     // the state says more
	p.state = cmd.ProcessState
	strays.end(p.pid)
	close(p.reaped)
}

// startOn starts the command, pinned to the core unless that is anyCore. It must be called on a
// locked thread. It returns the command that was started, which may be a copy.
func startOn(core int, cmd *exec.Cmd) (*exec.Cmd, error) {
	if core != anyCore {
		release, err := machine.Pin(core)
		if err != nil {
			return cmd, err
		}
		defer release()
	}
	err := cmd.Start()
	for wait := time.Millisecond; errors.Is(err, syscall.ETXTBSY) && wait < busyTimeout; wait *= 2 {
		time.Sleep(wait)
		cmd = &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Stdin: cmd.Stdin,
			Stdout: cmd.Stdout, Stderr: cmd.Stderr, SysProcAttr: cmd.SysProcAttr}
		err = cmd.Start()
	}
	return cmd, err
}

// busyTimeout is how long a program that was just written may be busy: a process that is being
// started has a copy of its open file for a moment.
const busyTimeout = time.Second

// noteExit notes that the process has exited, and wakes its reader.
func (p *process) noteExit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exited = true
	p.setDeadline(time.Unix(1, 0))
}

// setDeadline sets the deadline for reading; the zero time means none.
func (p *process) setDeadline(t time.Time) {
	_ = p.stdout.SetReadDeadline(t) // newPipes has checked that it works
}

// readUntil begins a wait that ends at the time, or with the context; the zero time means never.
func (p *process) readUntil(ctx context.Context, t time.Time) {
	p.follow(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end, p.context, p.interrupted = t, ctx, ctx.Err() != nil
	if p.interrupted {
		t = time.Unix(1, 0)
	}
	if p.exited { // read what it wrote
		p.drained = true
		t = time.Now().Add(exitGrace)
	}
	p.setDeadline(t)
}

// follow has the end of the context call interrupt. That stays so until a wait has another context,
// because all moves of a match have the same one.
func (p *process) follow(ctx context.Context) {
	if p.followed == ctx.Done() {
		return
	}
	p.unfollow()
	p.followed = ctx.Done()
	p.unfollow = context.AfterFunc(ctx, p.interrupt)
}

// interrupt ends the wait if its context has ended.
func (p *process) interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.context.Err() != nil {
		p.interrupted = true
		p.setDeadline(time.Unix(1, 0))
	}
}

// next returns the next line. At the end of the wait the error is os.ErrDeadlineExceeded.
// Time in which we did not run is added to the wait. When the process has exited the error
// is io.EOF, though its children may hold its output open.
func (p *process) next() ([]byte, error) {
	for {
		line, err := p.lines.next()
		if err == nil {
			p.log.add("< ", line)
			return line, nil
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, err
		}
		if err := p.deadline(); err != nil {
			return nil, err
		}
	}
}

// listen passes lines to each, which may be nil, up to one that begins with the word.
func (p *process) listen(ctx context.Context, word string, within time.Duration, each func(line []byte)) error {
	p.beginWait()
	defer p.watch.Stop()
	p.readUntil(ctx, time.Now().Add(within))
	for {
		line, err := p.next()
		if err != nil {
			return err
		}
		if each != nil {
			each(line)
		}
		if first, _ := nextWord(line); bytes.EqualFold(first, []byte(word)) {
			return nil
		}
	}
}

// deadline returns why the wait is over at a deadline, or nil if it continues.
func (p *process) deadline() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.exited && p.drained:
		return io.EOF
	case p.exited:
		p.drained = true
		p.setDeadline(time.Now().Add(exitGrace))
		return nil
	case p.interrupted || p.end.IsZero():
		return os.ErrDeadlineExceeded
	}
	if _, stalled := p.watch.Seen(); stalled > p.credited {
		p.end = p.end.Add(stalled - p.credited)
		p.credited = stalled
	}
	if !time.Now().Before(p.end) {
		return os.ErrDeadlineExceeded
	}
	p.setDeadline(p.end)
	return nil
}

// beginWait begins to watch for stalls; the caller must call p.watch.Stop.
func (p *process) beginWait() {
	p.credited = 0
	p.watch.Start()
}

func (p *process) write(text []byte, within time.Duration) error {
	if len(text) == 0 {
		return nil
	}
	if err := p.stdin.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	p.log.addLines("> ", text)
	_, err := p.stdin.Write(text)
	return err
}

// exit says how a process ended.
type exit struct {
	state *os.ProcessState
	noise string // last line on its error output
	own   bool   // it exited before it was killed
}

// kill kills the process group and frees what belongs to it.
func (p *process) kill() exit {
	p.mu.Lock()
	e := exit{own: p.exited}
	p.mu.Unlock()
	p.unfollow()
	close(p.ending)
	timer := time.NewTimer(reapTimeout)
	defer timer.Stop()
	select {
	case <-p.reaped:
		e.state = p.state
	case <-timer.C: // the system cannot end it
	}
	// What it wrote can be read at once; only an unrelated process can still hold the pipe.
	_ = p.stderr.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	<-p.quiet
	e.noise = clean(p.noise.Last(), 200)
	p.closePipes()
	return e
}

// quit asks the process to end, waits for a time, and then kills it.
func (p *process) quit(within time.Duration) {
	until := time.Now().Add(within)
	p.lookForStrays()
	_ = p.write([]byte("quit\n"), within) // if this fails, kill ends it all the same
	p.stdin.Close()
	p.readUntil(context.Background(), until)
	_, _ = io.Copy(io.Discard, p.stdout) // ends when it has exited, too
	p.kill()
}

// lookForStrays finds the processes that the engine has started by now.
func (p *process) lookForStrays() {
	if p.noteStrays != nil {
		p.noteStrays()
	}
}

func (p *process) closePipes() { closeAll(p.stdin, p.stdout, p.stderr) }

// how says how a process ended that had closed its output before it was killed.
func (e exit) how() string {
	switch {
	case e.state == nil:
		return "it cannot be killed"
	case e.state.String() == "signal: killed" && !e.own:
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

// clean returns at most limit bytes of the text, without what cannot be printed.
func clean(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit] + "..."
	}
	return strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(text, "?")))
}
