package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/rows"
)

// FitName is the file in a generation's folder with the result of its fit. It is
// written after the weights, so its presence means that both are whole.
const FitName = "fit.json"

// fit tunes the champion's weights on the positions of the last generations, or reads
// what an earlier call found.
func (l *learner) fit(ctx context.Context, g int) (*models.File, *Fit, error) {
	if file, fit, err := readFit(l.run.Path(Folder(g))); file != nil || err != nil {
		return file, fit, err
	}
	stage := l.Stage(fmt.Sprintf("generation %d: tune", g))
	r, file, err := l.tune(ctx, g, stage)
	if err != nil {
		return nil, nil, err
	}
	fit := &Fit{ID: file.ID(), Build: durable.BuildTarget(), Result: r}
	if err := l.writeFit(g, file, fit); err != nil {
		return nil, nil, err
	}
	stage.Finish(fmt.Sprintf("%d positions of %d games; validation loss %.5f, before %.5f",
		r.Rows, r.Games, r.Rounded.Valid, r.Start.Valid))
	return file, fit, nil
}

// readFit reads weights and fit of a generation's folder; nil if an earlier call
// did not get that far.
func readFit(dir string) (*models.File, *Fit, error) {
	path, weights := filepath.Join(dir, FitName), filepath.Join(dir, weightsName)
	fit := new(Fit)
	err := durable.ReadJSON(path, fit)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	var file *models.File
	if err == nil {
		file, err = models.Load(weights)
	}
	if err == nil && file.ID() != fit.ID {
		err = fmt.Errorf("%s: id %s, but %s says %s", weights, file.ID(), path, fit.ID)
	}
	if err != nil { // not %w: the cure of other damage takes the games too
		return nil, nil, fmt.Errorf("%v; delete %s and %s, and both are made again", err, path, weights)
	}
	return file, fit, nil
}

// writeFit writes weights and fit of a generation into its folder, the fit compared with the weights that the run
// began with.
func (l *learner) writeFit(g int, file *models.File, fit *Fit) error {
	terms := fit.TermList()
	for i, t := range l.start.Terms {
		terms[i].CompareWith(float64(t.MG), float64(t.EG))
	}
	text, err := file.Encode()
	if err != nil {
		return err
	}
	dir := l.run.Path(Folder(g))
	if err := durable.WriteFile(filepath.Join(dir, weightsName), text); err != nil {
		return err
	}
	return durable.WriteJSON(filepath.Join(dir, FitName), fit)
}

func (l *learner) tune(ctx context.Context, g int, stage StageProgress) (*tuner.Result, *models.File, error) {
	parent := l.parent()
	m, coefs, err := parent.Weights()
	if err != nil {
		return nil, nil, err
	}
	terms, err := rows.TermsOf(m, coefs)
	if err != nil {
		return nil, nil, err
	}
	s, err := l.store(ctx, g, m, stage)
	if err != nil {
		return nil, nil, err
	}
	c := tuner.NewConfig()
	// Evaluations keep their size on the positions of the first generation that has any. It learns from these alone.
	if first := l.Plan.firstPositions(); g > first {
		if c.Reference, err = l.store(ctx, first, m, stage); err != nil {
			return nil, nil, err
		}
	}
	plan := &l.Plan.Generations[g-1]
	c.Lambda, c.Method = plan.Lambda, plan.Method
	if plan.Prior != 1 {
		c.PriorFactor = plan.Prior
	}
	c.K = l.k
	// Around the champion's weights, games that these were fitted to and that are learned from again would count twice.
	for _, t := range l.start.Terms {
		c.Center = append(c.Center, tuner.Coefficient{MG: float64(t.MG), EG: float64(t.EG)})
	}
	c.Seed = l.Plan.Seed
	c.Workers = l.Concurrency
	c.Progress = stage.Update
	r, err := tuner.Fit(ctx, s, terms, c)
	if err != nil {
		return nil, nil, err
	}
	hold(r, heldTerms(m))
	file, err := r.File(m, tuner.Pedigree{Parent: parent.ID(), Program: l.Program, Time: time.Now()})
	return r, file, err
}

