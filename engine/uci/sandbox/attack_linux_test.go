//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var attacker = sync.OnceValues(func() (path string, err error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", errors.New("no C compiler: install gcc or clang")
	}
	path = filepath.Join(os.TempDir(), "attack")
	if out, err := exec.Command(cc, "-O1", "-pthread", "-o", path, "testdata/attack.c").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// attacks are acts that got out of the first sandbox or past its limits. Each was seen to succeed in it but where
// before says otherwise. What is said and reported are patterns.
var attacks = []struct {
	act, argument  string
	before         string
	says, reported string
	namespaces     bool // they alone hold against it
	folder         bool // it needs a folder, and there is none without namespaces
}{
	{act: "scheduler", argument: "us", before: "other programs of the user got the time that others leave",
		says: "not permitted|No such process", reported: "(use the system call sched_setscheduler)?"},
	{act: "affinity", argument: "us", before: "other programs of the user moved to one core",
		says: "not permitted|No such process", reported: "(use the system call sched_setaffinity)?"},
	{act: "owner", argument: "victim", before: "before Linux 6.12: SIGKILL to any program of the user",
		says: "FIOSETOWN: .*not permitted", reported: "use the system call ioctl"},
	{act: "async", argument: "victim", before: "refused", says: "F_SETOWN: .*not permitted",
		reported: "use the system call fcntl"},
	{act: "signal async", before: "a part of owner", says: "O_ASYNC: .*not permitted",
		reported: "use the system call fcntl"},
	{act: "set signal", before: "a part of owner", says: "F_SETSIG: .*not permitted",
		reported: "use the system call fcntl"},
	{act: "fill", argument: "1024", before: "1,024 MB were resident in a box of 256 MB",
		says: "killed|137", reported: `hold \d+ MB of memory, and was ended`},
	{act: "tables", argument: "820", before: "820 MB of page tables",
		says: "killed|137", reported: `hold \d+ MB of memory, and was ended`},
	{act: "unlinked", argument: "640", before: "640 MB on disk", says: "a page: ", folder: true},
	{act: "nameless", argument: "320", before: "320 MB on disk", says: "fallocate: No space", folder: true},
	{act: "allocate", argument: "200", before: "200 MB on disk", says: "fallocate: No space", folder: true},
	{act: "files", argument: "33", before: "refused", says: "open: No space", folder: true},
	{act: "links", argument: "200", before: "200 names of files", says: "link: .*not permitted",
		folder: true},
	{act: "nodes", argument: "64", before: "64 names of files", says: "mkfifo: .*not permitted",
		reported: "(make /n0)?"}, // none in its folder
	{act: "threads", argument: "3000", before: "3,000 threads", says: "pthread_create: .*unavailable",
		reported: "start more than 512 threads"},
	{act: "hidden", before: "nothing was reported", says: "Permission denied|No such file",
		reported: "use the system call prctl; read /home/secret"},
	{act: "decoys", argument: "16", before: "the last was not reported", says: "Permission denied|No such file",
		reported: "read /home/decoy0; .*read /home/decoy3, and more of that kind; write /home/secret"},
	{act: "look", before: "names, sizes and times of all files", says: "stat: No such file", namespaces: true},
	{act: "watch", before: "when files are used", says: "inotify: .*not permitted",
		reported: "use the system call inotify_init; watch /etc"},
	{act: "local", before: "refused", says: "socket: .*not permitted", reported: "open a socket"},
	{act: "other", before: "the program was ended, and nothing reported", says: "not implemented",
		reported: "make system calls of another processor"},
	{act: "flags", before: "refused", says: "clone: .*not permitted", reported: "start a process"},
	{act: "newest", before: "it passed", says: "not implemented", reported: "use the system call process_madvise"},
}

// In a sandbox no attack succeeds, whether it has namespaces or not, whoever started it, and without what Landlock has
// learned since its first version.
func TestAttacks(t *testing.T) {
	needed(t)
	nobody := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		nobody.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	t.Run("namespaces", func(t *testing.T) {
		if err := tried().namespaces; err != nil {
			t.Skip(err)
		}
		testAttacks(t, orders{Namespaces: true}, &syscall.SysProcAttr{})
	})
	t.Run("other user", func(t *testing.T) { testAttacks(t, orders{OldKernel: true}, nobody) })
}

func testAttacks(t *testing.T, o orders, as *syscall.SysProcAttr) {
	path, err := attacker()
	if err != nil {
		t.Skip(err)
	}
	o.Path, o.Limits = path, &Limits{Memory: minMemory}
	for _, a := range attacks {
		if a.namespaces && !o.Namespaces {
			continue
		}
		t.Run(a.act, func(t *testing.T) {
			if a.act == "other" && exec.Command(path, a.act).Run() != nil {
				t.Skip("this kernel has no system calls of another processor, in a sandbox or outside")
			}
			if a.folder && !o.Namespaces {
				a.says, a.reported = "open: Permission denied|O_TMPFILE: Permission denied", "write /.*"
			}
			victim := exec.Command("sleep", "60")
			victim.SysProcAttr = as
			if err := victim.Start(); err != nil {
				t.Skip(err)
			}
			defer victim.Wait()
			defer victim.Process.Kill()
			switch a.argument {
			case "us":
				a.argument = strconv.Itoa(os.Getpid())
			case "victim":
				a.argument = strconv.Itoa(victim.Process.Pid)
			}
			said, reported := attack(t, o, as, a.act, a.argument)
			if !regexp.MustCompile(a.says).MatchString(said) {
				t.Errorf("it said %q, want %s", said, a.says)
			}
			if all := strings.Join(reported, "; "); !regexp.MustCompile("^(" + a.reported + ")$").MatchString(all) {
				t.Errorf("reported %q, want %s", all, a.reported)
			}
			if err := victim.Process.Signal(unix.Signal(0)); err != nil {
				t.Errorf("another program: %v", err)
			}
		})
	}
}

// attack runs the attacker, with a socket for its standard input on which something arrives. It returns what that
// said and how it ended, and what was reported.
func attack(t *testing.T, o orders, as *syscall.SysProcAttr, args ...string) (said string, reported []string) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	defer ours.Close()
	defer theirs.Close()
	cmd := exec.Command(o.Path, args...)
	b, err := contain(cmd, o, func(act string) { reported = append(reported, act) })
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = theirs, &out, &out, as
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(10 * time.Millisecond):
				_, _ = ours.WriteString("uci\n") // it fails if nobody reads
			}
		}
	}()
	if err = cmd.Wait(); err != nil {
		out.WriteString(err.Error())
	}
	close(ended)
	b.Close()
	return out.String(), reported
}
