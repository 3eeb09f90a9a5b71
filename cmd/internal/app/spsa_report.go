package app

import (
	"fmt"
	"path/filepath"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/gamelog"
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
	f, err := roster.WeightsWithOptions(c.Player.Spec, c.With(values).Options)
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
