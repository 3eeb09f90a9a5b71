//go:build !linux

package machine

import (
	"errors"
	"time"
)

// errUnsupported says that threads cannot be pinned on this system.
var errUnsupported = errors.New("pinning to processor cores needs Linux")

// AllowedCores returns errUnsupported.
func AllowedCores() ([]int, error) { return nil, errUnsupported }

// Claim returns errUnsupported.
func Claim(int) (list []int, release func(), err error) { return nil, nil, errUnsupported }

// PinProcess returns false.
func PinProcess(pid, core int) bool { return false }

// Pin returns errUnsupported.
func Pin(int) (release func(), err error) { return nil, errUnsupported }

// Mark returns a variable for the environment of programs. Here it changes nothing: a program that outlives this
// process ends when its input does.
func Mark() string { return "ASSAY_ENGINE=" }

func machineCores() int { return 0 }

func runnable() (int, bool) { return 0, false }

func bootTime() time.Duration { return wallTime() }
