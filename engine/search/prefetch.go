//go:build amd64 || arm64

package search

import "unsafe"

// prefetch asks the processor to fetch the cache line at p without waiting for it, for
// which Go has no words.
//
//go:noescape
func prefetch(p unsafe.Pointer)