// store returns the positions of the last generations, each at a share of the weight
// of the one after it; only the newest is validated on.
func (l *learner) store(ctx context.Context, g int, m *eval.Model, stage StageProgress) (*rows.Store, error) {
	var list []rows.Source
	plan := &l.Plan.Generations[g-1]
	for from := max(1, g-plan.Keep+1); from <= g; from++ {
		if l.Plan.Generations[from-1].byGames() {
			continue
		}
		d, err := dataset.OpenPositions(l.run.Path(Folder(from), "positions"))
		if err != nil {
			return nil, err
		}
		s, err := rows.SourceOf(d)
		if err != nil {
			return nil, err
		}
		s.Weight = float32(math.Pow(plan.Decay, float64(g-from)))
		s.TrainOnly = from < g
		list = append(list, s)
	}
	return rows.Build{Workers: l.Concurrency, Progress: stage.Update}.Positions(ctx, m, list)
}

// checkResume returns an error if the run in dir cannot be resumed under a new
// configuration. The plan of generations that have started must not differ. Later
// generations may change, and more may be added. The final match must not differ once it
// has started, unless generations are added.
func checkResume(dir string, recorded json.RawMessage, now RunConfig) error {
	path := filepath.Join(dir, durable.RunConfigName)
	was, err := parsePlan(recorded)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, durable.ErrDamaged, err)
	}
	last := len(was.Plan.Generations)
	started := 0
	for started < last && exists(filepath.Join(dir, Folder(started+1))) {
		started++
	}
	measured := len(now.Plan.Generations) == last && exists(filepath.Join(dir, Folder(last), finalName))
	err = durable.CompareConfig(path, was.fixedPart(started, measured), now.fixedPart(started, measured))
	var changed *durable.ConfigChangedError
	generation := 0
	if errors.As(err, &changed) {
		if n, _ := fmt.Sscanf(changed.Field, "plan.generations[%d]", &generation); n == 1 {
			return fmt.Errorf("generation %d has started, so its plan cannot change: %w", generation+1, err)
		}
	}
	return err
}

// fixedPart returns the part of a configuration that cannot change once that many
// generations have started; with measured, the matches at its end have started too.
func (c RunConfig) fixedPart(started int, measured bool) json.RawMessage {
	c.Plan.Generations = c.Plan.Generations[:min(started, len(c.Plan.Generations))]
	if !measured {
		c.Plan.Opponent, c.OpponentID, c.Plan.Final = "", "", final{}
	}
	doc, _ := json.Marshal(c) // numbers and strings, checked: cannot fail
	return doc
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// positions makes the generation's positions of its games: noisy ones are replaced by
// the leaves of their quiescence search under the weights that played.
func (l *learner) positions(ctx context.Context, g int) (positions.Counts, error) {
	var none positions.Counts
	games, err := dataset.OpenGames(l.run.Path(Folder(g), "games"))
	if err != nil {
		return none, err
	}
	filter := l.Plan.Generations[g-1].Filter.dataset(l.champion.ID, l.Plan.Seed)
	m, coefs, err := l.champion.Values.Weights()
	if err != nil {
		return none, err
	}
	newResolve, err := positions.Quiescence(m, coefs)
	if err != nil {
		return none, err
	}
	stage := l.Stage(fmt.Sprintf("generation %d: positions", g))
	manifest, counts, err := positions.Extract(ctx, []*dataset.Reader[dataset.GameRow]{games},
		l.run.Path(Folder(g), "positions"), positions.Config{
			Filter: filter, Program: l.Program, NewResolver: newResolve, Workers: l.Concurrency, Progress: stage.Update,
		})
	if errors.Is(err, dataset.ErrComplete) {
		return counts, nil
	}
	if err != nil {
		return none, err
	}
	stage.Finish(fmt.Sprintf("%d of %d kept, %d of them replaced by a quiet leaf",
		manifest.Rows, counts.Positions, counts.Replaced))
	return counts, nil
}
