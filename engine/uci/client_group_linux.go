package uci

import (
	"os/exec"
	"syscall"
)

// endWithUs has the kernel kill a process in a group of its own when this process is killed, and cannot
// do so any more.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
