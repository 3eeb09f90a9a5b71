//go:build experiment

package sprt

import "testing"

// Tests of hypotheses that are close together, as used for engines, take 25,000 games
// each: minutes.
//
//	go test -tags experiment ./selfplay/sprt -run ErrorRatesOfClose -v
func TestErrorRatesOfCloseHypotheses(t *testing.T) {
	errorRates(t, 5, 1200)
	errorRates(t, 50, 6000)
}
