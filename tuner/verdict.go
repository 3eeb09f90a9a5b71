package tuner

import (
	"context"
	"fmt"
	"math"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
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

// Verdict says whether the tuned weights predict games that they were not fitted to better
// than the start weights do.
type Verdict struct {
	// Answer is what the 95 % interval of Basis says: worse if all of it is below 0, better if all of it is above
	// Margin. If it is only above 0, or there are no test data and the rows are noisy, the weights are better on games
	// like these, and no more is known.
	Answer string `json:"verdict,omitempty"`
	// Basis says what the answer rests on: test data, else cross-validation, else the games held out.
	Basis string `json:"verdict_basis,omitempty"`
	// Margin is 0 for test data. Games of one kind fit a share of themselves that games of another take back,
	// so that it is 2 % of what the start weights know for them: of the best constant's loss minus theirs.
	Margin num.Float `json:"margin"`
	// NoisyRows reports that the rows are not fit for tuning.
	NoisyRows bool `json:"noisy_rows,omitempty"`
	// Change is the root mean square change of the evaluation, from the start weights to those as written, in centipawns.
	Change num.Float `json:"rms_change"`
	// CrossValidation is over all games; each was held out once from a fit to the
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
	case p.Interval[0] > float64(v.Margin) && (v.Test != nil || !v.NoisyRows):
		v.Answer = Better
	case p.Interval[0] > 0:
		v.Answer = BetterHere
	}
}

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
	return fmt.Sprintf("%s (loss of the start weights minus loss of the tuned ones: %v; %s, %d %s)", r.Answer, p,
		r.Basis, p.Clusters, by)
}

// smallChange is a change of an evaluation, in centipawns, up to which fits from tuned weights scored as much as
// chance. TUNER.md has the matches.
const smallChange = 20

// Moves warns, in words, if the fit changes the evaluation by more than that; "" if it does not.
func (v *Verdict) Moves() string {
	if !(v.Change > smallChange) {
		return ""
	}
	return fmt.Sprintf("the fit changes the evaluation by %.0f centipawns (root mean square): large changes of tuned "+
		"weights mostly lose: play the match before you keep them", v.Change)
}

// Caveat says why weights that are better on games like these need not win; "" of any other answer.
func (v *Verdict) Caveat() string {
	const cure = "features of other games of your engine, as a test set, say more"
	switch p := v.Gain(); {
	case v.Answer != BetterHere:
		return ""
	case p.Interval[0] > float64(v.Margin):
		return "The rows are noisy, and the fit may have learned the noise: make them quiet; " + cure
	default:
		return fmt.Sprintf("The gain may be as little as %.2g %% of what the start weights know; less than %g %% may come "+
			"from these games alone; %s", 100*p.Interval[0]/(p.Constant-p.Start), 100*carries, cure)
	}
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
	sums := newClusterLosses(f.split.clusters)
	if err := sums.add(ctx, f.train, objective.HeldOut, start, tuned); err != nil {
		return err
	}
	r.Validation = sums.paired()
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
