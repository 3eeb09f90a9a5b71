package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// Format names the layout of a run's result.json.
const Format = "assay.learn/1"

// Result is the content of a run's result.json. It holds nothing
// that depends on the clock. Paths are relative to the run's folder.
type Result struct {
	Format      string             `json:"format"`
	Program     string             `json:"program"`
	Plan        Plan               `json:"plan"`
	K           float64            `json:"k"` // slope of the sigmoid, fitted once under the start weights
	Start       WeightsRef         `json:"start"`
	Generations []GenerationResult `json:"generations"`
	Champion    WeightsRef         `json:"champion"`
	Opponent    WeightsRef         `json:"opponent"`
	// whose Terms follow: the champion's, or without a promotion the last fit's
	Learned WeightsRef      `json:"learned"`
	Terms   []tuner.TermFit `json:"terms"`          // compared with the weights that the run began with
	Held    []heldTerm      `json:"held,omitempty"` // terms that kept their start weights, and why
	Final   *match.Result   `json:"final"`          // score against the opponent, of FinalPlayer

	// FromStart is the score of the champion against the weights that the run began
	// with: what was learned, the model and the search being the same. Null where
	// nothing was promoted; Final where these weights are the opponent.
	FromStart *match.Result `json:"from_start"`

	Already bool `json:"-"` // the run was complete before
}

// FinalPlayer, which pages show, returns the weights that played the final match: the champion's, or the
// last fit if the champion is the opponent.
func (r *Result) FinalPlayer() WeightsRef {
	if r.Champion.ID == r.Opponent.ID {
		return r.Learned
	}
	return r.Champion
}

// WeightsRef points at weights.
type WeightsRef struct {
	ID         string `json:"id"`
	File       string `json:"file"` // an embedded name where Generation is 0
	Generation int    `json:"generation"`
}

// GenerationResult is the result of one generation.
type GenerationResult struct {
	Number    int              `json:"number"`
	Games     datagen.Summary  `json:"games"`
	Positions positions.Counts `json:"positions"`
	Fit       Fit              `json:"fit"`  // without terms and tables, which are in the generation's fit.json
	Gate      *match.Result    `json:"gate"` // score of the new weights against the champion's
	Warnings  []string         `json:"warnings"`
	Promoted  bool             `json:"promoted"`
	Reason    string           `json:"reason"` // of the decision, in words
}

// Fit is the id of a generation's weights, and how they were found: either by a fit to positions or, with MethodSPSA,
// by games.
type Fit struct {
	ID            string `json:"id"`
	Build         string `json:"build"` // see durable.BuildTarget
	*tuner.Result        // nil with MethodSPSA
	SPSA          *Tuned `json:"spsa,omitempty"` // nil with other methods
}

// Tuned is a tuning by games.
type Tuned struct {
	*play.Result
	// Terms have no standard errors: their intervals hold the optimum by the regression on all results.
	Terms []tuner.TermFit `json:"terms,omitempty"`
}

// TermList returns what was found of each term; nil if the fit is a summary.
func (f *Fit) TermList() []tuner.TermFit {
	switch {
	case f.SPSA != nil:
		return f.SPSA.Terms
	case f.Result != nil:
		return f.Terms
	}
	return nil
}

// summary returns the fit without its terms and tables.
func (f *Fit) summary() Fit {
	s := *f
	if f.SPSA != nil {
		s.SPSA = &Tuned{Result: f.SPSA.Result}
		return s
	}
	r := *f.Result
	r.Terms, r.Tables, r.Groups, r.Collinear = nil, nil, nil, nil
	s.Result = &r
	return s
}

// spsaName is the folder of a tuning by games, in its generation's.
const spsaName = "spsa"

// learnGames tunes the champion's weights by games between perturbed ones.
func (l *learner) learnGames(ctx context.Context, g int, r *GenerationResult) (*models.File, *Fit, error) {
	m, w, err := l.parent().Weights()
	if err != nil {
		return nil, nil, err
	}
	c, err := l.spsaConfig(g, m, w)
	if err != nil {
		return nil, nil, err
	}
	stage := l.Stage(fmt.Sprintf("generation %d: tune by games", g))
	c.Progress = stage.Update
	tuned, err := play.Run(ctx, c)
	if errors.Is(err, selfplay.ErrNoVerdict) {
		err = fmt.Errorf("%s: %w", c.Out, err)
	}
	if err != nil {
		return nil, nil, err
	}
	if r.Games, err = summaryOf(tuned, l.run.Path(Folder(g), spsaName, gamelog.GamesName)); err != nil {
		return nil, nil, err
	}
	r.Warnings = append([]string{}, tuned.Warnings...)
	if file, fit, err := readFit(l.run.Path(Folder(g))); file != nil || err != nil {
		return file, fit, err
	}
	file, fit, err := l.spsaFit(m, w, tuned, c.SPSA.Seed)
	if err != nil {
		return nil, nil, err
	}
	if err := l.writeFit(g, file, fit); err != nil {
		return nil, nil, err
	}
	stage.Finish(fmt.Sprintf("%d parameters, %d games", len(tuned.Parameters), tuned.Games))
	return file, fit, nil
}

// spsaConfig returns the tuning by games of a generation: every iteration is a pair.
func (l *learner) spsaConfig(g int, m *eval.Model, w []eval.Coef) (play.Config, error) {
	plan := &l.Plan.Generations[g-1]
	player, from := l.player(l.champion.WeightsRef), l.parent()
	if from != l.champion.Values { // its model has other terms
		player = selfplay.Player{Spec: l.spec(models.StartOf(l.Plan.Model)), ID: "assay:" + from.ID(), Name: "start"}
	}
	c := play.Config{Setup: l.setup(l.run.Path(Folder(g), spsaName), plan.Nodes), Player: player, Pairs: 1}
	c.Limits.HardNodes = false
	c.Seed = selfplay.Seed(l.Plan.Seed, uint64(g), spsaName, 0)
	c.SPSA = spsa.Config{Iterations: plan.Games / 2, Seed: c.Seed, Ahead: play.DefaultAhead}
	var err error
	c.SPSA.Parameters, err = play.Parameters(play.TermParameters(m, w), c.SPSA.Iterations)
	return c, err
}

