// Package num has numbers that may be unknown, and products that are the same on every machine.
// No promise of stability.
package num

import (
	"encoding/json"
	"math"
)

// Float is a number that may be unknown (NaN), which JSON writes as null, or infinite, as
// "Infinity" and "-Infinity", names that the number parsers of most languages read.
type Float float64

// Unknown is the Float of a number that is not known.
var Unknown = Float(math.NaN())

// MarshalJSON implements json.Marshaler.
func (f Float) MarshalJSON() ([]byte, error) {
	switch v := float64(f); {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Infinity"`), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Float) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "null":
		*f = Unknown
	case `"Infinity"`:
		*f = Float(math.Inf(1))
	case `"-Infinity"`:
		*f = Float(math.Inf(-1))
	default:
		return json.Unmarshal(text, (*float64)(f))
	}
	return nil
}

// Known reports whether f is a number.
func (f Float) Known() bool { return !math.IsNaN(float64(f)) }

// OrZero returns f, or 0 if it is not known.
func (f Float) OrZero() float64 {
	if f.Known() {
		return float64(f)
	}
	return 0
}

// Rounded returns x. In a sum such as s + Rounded(a*b) it has the product rounded before it is
// added: Go may fuse the two, on some machines and not on others, and then a file would not have
// the same bytes on all of them. The call is inlined and costs nothing.
func Rounded(x float64) float64 { return float64(x) }
