// Package learn closes the loop that Shannon asked for: a program that changes the
// coefficients of its evaluation according to the results of games.
//
// A run is a series of generations. Each plays games against itself with the weights
// of the champion (selfplay/datagen), makes positions of them (dataset/positions), fits the
// weights to all recent positions (tuner), or instead of all this tunes them by games
// between perturbed weights (MethodSPSA, tuner/spsa/play), and plays the new weights against the
// old ones in a gate, an SPRT match (selfplay/match): weights become champion if they pass, or if
// their whole interval is above 0 when the games end.
// At the end the champion plays its start weights and a fixed opponent in matches of fixed length on
// openings that no game has used before; only these are reported as the gain, because the
// score of a match that stops when it looks good is biased.
//
// All state is in the run's folder. A run that was killed resumes where it stopped and ends
// with the same bytes. A complete run continues under a plan with more generations, and
// ends as if they had been planned from the start.
//
// What is measured by the clock (nodes a second) goes to events.jsonl, never into
// result.json. Players, training and statistics live elsewhere; this package decides
// only what follows what. No promise of stability.
//
// RESULTS.md has what it makes of Shannon's own coefficients, and notebook 01 a short run.
//
// Loop has the order of steps, over a Learner: assay with one of its models here, an author's engine in
// cmd/internal/ownengine.
//
// Start reading at Loop, Config and Run.
package learn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
)

// Learner is what a loop needs of the programs that it makes stronger: the models of assay are one,
// cmd/internal/ownengine has an author's engine. Whatever a learner makes is in the run's folder, and what an earlier
// call made it takes.
type Learner interface {
	// Propose plays the games of a generation, from 1, with the champion, and returns the weights that these and
	// earlier games teach: the champion's if they teach nothing. They are in the generation's Folder. ErrEnough ends
	// the loop before the generation.
	Propose(ctx context.Context, generation int, champion WeightsRef) (WeightsRef, error)
	// Gate lets new weights play against the champion's until a sequential test decides. It returns the result and
	// whose it is: the proposed weights, or others nearer to the champion's that played after them. A learner may leave
	// out the games of equal weights; the result is nil then.
	Gate(ctx context.Context, generation int, proposed, champion WeightsRef) (*match.Result, WeightsRef, error)
	// Decided keeps what became of the generation.
	Decided(d Decision)
}

// ErrEnough is what Propose returns instead of a generation that is not worth its games.
var ErrEnough = errors.New("no further generation")

// Decision says whether the weights of a generation became champion, and why.
type Decision struct {
	Gate     *match.Result `json:"gate"` // score of the new weights against the champion's; null: not played
	Promoted bool          `json:"promoted"`
	Reason   string        `json:"reason"` // in words
}

// Loop carries out that many generations, and returns the champion after them.
func Loop(ctx context.Context, run *durable.Run, l Learner, generations int, champion WeightsRef) (WeightsRef, error) {
	for g := 1; g <= generations; g++ {
		next, err := turn(ctx, run, l, g, champion)
		if errors.Is(err, ErrEnough) {
			break
		}
		if err != nil {
			return champion, fmt.Errorf("generation %d: %w", g, err)
		}
		champion = next
	}
	return champion, nil
}

// turn carries out a generation, and returns the champion after it.
func turn(ctx context.Context, run *durable.Run, l Learner, g int, champion WeightsRef) (WeightsRef, error) {
	proposed, err := l.Propose(ctx, g, champion)
	if err != nil {
		return champion, err
	}
	gate, proposed, err := l.Gate(ctx, g, proposed, champion)
	if err != nil {
		return champion, err
	}
	d := decide(gate, proposed.ID == champion.ID)
	if d.Promoted {
		champion = proposed
	}
	l.Decided(d)
	return champion, run.Event("decision", map[string]any{"generation": g, "promoted": d.Promoted, "reason": d.Reason,
		"champion": champion.ID})
}

