//go:build unix

package machine

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup puts a command that has not started into a process group of its own.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillGroup kills the first process of a group, and all processes that are still in it. It fails only if
// they have exited.
func KillGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
