//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempt is a system call that a warden looks at before the kernel does.
type attempt struct {
	does  string   // for the report: what the program tries
	paths [][2]int // arguments: the folder's descriptor, or here, and the path
	flags int      // for opening: the argument with the flags
	never bool     // the warden refuses it; otherwise Landlock decides, and the warden only reports
}

// here stands for the current folder in place of a descriptor.
const here = -1

// opening stands for reading or writing, depending on the flags.
const opening = "open"

// attempts are the calls that a warden looks at.
var attempts = func() map[uint32]attempt {
	all := map[uint32]attempt{
		unix.SYS_OPENAT:    {does: opening, paths: [][2]int{{0, 1}}, flags: 2},
		unix.SYS_MKDIRAT:   {does: "make", paths: [][2]int{{0, 1}}},
		unix.SYS_UNLINKAT:  {does: "delete", paths: [][2]int{{0, 1}}},
		unix.SYS_RENAMEAT:  {does: "rename", paths: [][2]int{{0, 1}, {2, 3}}},
		unix.SYS_RENAMEAT2: {does: "rename", paths: [][2]int{{0, 1}, {2, 3}}},
		unix.SYS_LINKAT:    {does: "link", paths: [][2]int{{0, 1}, {2, 3}}},
		unix.SYS_SYMLINKAT: {does: "make", paths: [][2]int{{1, 2}}},
		unix.SYS_MKNODAT:   {does: "make", paths: [][2]int{{0, 1}}},
		// Landlock checks it since its third version
		unix.SYS_TRUNCATE:    {does: "write", paths: [][2]int{{here, 0}}, never: true},
		unix.SYS_SOCKET:      {does: "open a socket", never: true},
		unix.SYS_CLONE:       {does: "start a process", never: true},
		unix.SYS_TKILL:       {does: "signal another process"},
		unix.SYS_KILL:        {does: "signal another process", never: true},
		unix.SYS_TGKILL:      {does: "signal another process", never: true},
		unix.SYS_PTRACE:      {does: "trace another process", never: true},
		unix.SYS_PIDFD_GETFD: {does: "reach into another process", never: true},

		unix.SYS_RT_SIGQUEUEINFO:   {does: "signal another process", never: true},
		unix.SYS_RT_TGSIGQUEUEINFO: {does: "signal another process", never: true},
		unix.SYS_PIDFD_SEND_SIGNAL: {does: "signal another process", never: true},
		unix.SYS_PROCESS_VM_READV:  {does: "reach into another process", never: true},
		unix.SYS_PROCESS_VM_WRITEV: {does: "reach into another process", never: true},
	}
	for _, call := range []uint32{unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
		unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT} {
		// Landlock does not look at owners, rights and times
		all[call] = attempt{does: "change", paths: [][2]int{{0, 1}}, never: true}
	}
	for _, call := range []uint32{unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR} {
		all[call] = attempt{does: "change", paths: [][2]int{{here, 0}}, never: true}
	}
	maps.Copy(all, oldAttempts)
	return all
}()

// warden answers for the filter of one program.
type warden struct {
	program  string // its path
	dir      string // its folder
	listener int
	report   func(act string)
	reported map[string]bool
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

// serve answers until the program has ended.
func (w *warden) serve() {
	for {
		poll := []unix.PollFd{{Fd: int32(w.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err == unix.EINTR {
			continue
		} else if err != nil || poll[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notification
		if !control(w.listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) {
			continue // a signal interrupted the call
		}
		r := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if errno := w.judge(&n); errno != 0 {
			r.flags, r.error = 0, -int32(errno)
		}
		control(w.listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
	}
}

func control(fd int, request uintptr, argument unsafe.Pointer) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(argument))
	return errno == 0
}

// judge returns the error of a call; 0: the kernel makes the call, and Landlock decides. What
// a path says is only for the report, since the program can change it at any time.
func (w *warden) judge(n *notification) unix.Errno {
	a := attempts[uint32(n.call)]
	flags := uint64(0)
	if a.does == opening {
		flags = n.args[a.flags]
		a.does = "read"
		if flags&(unix.O_WRONLY|unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC) != 0 {
			a.does = "write"
		}
	}
	makes := flags&unix.O_CREAT != 0 || n.call == createCall
	if makes && w.full() {
		w.reportOnce(fmt.Sprintf("keep more than %d files", maxFiles))
		return unix.ENOSPC
	}
	for _, p := range a.paths {
		if path, known := w.path(n, p); !known && a.never || known && !w.allowed(a.does, path) {
			w.reportOnce(a.does + " " + path)
		}
	}
	if flags&unix.O_TRUNC != 0 && flags&(unix.O_WRONLY|unix.O_RDWR) == 0 {
		return unix.EPERM // Landlock does not see it before its third version
	}
	switch {
	case n.call == unix.SYS_TKILL && w.ownThread(n):
		return 0
	case len(a.paths) == 0:
		w.reportOnce(a.does)
		return unix.EPERM
	case a.never:
		return unix.EPERM
	}
	return 0
}

// full reports whether the folder has as many files as it may have.
func (w *warden) full() bool {
	entries, err := os.ReadDir(w.dir)
	return err != nil || len(entries) >= maxFiles
}

// ownThread reports whether a signal is for a thread of the program.
func (w *warden) ownThread(n *notification) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", n.pid, n.args[0]))
	return err == nil
}

// maxActs and maxPath bound what is reported about one process.
const maxActs, maxPath = 16, 160

// reportOnce reports an act, once.
func (w *warden) reportOnce(act string) {
	if !w.reported[act] && len(w.reported) < maxActs {
		w.reported[act] = true
		w.report(act)
	}
}

// system are folders where runtimes look for what may not be there. Reading them says nothing
// about a program, and is not reported.
var system = []string{"/lib", "/lib32", "/lib64", "/usr", "/etc", "/proc", "/sys", "/dev", "/nix", "/opt"}

// allowed reports whether an act is one that programs may do, or that is not worth telling.
func (w *warden) allowed(does, path string) bool {
	if below(path, w.dir) || path == w.program || path == "/dev/null" || path == "/dev/tty" {
		return true
	}
	if does == "read" {
		for _, folder := range system {
			if below(path, folder) {
				return true
			}
		}
	}
	return false
}

func below(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// path returns the path that a call names, as far as it can be found out.
func (w *warden) path(n *notification, argument [2]int) (path string, known bool) {
	text, ok := readText(int(n.pid), n.args[argument[1]])
	if !ok || text == "" {
		return "a file", false
	}
	if !filepath.IsAbs(text) {
		link := fmt.Sprintf("/proc/%d/cwd", n.pid)
		if argument[0] != here && int32(n.args[argument[0]]) != unix.AT_FDCWD {
			link = fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(n.args[argument[0]]))
		}
		folder, err := os.Readlink(link)
		if err != nil {
			return "a file", false
		}
		text = filepath.Join(folder, text)
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
func readText(pid int, address uint64) (text string, ok bool) {
	var data []byte
	for len(data) < unix.PathMax {
		part := make([]byte, 256-address%256) // never across the end of a page
		n, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &part[0], Len: uint64(len(part))}},
			[]unix.RemoteIovec{{Base: uintptr(address), Len: len(part)}}, 0)
		if err != nil || n <= 0 {
			return "", false
		}
		if end := bytes.IndexByte(part[:n], 0); end >= 0 {
			return string(append(data, part[:end]...)), true
		}
		data, address = append(data, part[:n]...), address+uint64(n)
	}
	return "", false
}
