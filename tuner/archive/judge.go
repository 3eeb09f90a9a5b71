package archive

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
)

// MinEngines is the number of engines below which there is no model.
const MinEngines = 5

// Judgement is what a stratum of an archive is worth: predictions of each engine's fits from those of the others.
type Judgement struct {
	Start    string           `json:"start"` // the stratum
	Fits     int              `json:"fits"`
	Engines  []string         `json:"engines"`
	Pairs    sprt.Pentanomial `json:"pentanomial"`
	Used     bool             `json:"used"`              // the model qualifies
	Missing  string           `json:"missing,omitempty"` // why not
	Scores   []Score          `json:"scores,omitempty"`  // of the model, a constant, today's rule, and the change alone
	Constant Gain             `json:"over_constant"`     // of the model
	Rule     Gain             `json:"over_rule"`
	Change   Gain             `json:"over_change"`            // over the change alone, which decides nothing
	Covered  num.Float        `json:"covered"`                // share of matches within the model's 95 % interval
	Bins     []Bin            `json:"calibration,omitempty"`  // five, without empty ones
	Slopes   []Slope          `json:"coefficients,omitempty"` // in Elo a unit, for each 10 centipawns of change

	fits  []Fit
	model *model
	all   []part
}

// Score is how well a model predicts.
type Score struct {
	Model      string  `json:"model"`
	LogDensity float64 `json:"log_density"` // mean over fits, of the Elo that a match showed
	Brier      float64 `json:"brier"`       // of whether the match was won
}

// Gain is a difference of mean log densities, with its standard error by engine.
type Gain struct {
	Mean num.Float `json:"mean"`
	SE   num.Float `json:"se"`
}

// Bin compares the predicted probability to win a match with how many were won.
type Bin struct {
	Fits      int     `json:"fits"`
	Predicted float64 `json:"predicted"`
	Won       float64 `json:"won"`
}

// Slope is a coefficient of the model.
type Slope struct {
	Name string  `json:"name"`
	Elo  float64 `json:"elo"`
	SE   float64 `json:"se"`
}

// describer is what a model knows of a fit: covariates, NaN where one is not known, and the unit of its Elo.
type describer struct {
	name     string
	describe func(*Fit) []float64
	scale    func(*Fit) float64
}

// describers are the model, a constant, the verdict of assay tune, and the change of the evaluation alone.
var describers = []describer{
	{"model", func(f *Fit) []float64 { return f.Measures[:] }, (*Fit).change},
	{"constant", nothing, one},
	{"today's rule", func(f *Fit) []float64 {
		x := make([]float64, 3)
		if i := slices.Index([]string{tuner.Better, tuner.BetterHere, tuner.Worse}, f.Verdict); i >= 0 {
			x[i] = 1
		}
		return x
	}, one},
	{"change alone", nothing, (*Fit).change},
}

func nothing(*Fit) []float64 { return nil }

func one(*Fit) float64 { return 1 }

// change returns the root mean square change of the evaluation, in units of 10 centipawns.
func (f *Fit) change() float64 { return math.Exp2(f.Measures[change]) }

// Judge predicts each engine's fits of a stratum, dataset.TunedStart or dataset.GuessedStart, from those of the others.
func Judge(fits []Fit, start string) *Judgement {
	unknown := Gain{num.Unknown, num.Unknown}
	j := &Judgement{Start: start, Covered: num.Unknown, Constant: unknown, Rule: unknown, Change: unknown}
	j.fits = slices.DeleteFunc(slices.Clone(fits), func(f Fit) bool {
		return f.Start != start || math.IsNaN(f.Measures[change])
	})
	j.Fits, j.model = len(j.fits), newModel(j.fits, describers[0])
	j.Engines = j.model.engines
	for _, f := range j.fits {
		for k, n := range f.Pairs {
			j.Pairs[k] += n
		}
	}
	if len(j.Engines) < MinEngines {
		j.Missing = fmt.Sprintf("the archive has fits of %d engines with %s start weights, a model needs %d",
			len(j.Engines), start, MinEngines)
		return j
	}
	var densities [][]float64
	for k := range describers {
		densities = append(densities, j.score(k))
	}
	j.Constant, j.Rule = j.gain(densities[0], densities[1]), j.gain(densities[0], densities[2])
	j.Change = j.gain(densities[0], densities[3])
	if j.Used = j.Constant.Mean > 2*j.Constant.SE && j.Rule.Mean > 2*j.Rule.SE; !j.Used {
		j.Missing = fmt.Sprintf("predicting engines left out, the model of %d fits of %d engines does not beat a constant "+
			"and the verdict by two standard errors", j.Fits, len(j.Engines))
	}
	j.all = j.model.without(-1)
	for k, name := range Covariates {
		var mean, square float64
		for i := range j.all {
			b, v := j.all[i].coefficient(k)
			mean += j.all[i].weight * b
			square += j.all[i].weight * (b*b + v)
		}
		j.Slopes = append(j.Slopes, Slope{name, mean, math.Sqrt(max(0, square-mean*mean))})
	}
	return j
}

