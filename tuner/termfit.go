package tuner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/stat/distuv"
)

// TermFit is what a fit says of one term. Coefficients are in the unit of the start weights:
// centipawns, or engine units (Result.Unit).
type TermFit struct {
	Name    string `json:"name"`
	Group   string `json:"group"`
	Tapered bool   `json:"tapered"`

	StartMG float64 `json:"start_mg"`
	StartEG float64 `json:"start_eg"`
	MG      int32   `json:"mg"` // rounded, as in the weight file
	EG      int32   `json:"eg"`
	FitMG   float64 `json:"fit_mg"` // rescaled, before rounding
	FitEG   float64 `json:"fit_eg"`
	// clustered; 0 where Frozen or never seen, NaN (null) where not known: one or two games say nothing of it
	SEMG num.Float `json:"se_mg"`
	SEEG num.Float `json:"se_eg"`
	ZMG  num.Float `json:"z_mg"` // (fit - start) / se; 0 where there is no se
	ZEG  num.Float `json:"z_eg"`
	// The 95 % intervals of the coefficients.
	IntervalMG Interval `json:"interval_mg"`
	IntervalEG Interval `json:"interval_eg"`
	// SEChangeMG and SEChangeEG are the errors of the change beyond the common rescaling,
	// FitMG - Rescale x StartMG; 0 in results of earlier versions.
	SEChangeMG num.Float `json:"se_change_mg,omitempty"`
	SEChangeEG num.Float `json:"se_change_eg,omitempty"`
	NaiveMG    num.Float `json:"naive_se_mg"` // standard errors as if rows were independent
	NaiveEG    num.Float `json:"naive_se_eg"`

	Count int64 `json:"count"` // training rows in which it occurs
	// TypicalCount is the root mean square of its counts in these rows. PriorEffect is the width of its prior
	// in centipawns of effect: the weight's width times TypicalCount; null where it is free.
	TypicalCount float64   `json:"typical_count,omitempty"`
	PriorEffect  num.Float `json:"prior_effect,omitempty"`
	// EffectiveGames is the effective number of clusters that inform the term.
	EffectiveGames float64 `json:"effective_games"`
	// DataShare is the part of the term that the data determined, the rest being the prior's: 0..1, the mean of
	// its two coefficients. A standard error says how far the fit would move with other games; where the share
	// is small, the prior lets it move little, and a small error says nothing about the true value.
	DataShare num.Float `json:"data_share"`
	Rescale   float64   `json:"rescale"` // Result.Rescale
	Frozen    bool      `json:"frozen,omitempty"`
}

// Quantile returns how many standard errors a 95 % interval of the term reaches to either side: a quantile of
// Student's t with one degree of freedom less than clusters inform the term (Liang and Zeger 1986 have the
// normal's 1.96, which is too short for few of them).
func (t *TermFit) Quantile() float64 {
	return distuv.StudentsT{Sigma: 1, Nu: max(1, t.EffectiveGames-1)}.Quantile(0.975)
}

// Few reports whether too few games inform the term for its standard error to be reliable.
func (t *TermFit) Few() bool {
	return t.Count > 0 && t.EffectiveGames > 0 && t.EffectiveGames < rows.MinClusters
}

// CompareWith makes mg and eg the start values that the term is compared with.
func (t *TermFit) CompareWith(mg, eg float64) {
	t.StartMG, t.StartEG = mg, eg
	t.ZMG, t.ZEG = num.Float(objective.Ratio(t.FitMG-mg, float64(t.SEMG))), num.Float(objective.Ratio(t.FitEG-eg,
		float64(t.SEEG)))
}

// smallestShare is the share that the data must have in a term for its error to say more than the prior.
const smallestShare = 0.2

