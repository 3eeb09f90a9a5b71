//go:build unix

package features

import (
	"os/exec"
	"syscall"
)

// grouped starts the command in its own process group, so that its children are killed with
// it.
func grouped(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
