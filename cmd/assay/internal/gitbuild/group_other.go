//go:build !unix

package gitbuild

import "os/exec"

// ownGroup does nothing: there are no process groups.
func ownGroup(*exec.Cmd) {}
