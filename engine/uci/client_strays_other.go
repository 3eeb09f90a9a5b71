//go:build !linux

package uci

import "os/exec"

// endWithUs does nothing: only Linux can end a process with the one that started it.
func endWithUs(*exec.Cmd) {}

// awaitExit reports whether the process has exited. Here it cannot be found out without
// giving up the process's id.
func awaitExit(int) bool { return false }

// strays are processes that an engine started and that have left its process group. Here
// they cannot be found, and outlive the engine.
type strays struct{}

func newStrays() *strays { return &strays{} }

func (*strays) environment() []string { return nil }
func (*strays) note(int)              {}
func (*strays) end(int)               {}
