//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/assay-chess/assay/engine/quote"
	"golang.org/x/sys/unix"
)

// attempt is what a system call tries that the filter does not pass.
type attempt struct {
	does  string   // for the report
	paths [][2]int // arguments: the folder's descriptor, or here, and the path
	may   bool     // Landlock decides, and the warden only reports
}

const (
	here    = -1     // the current folder, in place of a descriptor
	opening = "open" // reading or writing, depending on the flags in the argument after the path
)

// attempts describes calls that have a report of their own, by name.
var attempts = func() map[string]attempt {
	path, at := [][2]int{{here, 0}}, [][2]int{{0, 1}}
	all := map[string]attempt{}
	for names, a := range map[string]attempt{
		"open":                               {does: opening, paths: path},
		"openat":                             {does: opening, paths: at},
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
func (b *Box) serve() {
	for looked := time.Now(); ; {
		poll := []unix.PollFd{{Fd: int32(b.listener), Events: unix.POLLIN}}
		n, err := unix.Poll(poll, int(watchEvery.Milliseconds()))
		if err != nil && err != unix.EINTR || n > 0 && poll[0].Revents&unix.POLLIN == 0 {
			return
		}
		if n > 0 {
			b.answer()
		}
		if time.Since(looked) >= watchEvery {
			looked = time.Now()
			b.watch()
		}
	}
}

// answer answers one question.
func (b *Box) answer() {
	var n notification
	if !b.control(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) {
		return // a signal interrupted the call
	}
	b.pid.CompareAndSwap(0, int32(n.pid)) // the first call comes from the program's first thread
	r := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if errno := b.judge(&n); errno != 0 {
		r.flags, r.error = 0, -int32(errno)
	}
	b.control(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
}

func (b *Box) control(request uintptr, argument unsafe.Pointer) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(b.listener), request, uintptr(argument))
	return errno == 0
}

// judge returns the error of a call; 0: the kernel makes the call, and Landlock decides. What
// a path says is only for the report, since the program can change it at any time.
func (b *Box) judge(n *notification) unix.Errno {
	if n.arch != uint32(calls.ID) {
		b.tell("calls", "make system calls of another processor")
		return unix.ENOSYS
	}
	name := cmp.Or(calls.SyscallNumbers[int(n.call)], strconv.Itoa(int(n.call)))
	a := attempts[name]
	switch {
	case name == "clone" && n.args[0]&^threadFlags == 0 && n.args[0]&unix.CLONE_THREAD != 0:
		if b.status()["Threads:"] < maxThreads {
			return 0
		}
		b.tell(name, fmt.Sprintf("start more than %d threads", maxThreads))
		return unix.EAGAIN
	case name == "socket" && n.args[0] == unix.AF_UNIX && n.args[1] == nscdType && n.args[2] == 0:
		return unix.EPERM // the library then reads files, which Landlock decides about
	case (name == "tkill" || strings.HasPrefix(name, "sched_set")) && b.ownThread(n):
		return 0
	case a.does == opening:
		flags := n.args[a.paths[0][1]+1]
		a.does = "read"
		if flags&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC) != 0 {
			a.does = "write"
		}
		// Landlock does not see it before its third version
		a.may = flags&unix.O_TRUNC == 0 || flags&(unix.O_WRONLY|unix.O_RDWR) != 0
	case a.does == "":
		a.does = "use the system call " + name
	}
	for _, p := range a.paths {
		if path, known := b.path(n, p); !known || !b.allows(a.does, path) {
			b.tell(a.does, a.does+" "+path)
		}
	}
	if len(a.paths) == 0 {
		b.tell(a.does, a.does)
	}
	const newest = 424 // calls with higher numbers are those for which libraries have older ones
	switch {
	case a.may:
		return 0
	case len(a.paths) == 0 && n.call >= newest:
		return unix.ENOSYS
	}
	return unix.EPERM
}

// ownThread reports whether a call is about a thread of the program. In namespaces there is no other but bubblewrap.
func (b *Box) ownThread(n *notification) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", n.pid, n.args[0]))
	const bubblewrap = 1
	return err == nil || b.Namespaces && uint32(n.args[0]) != bubblewrap
}

