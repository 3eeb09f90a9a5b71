//go:build unix

package features

import (
	"os/exec"
	"syscall"
)

// grouped puts the command into a process group of its own, which is killed as one.
func grouped(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
