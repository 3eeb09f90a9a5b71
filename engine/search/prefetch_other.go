//go:build !amd64 && !arm64

package search

import "unsafe"

// prefetch does nothing on this machine.
func prefetch(unsafe.Pointer) {}
