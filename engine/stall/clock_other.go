//go:build !linux

package stall

import "time"

func bootTime() time.Duration { return wallTime() }
