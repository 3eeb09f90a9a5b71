//go:build !linux

package main

import "errors"

// setNice does nothing on this system: use the system's own tools.
func setNice(n int) error {
	if n < 0 || n > 19 {
		return errors.New("want 0 to 19")
	}
	return nil
}
