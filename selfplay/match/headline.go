package match

import (
	"fmt"

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
	case AcceptH1:
		return fmt.Sprintf("PASSED: %s beats %s%s", r.A, r.B, r.estimate(" by "))
	case AcceptH0:
		return fmt.Sprintf("FAILED: %s against %s%s", r.A, r.B, r.estimate(": "))
	case Stronger:
		return fmt.Sprintf("STRONGER: %s beats %s%s", r.A, r.B, r.estimate(" by "))
	case Weaker:
		return fmt.Sprintf("WEAKER: %s against %s%s", r.A, r.B, r.estimate(": "))
	case NoVerdict:
		return "NO VERDICT: " + r.Reason
	}
	return fmt.Sprintf("UNDECIDED: %s against %s%s", r.A, r.B, r.estimate(": "))
}

// estimate returns the Elo with its 95 % interval, after a word that joins it to the headline.
func (r *Result) estimate(by string) string {
	if r.Games < sprt.MinGames { // a result of an earlier version has an Elo even so
		return fmt.Sprintf(": %g of %d points, too few games for an Elo", float64(r.Wins)+float64(r.Draws)/2, r.Games)
	}
	return by + r.Strength.Text(" Elo")
}
