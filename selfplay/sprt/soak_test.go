//go:build soak

package sprt

func init() { moreRuns = 8 }
