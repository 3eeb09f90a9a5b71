//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempt is what a system call tries that the filter does not pass.
type attempt struct {
	does  string   // for the report
	paths [][2]int // arguments: the folder's descriptor, or here, and the path
	flags int      // for opening: the argument with the flags
	may   bool     // Landlock decides, and the warden only reports
}

// here stands for the current folder in place of a descriptor.
const here = -1

// opening stands for reading or writing, depending on the flags.
const opening = "open"

// attempts describes calls that have a report of their own, by name.
var attempts = func() map[string]attempt {
	path, at := [][2]int{{here, 0}}, [][2]int{{0, 1}}
	all := map[string]attempt{}
	for names, a := range map[string]attempt{
		"open":                               {does: opening, paths: path, flags: 1, may: true},
		"openat":                             {does: opening, paths: at, flags: 2, may: true},
		"symlink":                            {does: "make", paths: [][2]int{{here, 1}}},
		"symlinkat":                          {does: "make", paths: [][2]int{{1, 2}}},
		"inotify_add_watch":                  {does: "watch", paths: [][2]int{{here, 1}}},
		"creat":                              {does: "write", paths: path, may: true},
		"truncate":                           {does: "write", paths: path},
		"unlink":                             {does: "delete", paths: path, may: true},
		"unlinkat":                           {does: "delete", paths: at, may: true},
		"rmdir":                              {does: "delete", paths: path},
		"rename":                             {does: "rename", paths: [][2]int{{here, 0}, {here, 1}}, may: true},
		"renameat renameat2":                 {does: "rename", paths: [][2]int{{0, 1}, {2, 3}}, may: true},
		"link":                               {does: "link", paths: [][2]int{{here, 0}, {here, 1}}},
		"linkat":                             {does: "link", paths: [][2]int{{0, 1}, {2, 3}}},
		"execve":                             {does: "run", paths: path, may: true},
		"execveat":                           {does: "run", paths: at},
		"mkdir mknod":                        {does: "make", paths: path},
		"mkdirat mknodat":                    {does: "make", paths: at},
		"chmod chown lchown utime utimes":    {does: "change", paths: path},
		"fchmodat fchownat utimensat":        {does: "change", paths: at},
		"socket":                             {does: "open a socket"},
		"clone fork vfork":                   {does: "start a process"},
		"ptrace":                             {does: "trace another process"},
		"process_vm_readv process_vm_writev": {does: "reach into another process"},
		"kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo": {does: "signal another process"},
	} {
		for _, name := range strings.Fields(names) {
			all[name] = a
		}
	}
	return all
}()

// threadFlags are the flags of clone with which libraries make threads. The last is one that Linux ignores.
const threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD |
	unix.CLONE_SYSVSEM | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID |
	unix.CLONE_CHILD_SETTID | unix.CLONE_DETACHED

// nscdType is the type of local socket by which glibc asks nscd for the user's name, and does without: Java, Mono and
// Python ask when they start.
const nscdType = unix.SOCK_STREAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK

// warden answers for the filter of one program, and watches its memory.
type warden struct {
	program    string   // its path
	files      []string // that it may read
	namespaces bool
	memory     int // limit, in MB
	listener   int
	report     func(act string)
	told       map[string]int // how often each act, and each kind of act, was reported
	pid        atomic.Int32   // of the program; 0: not known yet
	looked     time.Time      // when its memory was last looked at
	ended      bool           // by us
}

// notification and response are the kernel's struct seccomp_notif and seccomp_notif_resp.
type notification struct {
	id         uint64
	pid, flags uint32
	call       int32
	arch       uint32
	address    uint64
	args       [6]uint64
}

type response struct {
	id    uint64
	value int64
	error int32
	flags uint32
}

// watchEvery is how often the memory is looked at.
const watchEvery = 100 * time.Millisecond

// serve answers until the program has ended.
func (w *warden) serve() {
	for {
		poll := []unix.PollFd{{Fd: int32(w.listener), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, int(watchEvery.Milliseconds()))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || n > 0 && poll[0].Revents&unix.POLLIN == 0:
			return
		case n > 0:
			w.answer()
		}
		if time.Since(w.looked) >= watchEvery {
			w.looked = time.Now()
			w.watch()
		}
	}
}

// answer answers one question.
func (w *warden) answer() {
	var n notification
	if !control(w.listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) {
		return // a signal interrupted the call
	}
	if w.pid.Load() == 0 {
		w.pid.Store(int32(n.pid)) // only the program's first thread has begun
	}
	r := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if errno := w.judge(&n); errno != 0 {
		r.flags, r.error = 0, -int32(errno)
	}
	control(w.listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
}

func control(fd int, request uintptr, argument unsafe.Pointer) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument))
	return errno == 0
}

// judge returns the error of a call; 0: the kernel makes the call, and Landlock decides. What
// a path says is only for the report, since the program can change it at any time.
func (w *warden) judge(n *notification) unix.Errno {
	if n.arch != uint32(calls.ID) {
		w.tell("calls", "make system calls of another processor")
		return unix.ENOSYS
	}
	name, known := calls.SyscallNumbers[int(n.call)]
	a := attempts[name]
	switch {
	case !known:
		name = strconv.Itoa(int(n.call))
	case name == "clone" && n.args[0]&^threadFlags == 0 && n.args[0]&unix.CLONE_THREAD != 0:
		if w.status()["Threads"] < maxThreads {
			return 0
		}
		w.tell(name, fmt.Sprintf("start more than %d threads", maxThreads))
		return unix.EAGAIN
	case name == "socket" && n.args[0] == unix.AF_UNIX && n.args[1] == nscdType && n.args[2] == 0:
		return unix.EPERM // the library then reads files, which Landlock decides about
	case (name == "tkill" || strings.HasPrefix(name, "sched_set")) && w.ownThread(n):
		return 0
	}
	if a.does == "" {
		a.does = "use the system call " + name
	}
	return w.judgePaths(n, a)
}

