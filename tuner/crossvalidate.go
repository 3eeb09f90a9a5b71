package tuner

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"gonum.org/v1/gonum/mat"
)

// foldGap is the distance in mean loss from the optimum at which the fit of a fold stops.
const foldGap = 1e-7

// crossValidation refits the coefficients without each fold of the games, the last fit for
// start. Scale, design effect and priors are the last fit's.
type crossValidation struct {
	f       *fitting
	all     *objective.Problem // every row trained on
	folds   int
	fold    []int // by cluster; -1: never held out
	theta   []float64
	parts   []*mat.SymDense // information by fold at theta; the last of rows that no fold holds out
	whole   *mat.SymDense   // their sum
	rescale float64         // from the fit to the weights as written
}

// newCrossValidation prepares it; nil if there are too few games.
func (f *fitting) newCrossValidation(ctx context.Context, rescale float64) (*crossValidation, error) {
	c := f.split.clusters
	fold, n := c.Folds(max(1, f.c.Folds), f.c.Seed)
	if n < 2 {
		return nil, nil
	}
	all := &objective.Problem{Store: f.s, Loss: f.c.Loss, K: f.slope.k, Unit: f.c.unit(), Target: f.train.Target,
		Workers: f.c.Workers}
	all.Omega, _ = f.s.Split(c, 0, 0)
	v := &crossValidation{f: f, all: all, folds: n, fold: fold, theta: f.at.theta, rescale: rescale}
	return v, v.informations(ctx)
}

// informations takes the information of each fold at theta, in one pass.
func (v *crossValidation) informations(ctx context.Context) error {
	w := objective.NewTapered(len(v.f.terms))
	v.f.free.Expand(v.theta, w)
	var factors []objective.RowFactor
	for k := range v.folds + 1 {
		factors = append(factors, func(chunk, row int, _, curvature float64) float64 {
			if at := v.foldOf(chunk, row); at == k || at < 0 && k == v.folds {
				return curvature
			}
			return 0
		})
	}
	grams, err := v.all.Gram(ctx, w, factors...)
	if err != nil {
		return err
	}
	v.whole = mat.NewSymDense(v.f.free.N, nil)
	for _, g := range grams {
		part := v.f.free.FoldGram(g)
		v.parts = append(v.parts, part)
		v.whole.AddSym(v.whole, part)
	}
	return nil
}

func (v *crossValidation) foldOf(chunk, row int) int {
	return v.fold[v.f.split.clusters.Of[v.f.s.Chunks[chunk].Game[row]]]
}

// without returns the problem without a fold, which it holds out.
func (v *crossValidation) without(fold int) *objective.Problem {
	p := *v.all
	p.Omega, p.Held = nil, make([]bool, len(v.f.split.clusters.Of))
	for g, c := range v.f.split.clusters.Of {
		p.Held[g] = v.fold[c] == fold
	}
	for i, k := range v.f.s.Chunks {
		w := make([]float32, k.Rows)
		for j, g := range k.Game {
			if !p.Held[g] {
				w[j] = v.all.Omega[i][j]
			}
		}
		p.Omega = append(p.Omega, w)
	}
	return &p
}

