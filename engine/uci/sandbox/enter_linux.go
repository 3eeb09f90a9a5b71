//go:build amd64 || arm64

package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	landlocked "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// A program that imports this package becomes the contained program when it is started under
// initName. It happens here so that tests of any package can contain engines too.
func init() {
	if args := os.Args; len(args) > 2 && args[1] == initName {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", enter(args[2], args[3:]))
		os.Exit(125)
	}
}

// enter gives up what the program must not have, and becomes it. It returns only errors.
//
// Landlock, the filter and the capabilities belong to a thread. The other threads of the Go
// runtime keep theirs, and end when this one becomes the program.
func enter(text string, args []string) error {
	runtime.LockOSThread()
	debug.SetGCPercent(-1) // its threads
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	if o.Namespaces {
		options := fmt.Sprintf("size=%d,nr_inodes=%d,mode=0700", folderSize, folderFiles+1)
		err := unix.Mount("own", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options)
		if err = cmp.Or(err, os.Chdir(folder)); err != nil {
			return fmt.Errorf("the program's folder: %w", err)
		}
	}
	if err := o.restrictFiles(); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("giving up capabilities: %w", err)
	}
	listener, err := installFilter(filter(uint32(os.Getpid())))
	if err != nil {
		return err
	}
	sent := make(chan error)
	go func() { // on another thread: this one can no longer send
		sent <- unix.Sendmsg(listenerFD, []byte{0}, unix.UnixRights(listener), nil, 0)
	}()
	if err := <-sent; err != nil {
		return fmt.Errorf("sending the listener: %w", err)
	}
	for _, fd := range []int{listener, listenerFD, programFD} {
		unix.Close(fd)
	}
	// This process may need more memory than the program is allowed, so between the limits and that it allocates none.
	path, bad := syscall.BytePtrFromString(o.Path)
	argv, alsoBad := syscall.SlicePtrFromStrings(append([]string{o.Path}, args...))
	environment := []*byte{nil}
	if err := errors.Join(bad, alsoBad, o.restrictResources()); err != nil {
		return err
	}
	if o.Path == "" {
		tryOut()
		os.Exit(0)
	}
	for try := 0; ; try++ { // another process that starts just now may hold the file open for writing
		_, _, errno := syscall.RawSyscall(syscall.SYS_EXECVE, uintptr(unsafe.Pointer(path)),
			uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&environment[0])))
		if errno != syscall.ETXTBSY || try == 40 {
			return fmt.Errorf("%s: %w", o.Path, errno)
		}
		time.Sleep(25 * time.Millisecond)
	}
}

// folder is where a program in namespaces has its own files, in memory. The kernel counts the pages of a file until
// nothing maps it any more, and a link as a file, so nothing gets past the bounds.
const folder = "/own"

// Rights of files.
const (
	toRead  = landlocked.AccessFSReadFile
	toRun   = toRead | landlocked.AccessFSExecute
	toList  = landlocked.AccessFSReadDir
	toWrite = landlocked.AccessFSWriteFile
	toKeep  = toRead | toList | toWrite | landlocked.AccessFSTruncate | landlocked.AccessFSMakeReg |
		landlocked.AccessFSRemoveFile
)

// readable are the files and folders that any program may use: shared libraries and runtimes, what these ask about
// the processor, and what the kernel says about the process and the machine. Missing ones are left out.
var readable = map[landlock.AccessFSSet][]string{
	toRun | toList: {"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/nix/store"},
	toRead | toList: {"/sys/kernel/mm", "/sys/devices/system/cpu", "/sys/devices/system/node",
		"/etc/java-*", "/etc/mono", "/proc/self"},
	toRead: {"/etc/ld.so.cache", "/dev/zero", "/dev/random", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo",
		"/proc/stat"},
	toRead | toWrite: {"/dev/null"},
}

