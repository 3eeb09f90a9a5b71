//go:build !unix

package machine

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing: there are no process groups.
func OwnGroup(*exec.Cmd) {}

// KillGroup kills the process. It fails only if it has exited.
func KillGroup(p *os.Process) error { return p.Kill() }
