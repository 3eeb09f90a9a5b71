package uci

import (
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// directPipe is our end of a pipe. A goroutine that waits on it waits in the system, with its thread,
// as a program in C does. With an *os.File Go's scheduler would wait for it, and each line of an
// engine would wake other threads too: one that looks for work, and Go's monitor.
//
// One goroutine may read, and one write. SetReadDeadline may be called from any.
type directPipe struct {
	fd      int
	wake    int // eventfd that ends a read early; -1 where we write
	made    time.Time
	yielded time.Duration // when it last did, after made
	readBy  atomic.Int64  // deadline in nanoseconds after made; 0: none
	reading atomic.Bool   // a read may have begun to wait with an earlier deadline
	writeBy time.Time

	mu     sync.Mutex // guards the descriptors against SetReadDeadline after Close
	closed bool
}

// yieldEvery is how often a goroutine that reads gives way to others. After 10 ms without that, Go's
// monitor takes its right to run, and then wakes up every 20 microseconds for a while: that took a
// fifth of the processor time of a match.
const yieldEvery = 4 * time.Millisecond

// newPipes returns our and the program's ends of its standard input, output and error output.
func newPipes() (ours [3]pipe, theirs [3]*os.File, err error) {
	defer func() {
		if err != nil {
			closeAll(ours[:]...)
			closeAll(theirs[:]...)
		}
	}()
	for i := range ours[:2] {
		var fds [2]int
		if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
			return ours, theirs, os.NewSyscallError("pipe2", err)
		}
		if i == 0 { // we write its input
			fds[0], fds[1] = fds[1], fds[0]
		}
		own := &directPipe{fd: fds[0], wake: -1, made: time.Now()}
		ours[i], theirs[i] = own, os.NewFile(uintptr(fds[1]), "|")
		if i == 0 {
			if err := unix.SetNonblock(own.fd, true); err != nil { // a program that does not read must not stop us
				return ours, theirs, os.NewSyscallError("fcntl", err)
			}
		} else if own.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
			return ours, theirs, os.NewSyscallError("eventfd", err)
		}
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return ours, theirs, err
	}
	ours[2], theirs[2] = reader, writer
	return ours, theirs, nil
}

// Read implements io.Reader.
func (p *directPipe) Read(b []byte) (int, error) {
	for {
		ready, err := p.await()
		if err != nil {
			return 0, err
		}
		if !ready {
			continue
		}
		switch n, err := unix.Read(p.fd, b); {
		case err == unix.EINTR:
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// await waits until there is something to read. It returns false if the deadline may have changed.
func (p *directPipe) await() (bool, error) {
	now := time.Since(p.made)
	if now-p.yielded > yieldEvery {
		p.yielded = now
		runtime.Gosched()
	}
	p.reading.Store(true) // before it looks at the deadline, so that a later one wakes it
	defer p.reading.Store(false)
	left := time.Duration(-1)
	if by := p.readBy.Load(); by != 0 {
		if left = time.Duration(by) - now; left <= 0 {
			return false, os.ErrDeadlineExceeded
		}
	}
	fds := [2]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}, {Fd: int32(p.wake), Events: unix.POLLIN}}
	if err := poll(fds[:], left); err != nil {
		return false, err
	}
	if fds[1].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(p.wake, count[:]) // to zero
	}
	return fds[0].Revents != 0, nil
}

// poll waits for events, or for the time unless it is negative. It may return early.
func poll(fds []unix.PollFd, left time.Duration) error {
	var timeout *unix.Timespec
	if left >= 0 {
		t := unix.NsecToTimespec(left.Nanoseconds())
		timeout = &t
	}
	if _, err := unix.Ppoll(fds, timeout, nil); err != nil && err != unix.EINTR {
		return os.NewSyscallError("ppoll", err)
	}
	return nil
}

// Write implements io.Writer.
func (p *directPipe) Write(b []byte) (written int, err error) {
	for written < len(b) {
		n, err := unix.Write(p.fd, b[written:])
		switch err {
		case nil:
			written += n
		case unix.EINTR:
		case unix.EAGAIN:
			left := time.Duration(-1)
			if !p.writeBy.IsZero() {
				if left = time.Until(p.writeBy); left <= 0 {
					return written, os.ErrDeadlineExceeded
				}
			}
			if err := poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLOUT}}, left); err != nil {
				return written, err
			}
		default:
			return written, os.NewSyscallError("write", err)
		}
	}
	return written, nil
}

// SetReadDeadline sets the deadline of reads, also of one that waits; the zero time means none.
func (p *directPipe) SetReadDeadline(t time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return os.ErrClosed
	}
	by := int64(0)
	if !t.IsZero() {
		by = max(t.Sub(p.made).Nanoseconds(), 1)
	}
	p.readBy.Store(by)
	if !p.reading.Load() {
		return nil
	}
	one := [8]byte{1, 1, 1, 1, 1, 1, 1, 1} // any number but zero, in either order of bytes
	_, err := unix.Write(p.wake, one[:])
	return err
}

// SetWriteDeadline sets the deadline of later writes; the zero time means none.
func (p *directPipe) SetWriteDeadline(t time.Time) error {
	p.writeBy = t
	return nil
}

// Close closes the pipe. No one may read or write any more.
func (p *directPipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return os.ErrClosed
	}
	p.closed = true
	if p.wake >= 0 {
		_ = unix.Close(p.wake)
	}
	return unix.Close(p.fd)
}
