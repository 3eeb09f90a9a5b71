package tuner

import (
	"context"
	"fmt"
	"math"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/objective"
)

// Answers of a Verdict.
const (
	Better       = "better"
	BetterHere   = "better on games like these"
	noDifference = "no difference shown"
	Worse        = "worse"
)

// carries is the share of what the start weights know that a gain must exceed, with all of
// its interval, to be expected of games of another kind. TUNER.md has the matches behind it.
const carries = 0.02

// groupLoss is the largest GroupLoss of a fit that is better. Of the fits of TUNER.md one lay above it, with .50,
// and the others below .01.
const groupLoss = 0.1

// Verdict says whether the tuned weights predict games that they were not fitted to better
// than the start weights do.
type Verdict struct {
	// Answer is that of the 95 % interval of Basis: worse if all of it is below 0, better if all of it is above
	// Margin. If it is only above 0, or there are no test data and the rows are noisy or GroupLoss is above a
	// tenth, the weights are better on games like these, and no more is known.
	Answer string `json:"verdict,omitempty"`
	// Basis says what the answer rests on: test data, else cross-validation, else the games held out.
	Basis string `json:"verdict_basis,omitempty"`
	// Margin is 0 for test data. Games of one kind fit a share of themselves that games of another take back,
	// so that it is 2 % of what the start weights know for them: of the best constant's loss minus theirs.
	Margin num.Float `json:"margin"`
	// NoisyRows reports that the rows are not fit for tuning.
	NoisyRows bool `json:"noisy_rows,omitempty"`
	// GroupLoss is what some groups should lose on other games, as a share of what the others
	// should gain there.
	GroupLoss num.Float `json:"group_loss,omitempty"`
	// Net is by how much the mean loss on other games should fall: the gain on the training
	// games, less what as many parameters that say nothing would gain by chance and cost
	// elsewhere, D x Effective / rows (Takeuchi's criterion).
	Net num.Float `json:"net_gain"`
	// Change is the root mean square change of the evaluation, from the start weights to those as written, in centipawns.
	Change num.Float `json:"rms_change"`
	// EffectiveGames is the effective number of clusters trained on.
	EffectiveGames float64 `json:"effective_games"`
	// CrossValidation is of all games, each of which was held out once from a fit to the
	// others; Validation of the games held out from the fit itself.
	CrossValidation *Paired `json:"cross_validation,omitempty"`
	Validation      *Paired `json:"validation,omitempty"`
	Test            *Test   `json:"test,omitempty"` // of data apart
}

// Gain returns the difference that the answer rests on; nil if there is none.
func (v *Verdict) Gain() *Paired {
	switch {
	case v.Test != nil:
		return &v.Test.Paired
	case v.CrossValidation != nil:
		return v.CrossValidation
	}
	return v.Validation
}

// decide sets the answer.
func (r *Result) decide() {
	v, p := &r.Verdict, r.Gain()
	if p == nil {
		return
	}
	var gain, loss float64
	for _, g := range r.Groups {
		gain += max(0, g.Net)
		loss += max(0, -g.Net)
	}
	v.GroupLoss = num.Float(objective.Ratio(loss, gain))
	v.Basis, v.Margin = "validation games", num.Float(max(0, carries*(p.Constant-p.Start)))
	switch {
	case v.Test != nil:
		v.Basis, v.Margin = "test data", 0
	case v.CrossValidation != nil:
		v.Basis = "cross-validation"
	}
	v.Answer = noDifference
	switch {
	case p.Interval == Interval{}:
	case p.Interval[1] < 0:
		v.Answer = Worse
	case p.Interval[0] > float64(v.Margin) && (v.Test != nil || !v.NoisyRows && v.GroupLoss <= groupLoss):
		v.Answer = Better
	case p.Interval[0] > 0:
		v.Answer = BetterHere
	}
}

// hopeless reports whether no gain is to be expected on other games.
func (v *Verdict) hopeless() bool { return v.Net <= 0 && v.EffectiveGames > 0 }

