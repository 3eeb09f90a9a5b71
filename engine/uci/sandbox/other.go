//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"fmt"
	"os/exec"
	"runtime"
)

// Available says why programs cannot be contained here.
func Available() error {
	return fmt.Errorf("%w: that needs Linux on amd64 or arm64, and this is %s/%s",
		errUnavailable, runtime.GOOS, runtime.GOARCH)
}

// Protections returns none.
func Protections() []Protection { return nil }

// Contain returns Available's error, or nothing if there are no limits.
func (l *Limits) Contain(*exec.Cmd, func(act string)) (*Box, error) {
	if l == nil {
		return nil, nil
	}
	return nil, Available()
}

// Box is the surroundings of one contained program, of which there are none here.
type Box struct{}

func (*Box) Close()              {}
func (*Box) Pid(started int) int { return started }
func (*Box) Exhausted() bool     { return false }