// restrictFiles has the kernel refuse this thread all files but those that the program needs.
func (o *orders) restrictFiles() error {
	rules := []landlock.Rule{landlock.PathAccess(toRead, o.Read...)}
	for rights, paths := range readable {
		rules = append(rules, landlock.PathAccess(rights, existing(paths)...).IgnoreIfMissing())
	}
	if o.Namespaces {
		rules = append(rules, landlock.PathAccess(toKeep, folder))
	}
	if o.Path != "" {
		rules = append(rules, landlock.PathAccess(toRun, o.Path))
	}
	config := landlock.V11
	if o.OldKernel {
		config = landlock.V1
	}
	set, flags, err := config.BestEffort().NewRulesetFD(rules...)
	switch {
	case err != nil:
		return err
	case set < 0:
		return errors.New("the kernel has no Landlock, or does not start it; that needs Linux 5.13, and landlock among " +
			"the words of lsm= in the kernel's command line")
	}
	defer unix.Close(set)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	return landlocked.LandlockRestrictSelf(set, flags)
}

// existing returns the paths that there are in place of patterns.
func existing(patterns []string) (paths []string) {
	for _, p := range patterns {
		found, _ := filepath.Glob(p) // the patterns are ours
		paths = append(paths, found...)
	}
	return paths
}

// restrictResources sets the limits of the process. It cannot start others, so they are the
// program's. The limit of memory is on what can be written: runtimes reserve much more.
func (l Limits) restrictResources() error {
	for _, r := range [][2]uint64{
		{unix.RLIMIT_CPU, uint64(math.Ceil(l.time().Seconds()))},
		{unix.RLIMIT_FSIZE, folderSize},
		{unix.RLIMIT_NOFILE, maxOpen},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_MEMLOCK, 0},
		{unix.RLIMIT_MSGQUEUE, 0},
		{unix.RLIMIT_SIGPENDING, maxThreads}, // of timers too
		{unix.RLIMIT_DATA, uint64(l.Memory) << 20},
	} {
		if err := unix.Prlimit(0, int(r[0]), &unix.Rlimit{Cur: r[1], Max: r[1]}, nil); err != nil {
			return fmt.Errorf("limit %d of resource %d: %w", r[1], r[0], err)
		}
	}
	return nil
}

// calls knows the system calls of this processor by name and number.
var calls, _ = arch.GetInfo("") // it knows amd64 and arm64

// allowed are the system calls that engines may make with any arguments. Programs in C with glibc and musl, C++,
// Go, Rust, Java, JavaScript, Python and C#, with several threads each, made most of them; the
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

// load loads the low 32 bits of an argument of the call: the kernel uses no others of it.
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
	on("socketpair", only(0, unix.AF_UNIX)...) // Java's file channels need one; it is no more than two pipes
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
	// Without the last flag some kernels run the program slower.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]})))
	if errno != 0 {
		err = fmt.Errorf("seccomp: %w; the kernel needs seccomp filters, and no other program may watch this one's", errno)
	}
	return int(fd), err
}

// trialMemory is the memory of a sandbox that is only tried, in MB.
const trialMemory = 256

// trial is an act that must fail inside.
type trial struct {
	act        string
	namespaces bool // it fails only in these
	try        func() error
}

var trials = []trial{
	{"read your files", false, func() error { _, err := os.ReadDir("/"); return err }},
	{"write files", false, func() error { return os.WriteFile("/tmp/assay-sandbox", nil, 0o600) }},
	{"fill the disk", false, func() error { return errors.Join(fill("a"), fill("b")) }},
	{"use the network", false, func() error { _, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0); return err }},
	{"signal other processes", false, func() error { return unix.Kill(os.Getppid(), 0) }},
	{"slow other processes down", false, func() error { return unix.SchedSetaffinity(os.Getppid(), &unix.CPUSet{1}) }},
	{"run other programs", false, func() error { return syscall.Exec("/bin/sh", nil, nil) }},
	{"hold more memory than allowed", false, func() error {
		_, err := unix.Mmap(-1, 0, (trialMemory+1)<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		return err
	}},
	{"see names and sizes of files", true, func() error { _, err := os.Stat("/etc/passwd"); return err }},
}

// fill fills most of the program's folder.
func fill(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return unix.Fallocate(int(f.Fd()), 0, 0, folderSize*3/4)
}

// trialOver begins what a trial prints.
const trialOver = "contained"

// tryOut prints a line for each act that did not fail.
func tryOut() {
	fmt.Println(trialOver)
	for _, t := range trials {
		if t.try() == nil {
			fmt.Println(t.act)
		}
	}
}