// Headline says the verdict in words.
func (r *Result) Headline() string {
	p := r.Gain()
	if p == nil {
		return "none: no games were held out"
	}
	by := "games"
	if p.ByOpening {
		by = "openings"
	}
	return fmt.Sprintf("%s (loss of the start weights minus that of the tuned ones: %v; %s, %d %s)", r.Answer, p,
		r.Basis, p.Clusters, by)
}

// smallLoss is the loss that a group must be expected to cost on other games to be listed.
// The narrowest interval of a gain in TUNER.md is forty times as wide: less decides nothing.
const smallLoss = 1e-5

// smallChange is a change of an evaluation, in centipawns, up to which fits from tuned weights scored as much as chance.
// TUNER.md has the matches.
const smallChange = 20

// Moves warns, in words, if the fit changes the evaluation by more than that; "" if it does not. Match is the command that
// decides.
func (v *Verdict) Moves(match string) string {
	if !(v.Change > smallChange) {
		return ""
	}
	return fmt.Sprintf("the fit changes the evaluation by %.0f centipawns (root mean square): large changes of tuned weights "+
		"mostly lose; a match decides: %s", v.Change, match)
}

// fewResults is the largest share of the result in the targets at which Advice says that a search made them.
const fewResults = 0.2

// Advice says in words what speaks against the weights, and what the risks are. It is empty where the fit shows none.
func (r *Result) Advice() (list []string) {
	if r.Answer == BetterHere {
		list = append(list, r.caveat())
	}
	if r.hopeless() {
		list = append(list, fmt.Sprintf("Few games: %.0f effective ones for %.0f determined parameters, net gain %+.6f",
			r.EffectiveGames, r.Effective, r.Net))
	}
	for _, g := range r.Groups {
		if g.Net < -smallLoss {
			list = append(list, fmt.Sprintf("%s should lose %.6f on other games", g.Name, -g.Net))
		}
	}
	lambda := 1.0
	_, _ = fmt.Sscanf(r.Settings, "lambda=%g", &lambda) // all that a report of a finished fit has
	if r.KScore != 0 && lambda <= fewResults {
		list = append(list, fmt.Sprintf("Risk: a search made the labels (--lambda %g); weights that repeat its opinion "+
			"may play worse", lambda))
	}
	if r.TunedBefore() {
		list = append(list, "Risk: most terms start with a value; if other games tuned them, this fit may undo that")
	}
	return list
}

// TunedBefore reports whether most terms that the fit changes do not start at 0.
func (r *Result) TunedBefore() bool {
	free, valued := 0, 0
	for i := range r.Terms {
		if t := &r.Terms[i]; !t.Frozen && t.Count > 0 {
			free++
			if t.StartMG != 0 || t.StartEG != 0 {
				valued++
			}
		}
	}
	return 2*valued > free
}

// caveat says why weights that are better on games like these need not win.
func (v *Verdict) caveat() string {
	const cure = "--test with features of other games of your engine says more"
	p := v.Gain()
	if p.Interval[0] > float64(v.Margin) {
		if v.NoisyRows {
			return "The rows are noisy, and the fit may have learned the noise: make them quiet; " + cure
		}
		return fmt.Sprintf("On other games some groups should lose %.0f %% of what the others gain; %s", 100*v.GroupLoss,
			cure)
	}
	return fmt.Sprintf("The gain may be as little as %.2g %% of what the start weights know; less than %g %% may come "+
		"from these games alone; %s", 100*p.Interval[0]/(p.Constant-p.Start), 100*carries, cure)
}

// slopeOf returns the slope under which the verdict takes the loss of weights w: k, or the best one where k may
// suit one side better than the other. A change of scale alone, which the rescaling undoes, is then no gain.
func (f *fitting) slopeOf(ctx context.Context, p *objective.Problem, w objective.Tapered, k float64) (float64, error) {
	if f.c.K == 0 && f.c.Lambda == 1 {
		return k, nil // the best for the start weights, and so for a fit under it
	}
	return p.BestK(ctx, w)
}