// judgePaths reports the paths of an attempt, and returns its error.
func (w *warden) judgePaths(n *notification, a attempt) unix.Errno {
	if a.does == opening {
		flags := n.args[a.flags]
		a.does = "read"
		if flags&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC) != 0 {
			a.does = "write"
		}
		// Landlock does not see it before its third version
		a.may = flags&unix.O_TRUNC == 0 || flags&(unix.O_WRONLY|unix.O_RDWR) != 0
	}
	for _, p := range a.paths {
		if path, known := w.path(n, p); !known || !w.allows(a.does, path) {
			w.tell(a.does, a.does+" "+path)
		}
	}
	const newest = 424 // calls with higher numbers are those for which libraries have older ones
	switch {
	case a.may:
		return 0
	case len(a.paths) == 0 && n.call >= newest:
		w.tell(a.does, a.does)
		return unix.ENOSYS
	case len(a.paths) == 0:
		w.tell(a.does, a.does)
	}
	return unix.EPERM
}

// ownThread reports whether a call is about a thread of the program. In namespaces there is no other but bubblewrap.
func (w *warden) ownThread(n *notification) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", n.pid, n.args[0]))
	const bubblewrap = 1
	return err == nil || w.namespaces && uint32(n.args[0]) != bubblewrap
}

// status returns numbers that the kernel says about the program.
func (w *warden) status() map[string]int {
	numbers := map[string]int{}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.pid.Load()))
	if err != nil {
		return numbers // it is gone
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if words := strings.Fields(value); len(words) > 0 {
			numbers[name], _ = strconv.Atoi(words[0]) // others are texts
		}
	}
	return numbers
}

// watch ends a program that holds more memory than it may. What it has mapped from files that it cannot
// write is the system's.
func (w *warden) watch() {
	if w.pid.Load() == 0 || w.ended {
		return
	}
	s := w.status()
	held := (s["RssAnon"] + s["RssShmem"] + s["VmSwap"] + s["VmPTE"] + s["HugetlbPages"]) >> 10
	if held <= w.memory+slack {
		return
	}
	w.ended = true
	w.tell("memory", fmt.Sprintf("hold %d MB of memory, and was ended", held))
	_ = unix.Kill(int(w.pid.Load()), unix.SIGKILL) // it fails if it is gone
}

// maxTold and maxPath bound what is reported of each kind of act.
const maxTold, maxPath = 4, 160

// tell reports an act, once, and of each kind only the first ones: many of one kind hide none of another.
func (w *warden) tell(kind, act string) {
	if w.report == nil || w.told["act "+act] > 0 || w.told[kind] == maxTold {
		return
	}
	w.told["act "+act]++
	if w.told[kind]++; w.told[kind] == maxTold {
		act += ", and more of that kind"
	}
	w.report(act)
}

// system are folders where runtimes look for what may not be there. Reading them says nothing
// about a program, and is not reported.
var system = []string{"/lib", "/lib32", "/lib64", "/usr", "/etc", "/proc", "/sys", "/dev", "/nix", "/opt"}

// harmless are files that runtimes open for writing; Java sets what a core dump contains.
var harmless = []string{"/dev/null", "/dev/tty", "/proc/self/coredump_filter"}

// allows reports whether an act is one that programs may do, or that is not worth telling.
func (w *warden) allows(does, path string) bool {
	if slices.Contains(harmless, path) || w.namespaces && below(path, folder) {
		return true
	}
	if does == "run" {
		return path == w.program
	}
	return does == "read" && (path == w.program || slices.Contains(w.files, path) ||
		slices.ContainsFunc(system, func(folder string) bool { return below(path, folder) }))
}

func below(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// path returns the path that a call names. It is not known if the program hides it. Where there is none at the
// address, it is one that is always allowed.
func (w *warden) path(n *notification, argument [2]int) (path string, known bool) {
	text, err := readText(int(n.pid), n.args[argument[1]])
	if err == nil && text != "" && !filepath.IsAbs(text) {
		link := fmt.Sprintf("/proc/%d/cwd", n.pid)
		if argument[0] != here && int32(n.args[argument[0]]) != unix.AT_FDCWD {
			link = fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(n.args[argument[0]]))
		}
		var folder string
		folder, err = os.Readlink(link)
		text = filepath.Join(folder, text)
	}
	switch {
	case errors.Is(err, unix.EFAULT) || errors.Is(err, unix.ENOENT) || err == nil && text == "":
		return os.DevNull, true // the call fails
	case err != nil:
		return "a file that it hides", false
	}
	text = strings.ToValidUTF8(filepath.Clean(text), "?")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text[:min(len(text), maxPath)]), true
}

// readText reads a string of the program, up to its zero byte.
func readText(pid int, address uint64) (text string, err error) {
	var data []byte
	for len(data) < unix.PathMax {
		part := make([]byte, 256-address%256) // never across the end of a page
		n, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &part[0], Len: uint64(len(part))}},
			[]unix.RemoteIovec{{Base: uintptr(address), Len: len(part)}}, 0)
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(part[:n], 0); end >= 0 {
			return string(append(data, part[:end]...)), nil
		}
		data, address = append(data, part[:n]...), address+uint64(n)
	}
	return "", unix.ENAMETOOLONG
}