// decide says whether new weights become champion; same, that they are the champion's. An undecided gate keeps the
// games, and the weights if its whole interval is above 0.
func decide(gate *match.Result, same bool) Decision {
	d := Decision{Gate: gate}
	switch {
	case same:
		d.Reason = "the fit changed nothing"
	case gate.Passed():
		d.Promoted, d.Reason = true, fmt.Sprintf("the gate was passed after %d games", gate.Games)
	case gate.Verdict == match.AcceptH0:
		d.Reason = fmt.Sprintf("the gate was failed after %d games; the games are kept, the weights are not", gate.Games)
	case gate.Known() && gate.EloLo > 0:
		d.Promoted, d.Reason = true, fmt.Sprintf("the gate was undecided after %d games, with all of its interval above 0",
			gate.Games)
	default:
		d.Reason = fmt.Sprintf("the gate was undecided after %d games; the games are kept, the weights are not", gate.Games)
	}
	return d
}

// weightsName is the file of a generation's weights in its folder.
const weightsName = "weights.json"

// Folder returns the folder of a generation within the run's.
func Folder(generation int) string { return fmt.Sprintf("gen-%d", generation) }

// weights play in a run: it began with them, or a generation found them.
type weights struct {
	WeightsRef
	Values *models.File
	Terms  []tuner.TermFit // against the start weights; nil for these themselves
}

type learner struct {
	Config
	run      *durable.Run
	start    *models.File // where fits begin: Plan.From, or the model's start weights if these are of another model
	champion weights
	last     weights // the last fit, promoted or not
	k        float64 // slope of the sigmoid; 0 until the first fit has found it
	result   Result
	now      GenerationResult // of the generation under way
}

// parent returns the weights that the next fit begins with: the champion's, unless these are
// of another model.
func (l *learner) parent() *models.File {
	if l.champion.Values.Model == l.Plan.Model {
		return l.champion.Values
	}
	return l.start
}

// player returns weights as a player. Its name in files holds the weights' id and
// no path, so that equal runs in different folders write equal bytes.
func (l *learner) player(w WeightsRef) selfplay.Player {
	shown, place := "start", l.Plan.From
	if w.Generation > 0 {
		shown = Folder(w.Generation)
		place = l.run.Path(shown, weightsName)
	}
	return selfplay.Player{Spec: l.spec(place), ID: "assay:" + w.ID, Name: shown}
}

// Run carries out the plan in the run's folder, from where an earlier call stopped. For a
// complete run it returns the recorded result. When the context ends, Run returns its
// error; all finished stages are on disk.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.Plan.check(); err != nil {
		return nil, err
	}
	start, err := open("start weights", &c.Plan.From, c.StartID)
	if err != nil {
		return nil, err
	}
	opponent, err := open("opponent's weights", &c.Plan.Opponent, c.OpponentID)
	if err != nil {
		return nil, err
	}
	// No file holds paths: weights that are not embedded go by their id.
	plan := c.Plan
	plan.From, plan.Opponent = Written(plan.From, start), Written(plan.Opponent, opponent)
	now := RunConfig{c.Program, start.ID(), opponent.ID(), plan}
	info := durable.RunInfo{Command: "learn", Resume: c.Resume, Program: c.Program, Loose: gamelog.Loose}
	run, err := durable.ExtendRun(c.Out, info, now,
		func(recorded json.RawMessage) error { return checkResume(c.Out, recorded, now) })
	if err != nil {
		return nil, err
	}
	defer run.Close()
	if _, complete := run.Result(); complete {
		r := &Result{Already: true}
		return r, durable.ReadJSON(run.Path(durable.RunResultName), r)
	}
	l := &learner{Config: c, run: run, start: start}
	if start.Model != c.Plan.Model {
		if l.start, err = models.Open(models.StartOf(c.Plan.Model)); err != nil {
			return nil, err
		}
	}
	m, _, err := l.start.Weights()
	if err != nil {
		return nil, err
	}
	l.champion = weights{WeightsRef: WeightsRef{ID: start.ID(), File: plan.From}, Values: start}
	l.result = Result{Format: Format, Program: c.Program, Plan: plan, Start: l.champion.WeightsRef,
		Opponent: WeightsRef{ID: opponent.ID(), File: plan.Opponent}, Held: heldTerms(m)}
	if err := l.all(ctx); err != nil {
		return nil, err
	}
	return &l.result, nil
}

