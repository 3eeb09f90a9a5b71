//go:build !unix

package uci

import (
	"os"
	"syscall"
)

// processAttributes returns nil: there are no process groups.
func processAttributes() *syscall.SysProcAttr { return nil }

// killGroup kills the process.
func killGroup(p *os.Process) {
	_ = p.Kill() // it fails only if the process has exited
}
