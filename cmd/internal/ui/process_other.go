//go:build !unix

package ui

import (
	"errors"
	"time"
)

// ProcessorTime is not available on this system.
func ProcessorTime() (own, children time.Duration, memory int64) { return 0, 0, 0 }

// SetNice does nothing on this system: use the system's own tools.
func SetNice(n int) error {
	if n < 0 || n > 19 {
		return errors.New("want 0 to 19")
	}
	return nil
}

// ClosedOutput is known on Unix only.
func ClosedOutput() bool { return false }

// CloseOnExec does nothing on this system.
func CloseOnExec() {}
