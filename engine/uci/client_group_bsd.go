//go:build unix && !linux

package uci

import "syscall"

// processAttributes puts the process into a group of its own.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
