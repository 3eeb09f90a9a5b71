//go:build unix && !linux

package uci

import "syscall"

// processAttributes puts the process into its own process group.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
