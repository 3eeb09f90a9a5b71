//go:build unix

package group

import (
	"os"
	"os/exec"
	"syscall"
)

// Own puts a command that has not started into a process group of its own.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill kills the first process of a group, and all processes that are still in it. It fails only if
// they have exited.
func Kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
