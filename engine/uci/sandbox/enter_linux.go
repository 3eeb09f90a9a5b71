//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A program that imports this package becomes the contained program when it is started under
// initName. It happens here so that tests of any package can contain engines too.
func init() {
	if len(os.Args) > 1 && os.Args[0] == initName {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", enter(os.Args[1], os.Args[2:]))
		os.Exit(125)
	}
}

// enter gives up what the program must not have, and becomes it. It returns only errors.
//
// Landlock, the filter and the capabilities belong to a thread. The other threads of the Go
// runtime keep theirs, and end when this one becomes the program.
func enter(text string, args []string) error {
	runtime.LockOSThread()
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
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
	if err := unix.Sendmsg(listenerFD, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("sending the listener: %w", err)
	}
	unix.Close(listener)
	unix.Close(listenerFD)
	if err := o.restrictResources(); err != nil { // last: this process itself may need more
		return err
	}
	if o.Path == "" {
		return tryOut(&o)
	}
	for try := 0; ; try++ { // another process that starts just now may hold the file open for writing
		err := syscall.Exec(o.Path, append([]string{o.Path}, args...), nil)
		if !errors.Is(err, unix.ETXTBSY) || try == 40 {
			return fmt.Errorf("%s: %w", o.Path, err)
		}
		time.Sleep(25 * time.Millisecond)
	}
}

// tryOut reports whether the sandbox holds.
func tryOut(o *orders) error {
	if f, err := os.Open("/"); err == nil {
		f.Close()
		return errors.New("files outside of the program's folder can be read")
	}
	if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0); err == nil {
		unix.Close(fd)
		return errors.New("sockets can be opened")
	}
	if err := os.WriteFile("own", nil, 0o600); err != nil {
		return fmt.Errorf("the program's own folder: %w", err)
	}
	fmt.Println(o.Token)
	os.Exit(0)
	return nil
}

// Rights of files.
const (
	toRead  = unix.LANDLOCK_ACCESS_FS_READ_FILE
	toRun   = toRead | unix.LANDLOCK_ACCESS_FS_EXECUTE
	toList  = unix.LANDLOCK_ACCESS_FS_READ_DIR
	toWrite = toRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	toKeep  = toWrite | toList | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
)

// readable are the files and folders that any program may use: shared libraries, and what
// runtimes ask about the processor. Missing ones are left out.
var readable = map[string]uint64{
	"/lib": toRun | toList, "/lib32": toRun | toList, "/lib64": toRun | toList,
	"/usr/lib": toRun | toList, "/usr/lib32": toRun | toList, "/usr/lib64": toRun | toList,
	"/usr/local/lib":           toRun | toList,
	"/nix/store":               toRun | toList,
	"/etc/ld.so.cache":         toRead,
	"/proc/self":               toRead | toList,
	"/proc/cpuinfo":            toRead,
	"/proc/meminfo":            toRead,
	"/proc/stat":               toRead,
	"/dev/null":                toRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE,
	"/dev/zero":                toRead,
	"/dev/random":              toRead,
	"/dev/urandom":             toRead,
	"/sys/kernel/mm":           toRead | toList,
	"/sys/devices/system/cpu":  toRead | toList,
	"/sys/devices/system/node": toRead | toList,
}

// restrictFiles has the kernel refuse this thread all files but those that the program needs.
func restrictFiles(o *orders) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return fmt.Errorf("the kernel has no Landlock, or does not start it: %w; that needs Linux 5.13, and "+
			"landlock among the words of lsm= in the kernel's command line", errno)
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1} // what the first version knows
	for since, right := range map[uintptr]uint64{2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE,
		5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV} {
		if version >= since {
			rules.Handled_access_fs |= right
		}
	}
	if version >= 4 {
		rules.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 6 {
		rules.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(set))
	for path, rights := range readable {
		if err := allow(int(set), path, rights&rules.Handled_access_fs); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	if err := allow(int(set), o.Dir, toKeep&rules.Handled_access_fs); err != nil {
		return err
	}
	if o.Path != "" {
		if err := allow(int(set), o.Path, toRun); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

// allow adds rights for a file, or for a folder and what is below it.
func allow(set int, path string, rights uint64) error {
	if rights == 0 {
		return nil
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer unix.Close(fd)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %s: %w", path, errno)
	}
	return nil
}

// restrictResources sets the limits of the process. It cannot start others, so they are the
// program's. The limit of memory is on what can be written: runtimes reserve much more.
func (l Limits) restrictResources() error {
	for resource, limit := range map[int]uint64{
		unix.RLIMIT_DATA:     uint64(l.Memory) << 20,
		unix.RLIMIT_CPU:      uint64(math.Ceil(l.time().Seconds())),
		unix.RLIMIT_FSIZE:    maxFileSize,
		unix.RLIMIT_NOFILE:   maxOpen,
		unix.RLIMIT_CORE:     0,
		unix.RLIMIT_MEMLOCK:  0,
		unix.RLIMIT_MSGQUEUE: 0,
	} {
		if err := unix.Prlimit(0, resource, &unix.Rlimit{Cur: limit, Max: limit}, nil); err != nil {
			return fmt.Errorf("limit %d of resource %d: %w", limit, resource, err)
		}
	}
	return nil
}
