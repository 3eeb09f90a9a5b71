package match

import "fmt"

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
		return fmt.Sprintf("PASSED: %s beats %s by %s", r.A, r.B, r.estimate())
	case AcceptH0:
		return fmt.Sprintf("FAILED: %s against %s: %s", r.A, r.B, r.estimate())
	case Stronger:
		return fmt.Sprintf("STRONGER: %s beats %s by %s", r.A, r.B, r.estimate())
	case Weaker:
		return fmt.Sprintf("WEAKER: %s against %s: %s", r.A, r.B, r.estimate())
	case NoVerdict:
		return "NO VERDICT: " + r.Reason
	}
	return fmt.Sprintf("UNDECIDED: %s against %s: %s", r.A, r.B, r.estimate())
}

// MinPairs is the number of pairs below which no interval is stated: pairs that all end
// alike would give a narrow one.
const MinPairs = 10

// estimate returns the Elo with its 95 % interval.
func (r *Result) estimate() string {
	elo, lo, hi := r.Elo, r.EloLo, r.EloHi
	if n := r.Pentanomial.Samples(); n < MinPairs {
		return fmt.Sprintf("%+.0f Elo, too few pairs (%d) for an interval", elo, n)
	}
	switch {
	case r.Unbiased != nil:
		elo, lo, hi = *r.Unbiased, *r.UnbiasedL, *r.UnbiasedH
	case r.Pentanomial.Samples() < FewPairs:
		lo, hi = r.LikelyLo, r.LikelyHi
	}
	return fmt.Sprintf("%+.0f Elo [%+.0f, %+.0f]", elo, lo, hi)
}
