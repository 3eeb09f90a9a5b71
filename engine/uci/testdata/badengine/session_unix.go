//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

func newSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// sendSelf sends this process a signal that ends it, as if its default action had happened.
func sendSelf(s syscall.Signal) {
	if s == syscall.SIGKILL {
		_ = syscall.Kill(syscall.Getpid(), s)
		return
	}
	// The Go runtime catches signals such as SIGSEGV; a shell in our place does not.
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", fmt.Sprintf("kill -%d $$", int(s))}, os.Environ())
}

func stopSelf() { _ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP) }
