//go:build !unix

package group

import (
	"os"
	"os/exec"
)

// Own does nothing: there are no process groups.
func Own(*exec.Cmd) {}

// Kill kills the process. It fails only if it has exited.
func Kill(p *os.Process) error { return p.Kill() }
