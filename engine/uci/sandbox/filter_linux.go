//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// calls knows the system calls of this processor by name and number.
var calls = func() *arch.Info {
	info, err := arch.GetInfo("")
	if err != nil {
		panic(err) // not on amd64 and arm64
	}
	return info
}()

// allowed are the system calls that engines may make with any arguments. Programs in C with glibc and musl, C++,
// Go, Rust, Java, JavaScript, Python and C#, each of which computed in several threads, made most of them; the
// others are those that the same functions of libraries make on other versions or processors. Each of them reaches
// the program itself alone, or what it has opened, or a name that Landlock and namespaces decide about.
var allowed = strings.Fields(`
	read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range dup dup2 dup3
	pipe pipe2 fstat newfstatat stat lstat statx statfs fstatfs access faccessat faccessat2 readlink readlinkat
	getdents getdents64 getcwd chdir fchdir umask ftruncate fallocate fsync fdatasync fadvise64 readahead flock
	poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
	futex futex_waitv futex_wait futex_wake futex_requeue set_robust_list get_robust_list set_tid_address rseq membarrier
	brk munmap mprotect mremap madvise mincore msync mlock mlock2 munlock mlockall munlockall mseal
	pkey_alloc pkey_free pkey_mprotect mbind get_mempolicy set_mempolicy
	rt_sigaction rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigpending sigaltstack restart_syscall pause
	clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage getcpu
	setitimer getitimer alarm timer_create timer_settime timer_gettime timer_getoverrun timer_delete
	timerfd_create timerfd_settime timerfd_gettime exit exit_group wait4 waitid
	getpid getppid gettid getpgrp getpgid getsid getuid geteuid getresuid getgid getegid getresgid getgroups capget
	getpriority getrlimit setrlimit uname sysinfo getrandom arch_prctl
	sched_yield sched_getaffinity sched_getscheduler sched_getparam sched_getattr sched_rr_get_interval
	sched_get_priority_max sched_get_priority_min`)

// absent are system calls whose arguments no filter sees, and that libraries try before older ones.
var absent = []string{"clone3", "openat2", "io_uring_setup", "pidfd_open", "memfd_secret"}

// What the filter does with a system call.
const (
	pass = unix.SECCOMP_RET_ALLOW
	ask  = unix.SECCOMP_RET_USER_NOTIF                  // the warden decides
	lack = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS) // callers know what to do instead
	full = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOMEM) // it is counted nowhere
	test = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K     // for equality
	bits = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K    // for any of the bits
	mask = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K     // the argument
)

// load loads an argument of the call, of which the kernel uses the low 32 bits.
func load(argument uint32) unix.SockFilter { return loadAt(16 + 8*argument) }

func loadAt(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// skip continues that many instructions further on: yes if the test holds, otherwise no.
func skip(test uint16, k uint32, yes, no int) unix.SockFilter {
	return unix.SockFilter{Code: test, K: k, Jt: uint8(yes), Jf: uint8(no)}
}

// only passes a call if its argument is one of the values.
func only(argument uint32, values ...uint32) (body []unix.SockFilter) {
	body = append(body, load(argument))
	for i, v := range values {
		body = append(body, skip(test, v, len(values)-i, 0))
	}
	return append(body, ret(ask), ret(pass))
}

// filter returns the filter of the process with the id. Where others than the process itself could be meant, it
// takes nothing but its id, or 0.
func filter(pid uint32) (program []unix.SockFilter) {
	program = append(program, loadAt(4), skip(test, uint32(calls.ID), 1, 0), ret(ask), loadAt(0))
	on := func(name string, body ...unix.SockFilter) {
		if number, known := calls.SyscallNames[name]; known { // arm64 lacks older ones
			program = append(append(program, skip(test, uint32(number), 0, len(body))), body...)
		}
	}
	for _, name := range allowed {
		on(name, ret(pass))
	}
	for _, name := range absent {
		on(name, ret(lack))
	}
	const shared = unix.MAP_SHARED | unix.MAP_ANONYMOUS // which no limit counts
	on("mmap", load(3), unix.SockFilter{Code: mask, K: shared}, skip(test, shared, 0, 1), ret(full), ret(pass))
	// With O_ASYNC the kernel signals a process of one's choice.
	on("fcntl", append([]unix.SockFilter{load(1), skip(test, unix.F_SETFL, 0, 4), load(2), skip(bits, unix.O_ASYNC, 0, 1),
		ret(ask), ret(pass)}, only(1, unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL,
		unix.F_GETPIPE_SZ)...)...)
	const fionbio, fioclex, fionclex, tcgets2 = 0x5421, 0x5451, 0x5450, 0x802c542a
	on("ioctl", only(1, unix.TCGETS, tcgets2, unix.TIOCGWINSZ, unix.TIOCINQ, fionbio, fioclex, fionclex)...)
	on("prctl", only(0, unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA, unix.PR_GET_DUMPABLE, unix.PR_CAPBSET_READ,
		unix.PR_SET_THP_DISABLE, unix.PR_GET_THP_DISABLE, unix.PR_SET_TIMERSLACK)...)
	for _, name := range []string{"sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"} {
		on(name, only(0, 0)...)
	}
	on("setpriority", append([]unix.SockFilter{load(0), skip(test, unix.PRIO_PROCESS, 1, 0), ret(ask)}, only(1, 0)...)...)
	on("prlimit64", only(0, 0, pid)...)
	for _, name := range []string{"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"} {
		on(name, only(0, pid)...)
	}
	return append(program, ret(ask))
}

// installFilter gives this thread the filter, and returns the listener that receives its questions.
func installFilter(filters []unix.SockFilter) (listener int, err error) {
	p := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	// Without the last flag some kernels run the program slower.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&p)))
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: %w; the kernel needs seccomp filters, and no other program "+
			"may watch this one's", errno)
	}
	return int(fd), nil
}
