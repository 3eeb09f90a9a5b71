//go:build !unix

package main

import (
	"errors"
	"time"
)

// processorTime is not available on this system.
func processorTime() (own, children time.Duration, memory int64) { return 0, 0, 0 }

// setNice does nothing on this system: use the system's own tools.
func setNice(n int) error {
	if n < 0 || n > 19 {
		return errors.New("want 0 to 19")
	}
	return nil
}

// closedOutput is known on Unix only.
func closedOutput() bool { return false }
