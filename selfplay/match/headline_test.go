package match

import "testing"

func TestHeadline(t *testing.T) {
	elo, lo, hi := 12.4, 3.2, 20.6
	without := &WithoutForfeits{Verdict: Undecided, LLR: 2.314}
	base := Result{A: "new", B: "base", Elo: 20, EloLo: 10, EloHi: 30, LikelyLo: -80, LikelyHi: 90}
	base.Pentanomial[2] = MinPairs
	enough := base
	enough.Pentanomial[2] = FewPairs
	tested := enough
	tested.Unbiased, tested.UnbiasedL, tested.UnbiasedH = &elo, &lo, &hi
	forfeited := tested
	forfeited.WithoutForfeits = without
	for _, test := range []struct {
		r       Result
		verdict string
		want    string
	}{
		{tested, AcceptH1, "PASSED: new beats base by +12 Elo [+3, +21]"},
		{forfeited, AcceptH1, "PASSED: new beats base by +12 Elo [+3, +21]; without B's forfeits: not decided (LLR 2.31)"},
		{tested, AcceptH0, "FAILED: new against base: +12 Elo [+3, +21]"},
		{enough, Stronger, "STRONGER: new beats base by +20 Elo [+10, +30]"},
		{enough, Weaker, "WEAKER: new against base: +20 Elo [+10, +30]"},
		{base, Undecided, "UNDECIDED: new against base: +20 Elo [-80, +90]"},
		{Result{A: "a", B: "b", Elo: 190}, Undecided, "UNDECIDED: a against b: +190 Elo, too few pairs (0) for an interval"},
		{Result{Reason: "A forfeited 9 of 10 games"}, NoVerdict, "NO VERDICT: A forfeited 9 of 10 games"},
	} {
		r := test.r
		r.Verdict = test.verdict
		if got := r.Headline(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.verdict, got, test.want)
		}
	}
}