// score predicts with describer k, and returns the log density of each fit.
func (j *Judgement) score(k int) []float64 {
	m, s, n := newModel(j.fits, describers[k]), Score{Model: describers[k].name}, float64(j.Fits)
	densities, bins, covered := make([]float64, j.Fits), [5]Bin{}, 0.0
	for e, name := range m.engines {
		others := m.without(e)
		for i := range j.fits {
			f := &j.fits[i]
			if f.Engine != name {
				continue
			}
			d, won := m.predict(others, f, f.SE), f.won()
			densities[i] = math.Log(d.density(f.Elo))
			s.LogDensity += densities[i] / n
			p := d.above(0)
			s.Brier += (p - won) * (p - won) / n
			if math.Abs(d.above(f.Elo)-0.5) < 0.475 {
				covered++
			}
			b := &bins[min(len(bins)-1, int(p*float64(len(bins))))]
			b.Fits, b.Predicted, b.Won = b.Fits+1, b.Predicted+p, b.Won+won
		}
	}
	if j.Scores = append(j.Scores, s); k > 0 {
		return densities
	}
	j.Covered = num.Float(covered / n)
	for _, b := range bins {
		if b.Fits > 0 {
			j.Bins = append(j.Bins, Bin{b.Fits, b.Predicted / float64(b.Fits), b.Won / float64(b.Fits)})
		}
	}
	return densities
}

// won is 1 if the match was won, 1/2 if it was level.
func (f *Fit) won() float64 {
	points := 2*(f.Pairs[4]-f.Pairs[0]) + f.Pairs[3] - f.Pairs[1]
	return float64(1+min(1, max(-1, points))) / 2
}

// gain compares log densities. Its error is by engine.
func (j *Judgement) gain(a, b []float64) Gain {
	mean, n := 0.0, float64(len(j.Engines))
	for i := range a {
		mean += (a[i] - b[i]) / float64(j.Fits)
	}
	excess := map[string]float64{}
	for i := range a {
		excess[j.fits[i].Engine] += a[i] - b[i] - mean
	}
	squares := 0.0
	for _, name := range j.Engines { // in order, so that the sum is the same every time
		squares += excess[name] * excess[name]
	}
	return Gain{num.Float(mean), num.Float(math.Sqrt(squares*n/(n-1)) / float64(j.Fits))}
}

// Expect says what a fit of an engine should score.
func (j *Judgement) Expect(engine string, m Measures) *tuner.Expected {
	x := &tuner.Expected{Elo: num.Unknown, EloLo: num.Unknown, EloHi: num.Unknown, PGain: num.Unknown,
		EloMissing: j.Missing}
	if j.Used && math.IsNaN(m[change]) {
		x.EloMissing = "how much the evaluation changes is not known"
	}
	if x.EloMissing != "" {
		return x
	}
	f := &Fit{Measures: m}
	f.Engine = engine
	d := j.model.predict(j.all, f, 0)
	x.Elo, x.PGain = num.Float(d.mean()), num.Float(d.above(0))
	x.EloLo, x.EloHi = num.Float(d.quantile(0.025)), num.Float(d.quantile(0.975))
	lo, hi := uint32(math.MaxUint32), uint32(0)
	for _, f := range j.fits {
		if f.Nodes > 0 {
			lo, hi = min(lo, f.Nodes), max(hi, f.Nodes)
		}
	}
	switch x.EloBasis = fmt.Sprintf("%d fits of %d engines", j.Fits, len(j.Engines)); {
	case lo == hi:
		x.EloBasis += fmt.Sprintf(", %d nodes", hi)
	case hi > 0:
		x.EloBasis += fmt.Sprintf(", %d to %d nodes", lo, hi)
	}
	for k, name := range Covariates {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, f := range j.fits {
			if v := f.Measures[k]; !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if m[k] < lo || m[k] > hi {
			x.EloBeyond = append(x.EloBeyond, name)
		}
	}
	t := sprt.Test{Elo1: 10, Model: sprt.Logistic, Alpha: 0.05, Beta: 0.05}
	const most = 400 // Elo
	if said, err := t.Predict(sprt.ShapeOf(j.Pairs), max(-most, min(most, float64(x.Elo))), false); err == nil {
		x.EloGames = int64(math.Round(said.Games))
	}
	return x
}