// judge fills in the verdict.
func (f *fitting) judge(ctx context.Context, r *Result) (err error) {
	start, tuned := predictor{w: objective.StartOf(f.terms)}, predictor{w: r.rounded()}
	if start.k, err = f.slopeOf(ctx, f.train, start.w, f.slope.k); err != nil {
		return err
	}
	if tuned.k, err = f.slopeOf(ctx, f.train, tuned.w, r.FileK); err != nil {
		return err
	}
	if r.Change, err = f.change(ctx, start.w, tuned.w); err != nil {
		return err
	}
	var sides [2]*Paired
	for side := range sides {
		sums := newClusterLosses(f.split.clusters)
		if err := sums.add(ctx, f.train, side, start, tuned); err != nil {
			return err
		}
		sides[side] = sums.paired()
	}
	trained := sides[objective.Trained]
	r.Validation, r.EffectiveGames = sides[objective.HeldOut], trained.Effective
	design := f.at.design
	if f.c.Design != 0 && r.Clustering > 0 { // given, and so no estimate
		design = r.Clustering * r.Dispersion
	}
	r.Net = num.Float(trained.Gain - num.Rounded(design*r.Effective/f.slope.start.Weight[objective.Trained]))
	if f.at.large {
		r.Net = num.Unknown
	}
	if r.heldOut = f.nested; r.heldOut == nil && f.c.Folds > 0 && !f.at.large {
		v, err := f.newCrossValidation(ctx, r.Rescale)
		if err == nil && v != nil {
			r.heldOut, err = v.run(ctx, 1)
		}
		if err != nil {
			return fmt.Errorf("cross-validation: %w", err)
		}
	}
	if r.heldOut != nil {
		r.CrossValidation = r.heldOut.paired()
	}
	r.NoisyRows = f.c.NoisyRows
	r.decide()
	return nil
}

// roundingShare is the part of the gain that rounding may cost without a warning.
const roundingShare = 0.1

// cautionRounding warns where rounding eats the gain.
func (f *fitting) cautionRounding(r *Result) {
	gain, cost := float64(r.Start.Train-r.Fit.Train), float64(r.Rounded.Train-r.Fit.Train)
	if gain > 0 && cost > roundingShare*gain {
		f.warn("rounding to integers costs %.0f %% of the gain on the training games: give the engine finer units",
			100*math.Min(cost/gain, 9.99))
	}
}

// changeRows bounds the rows on which the change of an evaluation is measured.
const changeRows = 1 << 20

// change returns the root mean square change of the evaluation between two sets of weights, in centipawns, over rows
// of both sides of the problem.
func (f *fitting) change(ctx context.Context, start, tuned objective.Tapered) (num.Float, error) {
	every := 1 + f.s.Rows()/changeRows // chunks, since evaluations of all rows may not fit into memory
	before, parts := make([][]float64, len(f.s.Chunks)), make([][2]float64, len(f.s.Chunks))
	err := objective.Evaluate(ctx, f.s, f.c.Workers, start, func(t *objective.Scratch, i int) {
		if i%every == 0 {
			before[i] = append(before[i], t.X[:f.s.Chunks[i].Rows]...)
		}
	}, func(*objective.Scratch, int) {})
	if err != nil {
		return num.Unknown, err
	}
	err = objective.Evaluate(ctx, f.s, f.c.Workers, tuned, func(t *objective.Scratch, i int) {
		for j, x := range before[i] {
			o := float64(f.train.Omega[i][j])
			parts[i][0] += num.Rounded(o * (t.X[j] - x) * (t.X[j] - x))
			parts[i][1] += o
		}
	}, func(*objective.Scratch, int) {})
	var squares, weight float64
	for _, p := range parts {
		squares, weight = squares+p[0], weight+p[1]
	}
	return num.Float(math.Sqrt(squares/weight) / f.c.unit()), err
}
