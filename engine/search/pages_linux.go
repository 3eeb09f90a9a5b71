package search

import "golang.org/x/sys/unix"

// adviseHugePages asks the kernel to use pages of 2 MiB, so that probes of the
// transposition table rarely miss the TLB. If the kernel declines, probes are only slower.
func adviseHugePages(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
