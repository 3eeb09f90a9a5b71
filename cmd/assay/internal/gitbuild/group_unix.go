//go:build unix

package gitbuild

import (
	"os/exec"
	"syscall"
)

// ownGroup has all processes that the command starts killed with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