// run holds every fold out once, with the widths of the priors multiplied by a factor.
func (v *crossValidation) run(ctx context.Context, factor float64) (*clusterLosses, error) {
	sums := newClusterLosses(v.f.split.clusters)
	start := predictor{w: objective.StartOf(v.f.terms)}
	var err error
	if start.k, err = v.f.slopeOf(ctx, v.all, start.w, v.f.slope.k); err != nil {
		return nil, err
	}
	for fold := range v.folds {
		v.f.c.progress(int64(fold), int64(v.folds), "cross-validation")
		p := v.without(fold)
		tuned, err := v.refit(ctx, p, fold, factor)
		if err != nil {
			return nil, err
		}
		if err := sums.add(ctx, p, objective.HeldOut, start, tuned); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// refit returns the weights that are fitted without a fold, with their slope.
func (v *crossValidation) refit(ctx context.Context, p *objective.Problem, fold int, factor float64) (predictor,
	error) {
	params, of := v.f.free.Without(make([]bool, len(v.f.terms)))
	params.Widen(factor)
	w, err := v.fit(ctx, p, fold, params, of)
	if err != nil {
		return predictor{}, err
	}
	k, err := v.f.slopeOf(ctx, p, w, p.K)
	return predictor{w, k}, err
}

// fit returns the weights that are fitted without a fold, or to all if that is -1, rounded as the fit's are. Of
// are the numbers of the parameters in the fit to all.
func (v *crossValidation) fit(ctx context.Context, p *objective.Problem, fold int, params *objective.Params,
	of []int) (w objective.Tapered, err error) {
	if params.N == 0 { // the group that is left out was all that is free
		return v.weights(params, nil), nil
	}
	f := v.f
	o := objective.New(p, params, f.at.design)
	theta, known := make([]float64, params.N), mat.NewSymDense(params.N, nil)
	for i, a := range of {
		theta[i] = v.theta[a]
		for j := i; j < params.N; j++ {
			known.SetSym(i, j, v.whole.At(a, of[j]))
			if fold >= 0 {
				known.SetSym(i, j, known.At(i, j)-v.parts[fold].At(a, of[j]))
			}
		}
	}
	o.Known.Set(theta, known)
	weight := 0.0
	for _, c := range p.Omega {
		for _, o := range c {
			weight += float64(o)
		}
	}
	s := optimize.Settings{Gap: foldGap * weight / f.at.design, Box: params.Box}
	if f.s.Nonlinear() != nil {
		s.Idle = 10 * s.Gap
	}
	out, err := optimize.GaussNewton{}.Minimize(ctx, o, theta, s)
	if err != nil {
		return w, fmt.Errorf("fold %d: %w", fold+1, err)
	}
	return v.weights(params, out.X), nil
}

// weights returns the weights of parameters, rounded.
func (v *crossValidation) weights(params *objective.Params, x []float64) objective.Tapered {
	w := objective.NewTapered(len(v.f.terms))
	params.Expand(x, w)
	for t := range w.MG {
		w.MG[t], w.EG[t] = math.Round(w.MG[t]*v.rescale)/v.rescale, math.Round(w.EG[t]*v.rescale)/v.rescale
	}
	return w
}

// chooseStep is the ratio of neighboring factors on the priors that are tried, and
// chooseReach how many steps from 1 they go.
const (
	chooseStep  = 3
	chooseReach = 2
)

// choosePrior chooses the factor on the widths of all priors by cross-validation, from 1 towards narrower ones,
// else wider ones, as long as the held-out loss falls; then it fits with that. The verdict is of the choice
// too: each fold is predicted with the factor that is best for the others.
func (f *fitting) choosePrior(ctx context.Context) error {
	v, err := f.newCrossValidation(ctx, 1)
	if err != nil || v == nil {
		return err
	}
	var tried []trial
	best := 0
	try := func(step int) (better bool, err error) {
		factor := math.Pow(chooseStep, float64(step))
		f.c.progress(0, 0, "cross-validation with priors of %.3g times the width", factor)
		sums, err := v.run(ctx, factor)
		if err != nil {
			return false, fmt.Errorf("cross-validation: %w", err)
		}
		tried = append(tried, newTrial(factor, sums, v.fold, v.folds))
		if last := &tried[len(tried)-1]; last.beats(&tried[best]) {
			best = len(tried) - 1
		}
		return best == len(tried)-1, nil
	}
	if _, err := try(0); err != nil {
		return err
	}
	for _, way := range []int{-1, 1} {
		for step := way; best == 0 || tried[best].factor != 1; step += way {
			better, err := try(step)
			if err != nil {
				return err
			}
			if !better || step == way*chooseReach {
				break
			}
		}
		if best != 0 {
			break
		}
	}
	f.nested = nestedChoice(tried, v)
	f.c.PriorFactor = cmp.Or(f.c.PriorFactor, 1) * tried[best].factor
	if best == 0 {
		return nil
	}
	theta := f.at.theta
	if err := f.parametrize(ctx); err != nil {
		return err
	}
	f.free.first = theta
	f.at.known = nil
	return f.solve(ctx)
}

// trial is a factor on the priors with its held-out losses.
type trial struct {
	factor float64
	sums   *clusterLosses
	fold   []float64 // loss by fold
}

func newTrial(factor float64, sums *clusterLosses, fold []int, folds int) trial {
	t := trial{factor, sums, make([]float64, folds)}
	for c, k := range fold {
		if k >= 0 {
			t.fold[k] += sums.tuned[c]
		}
	}
	return t
}

// beats reports whether the factor is better than another: a narrower one if its loss is smaller, a wider one
// if it is by two standard errors, because a wide prior that is wrong costs more than a narrow one.
func (t *trial) beats(o *trial) bool {
	if t.factor < o.factor {
		return t.total() < o.total()
	}
	d := *t.sums
	d.start = o.sums.tuned
	p := d.paired()
	return p.Gain > 2*float64(p.SE)
}

func (t *trial) total() (sum float64) {
	for _, v := range t.fold {
		sum += v
	}
	return sum
}

// nestedChoice returns the losses of the factor that is best without each fold.
func nestedChoice(tried []trial, v *crossValidation) *clusterLosses {
	out := *tried[0].sums
	out.tuned = make([]float64, len(out.start))
	for k := range v.folds {
		best := 0
		for i := range tried {
			if tried[i].total()-tried[i].fold[k] < tried[best].total()-tried[best].fold[k] {
				best = i
			}
		}
		for c := range out.tuned {
			if v.fold[c] == k {
				out.tuned[c] = tried[best].sums.tuned[c]
			}
		}
	}
	return &out
}

// Prediction is how well the evaluation that features are of predicts the results of the
// games, beside the best constant. Losses are mean cross-entropies.
type Prediction struct {
	Rows  int `json:"rows"`
	Games int `json:"games"` // a row that names none counts as one
	// K is the slope per centipawn that makes the loss smallest; 0 if none does.
	K        float64 `json:"k"`
	Loss     float64 `json:"cross_entropy"`
	Constant float64 `json:"constant_cross_entropy"` // of predicting the mean result always
	// Gain is Constant - Loss, with a standard error by game.
	Gain meanOf `json:"gain"`
}

// fewGames is the number of games below which a prediction is not judged.
const fewGames = 30

// Judged reports whether there are enough games, with different results, to say anything.
func (p *Prediction) Judged() bool { return p.Games >= fewGames && p.Constant > 1e-9 }

// Useful reports whether the evaluation predicts better than a constant does, by two
// standard errors.
func (p *Prediction) Useful() bool { return p.K > 0 && p.Gain.Mean > 2*float64(p.Gain.SE) }

// meanOf is a mean over rows with its standard error.
type meanOf struct {
	Mean  float64   `json:"mean"`
	SE    num.Float `json:"se"` // unknown of a single game
	games int       // a row that names none counts as one
}

func (m meanOf) String() string { return fmt.Sprintf("%.5f +- %.5f", m.Mean, m.SE) }

// Predict measures the values of a data set of features with the engine's own weights. Rows
// of weight 0 are left out.
func Predict(ctx context.Context, path string) (*Prediction, error) {
	d, set, err := dataset.OpenFeatures(path)
	if err != nil {
		return nil, err
	}
	var s predicted
	var values []float64
	for row, err := range d.All() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if row.Weight > 0 {
			values = append(values, set.Centipawns(set.Value(&row)))
			s.result, s.weight, s.game = append(s.result, row.Result), append(s.weight, row.Weight), append(s.game, row.Game)
		}
	}
	p := &Prediction{Rows: len(values)}
	if p.Rows == 0 {
		return p, nil
	}
	results := make([]float64, len(s.result))
	for i, y := range s.result {
		results[i] = float64(y)
	}
	mean := s.mean(results)
	p.Games = mean.games
	if k, err := objective.FitK(objective.CrossEntropy, values, s.result, s.weight); err == nil {
		p.K = k
	}
	if mean.Mean <= 0 || mean.Mean >= 1 {
		return p, nil // all results are equal
	}
	z := math.Log(mean.Mean / (1 - mean.Mean))
	constant, gains := make([]float64, len(values)), make([]float64, len(values))
	for i, x := range values {
		constant[i] = crossEntropy(z, results[i])
		gains[i] = constant[i] - crossEntropy(p.K*x, results[i])
	}
	p.Constant, p.Gain = s.mean(constant).Mean, s.mean(gains)
	p.Loss = p.Constant - p.Gain.Mean
	return p, nil
}

// predicted are the results of rows.
type predicted struct {
	result, weight []float32
	game           []uint64 // 0: unknown, the row is then a cluster of its own
}

// mean returns the weighted mean of v, with a standard error that takes the rows of
// a game as one cluster.
func (s *predicted) mean(v []float64) meanOf {
	var sum, weight float64
	for i, x := range v {
		sum += float64(float64(s.weight[i]) * x)
		weight += float64(s.weight[i])
	}
	mean := sum / weight
	games := make(map[uint64]float64)
	squares, clusters := 0.0, 0
	for i, x := range v {
		d := float64(s.weight[i]) * (x - mean)
		if s.game[i] == 0 {
			squares += float64(d * d)
			clusters++
		} else {
			games[s.game[i]] += d
		}
	}
	for _, g := range s.game { // in order of reading: sums must not depend on the map's order
		if d, ok := games[g]; ok {
			delete(games, g)
			squares += float64(d * d)
			clusters++
		}
	}
	se := num.Unknown
	if n := float64(clusters); n > 1 {
		se = num.Float(math.Sqrt(squares*n/(n-1)) / weight)
	}
	return meanOf{mean, se, clusters}
}

// crossEntropy returns the loss of the prediction 1/(1+e^-z) for the result y.
func crossEntropy(z, y float64) float64 {
	// log(1+e^z) - yz, in the form that cannot overflow
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - float64(y*z)
}
