//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocked "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// A program that imports this package becomes the contained program when it is started under
// initName. It happens here so that tests of any package can contain engines too.
func init() {
	args := os.Args
	if len(args) > 2 && args[1] == initName { // bubblewrap names the program itself
		args = args[1:]
	}
	if len(args) > 1 && args[0] == initName {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", enter(args[1], args[2:]))
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
		if err := makeFolder(); err != nil {
			return err
		}
	}
	if err := restrictFiles(&o); err != nil {
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
	if o.Path == "" {
		if err := o.restrictResources(); err != nil {
			return err
		}
		return tryOut(o.Token)
	}
	return o.become(args)
}

// become becomes the program. This process itself may need more memory than the program is allowed, so between the
// limits and that it allocates none.
func (o *orders) become(args []string) error {
	path, err := syscall.BytePtrFromString(o.Path)
	if err != nil {
		return err
	}
	argv, err := syscall.SlicePtrFromStrings(append([]string{o.Path}, args...))
	if err != nil {
		return err
	}
	environment := []*byte{nil}
	if err := o.restrictResources(); err != nil {
		return err
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

// folder is where a program in namespaces has its own files, in memory.
const folder = "/own"

// makeFolder makes the program's folder. The kernel counts the pages of a file until nothing maps it any more, and a
// link as a file, so nothing gets past these bounds.
func makeFolder() error {
	options := fmt.Sprintf("size=%d,nr_inodes=%d,mode=0700", folderSize, folderFiles+1)
	err := unix.Mount("own", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options)
	if err == nil {
		err = os.Chdir(folder)
	}
	if err != nil {
		return fmt.Errorf("the program's folder: %w", err)
	}
	return nil
}

// Rights of files.
const (
	toRead  = landlocked.AccessFSReadFile
	toRun   = toRead | landlocked.AccessFSExecute
	toList  = landlocked.AccessFSReadDir
	toWrite = landlocked.AccessFSWriteFile
	toKeep  = toRead | toList | toWrite | landlocked.AccessFSTruncate | landlocked.AccessFSMakeReg |
		landlocked.AccessFSRemoveFile
)

// readable are the files and folders that any program may use: shared libraries and runtimes, and
// what these ask about the processor. Missing ones are left out.
var readable = map[landlock.AccessFSSet][]string{
	toRun | toList: {"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/nix/store"},
	toRead | toList: {"/sys/kernel/mm", "/sys/devices/system/cpu", "/sys/devices/system/node",
		"/etc/java-*", "/etc/mono"},
	toRead:           {"/etc/ld.so.cache", "/dev/zero", "/dev/random", "/dev/urandom"},
	toRead | toWrite: {"/dev/null"},
}

// ownFacts are what the kernel says about the process and the machine.
var ownFacts = map[landlock.AccessFSSet][]string{
	toRead | toList: {"/proc/self"},
	toRead:          {"/proc/cpuinfo", "/proc/meminfo", "/proc/stat"},
}

// restrictFiles has the kernel refuse this thread all files but those that the program needs.
func restrictFiles(o *orders) error {
	rules := []landlock.Rule{landlock.PathAccess(toRead, o.Files...)}
	for _, list := range []map[landlock.AccessFSSet][]string{readable, ownFacts} {
		for rights, paths := range list {
			rules = append(rules, landlock.PathAccess(rights, existing(paths)...).IgnoreIfMissing())
		}
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
	if err != nil {
		return err
	}
	if set < 0 {
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
	for _, r := range []struct {
		resource int
		limit    uint64
	}{
		{unix.RLIMIT_CPU, uint64(math.Ceil(l.time().Seconds()))},
		{unix.RLIMIT_FSIZE, folderSize},
		{unix.RLIMIT_NOFILE, maxOpen},
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_MEMLOCK, 0},
		{unix.RLIMIT_MSGQUEUE, 0},
		{unix.RLIMIT_SIGPENDING, maxThreads}, // of timers too
		{unix.RLIMIT_DATA, uint64(l.Memory) << 20},
	} {
		if err := unix.Prlimit(0, r.resource, &unix.Rlimit{Cur: r.limit, Max: r.limit}, nil); err != nil {
			return fmt.Errorf("limit %d of resource %d: %w", r.limit, r.resource, err)
		}
	}
	return nil
}
