package machine

import (
	"context"
	"os/exec"
)

// Command is exec.CommandContext with a process group of its own, all of which is killed when ctx ends.
// Where there are no process groups, only the program is.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	OwnGroup(cmd)
	cmd.Cancel = func() error { return KillGroup(cmd.Process) }
	return cmd
}
