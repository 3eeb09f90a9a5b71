package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/assay-chess/assay/selfplay/sprt"
)

// sprtReport is what assay sprt --json prints: the test, what was measured if there are
// results, and the plan if one was asked for.
type sprtReport struct {
	sprt.Test
	Lower float64 `json:"lower"` // Wald's bounds of the LLR
	Upper float64 `json:"upper"`
	*sprt.Measured
	Corrected *bool      `json:"corrected,omitempty"` // whether plan is that of a corrected test
	Plan      []sprtPlan `json:"plan,omitempty"`
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

func (r *sprtReport) print(w io.Writer, runs int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "test\t[%g, %g] %v Elo, alpha %g, beta %g\n", r.Elo0, r.Elo1, r.Model, r.Alpha, r.Beta)
	if r.Measured != nil {
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
	c := r.Measured
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
