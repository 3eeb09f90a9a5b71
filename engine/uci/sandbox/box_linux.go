//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// initName is the name under which this program starts itself to become a contained program.
const initName = "assay: sandbox"

// orders is what the parent sends to the process that is to become the program.
type orders struct {
	Limits
	Path       string // of the program; empty: try the sandbox and exit
	Namespaces bool   // it starts in namespaces of its own
	OldKernel  bool   // in tests: use what Landlock did at first
	Token      string // begins what the try prints
}

// Where the process finds the socket for the listener of its filter, and this program.
const (
	listenerFD = 3
	programFD  = 4
)

// Box is the surroundings of one contained program.
type Box struct {
	warden
	limits *Limits
	ours   *os.File      // end of the socket for the listener
	theirs []*os.File    // what the process gets
	done   chan struct{} // closed when the watch is over
}

// Contain changes a command that was not started yet, so that its program is contained. Arguments that name files
// are such that the program may read. The report is called, from another goroutine, with what the program tried and
// may not do, for example "write /etc/passwd"; it may be nil. After cmd.Start call Watch, and in the end, when the
// process is gone, Close. Without limits, nil, nothing is contained.
func (l *Limits) Contain(cmd *exec.Cmd, report func(act string)) (*Box, error) {
	if l == nil {
		return nil, nil
	}
	if err := l.Check(); err != nil {
		return nil, err
	}
	o := &orders{Limits: *l, Namespaces: tried().namespaces == nil}
	if err := o.find(cmd); err != nil {
		return nil, err
	}
	b, err := contain(cmd, o, report)
	if err == nil {
		b.limits = l
	}
	return b, err
}

// find finds the files of a command, and writes their paths into it.
func (o *orders) find(cmd *exec.Cmd) (err error) {
	if o.Path, err = exec.LookPath(cmd.Path); err == nil {
		o.Path, err = filepath.Abs(o.Path)
	}
	if err == nil {
		o.Path, err = filepath.EvalSymlinks(o.Path)
	}
	if err != nil {
		return err
	}
	for i := 1; i < len(cmd.Args); i++ {
		if info, err := os.Stat(cmd.Args[i]); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if cmd.Args[i], err = filepath.Abs(cmd.Args[i]); err != nil {
			return err
		}
		o.Files = append(slices.Clip(o.Files), cmd.Args[i])
	}
	return nil
}

func contain(cmd *exec.Cmd, o *orders, report func(string)) (*Box, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: a pair of sockets: %w", errUnavailable, err)
	}
	b := &Box{limits: &o.Limits, ours: os.NewFile(uintptr(fds[0]), "listener"),
		theirs: []*os.File{os.NewFile(uintptr(fds[1]), "listener")}}
	b.warden = warden{program: o.Path, files: o.Files, namespaces: o.Namespaces, memory: o.Memory, report: report,
		told: map[string]int{}}
	self, err := os.Open("/proc/self/exe") // also if the file was replaced meanwhile
	if err != nil {
		b.Close()
		return nil, err
	}
	b.theirs = append(b.theirs, self)
	text, err := json.Marshal(o)
	if err != nil {
		b.Close()
		return nil, err
	}
	args := append([]string{initName, string(text)}, cmd.Args[min(1, len(cmd.Args)):]...)
	cmd.Path, cmd.Err = "/proc/self/exe", nil
	if o.Namespaces {
		if cmd.Path, err = exec.LookPath("bwrap"); err != nil {
			b.Close()
			return nil, errors.New("bubblewrap (bwrap) is not installed")
		}
		args = append(o.wrapped(), args...)
	}
	cmd.Args, cmd.Dir, cmd.Env, cmd.ExtraFiles = args, "/", []string{}, b.theirs
	return b, nil
}

// wrapped returns the command that starts this program in namespaces: it sees nothing but what Landlock lets it read
// there, and can mount its folder. Bubblewrap ends it when we end.
func (o *orders) wrapped() []string {
	args := strings.Fields("bwrap --unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts " +
		"--unshare-cgroup-try --die-with-parent --cap-add CAP_SYS_ADMIN --proc /proc --dir " + folder)
	for _, paths := range readable {
		for _, path := range existing(paths) {
			bind := "--ro-bind-try"
			if filepath.Dir(path) == "/dev" {
				bind = "--dev-bind-try"
			}
			args = append(args, bind, path, path)
		}
	}
	for _, path := range append(o.Files, o.Path) {
		if path != "" {
			args = append(args, "--ro-bind", path, path)
		}
	}
	return append(args, "--remount-ro", "/", "--", fmt.Sprintf("/proc/self/fd/%d", programFD))
}

// Watch answers and reports what the program tries, in the background, until it has ended.
func (b *Box) Watch() {
	if b == nil {
		return
	}
	closeAll(b.theirs) // the process has its own
	b.done = make(chan struct{})
	go func() {
		defer close(b.done)
		var err error
		if b.listener, err = receiveListener(int(b.ours.Fd())); err != nil {
			return // it did not start, and says why on its error output
		}
		defer unix.Close(b.listener)
		b.serve()
	}()
}

// Close frees what belongs to a program that has ended, or was never started.
func (b *Box) Close() {
	if b == nil {
		return
	}
	if b.done != nil {
		<-b.done
	}
	b.ours.Close()
	closeAll(b.theirs)
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// Pid returns the id of the program's process, given that of the process that was started.
func (b *Box) Pid(started int) int {
	if b != nil && b.pid.Load() > 0 {
		return int(b.pid.Load())
	}
	return started
}

// Exhausted reports whether the program has used up half of its processor time.
func (b *Box) Exhausted() bool {
	if b == nil || b.pid.Load() == 0 {
		return false
	}
	const processClock = 2 // of the process whose id is in the other bits, inverted
	var used unix.Timespec
	err := unix.ClockGettime(^b.pid.Load()<<3|processClock, &used)
	return err == nil && time.Duration(used.Nano()) > b.limits.time()/2
}

// receiveListener receives a descriptor that enter sent.
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
