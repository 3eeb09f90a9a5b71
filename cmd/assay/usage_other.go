//go:build !unix

package main

import "time"

// processorTime is not available on this system.
func processorTime() (own, children time.Duration, memory int64) { return 0, 0, 0 }
