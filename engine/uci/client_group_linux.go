package uci

import "syscall"

// processAttributes puts the process into a group of its own, and has the kernel kill
// it when we are killed and can do so no longer.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
