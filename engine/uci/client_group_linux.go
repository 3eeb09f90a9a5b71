package uci

import "syscall"

// processAttributes puts the process into its own process group, and has the kernel kill
// it when we are killed and cannot do so any more.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
