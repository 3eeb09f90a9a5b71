package match

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/selfplay/sprt"
)

// Headline says in one sentence who won, by how much, and how sure that is:
//
//	PASSED: new beats base by +12 Elo [+3, +21]
//
// After a test that stopped by itself the Elo is the median-unbiased estimate.
func (r *Result) Headline() string {
	text := r.headline()
	if r.WithoutForfeits != nil {
		text += "; " + r.WithoutForfeits.String()
	}
	return text
}

func (r *Result) headline() string {
	switch r.Verdict {
	case AcceptH1, Stronger:
		return fmt.Sprintf("%s: %s beats %s%s", r.Outcome(), r.A, r.B, r.estimate(" by "))
	case NoVerdict:
		return r.Outcome() + ": " + r.Reason
	}
	return fmt.Sprintf("%s: %s against %s%s", r.Outcome(), r.A, r.B, r.estimate(": "))
}

// Outcome is how the headline begins: the verdict as people read it.
func (r *Result) Outcome() string {
	switch r.Verdict {
	case AcceptH1:
		return "PASSED"
	case AcceptH0:
		return "FAILED"
	case NoVerdict:
		return "NO VERDICT"
	case Undecided:
		if r.Test == nil { // there was nothing to decide
			return "NO CLEAR WINNER"
		}
	}
	return strings.ToUpper(r.Verdict)
}

// estimate returns the Elo with its 95 % interval, after a word that joins it to the headline.
func (r *Result) estimate(by string) string {
	if r.Games < sprt.MinGames { // a result of an earlier version has an Elo even so
		return fmt.Sprintf(": %g of %d points, too few games for an Elo", float64(r.Wins)+float64(r.Draws)/2, r.Games)
	}
	return by + r.Strength.Text(" Elo")
}
