//go:build !linux

package search

// adviseHugePages does nothing: other systems choose the page size themselves.
func adviseHugePages([]byte) {}
