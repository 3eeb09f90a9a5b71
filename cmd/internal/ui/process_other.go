//go:build !unix

package ui

import "errors"

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