// status returns numbers that the kernel says about the program; none: it is gone.
func (b *Box) status() map[string]int {
	numbers := map[string]int{}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.pid.Load()))
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 {
			numbers[words[0]], _ = strconv.Atoi(words[1]) // others are texts
		}
	}
	return numbers
}

// watch ends a program that holds more memory than it may. What it has mapped from files that it cannot
// write is the system's.
func (b *Box) watch() {
	s := b.status()
	held := (s["RssAnon:"] + s["RssShmem:"] + s["VmSwap:"] + s["VmPTE:"] + s["HugetlbPages:"]) >> 10
	if held > b.Memory+slack && !b.ended {
		b.ended = true
		b.tell("memory", fmt.Sprintf("hold %d MB of memory, and was ended", held))
		_ = unix.Kill(int(b.pid.Load()), unix.SIGKILL) // it fails if it is gone
	}
}

// maxTold and maxPath bound what is reported of each kind of act.
const maxTold, maxPath = 4, 160

// tell reports an act, once, and of each kind only the first ones: many of one kind hide none of another.
func (b *Box) tell(kind, act string) {
	if b.report == nil || b.told["act "+act] > 0 || b.told[kind] == maxTold {
		return
	}
	b.told["act "+act]++
	if b.told[kind]++; b.told[kind] == maxTold {
		act += ", and more of that kind"
	}
	b.report(act)
}

// system are folders where runtimes look for what may not be there. Reading them says nothing
// about a program, and is not reported.
var system = []string{"/lib", "/lib32", "/lib64", "/usr", "/etc", "/proc", "/sys", "/dev", "/nix", "/opt"}

// harmless are files that runtimes open for writing; Java sets what a core dump contains.
var harmless = []string{"/dev/null", "/dev/tty", "/proc/self/coredump_filter"}

// allows reports whether an act is one that programs may do, or that is not worth telling.
func (b *Box) allows(does, path string) bool {
	below := func(folder string) bool { return strings.HasPrefix(path+"/", folder+"/") }
	switch {
	case slices.Contains(harmless, path) || b.Namespaces && below(folder):
		return true
	case does == "run":
		return path == b.Path
	}
	return does == "read" && (path == b.Path || slices.Contains(b.Read, path) || slices.ContainsFunc(system, below))
}

// path returns the path that a call names. It is not known if the program hides it. Where there is none at the
// address, it is one that is always allowed.
func (b *Box) path(n *notification, argument [2]int) (path string, known bool) {
	text, err := readText(int(n.pid), n.args[argument[1]])
	if err == nil && text != "" && !filepath.IsAbs(text) {
		link := "cwd"
		if argument[0] != here && int32(n.args[argument[0]]) != unix.AT_FDCWD {
			link = fmt.Sprintf("fd/%d", int32(n.args[argument[0]]))
		}
		var folder string
		folder, err = os.Readlink(fmt.Sprintf("/proc/%d/%s", n.pid, link))
		text = filepath.Join(folder, text)
	}
	switch {
	case errors.Is(err, unix.EFAULT) || errors.Is(err, unix.ENOENT) || err == nil && text == "":
		return os.DevNull, true // the call fails
	case err != nil:
		return "a file that it hides", false
	}
	text = filepath.Clean(text)
	return quote.Text(text[:min(len(text), maxPath)]), true
}

// readText reads a string of the program, up to its zero byte. The next page may not be there.
func readText(pid int, address uint64) (text string, err error) {
	data := make([]byte, unix.PathMax)
	first := int(unix.PathMax - address%unix.PathMax)
	n, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &data[0], Len: unix.PathMax}}, []unix.RemoteIovec{
		{Base: uintptr(address), Len: first}, {Base: uintptr(address) + uintptr(first), Len: unix.PathMax - first}}, 0)
	end := bytes.IndexByte(data[:max(n, 0)], 0)
	if err == nil && end < 0 {
		err = unix.ENAMETOOLONG
	}
	return string(data[:max(end, 0)]), err
}
