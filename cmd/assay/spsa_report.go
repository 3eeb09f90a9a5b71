package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/match"
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
	var options [][2]string
	for _, o := range c.Entrant(values).Options {
		options = append(options, [2]string{o.Name, o.Value})
	}
	f, err := roster.WeightsWithOptions(c.Player.Spec, options)
	if err != nil || f == nil {
		return "", err
	}
	f.Provenance = models.Provenance{Parent: f.Provenance.Parent, Games: r.Games, Method: "spsa", Seed: c.SPSA.Seed, Program: c.Program}
	text, err := f.Encode()
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.Out, spsaWeightsName)
	return path, durable.WriteFile(path, text)
}

func printSpsa(out io.Writer, c *play.Config, r *play.Result, weights string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "parameter\tstart\tanswer\t± batches\toptimum by regression\t±\tElo per c_end\t±\t\n")
	for i := range r.Parameters {
		e, p := &r.Parameters[i], &c.SPSA.Parameters[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", e.Name, play.Text(p, e.Start), play.Text(p, e.Value), numberOr(e.BatchSE, e.Batches > 0),
			pointerOr(e.Optimum), pointerOr(e.OptimumSE), pointerOr(e.Slope), pointerOr(e.SlopeSE))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d iterations, %d games (%.0f %% drawn) of %s\n", r.Iterations, r.Games, 100*float64(r.Draws)/float64(max(r.Games, 1)), r.Player)
	fmt.Fprintf(out, "answers are averages over the last third; both errors are approximate; - means too few results\n")
	if r.Forfeits > 0 {
		fmt.Fprintf(out, "%d games were forfeited and count as lost (%s)\n", r.Forfeits, faultsText(c.Out))
	}
	if v := r.Validation; v != nil {
		fmt.Fprintf(out, "validation: the answer against the start, %d games: Elo %+.1f, 95 %% interval %+.1f to %+.1f (%s)\n", v.Games, v.Elo, v.EloLo, v.EloHi, spsaVerdict(v))
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
		return "better"
	case match.Weaker:
		return "worse: do not use it"
	}
	return "too few games to decide"
}

func numberOr(x float64, known bool) string {
	if !known {
		return "-"
	}
	return fmt.Sprintf("%.3g", x)
}

func pointerOr(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g", *x)
}

// spsaSimulated is a schedule and its simulated runs.
type spsaSimulated struct {
	REndTimes float64 `json:"r_end_times"`
	CEndTimes float64 `json:"c_end_times"`
	spsa.Simulated
}

// runSimulation simulates the schedule, and those around it.
func (f *spsaFlags) runSimulation(ctx context.Context, c *play.Config, stdout, stderr io.Writer) error {
	if f.simulate < 1 || f.simElo <= 0 || f.simDraws < 0 || f.simDraws > 0.95 {
		return usagef("--simulate and --sim-elo must be above zero, and --sim-draws from 0 to 0.95")
	}
	var rows []spsaSimulated
	p := newProgress(stderr, "spsa")
	rTimes, cTimes := []float64{0.25, 0.5, 1, 2, 4}, []float64{0.5, 1, 2}
	for _, cx := range cTimes {
		for _, rx := range rTimes {
			schedule := c.SPSA.Scaled(rx, cx)
			s, err := spsa.Simulate(ctx, schedule, max(c.Pairs, 1), f.simulate, func(run uint64) spsa.Hill {
				return spsa.RandomHill(schedule.Parameters, f.simElo, f.simDraws, run)
			})
			if err != nil {
				return spsaAdvice(err, "")
			}
			rows = append(rows, spsaSimulated{rx, cx, s})
			p.update(int64(len(rows)), int64(len(rTimes)*len(cTimes)), "")
		}
	}
	p.finish(fmt.Sprintf("%d schedules simulated, %d runs each", len(rows), f.simulate))
	if f.asJSON {
		return printJSON(stdout, map[string]any{"schedules": rows})
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "r_end\tc_end\tElo below the optimum: start\tanswer\t±\tlast values\toptimum found\tin interval\t\n")
	for _, s := range rows {
		fmt.Fprintf(w, "x %g\tx %g\t%.1f\t%.2f\t%.2f\t%.2f\t%.0f %%\t%.0f %%\t\n", s.REndTimes, s.CEndTimes, s.StartElo, s.ValueElo, 1.96*s.ValueEloSE, s.FinalElo, 100*s.Tops, 100*s.RegressCovered)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\n%d iterations of %d games; x 1 is CONFIG's schedule. Each run has its own parabolas, with the optimum anywhere in range.\n",
		c.SPSA.Iterations, 2*max(c.Pairs, 1))
	return err
}
