//go:build !amd64 && !arm64

package search

import "unsafe"

// prefetch does nothing on other processors.
func prefetch(unsafe.Pointer) {}
