//go:build !linux

package search

// adviseHugePages does nothing here: other systems choose the size of pages themselves.
func adviseHugePages([]byte) {}
