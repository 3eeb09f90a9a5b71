package sprt

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// ErrTest is wrapped by every error about a test that cannot be run.
var ErrTest = errors.New("impossible test")

// maxElo bounds hypotheses and true Elo, of either sign.
const maxElo = 1000

// Model is the unit of Elo that a test's hypotheses are in.
type Model uint8

const (
	// Normalized Elo is the mean score above 1/2 in standard deviations of a
	// game, times 800/ln 10. A test in it takes about the same number of games
	// whatever the share of draws.
	Normalized Model = iota
	// Logistic Elo is the Elo of the expected score.
	Logistic
)

var modelNames = [...]string{"normalized", "logistic"}

// String is the name that ParseModel takes.
func (m Model) String() string {
	if int(m) < len(modelNames) {
		return modelNames[m]
	}
	return fmt.Sprintf("Model(%d)", uint8(m))
}

// ParseModel reads normalized or logistic.
func ParseModel(name string) (Model, error) {
	for i, n := range modelNames {
		if name == n {
			return Model(i), nil
		}
	}
	return 0, fmt.Errorf("%w: model %q is neither %s", ErrTest, name, strings.Join(modelNames[:], " nor "))
}

// MarshalText writes the model's name, in JSON for one.
func (m Model) MarshalText() ([]byte, error) {
	if int(m) >= len(modelNames) {
		return nil, fmt.Errorf("%w: %v", ErrTest, m)
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads the model's name.
func (m *Model) UnmarshalText(text []byte) (err error) {
	*m, err = ParseModel(string(text))
	return err
}

// Status is what a sequential test says.
type Status uint8

const (
	// Continue says that no bound has been reached.
	Continue Status = iota
	// AcceptH0 says that the player is not stronger by more than Elo0: it failed.
	AcceptH0
	// AcceptH1 says that the player is stronger by Elo1: it passed.
	AcceptH1
)

// String is "continue", "accept H0" or "accept H1".
func (s Status) String() string {
	return [...]string{"continue", "accept H0", "accept H1"}[min(s, AcceptH1)]
}

// MarshalText writes the status as String does.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Test is a sequential probability ratio test between the hypotheses that a
// player is Elo0 and that it is Elo1 stronger than its opponent.
type Test struct {
	Elo0  float64 `json:"elo0"`  // in the unit of Model, at most 1000 of either sign
	Elo1  float64 `json:"elo1"`  // above Elo0
	Model Model   `json:"model"` // the zero value is Normalized
	Alpha float64 `json:"alpha"` // probability to accept H1 where H0 holds
	Beta  float64 `json:"beta"`  // probability to accept H0 where H1 holds
}

// Validate reports the first thing that makes the test impossible.
func (t Test) Validate() error {
	for _, x := range []struct {
		name  string
		value float64
	}{{"elo0", t.Elo0}, {"elo1", t.Elo1}} {
		if !(math.Abs(x.value) <= maxElo) {
			return fmt.Errorf("%w: %s is %v, not within +-%d", ErrTest, x.name, x.value, maxElo)
		}
	}
	if !(t.Elo1-t.Elo0 >= 1e-3) {
		return fmt.Errorf("%w: elo1 (%v) is not above elo0 (%v) by 0.001 or more", ErrTest, t.Elo1, t.Elo0)
	}
	if !(t.Alpha >= 1e-12 && t.Alpha < 1) || !(t.Beta >= 1e-12 && t.Beta < 1) {
		return fmt.Errorf("%w: alpha (%v) and beta (%v) must lie between 0 and 1", ErrTest, t.Alpha, t.Beta)
	}
	if t.Alpha+t.Beta >= 1 {
		return fmt.Errorf("%w: alpha + beta is %v, not below 1", ErrTest, t.Alpha+t.Beta)
	}
	if int(t.Model) >= len(modelNames) {
		return fmt.Errorf("%w: %v", ErrTest, t.Model)
	}
	return nil
}

// Bounds returns Wald's bounds of the LLR: ln(b/(1-a)), where H0 is accepted, and
// ln((1-b)/a), where H1 is.
func (t Test) Bounds() (lower, upper float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// LLR is the log-likelihood ratio of H1 against H0. It reports a test or counts
// that do not pass Validate.
func (t Test) LLR(c Counts) (float64, error) {
	if err := t.accepts(c); err != nil {
		return 0, err
	}
	return t.llrOf(c), nil
}

// accepts validates the test, the counts and that they go together.
func (t Test) accepts(c Counts) error {
	if err := t.Validate(); err != nil {
		return err
	}
	return c.Validate()
}

// Status says what an LLR means, without correction for overshoot (see Walk).
func (t Test) Status(llr float64) Status {
	lower, upper := t.Bounds()
	return StatusAt(llr, lower, upper)
}

// StatusAt says what an LLR means between these bounds.
func StatusAt(llr, lower, upper float64) Status {
	switch {
	case llr >= upper:
		return AcceptH1
	case llr <= lower:
		return AcceptH0
	}
	return Continue
}
