//go:build !unix

package uci

import (
	"os"
	"syscall"
)

// processAttributes asks for nothing: there are no process groups.
func processAttributes() *syscall.SysProcAttr { return nil }

// killGroup kills the process.
func killGroup(p *os.Process) {
	_ = p.Kill() // it fails if it is gone, which is the aim
}
