package tuner

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
func (f Float) OrZero() float64 { return orZero(float64(f)) }

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
