package uci

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// netPipe is our end of a pipe that Go's network poller watches. It reads and writes by system calls that
// Go's scheduler does not see: they never block, and for each call that the scheduler sees, its monitor
// would wake up and then look every 20 microseconds for threads that block.
type netPipe struct {
	*os.File
	raw syscall.RawConn
}

// ourEnd returns our end of a pipe.
func ourEnd(f *os.File) (pipe, error) {
	raw, err := f.SyscallConn() // fails only if the file is closed
	return &netPipe{f, raw}, err
}

// Read implements io.Reader.
func (p *netPipe) Read(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	var errno syscall.Errno
	err = p.raw.Read(func(fd uintptr) bool {
		n, errno = transfer(syscall.SYS_READ, fd, b)
		return errno != syscall.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case errno != 0:
		return 0, os.NewSyscallError("read", errno)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// Write implements io.Writer.
func (p *netPipe) Write(b []byte) (written int, err error) {
	var errno syscall.Errno
	err = p.raw.Write(func(fd uintptr) bool {
		for written < len(b) && errno == 0 {
			var n int
			n, errno = transfer(syscall.SYS_WRITE, fd, b[written:])
			written += n
		}
		full := errno == syscall.EAGAIN
		if full {
			errno = 0
		}
		return !full
	})
	if err == nil && errno != 0 {
		err = os.NewSyscallError("write", errno)
	}
	return written, err
}

// transfer reads into b or writes from it, which must not be empty.
func transfer(call, fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		switch errno {
		case 0:
			return int(n), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}
