//go:build unix

package uci

import (
	"os"
	"syscall"
)

// killGroup kills the process and all it has started that is still in its group.
func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // it fails if they are gone, which is the aim
}
