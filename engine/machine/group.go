package machine

import (
	"context"
	"os"
	"os/exec"
	"sync"
)

// Command is exec.CommandContext with a process group of its own, killed as a whole when ctx ends, and on Linux
// when this process does (see Mark). Where there are no process groups, only the program is.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	OwnGroup(cmd)
	cmd.Env = append(os.Environ(), Mark())
	cmd.Cancel = func() error { return KillGroup(cmd.Process) }
	return cmd
}

var starts sync.RWMutex

// Starting notes that a program starts, until done is called.
func Starting() (done func()) {
	starts.RLock()
	return starts.RUnlock
}

// AwaitStarts waits until all programs that are starting have started. A game by the clock begins then: hundreds of
// starts take the processor for longer than such a game has.
func AwaitStarts() {
	starts.Lock()
	defer starts.Unlock()
}
