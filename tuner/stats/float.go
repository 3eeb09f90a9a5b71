package stats

import (
	"encoding/json"
	"math"
)

// Float is a number that JSON writes as null where it is not finite.
type Float float64

// MarshalJSON implements json.Marshaler.
func (f Float) MarshalJSON() ([]byte, error) {
	if v := float64(f); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// UnmarshalJSON implements json.Unmarshaler. It reads null as NaN.
func (f *Float) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = Float(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
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

// unknown is the Float of a number that is not known.
var unknown = Float(math.NaN())
