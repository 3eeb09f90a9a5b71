package machine

import (
	"context"
	"os"
	"os/exec"
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
