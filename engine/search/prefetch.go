//go:build amd64 || arm64

package search

import "unsafe"

// prefetch asks the processor to fetch the cache line at p without waiting for it. Go has
// no intrinsic for that.
//
//go:noescape
func prefetch(p unsafe.Pointer)