// open opens weights, which must have the id unless that is empty. Embedded weights with
// the id are found under whatever name, and named so.
func open(what string, place *string, id string) (*models.File, error) {
	named := *place
	f, err := models.Open(named)
	if id != "" && (err != nil || f.ID() != id) {
		for _, name := range models.Names() {
			if e, err := models.Embedded(name); err == nil && e.ID() == id {
				*place = name
				return e, nil
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if id != "" && f.ID() != id {
		return nil, fmt.Errorf("%w: the %s %s have the id %s, but the plan was made for %s",
			ErrPlan, what, named, f.ID(), id)
	}
	return f, nil
}

// Written returns how weights that a person named are called in what a run writes.
func Written(named string, f *models.File) string {
	if slices.Contains(models.Names(), named) {
		return models.CanonicalName(named)
	}
	return f.ID()
}

func (l *learner) all(ctx context.Context) error {
	if _, err := Loop(ctx, l.run, l, len(l.Plan.Generations), l.champion.WeightsRef); err != nil {
		return err
	}
	if err := l.final(ctx); err != nil {
		return fmt.Errorf("final match: %w", err)
	}
	l.conclude()
	return l.run.Finish(&l.result)
}

// conclude reports the champion's coefficients; if nothing was promoted, the ones of the
// last fit, which are worth a look all the same.
func (l *learner) conclude() {
	r := &l.result
	r.Champion, r.K = l.champion.WeightsRef, cmp.Or(l.k, l.start.K)
	shown := l.champion
	if l.champion.Generation == 0 {
		shown = l.last
	}
	r.Learned, r.Terms = shown.WeightsRef, shown.Terms
}

// Propose plays and learns.
func (l *learner) Propose(ctx context.Context, g int, champion WeightsRef) (WeightsRef, error) {
	l.now = GenerationResult{Number: g}
	learned := l.learnPositions
	if l.Plan.Generations[g-1].byGames() {
		learned = l.learnGames
	}
	file, fit, err := learned(ctx, g, &l.now)
	if err != nil {
		return champion, err
	}
	l.now.Fit = fit.summary()
	if fit.Result != nil {
		l.now.Warnings = append(l.now.Warnings, fit.Warnings...)
	}
	l.last = weights{WeightsRef{ID: fit.ID, File: Folder(g) + "/" + weightsName, Generation: g}, file, fit.TermList()}
	return l.last.WeightsRef, nil
}

// Decided keeps the result of a generation.
func (l *learner) Decided(d Decision) {
	l.now.Gate, l.now.Promoted, l.now.Reason = d.Gate, d.Promoted, d.Reason
	l.result.Generations = append(l.result.Generations, l.now)
	if d.Promoted {
		l.champion = l.last
	}
}

// learnPositions fits weights to the positions of games of the champion against itself.
func (l *learner) learnPositions(ctx context.Context, g int, r *GenerationResult) (*models.File, *Fit, error) {
	games, err := l.games(ctx, g)
	if err != nil {
		return nil, nil, err
	}
	r.Games, r.Warnings = *games, warnings(games)
	if r.Positions, err = l.positions(ctx, g); err != nil {
		return nil, nil, err
	}
	file, fit, err := l.fit(ctx, g)
	if err == nil {
		l.k = fit.K
	}
	return file, fit, err
}

// warnings says what in the games makes their labels worth less than they seem.
func warnings(s *datagen.Summary) []string {
	list := []string{}
	if share, lo, hi := s.Disagreement(); lo > datagen.MaxDisagreement {
		list = append(list, fmt.Sprintf("adjudication: %.1f %% (95 %% interval %.1f to %.1f) of the adjudicated "+
			"games that were played on ended otherwise, more than %.0f %%",
			100*share, 100*lo, 100*hi, 100*datagen.MaxDisagreement))
	}
	return list
}

// The matches at the end are in the folder of the last generation, so that a run
// that is extended keeps the earlier ones.
const (
	finalName     = "final"
	fromStartName = "from-start"
)

func (l *learner) spec(weights string) engine.Spec {
	hash := engine.Option{Name: "hash", Value: strconv.Itoa(l.Plan.Hash)}
	return engine.Spec{Name: "assay", Weights: weights, Options: []engine.Option{hash}}
}

func (l *learner) games(ctx context.Context, g int) (*datagen.Summary, error) {
	plan := l.Plan.Generations[g-1]
	c := datagen.Config{Setup: l.setup(l.run.Path(Folder(g), "games"), plan.Nodes), Games: uint64(plan.Games),
		Players: []selfplay.Player{l.player(l.champion.WeightsRef)}}
	c.Generation, c.Stage = uint64(g), "selfplay"
	stage := l.Stage(fmt.Sprintf("generation %d: self-play", g))
	c.Progress = stage.Update
	s, err := datagen.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	stage.Finish(fmt.Sprintf("%d games, %d plies; White won %d, drew %d, lost %d; of %d adjudicated games played on, "+
		"%d were drawn after all and %d reversed",
		s.Games, s.Plies, s.WhiteWins, s.Draws, s.BlackWins, s.PlayedOn, s.Disagreed-s.Reversed, s.Reversed))
	return s, nil
}

// Gate lets the last fit's weights meet the champion's.
func (l *learner) Gate(ctx context.Context, g int, proposed, champion WeightsRef) (*match.Result, WeightsRef, error) {
	plan := l.Plan.Generations[g-1].Gate
	c := match.Config{Setup: l.setup(l.run.Path(Folder(g), "gate"), plan.Nodes), A: l.player(proposed),
		B: l.player(champion), Games: uint64(plan.Games), Test: plan.test()}
	c.Generation, c.Stage = uint64(g), "gate"
	r, err := l.play(ctx, c, fmt.Sprintf("generation %d: gate", g))
	return r, proposed, err
}

// final measures the gain of the run, in matches of fixed length on openings of
// their own: against the opponent, and against the weights that it began with, unless these
// are the opponent. If the opponent's weights are still champion, the last fit plays them:
// how far it is from being promoted is worth knowing.
func (l *learner) final(ctx context.Context) error {
	player := l.champion.WeightsRef
	if player.ID == l.result.Opponent.ID {
		player = l.last.WeightsRef
	}
	opponent := selfplay.Player{Spec: l.spec(l.Plan.Opponent), ID: "assay:" + l.result.Opponent.ID,
		Name: l.result.Opponent.File}
	var err error
	if l.result.Final, err = l.measure(ctx, finalName, "final match against "+l.result.Opponent.File, player,
		opponent); err != nil {
		return err
	}
	if l.champion.Generation == 0 {
		return nil
	}
	if l.result.Opponent.ID == l.result.Start.ID {
		l.result.FromStart = l.result.Final
		return nil
	}
	l.result.FromStart, err = l.measure(ctx, fromStartName, "match against the start weights", player,
		l.player(l.result.Start))
	return err
}

// measure plays one of the matches of fixed length. The stage, which is also the
// folder's name, keeps their openings apart.
func (l *learner) measure(ctx context.Context, stage, name string, player WeightsRef,
	against selfplay.Player) (*match.Result, error) {
	last := len(l.Plan.Generations)
	c := match.Config{Setup: l.setup(l.run.Path(Folder(last), stage), l.Plan.Final.Nodes), A: l.player(player),
		B: against, Games: uint64(l.Plan.Final.Games)}
	c.Generation, c.Stage = uint64(last), stage
	return l.play(ctx, c, name)
}

// setup says how the run's games are played, and keeps them in the folder.
func (l *learner) setup(out string, nodes uint64) selfplay.Setup {
	rule := selfplay.StandardAdjudication()
	rule.Tables = l.Tables
	limits := selfplay.Limits{Nodes: nodes, HardNodes: l.Plan.HardNodes}
	s := selfplay.Setup{Place: l.Place, Rules: selfplay.Rules{Limits: limits, Rule: rule, Seed: l.Plan.Seed,
		Program: l.Program}}
	s.Out = out
	return s
}

func (l *learner) play(ctx context.Context, c match.Config, name string) (*match.Result, error) {
	stage := l.Stage(name)
	c.Progress = stage.Update
	r, err := match.Run(ctx, c)
	if errors.Is(err, selfplay.ErrNoVerdict) {
		return nil, fmt.Errorf("%s: %w", c.Out, err)
	}
	if err != nil {
		return nil, err
	}
	stage.Finish(fmt.Sprintf("%s after %d games: Elo %s", r.Outcome(), r.Games, r.Strength.Text("")))
	nps := r.NodesPerSecond()
	return r, l.run.Event("match", map[string]any{"name": name, "nps_a": nps[0], "nps_b": nps[1],
		"seconds": r.Took.Seconds()})
}
