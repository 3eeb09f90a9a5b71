//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// initName is the name under which this program starts itself to become a contained program.
const initName = "assay: sandbox"

// orders is what the parent sends to the process that is to become the program.
type orders struct {
	Limits
	Path  string // of the program; empty: try the sandbox and exit
	Dir   string // its folder
	Token string // ends what the try prints
}

// listenerFD is where the process finds the socket for the listener of its filter.
const listenerFD = 3

// Box is the surroundings of one contained program.
type Box struct {
	program, dir string
	ours, theirs *os.File // ends of the socket for the listener
	report       func(act string)
	done         chan struct{} // closed when the watch is over
}

// Contain changes a command that was not started yet, so that its program is contained. The
// report is called, from another goroutine and once for each act, with what the program tried
// and may not do, for example "write /etc/passwd"; it may be nil. After cmd.Start call Watch,
// and in the end, when the process is gone, Close. Without limits, nil, nothing is contained.
func (l *Limits) Contain(cmd *exec.Cmd, report func(act string)) (*Box, error) {
	if l == nil {
		return nil, nil
	}
	if err := l.Check(); err != nil {
		return nil, err
	}
	path, err := exec.LookPath(cmd.Path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return nil, err
	}
	return contain(cmd, &orders{Limits: *l, Path: path}, report)
}

func contain(cmd *exec.Cmd, o *orders, report func(string)) (*Box, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: a pair of sockets: %w", errUnavailable, err)
	}
	b := &Box{program: o.Path, ours: os.NewFile(uintptr(fds[0]), "listener"),
		theirs: os.NewFile(uintptr(fds[1]), "listener"), report: report}
	if b.report == nil {
		b.report = func(string) {}
	}
	if o.Dir, err = os.MkdirTemp("", "assay-engine-"); err == nil {
		b.dir, err = filepath.EvalSymlinks(o.Dir)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		b.Close()
		return nil, err
	}
	cmd.Args = append([]string{initName, string(text)}, cmd.Args[min(1, len(cmd.Args)):]...)
	cmd.Path, cmd.Err = "/proc/self/exe", nil // also if the file was replaced meanwhile
	cmd.Dir, cmd.Env, cmd.ExtraFiles = o.Dir, []string{}, []*os.File{b.theirs}
	return b, nil
}

// Watch answers and reports what the program tries, in the background, until it has ended.
func (b *Box) Watch() {
	if b == nil {
		return
	}
	b.theirs.Close() // the process has its own
	b.done = make(chan struct{})
	go func() {
		defer close(b.done)
		listener, err := receiveListener(int(b.ours.Fd()))
		if err != nil {
			return // it did not start, and says why on its error output
		}
		defer unix.Close(listener)
		(&warden{program: b.program, dir: b.dir, listener: listener, report: b.report,
			reported: map[string]bool{}}).serve()
	}()
}

// Close removes the folder of a program that has ended, or was never started.
func (b *Box) Close() {
	if b == nil {
		return
	}
	if b.done != nil {
		<-b.done
	}
	b.ours.Close()
	b.theirs.Close()
	os.RemoveAll(b.dir) // what remains is small and in the system's folder for temporary files
}

// receiveListener receives a descriptor that sendListener sent.
func receiveListener(socket int) (listener int, err error) {
	control := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), control, unix.MSG_CMSG_CLOEXEC)
	for err == unix.EINTR {
		_, n, _, _, err = unix.Recvmsg(socket, make([]byte, 1), control, unix.MSG_CMSG_CLOEXEC)
	}
	if err != nil {
		return -1, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return -1, unix.EBADMSG
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return -1, unix.EBADMSG
	}
	return fds[0], nil
}

// Available says why programs cannot be contained here; nil: they can. It tries it, once.
var Available = sync.OnceValue(func() error {
	cmd := exec.Command("/proc/self/exe")
	o := &orders{Limits: Limits{Memory: DefaultMemory}, Token: "contained"}
	b, err := contain(cmd, o, nil)
	if err != nil {
		return err
	}
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Start()
	b.Watch()
	if err == nil {
		err = cmd.Wait()
	}
	b.Close()
	text := strings.TrimSpace(said.String())
	if err != nil || text != o.Token {
		return fmt.Errorf("%w: %s", errUnavailable, strings.TrimPrefix(fmt.Sprintf("%s (%v)", text, err), " "))
	}
	return nil
})

// Exhausted reports whether a contained program has used up half of its processor time.
func (l *Limits) Exhausted(pid int) bool {
	if l == nil || pid == 0 {
		return false
	}
	const processClock = 2 // of the process whose id is in the other bits, inverted
	var used unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|processClock), &used)
	return err == nil && time.Duration(used.Nano()) > l.time()/2
}
