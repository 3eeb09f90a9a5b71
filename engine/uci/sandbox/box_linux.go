//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// initName is the name under which this program starts itself to become a contained program.
const initName = "assay: sandbox"

// orders is what the parent sends to the process that is to become the program.
type orders struct {
	*Limits
	Path       string   // of the program; empty: try the sandbox and exit
	Read       []string // files that it may read, besides its own
	Namespaces bool     // it starts in namespaces of its own
	OldKernel  bool     // in tests: use what Landlock did at first
}

// listenerFD and programFD are where the process finds the socket for the listener of its filter, and this program.
const listenerFD, programFD = 3, 4

// Box is the surroundings of one contained program. It answers for the program's filter, and watches its memory.
type Box struct {
	orders
	theirs   []*os.File    // what the process gets
	done     chan struct{} // closed when the watch is over
	listener int
	report   func(act string)
	told     map[string]int // how often each act, and each kind of act, was reported
	pid      atomic.Int32   // of the program; 0: not known yet
	ended    bool           // by us
}

// Contain changes a command that was not started yet, so that its program is contained. Arguments that name files
// are such that the program may read. The report is called, from another goroutine, with what the program tried and
// may not do, for example "write /etc/passwd"; it may be nil. Call Close when the process is gone, or does not
// start. Without limits, nil, nothing is contained.
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
	files := slices.Clone(l.Files)
	for i := 1; i < len(cmd.Args) && err == nil; i++ {
		if info, missing := os.Stat(cmd.Args[i]); missing == nil && info.Mode().IsRegular() {
			cmd.Args[i], err = filepath.Abs(cmd.Args[i])
			files = append(files, cmd.Args[i])
		}
	}
	if err != nil {
		return nil, err
	}
	return contain(cmd, orders{Limits: l, Path: path, Read: files, Namespaces: tried().namespaces == nil}, report)
}

func contain(cmd *exec.Cmd, o orders, report func(string)) (*Box, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	path, args := "/proc/self/exe", append([]string{"assay", initName, string(text)}, cmd.Args[min(1, len(cmd.Args)):]...)
	if o.Namespaces {
		if path, err = exec.LookPath("bwrap"); err != nil {
			return nil, errors.New("bubblewrap (bwrap) is not installed")
		}
		args = append(o.wrapped(), args[1:]...)
	}
	self, err := os.Open("/proc/self/exe") // also if the file was replaced meanwhile
	if err != nil {
		return nil, err
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		self.Close()
		return nil, fmt.Errorf("%w: a pair of sockets: %w", errUnavailable, err)
	}
	b := &Box{orders: o, theirs: []*os.File{os.NewFile(uintptr(fds[1]), "listener"), self},
		done: make(chan struct{}), report: report, told: map[string]int{}}
	cmd.Path, cmd.Err, cmd.Args, cmd.Dir, cmd.Env, cmd.ExtraFiles = path, nil, args, "/", []string{}, b.theirs
	go func() {
		defer close(b.done)
		defer unix.Close(fds[0])
		if b.listener = receiveListener(fds[0]); b.listener >= 0 { // otherwise it says why on its error output
			defer unix.Close(b.listener)
			b.serve()
		}
	}()
	return b, nil
}

// wrapped returns the command that starts this program in namespaces: it sees nothing but what Landlock lets it read
// there, and can mount its folder. Bubblewrap ends it when we end.
func (o *orders) wrapped() []string {
	args := strings.Fields("bwrap --unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts " +
		"--unshare-cgroup-try --die-with-parent --cap-add CAP_SYS_ADMIN --proc /proc --dir " + folder)
	for _, path := range existing(slices.Concat(slices.Collect(maps.Values(readable))...)) {
		switch {
		case strings.HasPrefix(path, "/dev/"):
			args = append(args, "--dev-bind-try", path, path)
		case !strings.HasPrefix(path, "/proc/"): // it has its own
			args = append(args, "--ro-bind-try", path, path)
		}
	}
	for _, path := range append(o.Read, o.Path) {
		if path != "" {
			args = append(args, "--ro-bind", path, path)
		}
	}
	return append(args, "--remount-ro", "/", "--", fmt.Sprintf("/proc/self/fd/%d", programFD))
}

// Close frees what belongs to a program that has ended, or was never started.
func (b *Box) Close() {
	if b == nil {
		return
	}
	for _, f := range b.theirs { // the watch ends when no process holds them
		f.Close()
	}
	<-b.done
}

// Pid returns the id of the program's process, given that of the process that was started.
func (b *Box) Pid(started int) int {
	if b != nil && b.pid.Load() > 0 {
		return int(b.pid.Load())
	}
	return started
}

// Exhausted reports whether the program has used up half of its processor time or of its memory, resident or
// not: one that leaks, such as the stacks of its threads, goes on if it is started again.
func (b *Box) Exhausted() bool {
	if b == nil || b.pid.Load() == 0 {
		return false
	}
	const processClock = 2 // of the process whose id is in the other bits, inverted
	var used unix.Timespec
	err := unix.ClockGettime(^b.pid.Load()<<3|processClock, &used)
	return err == nil && (time.Duration(used.Nano()) > b.time()/2 || b.status()["VmData:"]>>10 > b.Memory/2)
}

// receiveListener receives a descriptor that enter sent; -1: it sent none.
func receiveListener(socket int) int {
	control := make([]byte, unix.CmsgSpace(4))
	n, err := 0, error(unix.EINTR)
	for err == unix.EINTR {
		_, n, _, _, err = unix.Recvmsg(socket, make([]byte, 1), control, unix.MSG_CMSG_CLOEXEC)
	}
	messages, _ := unix.ParseSocketControlMessage(control[:n]) // 0 if there was an error
	for _, m := range messages {
		if fds, err := unix.ParseUnixRights(&m); err == nil && len(fds) == 1 {
			return fds[0]
		}
	}
	return -1
}

// tryBox returns the acts that do not fail in a sandbox.
func tryBox(namespaces bool) (could []string, err error) {
	cmd := exec.Command("/proc/self/exe")
	b, err := contain(cmd, orders{Limits: &Limits{Memory: trialMemory}, Namespaces: namespaces}, nil)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	out, err := cmd.CombinedOutput()
	said := strings.TrimSpace(string(out))
	if could = strings.Split(said, "\n"); err != nil || could[0] != trialOver {
		return nil, fmt.Errorf("%s (%v)", said, err)
	}
	return could, nil
}

// tried is what holds on this system. It is tried once.
var tried = sync.OnceValue(func() (t struct {
	namespaces error // why there are none
	all        error // why there is no sandbox
	holds      []Protection
}) {
	could, err := tryBox(true)
	if t.namespaces = err; err != nil {
		could, err = tryBox(false)
	}
	if err != nil {
		t.all = fmt.Errorf("%w: %w", errUnavailable, err)
		return t
	}
	for _, try := range trials {
		p := Protection{From: try.act}
		switch {
		case !slices.Contains(could, try.act):
		case try.namespaces && t.namespaces != nil:
			p.Not = "there are no namespaces: " + t.namespaces.Error()
		default:
			p.Not = "the kernel does not refuse it"
			t.all = fmt.Errorf("%w: they could %s", errUnavailable, try.act)
		}
		t.holds = append(t.holds, p)
	}
	return t
})

// Available says why programs cannot be contained here; nil: they can. It tries it, once.
func Available() error { return tried().all }

// Protections returns what was tried, if programs can be contained.
func Protections() []Protection { return tried().holds }
