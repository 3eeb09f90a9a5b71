package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/assay-chess/assay/selfplay/sprt"
)

// sprtReport is what assay sprt --json prints: the test, what its results say
// where there are some, and its plan where one was asked for.
type sprtReport struct {
	sprt.Test
	Lower float64 `json:"lower"` // Wald's bounds of the LLR
	Upper float64 `json:"upper"`
	*sprtCounted
	Corrected *bool      `json:"corrected,omitempty"` // whether plan is that of a corrected test
	Plan      []sprtPlan `json:"plan,omitempty"`
}

// sprtCounted describes results. The names are those of assay match --json.
type sprtCounted struct {
	Games   int64   `json:"games"`
	Score   float64 `json:"score"`
	LLR     float64 `json:"llr"`
	Verdict string  `json:"verdict"` // "continue", "accept H0" or "accept H1"

	// Bounds of a test corrected for overshoot, estimated from the results.
	CorrectedLower float64 `json:"corrected_lower"`
	CorrectedUpper float64 `json:"corrected_upper"`

	Elo      float64 `json:"elo"` // logistic
	EloLo    float64 `json:"elo_lo"`
	EloHi    float64 `json:"elo_hi"` // normal 95 % interval
	LikelyLo float64 `json:"elo_likely_lo"`
	LikelyHi float64 `json:"elo_likely_hi"` // 95 % interval by likelihood: wide where games are few

	// Logistic; median-unbiased although the test may have ended the match.
	Unbiased   float64 `json:"elo_unbiased"`
	UnbiasedLo float64 `json:"elo_unbiased_lo"`
	UnbiasedHi float64 `json:"elo_unbiased_hi"`

	NElo      float64  `json:"nelo"`
	NEloLo    float64  `json:"nelo_lo"`
	NEloHi    float64  `json:"nelo_hi"`
	LOS       float64  `json:"los"`
	DrawRatio float64  `json:"draw_ratio"` // share of even pairs, or of draws with --wdl
	PairRatio *float64 `json:"pair_ratio"` // pairs won by pairs lost; null with --wdl
}

// sprtPlan is what to expect of the test for one true Elo.
type sprtPlan struct {
	TrueElo   float64        `json:"true_elo"`
	Pass      float64        `json:"pass"`  // probability, by formula
	Games     float64        `json:"games"` // expected, by formula
	Simulated *sprtSimulated `json:"simulated,omitempty"`
}

type sprtSimulated struct {
	Runs        int     `json:"runs"`
	Passed      int     `json:"passed"`
	Failed      int     `json:"failed"`
	Undecided   int     `json:"undecided"`
	Rate        float64 `json:"pass_rate"`
	RateLo      float64 `json:"pass_rate_lo"`
	RateHi      float64 `json:"pass_rate_hi"` // 95 % interval
	MeanGames   float64 `json:"mean_games"`
	MedianGames float64 `json:"median_games"`
	P95Games    float64 `json:"p95_games"`
}

func countedReport(t sprt.Test, c sprt.Counts) (*sprtCounted, error) {
	llr, err := t.LLR(c)
	if err != nil {
		return nil, err
	}
	e, err := t.AfterStop(c)
	if err != nil {
		return nil, err
	}
	s := sprt.Summarize(c)
	r := &sprtCounted{
		Games: s.Games, Score: s.Score, LLR: llr, Verdict: t.Status(llr).String(),
		Elo: s.Elo, EloLo: s.EloLo, EloHi: s.EloHi, LikelyLo: s.LikelyLo, LikelyHi: s.LikelyHi,
		Unbiased: e.Elo, UnbiasedLo: e.Lo, UnbiasedHi: e.Hi,
		NElo: s.NElo, NEloLo: s.NEloLo, NEloHi: s.NEloHi,
		LOS: s.LOS, DrawRatio: s.DrawRatio,
	}
	if s.Paired {
		r.PairRatio = &s.PairRatio
	}
	r.CorrectedLower, r.CorrectedUpper, err = t.CorrectedBounds(c)
	return r, err
}

func (r *sprtReport) print(w io.Writer, runs int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "test\t[%g, %g] %v Elo, alpha %g, beta %g\n", r.Elo0, r.Elo1, r.Model, r.Alpha, r.Beta)
	if r.sprtCounted != nil {
		r.printCounted(t)
	} else {
		fmt.Fprintf(t, "LLR bounds\t%.4f, %.4f\n", r.Lower, r.Upper)
	}
	if err := t.Flush(); err != nil || len(r.Plan) == 0 {
		return err
	}
	return r.printPlan(w, runs)
}

func (r *sprtReport) printCounted(w io.Writer) {
	c := r.sprtCounted
	fmt.Fprintf(w, "LLR\t%.4f, bounds %.4f, %.4f (corrected for overshoot about %.4f, %.4f)\n",
		c.LLR, r.Lower, r.Upper, c.CorrectedLower, c.CorrectedUpper)
	fmt.Fprintf(w, "verdict\t%s\n", c.Verdict)
	fmt.Fprintf(w, "games\t%d, score %.2f %%\n", c.Games, 100*c.Score)
	fmt.Fprintf(w, "Elo\t%.2f ± %.2f [%.2f, %.2f], by likelihood [%.2f, %.2f]\n",
		c.Elo, (c.EloHi-c.EloLo)/2, c.EloLo, c.EloHi, c.LikelyLo, c.LikelyHi)
	fmt.Fprintf(w, "Elo after the stop\t%.2f [%.2f, %.2f], median-unbiased\n", c.Unbiased, c.UnbiasedLo, c.UnbiasedHi)
	fmt.Fprintf(w, "normalized Elo\t%.2f [%.2f, %.2f]\n", c.NElo, c.NEloLo, c.NEloHi)
	fmt.Fprintf(w, "LOS\t%.2f %%\n", 100*c.LOS)
	if c.PairRatio != nil {
		fmt.Fprintf(w, "even pairs\t%.2f %%\npair ratio\t%.3f won to one lost\n", 100*c.DrawRatio, *c.PairRatio)
	} else {
		fmt.Fprintf(w, "draws\t%.2f %%\n", 100*c.DrawRatio)
	}
}

func (r *sprtReport) printPlan(w io.Writer, runs int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "true Elo\tpass\tgames\t"
	if runs > 0 {
		head += "simulated pass\t95 % interval\tundecided\tgames\tmedian\t95 %\t"
	}
	fmt.Fprintf(t, "\n%s\n", head)
	for _, p := range r.Plan {
		fmt.Fprintf(t, "%g\t%.4f\t%.0f\t", p.TrueElo, p.Pass, p.Games)
		if s := p.Simulated; s != nil {
			fmt.Fprintf(t, "%.4f\t%.4f..%.4f\t%d\t%.0f\t%.0f\t%.0f\t",
				s.Rate, s.RateLo, s.RateHi, s.Undecided, s.MeanGames, s.MedianGames, s.P95Games)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	how := "without correction for overshoot (see --corrected)"
	if r.Corrected != nil && *r.Corrected {
		how = "corrected for overshoot"
	}
	_, err := fmt.Fprintf(w, "\nTests are %s.\n", how)
	return err
}
