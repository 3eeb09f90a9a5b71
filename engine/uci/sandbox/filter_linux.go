//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What the filter does with a system call.
const (
	pass = unix.SECCOMP_RET_ALLOW
	ask  = unix.SECCOMP_RET_USER_NOTIF // the warden decides
	kill = unix.SECCOMP_RET_KILL_PROCESS
	deny = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	lack = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS) // callers know what to do instead
	full = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOMEM)
)

// missing are system calls whose arguments a filter cannot see, or that go around it.
var missing = []uint32{unix.SYS_CLONE3, unix.SYS_OPENAT2, unix.SYS_IO_URING_SETUP}

// denied are system calls that an engine does not need: they change the machine, reach other
// processes of the same user, hold memory that no limit counts, or leave the process group.
var denied = append([]uint32{
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET, unix.SYS_SEMGET,
	unix.SYS_MQ_OPEN,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME,
	unix.SYS_SETDOMAINNAME,
	unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT,
	unix.SYS_VHANGUP,
	unix.SYS_PIDFD_OPEN, unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_SETRLIMIT, unix.SYS_SETSID, unix.SYS_SETPGID,
	unix.SYS_FCHMOD, unix.SYS_FCHOWN, unix.SYS_FSETXATTR, unix.SYS_FREMOVEXATTR,
}, deniedHere...)

// Arguments of system calls, as the filter sees them.
func low(arg uint32) uint32  { return 16 + 8*arg }
func high(arg uint32) uint32 { return 20 + 8*arg }

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// skip continues that many instructions further on: yes if the test of k holds, otherwise no.
func skip(test uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, K: k, Jt: yes, Jf: no}
}

// filter returns the filter of the process with the id.
func filter(pid uint32) (program []unix.SockFilter) {
	program = append(program, load(4), skip(unix.BPF_JEQ, architecture, 1, 0), ret(kill),
		load(0), skip(unix.BPF_JGE, 0x40000000, 0, 1), ret(lack)) // other conventions of calling
	on := func(call uint32, body ...unix.SockFilter) {
		program = append(append(program, skip(unix.BPF_JEQ, call, 0, uint8(len(body)))), body...)
	}
	on(unix.SYS_CLONE, load(low(0)), skip(unix.BPF_JSET, unix.CLONE_THREAD, 1, 0), ret(ask), ret(pass))
	for _, call := range []uint32{unix.SYS_KILL, unix.SYS_TGKILL,
		unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO} {
		on(call, load(low(0)), skip(unix.BPF_JEQ, pid, 1, 0), ret(ask), ret(pass))
	}
	// Limits of its own, which it can only lower, and those of others only to ask.
	on(unix.SYS_PRLIMIT64, load(low(0)), skip(unix.BPF_JEQ, 0, 5, 0), load(low(2)), skip(unix.BPF_JEQ, 0, 0, 2),
		load(high(2)), skip(unix.BPF_JEQ, 0, 1, 0), ret(deny), ret(pass))
	const shared = unix.MAP_SHARED | unix.MAP_ANONYMOUS // which no limit counts
	on(unix.SYS_MMAP, load(low(3)), unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: shared},
		skip(unix.BPF_JEQ, shared, 0, 1), ret(full), ret(pass))
	// it has others signalled
	on(unix.SYS_FCNTL, load(low(1)), skip(unix.BPF_JEQ, unix.F_SETOWN, 1, 0),
		skip(unix.BPF_JEQ, unix.F_SETOWN_EX, 0, 1), ret(deny), ret(pass))
	for call := range attempts {
		on(call, ret(ask))
	}
	for _, call := range missing {
		on(call, ret(lack))
	}
	for _, call := range denied {
		on(call, ret(deny))
	}
	return append(program, ret(pass))
}

// installFilter gives this thread the filter, and returns the listener that receives its questions.
func installFilter(program []unix.SockFilter) (listener int, err error) {
	p := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// Without the last flag some kernels run the program slower.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&p)))
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: %w; the kernel needs seccomp filters, and no other program "+
			"may watch this one's", errno)
	}
	return int(fd), nil
}
