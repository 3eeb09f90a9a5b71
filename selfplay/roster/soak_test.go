//go:build soak

package roster

import (
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// A soak takes all positions of the perft suites, and plays games with limits in time,
// for which the machine must not be busy.
func init() {
	suiteStep = 1
	realLimits = append(realLimits,
		selfplay.Limits{Clock: selfplay.Clock{Base: 800 * time.Millisecond, Increment: 10 * time.Millisecond}},
		selfplay.Limits{MoveTime: 20 * time.Millisecond})
}
