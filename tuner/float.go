package tuner

import (
	"encoding/json"
	"math"

	"github.com/assay-chess/assay/tuner/stats"
)

// Float is a number that JSON writes as null where it is not known.
type Float = stats.Float

// unknown is the Float of a number that is not known.
var unknown = Float(math.NaN())

// Interval is an interval of confidence. The zero value says that there is none,
// as null does in JSON.
type Interval [2]float64

// MarshalJSON implements json.Marshaler.
func (i Interval) MarshalJSON() ([]byte, error) {
	if i == (Interval{}) {
		return []byte("null"), nil
	}
	return json.Marshal([2]float64(i))
}