// Moved reports whether the games say that the coefficient differs from its start value: whether it changed,
// beyond the rescaling of all, by more than two standard errors. The errors count only where enough games
// inform the term, and where the data rather than the prior determine it.
func (t *TermFit) Moved() bool {
	if t.EffectiveGames < rows.MinClusters || !(t.DataShare >= smallestShare) {
		return false
	}
	far := func(start float64, now int32, se num.Float) bool {
		return se > 0 && math.Abs(float64(now)-num.Rounded(t.Rescale*start)) > 2*float64(se)
	}
	return far(t.StartMG, t.MG, cmp.Or(t.SEChangeMG, t.SEMG)) || far(t.StartEG, t.EG, cmp.Or(t.SEChangeEG, t.SEEG))
}

// compare fills in what follows from the standard errors.
func (t *TermFit) compare() {
	t.CompareWith(t.StartMG, t.StartEG)
	t.IntervalMG, t.IntervalEG = t.interval(t.FitMG, t.SEMG), t.interval(t.FitEG, t.SEEG)
}

// interval is the 95 % interval of a coefficient of t.
func (t *TermFit) interval(v float64, se num.Float) Interval {
	if se == 0 || !se.Known() {
		return Interval{}
	}
	reach := t.Quantile() * float64(se)
	return Interval{v - reach, v + reach}
}

// Change is how far a coefficient moved.
type Change struct {
	Term  *TermFit
	Half  string // mg or eg; empty where one coefficient holds in both
	Start float64
	Value int32
	SE    num.Float
	Moved float64 // centipawns, beyond the rescaling of all weights
}

// LargestChanges returns the n coefficients that moved most, the largest first, of those that
// occur in the data. Twins that are tied count once.
func LargestChanges(terms []TermFit, n int) []Change {
	var all []Change
	for i := range terms {
		t := &terms[i]
		if t.Count == 0 || t.Frozen {
			continue
		}
		half := ""
		if t.Tapered {
			half = "mg"
			all = append(all, Change{t, "eg", t.StartEG, t.EG, t.SEEG, t.FitEG - num.Rounded(t.Rescale*t.StartEG)})
		}
		all = append(all, Change{t, half, t.StartMG, t.MG, t.SEMG, t.FitMG - num.Rounded(t.Rescale*t.StartMG)})
	}
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(math.Abs(b.Moved), math.Abs(a.Moved)) })
	var list []Change
	for _, c := range all {
		twin := slices.ContainsFunc(list, func(x Change) bool {
			return x.Half == c.Half && x.Moved == c.Moved && cmp.Compare(x.SE, c.SE) == 0 && x.Term.Group == c.Term.Group
		})
		if len(list) < n && c.Moved != 0 && !twin {
			list = append(list, c)
		}
	}
	return list
}

const (
	// jumpReach is the distance from a jump of a formula, in centipawns of the compared value, up
	// to which a row is counted as near.
	jumpReach = 5
	// kinkReach is the distance from a kink, in centipawns, that counts as on it.
	kinkReach = 0.05
	// mostlyRough is the part of a coefficient's information from rows near a jump or on a kink,
	// from which on it is named.
	mostlyRough = 0.5
	// bentIdle is the smallest decrease of the mean loss that counts: a loss with kinks and jumps has no
	// gradient that vanishes at its minimum.
	bentIdle = 1e-8
)

// Nonlinear has what a fit says of an evaluation that is not linear.
type Nonlinear struct {
	Formula string `json:"formula"`
	// Jumps is the number of places where the formula may jump; NearJumps the number of rows
	// within 5 centipawns of one under the tuned weights. What a fit says of these is rough.
	Jumps     int `json:"jumps"`
	NearJumps int `json:"rows_near_jumps"`
	// OnKinks are the coefficients that the data determine mostly by rows near a jump, or on a
	// kink: where a value is cut off or changes its sign. Their errors are rough.
	OnKinks []string `json:"coefficients_on_kinks,omitempty"`
}

