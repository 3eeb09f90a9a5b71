package stats

import (
	"math"

	"github.com/assay-chess/assay/selfplay/sprt"
)

// Float is a number that JSON writes as null where it is not known.
type Float = sprt.Float

// unknown is the Float of a number that is not known.
var unknown = Float(math.NaN())
