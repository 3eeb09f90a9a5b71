//go:build soak

package board

import (
	"math"
	"testing"
)

// TestPerftSuitesDeep counts the perft suites deeper than the normal tests.
func TestPerftSuitesDeep(t *testing.T) {
	for _, suite := range perftSuites {
		for _, c := range readPerftEPD(t, "testdata/"+suite.file) {
			c.run(t, 5, math.MaxUint64)
		}
	}
}

// TestPerftDeep counts everything in perft.epd, up to 16 million leaves at once.
func TestPerftDeep(t *testing.T) {
	for _, c := range readPerftEPD(t, "testdata/perft.epd") {
		c.run(t, 16, math.MaxUint64)
	}
}
