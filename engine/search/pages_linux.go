package search

import "golang.org/x/sys/unix"

// adviseHugePages asks for memory in pages of 2 MiB: a probe of the transposition table
// then seldom waits for the page's address as well. Where the kernel declines, nothing is
// lost but time.
func adviseHugePages(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
