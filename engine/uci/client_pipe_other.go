//go:build !linux

package uci

import (
	"fmt"
	"os"
	"time"
)

// ourEnd returns our end of a pipe.
func ourEnd(f *os.File) (pipe, error) {
	if err := f.SetReadDeadline(time.Time{}); err != nil {
		return f, fmt.Errorf("external engines need pipes with deadlines, which this system lacks: %w", err)
	}
	return f, nil
}
