//go:build unix

package uci

import (
	"os"
	"syscall"
)

// killGroup kills the process and all its children that are still in its group.
func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // it fails only if they have exited
}
