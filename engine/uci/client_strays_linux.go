package uci

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-chess/assay/engine/machine"
)

// endWithUs has the kernel kill a process in a group of its own when this process is killed, and cannot
// do so any more.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

// awaitExit waits until the process has exited, without reaping it. It returns false if
// that cannot be found out.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

// strays are processes that an engine started and that have left its process group. They
// are found in two ways: by a variable in their environment, and, if they cleared that, as
// descendants of the engine after its start and before its end.
//
// Linux makes us the parent of processes whose own parent has died, instead of process 1.
// We kill and reap the engine's one by one, by id: other children of this process
// are left alone, to os/exec for example.
type strays struct {
	mark string
	mu   sync.Mutex
	seen map[int]string // start times of the engine's descendants by process id
}

func newStrays() *strays {
	// It stays set for this process. If it fails, strays go to process 1 and stay.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return &strays{mark: machine.Mark() + rand.Text(), seen: map[int]string{}}
}

func (s *strays) environment() []string { return append(os.Environ(), s.mark) }

// note finds the descendants of the engine, which is still running.
func (s *strays) note(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.descend(pid)
}

func (s *strays) descend(pid int) {
	for _, child := range childrenOf(pid) {
		if _, known := s.seen[child]; known {
			continue
		}
		if st, ok := readStat(child); ok {
			s.seen[child] = st.started
			s.descend(child)
		}
	}
}

// strayTimeout bounds how long end waits for killed processes.
const strayTimeout = 500 * time.Millisecond

// end kills and reaps the processes that the engine, already reaped, left behind.
func (s *strays) end(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pause := time.Millisecond
	for until := time.Now().Add(strayTimeout); ; time.Sleep(pause) {
		left := 0
		for child, started := range s.seen {
			if st, ok := readStat(child); !ok || st.started != started {
				delete(s.seen, child) // gone
			} else if st.state != 'Z' {
				_ = unix.Kill(child, unix.SIGKILL)
				left++
			}
		}
		for _, child := range orphans() {
			if child == pid || !s.has(child, pid) {
				continue
			}
			left++
			_ = unix.Kill(child, unix.SIGKILL)
			_, _ = unix.Wait4(child, nil, unix.WNOHANG, nil) // it may take until the next round
		}
		if left == 0 || time.Now().After(until) {
			return
		}
		pause = min(2*pause, 20*time.Millisecond)
	}
}

// has reports whether one of our children was started by the engine with the id.
func (s *strays) has(child, engine int) bool {
	st, ok := readStat(child)
	if !ok {
		return false
	}
	if started, seen := s.seen[child]; seen && started == st.started || st.group == engine {
		return true
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", child))
	if err == nil && bytes.Contains(environ, []byte(s.mark)) {
		s.seen[child] = st.started // a zombie has no environment
		return true
	}
	return false
}

// childrenOf returns the children of all threads of a process.
func childrenOf(pid int) (list []int) {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range names {
		list = append(list, childrenIn(name)...)
	}
	return list
}

// orphans returns the processes that Linux has made our children: it gives them to our first thread, which starts
// no engines. Each engine has a thread: reading the lists of all would take longer than the games.
func orphans() []int {
	pid := os.Getpid()
	return childrenIn(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
}

// childrenIn returns the children that a file of a thread lists; none if the thread has ended.
func childrenIn(name string) (list []int) {
	text, _ := os.ReadFile(name)
	for word := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(word); err == nil {
			list = append(list, child)
		}
	}
	return list
}

// stat is what /proc says about a process.
type stat struct {
	state   byte
	group   int
	started string // together with its id this identifies a process
}

func readStat(pid int) (stat, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, false
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // from the third on
	if len(fields) < 20 {
		return stat{}, false
	}
	group, err := strconv.Atoi(fields[2])
	return stat{state: fields[0][0], group: group, started: fields[19]}, err == nil
}