// describeNonlinear fills in the report on an evaluation with a formula, at the fitted numbers.
func (f *fitting) describeNonlinear(ctx context.Context, r *Result) error {
	bend := f.s.Nonlinear()
	if bend == nil {
		return nil
	}
	r.Nonlinear = &Nonlinear{Formula: bend.Formula.Text, Jumps: len(bend.Jumps)}
	rough, err := f.train.FindRough(ctx, r.fitted(), jumpReach*f.c.unit(), kinkReach*f.c.unit())
	if err != nil {
		return err
	}
	r.Nonlinear.NearJumps = rough.NearJumps
	for t := range f.terms {
		for half, j := range [2]int{f.free.MG[t], f.free.EG[t]} {
			if j == objective.Fixed || half == 1 && !f.terms[t].Tapered ||
				[2]float64{rough.Share.MG[t], rough.Share.EG[t]}[half] < mostlyRough {
				continue
			}
			name := f.terms[t].Name
			if f.terms[t].Tapered {
				name += [2]string{" mg", " eg"}[half]
			}
			r.Nonlinear.OnKinks = append(r.Nonlinear.OnKinks, name)
		}
	}
	if n := len(r.Nonlinear.OnKinks); n > 0 {
		f.warn("the errors of %d coefficients are rough, most of what the data say of them is from rows "+
			"near a jump or on a kink of the formula: %s", n, some(r.Nonlinear.OnKinks))
	}
	if n := r.Nonlinear.NearJumps; n > 0 {
		f.warn("%d of %d rows are within %d centipawns of where the formula jumps (signs and conditions): "+
			"there the fit is rough", n, r.Rows, jumpReach)
	}
	return nil
}

// Linearization says how far a fit went from the point where its slopes were measured, the start weights. Measuring
// again at the tuned ones shows how far the slopes hold: where the evaluation changed by something else than
// Predicted, half of Largest is a better Config.Trust.
type Linearization struct {
	// Predicted is the root mean square change of the evaluation on the rows trained on, by the slopes: centipawns.
	Predicted float64 `json:"predicted"`
	// Largest is how far the coefficient that moved most did, in centipawns of effect, and Term its term.
	Largest float64   `json:"largest"`
	Term    string    `json:"term"`
	Trust   num.Float `json:"trust"` // Config.Trust
	// AtLimit names the coefficients that Trust holds.
	AtLimit []string `json:"at_limit,omitempty"`
}

// describeLinearization fills in what a fit with measured slopes says of itself.
func (f *fitting) describeLinearization(ctx context.Context, r *Result) error {
	if !f.s.Local() {
		return nil
	}
	r.Linearization = &Linearization{Trust: num.Float(cmp.Or(f.c.Trust, DefaultTrust))}
	change := r.rounded()
	for t, term := range f.terms {
		change.MG[t] -= term.MG
		change.EG[t] -= term.EG
		if by := math.Abs(change.MG[t]) * f.split.typical[t] / f.c.unit(); by > r.Linearization.Largest && f.split.seen[t] > 0 {
			r.Linearization.Largest, r.Linearization.Term = by, term.Name
		}
	}
	for j, name := range f.free.Names(f.terms) {
		if f.free.Stuck(j) {
			r.Linearization.AtLimit = append(r.Linearization.AtLimit, name)
		}
	}
	if n := len(r.Linearization.AtLimit); n > 0 {
		f.warn("%d numbers would go further than %g centipawns of effect from where slopes were measured, and are held "+
			"there: measure again at the tuned weights, and fit again, or trust the slopes further: "+
			"%s", n, float64(r.Linearization.Trust),
			some(r.Linearization.AtLimit))
	}
	rms, err := f.change(ctx, objective.StartOf(f.terms), r.rounded())
	r.Linearization.Predicted = short(float64(rms))
	return err
}

// Answers of a Verdict.
const (
	Better       = "better"
	BetterHere   = "better on games like these"
	noDifference = "no difference shown"
	worse        = "worse"
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
		v.Answer = worse
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
	if f.c.K == 0 && f.c.Lambda == 1 && !f.slope.moved {
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
	heldOut := f.nested
	if heldOut == nil && f.c.Folds > 0 && !f.at.large {
		v, err := f.newCrossValidation(ctx, r.Rescale)
		if err == nil && v != nil {
			heldOut, err = v.run(ctx, 1)
		}
		if err != nil {
			return fmt.Errorf("cross-validation: %w", err)
		}
	}
	if heldOut != nil {
		r.CrossValidation = heldOut.paired()
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
