package sandbox

import (
	"os"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a program may never do is refused and reported, whether the path that it names can be read or not. Reading
// is left to Landlock, and reported where it is not allowed.
func TestJudge(t *testing.T) {
	var kept [][]byte // so that addresses stay valid
	address := func(path string) uint64 {
		kept = append(kept, append([]byte(path), 0))
		return uint64(uintptr(unsafe.Pointer(&kept[len(kept)-1][0])))
	}
	inside, outside := folder+"/x", "/home/secret"
	for _, c := range []struct {
		call  int32
		args  [6]uint64
		errno unix.Errno
		acts  []string
	}{
		{unix.SYS_SOCKET, [6]uint64{}, unix.EPERM, []string{"open a socket"}},
		{unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, nscdType, 0, 9}, unix.EPERM, nil}, // the last is no argument
		{unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, nscdType, 1}, unix.EPERM, []string{"open a socket"}},
		{unix.SYS_SOCKET, [6]uint64{unix.AF_INET, nscdType}, unix.EPERM, []string{"open a socket"}},
		{unix.SYS_TRUNCATE, [6]uint64{address(outside)}, unix.EPERM, []string{"write " + outside}},
		{unix.SYS_TRUNCATE, [6]uint64{address(inside)}, unix.EPERM, nil},
		{unix.SYS_TRUNCATE, [6]uint64{8}, unix.EPERM, nil},
		{unix.SYS_OPENAT, [6]uint64{unix.AT_FDCWD & 0xffffffff, address(inside)}, 0, nil},
		{unix.SYS_OPENAT, [6]uint64{unix.AT_FDCWD & 0xffffffff, address("/etc/hosts")}, 0, nil},
		{unix.SYS_OPENAT, [6]uint64{unix.AT_FDCWD & 0xffffffff, address(outside)}, 0, []string{"read " + outside}},
		{unix.SYS_OPENAT, [6]uint64{unix.AT_FDCWD & 0xffffffff, 8}, 0, nil},
		{unix.SYS_OPENAT, [6]uint64{unix.AT_FDCWD & 0xffffffff, address(outside), unix.O_WRONLY}, 0,
			[]string{"write " + outside}},
		{unix.SYS_OPENAT, [6]uint64{unix.AT_FDCWD & 0xffffffff, address(inside), unix.O_TRUNC}, unix.EPERM, nil},
	} {
		var acts []string
		w := &Box{orders: orders{Namespaces: true}, told: map[string]int{},
			report: func(act string) { acts = append(acts, act) }}
		n := &notification{pid: uint32(os.Getpid()), call: c.call, args: c.args, arch: uint32(calls.ID)}
		for range 2 {
			if errno := w.judge(n); errno != c.errno {
				t.Errorf("call %d %v: %v, want %v", c.call, c.args, errno, c.errno)
			}
		}
		if !slices.Equal(acts, c.acts) {
			t.Errorf("call %d %v: reported %q, want %q", c.call, c.args, acts, c.acts)
		}
	}
	runtime.KeepAlive(kept)
}

// A path may cross into the next page, and end just before one that is not there.
func TestReadText(t *testing.T) {
	pages, err := unix.Mmap(-1, 0, 3*unix.PathMax, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	copy(pages[unix.PathMax-2:], "/etc/hosts\x00")
	copy(pages[2*unix.PathMax-5:], "/end\x00no end")
	if err := unix.Mprotect(pages[2*unix.PathMax:], unix.PROT_NONE); err != nil {
		t.Skip(err) // pages are larger here
	}
	for at, want := range map[int]string{unix.PathMax - 2: "/etc/hosts", 2*unix.PathMax - 5: "/end"} {
		if text, err := readText(os.Getpid(), uint64(uintptr(unsafe.Pointer(&pages[at])))); err != nil || text != want {
			t.Errorf("%q, %v, want %q", text, err, want)
		}
	}
}
