//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

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
	{"fill the disk", false, func() (err error) {
		for _, name := range []string{"a", "b"} {
			f, err := os.Create(name)
			if err != nil {
				return err
			}
			if err := unix.Fallocate(int(f.Fd()), 0, 0, folderSize*3/4); err != nil {
				return err
			}
		}
		return nil
	}},
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

// tryOut prints the acts that did not fail, after a token.
func tryOut(token string) error {
	could := []string{}
	for _, t := range trials {
		if t.try() == nil {
			could = append(could, t.act)
		}
	}
	text, err := json.Marshal(could)
	if err != nil {
		return err
	}
	fmt.Println(token + string(text))
	os.Exit(0)
	return nil
}

// tryBox returns the acts that do not fail in a sandbox.
func tryBox(namespaces bool) (could []string, err error) {
	cmd := exec.Command("/proc/self/exe")
	o := &orders{Limits: Limits{Memory: trialMemory}, Namespaces: namespaces, Token: "contained"}
	b, err := contain(cmd, o, nil)
	if err != nil {
		return nil, err
	}
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Start()
	b.Watch()
	if err == nil {
		err = cmd.Wait()
	}
	b.Close()
	text, whole := strings.CutPrefix(said.String(), o.Token)
	if err == nil && whole {
		err = json.Unmarshal([]byte(text), &could)
	}
	if err != nil || !whole {
		return nil, fmt.Errorf("%s (%v)", strings.TrimSpace(said.String()), err)
	}
	return could, nil
}

// tried is what holds on this system. It is tried once.
var tried = sync.OnceValue(func() (t struct {
	namespaces error // why there are none
	all        error // why there is no sandbox
	holds      []Protection
}) {
	could, err := tryBox(true)
	if t.namespaces = err; err != nil {
		could, err = tryBox(false)
	}
	if err != nil {
		t.all = fmt.Errorf("%w: %w", errUnavailable, err)
		return t
	}
	for _, try := range trials {
		p := Protection{From: try.act}
		switch {
		case !slices.Contains(could, try.act):
		case try.namespaces && t.namespaces != nil:
			p.Not = "there are no namespaces: " + t.namespaces.Error()
		default:
			p.Not = "the kernel does not refuse it"
			t.all = fmt.Errorf("%w: they could %s", errUnavailable, try.act)
		}
		t.holds = append(t.holds, p)
	}
	return t
})

// Available says why programs cannot be contained here; nil: they can. It tries it, once.
func Available() error { return tried().all }

// Protections returns what was tried, if programs can be contained.
func Protections() []Protection { return tried().holds }
