//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// needed skips a test where the system has no sandbox, and says what is missing.
func needed(t *testing.T) {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
}

var rogue = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(os.TempDir(), "engine")
	if out, err := exec.Command("go", "build", "-o", path, "../testdata/nullengine").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// TestMain makes a folder for programs that other users run.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		panic(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// try has a contained program try an act. It returns what the program said, how it ended,
// and what was reported.
func try(t *testing.T, l Limits, act, argument string) (said string, reported []string, err error) {
	t.Helper()
	path, err := rogue()
	if err != nil {
		t.Fatal(err)
	}
	return run(t, l, path, "try", act, "="+argument) // not a file: it could read that
}

func run(t *testing.T, l Limits, path string, args ...string) (said string, reported []string, err error) {
	t.Helper()
	cmd := exec.Command(path, args...)
	b, err := l.Contain(cmd, func(act string) { reported = append(reported, act) })
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	b.Close()
	return strings.TrimSpace(string(out)), reported, err
}

// refused is what the system says about files that a program may not use.
const refused = "permission denied|no such file|read-only|cross-device"

// What a contained program tries: each act succeeds without the sandbox.
func TestContained(t *testing.T) {
	needed(t)
	home := t.TempDir()
	secret := filepath.Join(home, "id_ed25519")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ASSAY_TOKEN", "secret")
	outside := filepath.Join(home, "new")
	for _, c := range []struct{ act, argument, says, reported string }{
		{"write", outside, refused, "write " + outside},
		{"write", secret, refused, "write " + secret},
		{"write", "../new", refused, "write /new"},
		{"read", secret, refused, "read " + secret},
		{"read", "/etc/hostname", refused, ""},
		{"delete", secret, refused, "delete " + secret},
		{"rights", secret, "not permitted", "change " + secret},
		{"cut", secret, "not permitted", "write " + secret},
		{"empty", secret, "not permitted", "write " + secret},
		{"rename", secret, refused, "rename " + secret},
		{"child", "/bin/true", "not permitted", "start a process"},
		{"signal", strconv.Itoa(os.Getpid()), "not permitted", "signal another process"},
		{"socket", "", "not permitted", "open a socket"},
		{"environment", "", "empty", ""},
		{"memory", "2000", "memory|SIGSEGV", ""}, // Go's collector does not survive every allocation that fails
		{"shared memory", "1", "cannot allocate", ""},
		{"time", "20s", "", ""},
	} {
		t.Run(c.act, func(t *testing.T) {
			said, reported, err := try(t, Limits{Memory: 256, Time: time.Second}, c.act, c.argument)
			if err == nil || !regexp.MustCompile(c.says).MatchString(said) {
				t.Errorf("it ended with %v and said %q, want %q", err, said, c.says)
			}
			if all := strings.Join(reported, "; "); all != c.reported {
				t.Errorf("reported %q, want %q", all, c.reported)
			}
		})
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("%q, %v", data, err)
	}
	if info, err := os.Stat(secret); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// What engines need is not refused, and not reported.
func TestAllowed(t *testing.T) {
	needed(t)
	for _, c := range []struct{ act, argument string }{
		{"write", "engine.log"},
		{"files", "16"},
		{"memory", "64"},
		{"read", "/proc/cpuinfo"},
		{"read", "/dev/null"},
		{"size", strconv.Itoa(folderSize / 2)},
	} {
		if tried().namespaces != nil && slices.Contains([]string{"write", "files", "size"}, c.act) {
			continue // there is no folder
		}
		if said, reported, err := try(t, Limits{Memory: 256}, c.act, c.argument); err != nil ||
			said != "done" || len(reported) > 0 {
			t.Errorf("%s %s: %v, %q, reported %q", c.act, c.argument, err, said, reported)
		}
	}
}

// A runtime that asks for the user's name is refused without a report; a socket that a script opens is reported.
func TestRuntimes(t *testing.T) {
	needed(t)
	const python = "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		t.Skip("no Python: install python3")
	}
	for _, c := range []struct{ code, says, reported string }{
		{"import pwd; pwd.getpwuid(0)", "uid not found", ""},
		{"import _socket; _socket.socketpair(); print('a pair')", "a pair", ""},
		{"import _socket; _socket.socketpair(2)", "not permitted", "use the system call socketpair"},
		{"import socket; socket.socket(socket.AF_UNIX)", "not permitted", "open a socket"},
		{"import socket; socket.socket(socket.AF_INET, 2, 17)", "not permitted", "open a socket"},
	} {
		said, reported, _ := run(t, Limits{Memory: 256}, python, "-c", c.code) // each ends with an exception
		if all := strings.Join(reported, "; "); !strings.Contains(said, c.says) || all != c.reported {
			t.Errorf("%s: it said %q, want %s; reported %q, want %q", c.code, said, c.says, all, c.reported)
		}
	}
}

func TestLimitsThatAreNone(t *testing.T) {
	for _, l := range []Limits{{}, {Memory: 8}, {Memory: 1 << 30}, {Memory: 64, Time: time.Millisecond}} {
		if _, err := l.Contain(exec.Command("engine"), nil); err == nil ||
			!strings.Contains(err.Error(), "want") && Available() == nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// The clock of a process is its processor time.
func TestExhausted(t *testing.T) {
	needed(t)
	for limits, want := range map[*Limits]bool{{Time: time.Nanosecond, Memory: 1 << 20}: true,
		{Time: 1000 * time.Hour, Memory: 1 << 20}: false, {Time: 1000 * time.Hour, Memory: 1}: true} {
		b := &Box{orders: orders{Limits: limits}}
		if b.pid.Store(int32(os.Getpid())); b.Exhausted() != want {
			t.Errorf("%v: %v", limits, !want)
		}
	}
	if (*Box)(nil).Exhausted() || new(Box).Exhausted() {
		t.Error("what does not run is exhausted")
	}
}

// A level that is required holds or is refused, with the reason.
func TestRequire(t *testing.T) {
	if err := Require("perfect"); err == nil || !strings.Contains(err.Error(), "want contained or isolated") {
		t.Error(err)
	}
	needed(t)
	if err := Require(Contained); err != nil {
		t.Error(err)
	}
	missing := ""
	for _, p := range Protections() {
		missing += p.Not
	}
	if err := Require(Isolated); (err == nil) != (missing == "") {
		t.Errorf("%v, although %q", err, missing)
	}
}
