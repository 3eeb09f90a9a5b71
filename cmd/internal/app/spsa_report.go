package app

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// spsaWeightsName is the weight file of an answer that consists of weights.
const spsaWeightsName = "weights.json"

// writeSpsaWeights writes the answer as a weight file into the run's folder, if the
// parameters are weights. It returns the file's path, or "".
func writeSpsaWeights(c *play.Config, r *play.Result) (string, error) {
	values := make([]float64, len(r.Parameters))
	for i, e := range r.Parameters {
		values[i] = e.Value
	}
	f, err := roster.WeightsWithOptions(c.Player.Spec, c.Entrant(values).Options)
	if err != nil || f == nil {
		return "", err
	}
	f.Provenance = models.Provenance{Parent: f.Provenance.Parent, Games: r.Games, Method: "spsa", Seed: c.SPSA.Seed,
		Program: c.Program}
	text, err := f.Encode()
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.Out, spsaWeightsName)
	return path, durable.WriteFile(path, text)
}

func (s *tuning) printSpsa(out io.Writer, c *play.Config, r *play.Result, weights string) error {
	if v := r.Validation; v != nil {
		fmt.Fprintf(out, "%s: the answer against the start, %d games, %s: Elo %s\n\n", spsaVerdict(v), v.Games, r.Limits,
			v.Strength.Text(""))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "parameter\tstart\tanswer\t±\toptimum, 95 %\t")
	if s.All {
		fmt.Fprint(w, "by regression\t±\tElo per c_end\t±\t")
	}
	fmt.Fprintln(w)
	answer := make([]float64, len(r.Parameters))
	var noEffect []string
	for i := range r.Parameters {
		e, p := &r.Parameters[i], &c.SPSA.Parameters[i]
		answer[i] = e.Value
		interval := tooFew
		if e.OptimumLo != nil {
			interval = pointerOr(e.OptimumLo) + " to " + pointerOr(e.OptimumHi)
		}
		if e.EffectP != nil && *e.EffectP >= spsaNoEffect {
			noEffect = append(noEffect, e.Name)
		}
		quote.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t", e.Name, play.Text(p, e.Start), play.Text(p, e.Value),
			numberOr(e.BatchSE, e.BatchSE > 0), interval)
		if s.All {
			quote.Fprintf(w, "%s\t%s\t%s\t%s\t", pointerOr(e.Optimum), pointerOr(e.OptimumSE), pointerOr(e.Slope),
				pointerOr(e.SlopeSE))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d iterations, %d games (%.0f %% drawn) of %s, %s\n", r.Iterations, r.Games,
		100*float64(r.Draws)/float64(max(r.Games, 1)), r.Player, r.Limits)
	fmt.Fprintf(out, "answers are averages over the last third, their errors (±) from batches; the optimum is by a "+
		"regression on all results\n")
	if len(noEffect) > 0 {
		fmt.Fprintf(out, "no effect seen (p >= %.2f) of: %s. More games may see one; each of these values may be chance\n",
			spsaNoEffect, strings.Join(noEffect, ", "))
	}
	if r.Forfeits > 0 {
		fmt.Fprintf(out, "%d games were forfeited and count as lost (%s)\n", r.Forfeits, ui.FaultsText(c.Out, r.Forfeits))
	}
	ui.PrintWarnings(out, r.Warnings)
	if r.Load.Busy() {
		fmt.Fprintf(out, "machine busy: %v\n", r.Load)
	}
	if form := s.config.form; form != "" {
		fmt.Fprintf(out, "the answer as %s reads it (%s):\n%s", form, r.Limits, form.Format(c.SPSA.Parameters, answer))
	}
	if weights != "" {
		fmt.Fprintf(out, "written %s\n", weights)
	}
	_, err := fmt.Fprintf(out, "written %s\n", filepath.Join(c.Out, play.LogName))
	return err
}

func spsaVerdict(v *match.Result) string {
	switch v.Verdict {
	case match.Stronger:
		return "BETTER"
	case match.Weaker:
		return "WORSE, do not use it"
	}
	return "UNDECIDED, too few games"
}

// tooFew stands for a number that the results are too few for.
const tooFew = "too few"

func numberOr(x float64, known bool) string {
	if !known {
		return tooFew
	}
	return fmt.Sprintf("%.3g", x)
}

func pointerOr(x *float64) string {
	if x == nil {
		return tooFew
	}
	return fmt.Sprintf("%.4g", *x)
}

// spsaNoEffect is the p-value from which no effect of a parameter was seen.
const spsaNoEffect = 0.05

// afford says what the budget of a run can find, unless the run is complete.
func (s *tuning) afford(c *play.Config, say func(string)) (*spsa.Budget, error) {
	if gamelog.Complete(c.Out) {
		return nil, nil
	}
	pairs := max(c.Pairs, 1)
	simulate := func(c spsa.Config) (spsa.Budget, error) { return spsa.Afford(s.ctx, c, pairs, s.simElo, s.simDraws) }
	b, err := simulate(c.SPSA)
	if err != nil {
		return nil, err
	}
	say(fmt.Sprintf("%d pairs for %d parameters: of %g Elo to be gained, simulated runs find %.1f ± %.1f",
		c.SPSA.Iterations*pairs, len(c.SPSA.Parameters), b.Elo, b.Found, 1.96*b.FoundSE))
	say(fmt.Sprintf("assumed: Elo falls as a parabola in each parameter from an optimum anywhere between min and max; "+
		"all starts together are %g Elo below (--sim-elo); %.0f %% draws (--sim-draws)", b.Elo, 100*b.Draws))
	if !b.Hopeless {
		return &b, nil
	}
	advice := ""
	for times := 1; times <= 64 && c.SPSA.Iterations*times <= spsa.MaxIterations; times *= 2 {
		with := c.SPSA.WithDefaultREnd(pairs, times)
		more, err := simulate(with)
		if err != nil {
			return nil, err
		}
		half, rate := more.Found >= b.Elo/2, with.Parameters[0].REnd
		if times == 1 && (half || more.Found > b.Found+2*(b.FoundSE+more.FoundSE)) {
			advice = fmt.Sprintf("; the default r_end, %v, finds %.1f ± %.1f", rate, more.Found, 1.96*more.FoundSE)
		} else if half {
			advice += fmt.Sprintf("; %d iterations with the default r_end, %v, find half", with.Iterations, rate)
		}
		if half {
			break
		}
	}
	say("hopeless: expect an answer no better than the start" + advice +
		"; fewer parameters, smaller ranges or a larger c_end need fewer games")
	return &b, nil
}