// spsaFit returns the weights that a tuning by games found, and the report of each term.
func (l *learner) spsaFit(m *eval.Model, w []eval.Coef, r *play.Result, seed uint64) (*models.File, *Fit, error) {
	for _, e := range r.Parameters {
		next, _, err := m.SetWeight(w, e.Name, fmt.Sprintf("%.0f", math.Round(e.Value)))
		if err != nil {
			return nil, nil, fmt.Errorf("parameter %s: %w", e.Name, err)
		}
		w = next
	}
	file := models.New(m, w)
	file.K = l.parent().K
	file.Provenance = models.Provenance{Parent: l.parent().ID(), Games: r.Games, Method: MethodSPSA, Seed: seed,
		Program: l.Program, Time: time.Now().UTC().Format(time.RFC3339)}
	return file, &Fit{ID: file.ID(), Build: durable.BuildTarget(), SPSA: &Tuned{r, spsaTerms(m, w, r)}}, nil
}

// spsaTerms returns what a tuning by games found of each term.
func spsaTerms(m *eval.Model, w []eval.Coef, r *play.Result) []tuner.TermFit {
	found := map[string]*spsa.Estimate{}
	for i := range r.Parameters {
		found[r.Parameters[i].Name] = &r.Parameters[i]
	}
	list := make([]tuner.TermFit, len(m.Terms))
	for i := range list {
		t := &m.Terms[i]
		f := tuner.TermFit{Name: t.Name, Group: t.Group, Tapered: t.Tapered, MG: w[i].MG, EG: w[i].EG,
			FitMG: float64(w[i].MG), FitEG: float64(w[i].EG),
			SEMG: num.Unknown, SEEG: num.Unknown, NaiveMG: num.Unknown, NaiveEG: num.Unknown, DataShare: num.Unknown,
			PriorEffect: num.Unknown, Rescale: 1}
		both, mg, eg := found[t.Name], found[t.Name+eval.OnlyMG], found[t.Name+eval.OnlyEG]
		if both != nil {
			mg, eg = both, both
		}
		if f.Frozen = mg == nil && eg == nil; f.Frozen {
			f.SEMG, f.SEEG = 0, 0
		}
		f.FitMG, f.IntervalMG = estimateOf(mg, f.FitMG)
		f.FitEG, f.IntervalEG = estimateOf(eg, f.FitEG)
		list[i] = f
	}
	return list
}

// estimateOf returns the value of an estimate and the interval of its optimum; the start where
// there is none.
func estimateOf(e *spsa.Estimate, start float64) (float64, tuner.Interval) {
	if e == nil {
		return start, tuner.Interval{}
	}
	if e.OptimumLo == nil || e.OptimumHi == nil {
		return e.Value, tuner.Interval{}
	}
	return e.Value, tuner.Interval{*e.OptimumLo, *e.OptimumHi}
}

// summaryOf counts the games of a tuning by games.
func summaryOf(r *play.Result, path string) (datagen.Summary, error) {
	s := datagen.Summary{Games: r.Games, Plies: r.Plies, Draws: r.Draws, Terminations: r.Ended}
	games, err := dataset.OpenGames(path)
	if err != nil {
		return s, err
	}
	for row, err := range games.All() {
		switch {
		case err != nil:
			return s, err
		case board.GameResult(row.Result) == board.WhiteWins:
			s.WhiteWins++
		case board.GameResult(row.Result) == board.BlackWins:
			s.BlackWins++
		}
	}
	return s, nil
}

// MethodSPSA tunes the coefficients by games between perturbed weights, without positions. The
// other methods fit them to positions.
const MethodSPSA = "spsa"

// Methods returns the names of the methods that a generation can have, the default first.
func Methods() []string { return append(optimize.Methods(), MethodSPSA) }

// byGames reports whether the generation is tuned by games instead of positions.
func (g *Generation) byGames() bool { return g.Method == MethodSPSA }

// firstPositions returns the number of the first generation that is fitted to positions, 0 if
// none is.
func (p *Plan) firstPositions() int {
	return 1 + slices.IndexFunc(p.Generations, func(g Generation) bool { return !g.byGames() })
}

// heldTerm is a term whose weight a run does not change.
type heldTerm struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// hold gives terms that occur in no row their start weights again, which a fit has rescaled with
// all others. Freezing them instead would forbid that rescaling.
func hold(r *tuner.Result, held []heldTerm) {
	for _, h := range held {
		for i := range r.Terms {
			if t := &r.Terms[i]; t.Name == h.Name {
				t.MG, t.EG = int32(math.Round(t.StartMG)), int32(math.Round(t.StartEG))
				t.FitMG, t.FitEG, t.Frozen = t.StartMG, t.StartEG, true
			}
		}
	}
}

// heldTerms returns the terms of a model that a run cannot learn: those that are 0 in every
// position of its games and in the search that plays them.
func heldTerms(m *eval.Model) []heldTerm {
	var list []heldTerm
	for i := range m.Terms {
		if t := &m.Terms[i]; t.Rooted {
			list = append(list, heldTerm{t.Name, "it compares with the position that a search started from, which " +
				"neither positions nor the search of assay have"})
		}
	}
	return list
}
