package match

import (
	"testing"

	"github.com/assay-chess/assay/selfplay/sprt"
)

func TestHeadline(t *testing.T) {
	without := &WithoutForfeits{Verdict: Undecided, LLR: 2.314}
	base := Result{A: "new", B: "base", Games: sprt.MinGames, Strength: sprt.Strength{Elo: 20, EloLo: -80, EloHi: 90}}
	enough := base
	enough.EloLo, enough.EloHi = 10, 30
	tested := base
	tested.Strength = sprt.Strength{Elo: 12.4, EloLo: 3.2, EloHi: 20.6}
	tested.Test = &sprt.Test{Elo1: 5}
	forfeited := tested
	forfeited.WithoutForfeits = without
	for _, test := range []struct {
		r       Result
		verdict string
		want    string
	}{
		{tested, AcceptH1, "PASSED: new beats base by +12.4 Elo [+3.2, +20.6]"},
		{forfeited, AcceptH1, "PASSED: new beats base by +12.4 Elo [+3.2, +20.6]; without B's forfeits: not decided (LLR " +
			"2.31)"},
		{tested, AcceptH0, "FAILED: new against base: +12.4 Elo [+3.2, +20.6]"},
		{enough, Stronger, "STRONGER: new beats base by +20 Elo [+10, +30]"},
		{enough, Weaker, "WEAKER: new against base: +20 Elo [+10, +30]"},
		{tested, Undecided, "UNDECIDED: new against base: +12.4 Elo [+3.2, +20.6]"},
		{base, Undecided, "NO CLEAR WINNER: new against base: +20 Elo [-80, +90]"},
		{Result{A: "a", B: "b", Games: 2, Wins: 1, Draws: 1, Strength: sprt.Strength{Elo: 190}}, Undecided,
			"NO CLEAR WINNER: a against b: 1.5 of 2 points, too few games for an Elo"},
		{Result{Reason: "A forfeited 9 of 10 games"}, NoVerdict, "NO VERDICT: A forfeited 9 of 10 games"},
	} {
		r := test.r
		r.Verdict = test.verdict
		if got := r.Headline(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.verdict, got, test.want)
		}
	}
}
