package archive

import (
	_ "embed"
	"errors"
	"io/fs"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner"
)

// embedded are the fits that come with the program, as .ci/results verdicts played them.
//
//go:embed fits.arrow
var embedded []byte

// Open returns the fits that come with the program, and those of a file, which need not exist.
func Open(path string) ([]dataset.FitRow, error) {
	rows, err := dataset.ParseFits("the archive of this program", embedded)
	if err != nil {
		return nil, err
	}
	own, err := dataset.ReadFits(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return append(rows, own...), err
}

// Covariates are what the model knows of a fit, in the order of Measures:
//
//	gain        asinh of the gain on unseen games, in units of its standard error
//	group loss  what some groups should lose on other games, as a share of what the others should gain; at most 1
//	change      log2 of the root mean square change of the evaluation, in units of 10 centipawns, from -4 to 5
//	own games   1/2 if the engine played the games of the data, else -1/2
var Covariates = [...]string{"gain", "group loss", "change", "own games"}

// change is the index of the covariate by which the model scales.
const change = 2

// Measures are the covariates of a fit; NaN where one is not known.
type Measures [len(Covariates)]float64

// NewMeasures returns the covariates from a gain with its error, a group loss, a change in centipawns, NaN where they
// are not known, and whose games were used: dataset.OwnGames, dataset.ForeignGames, or empty if that is not known.
func NewMeasures(gain, se, groupLoss, change float64, games string) Measures {
	own := map[string]float64{dataset.OwnGames: 0.5, dataset.ForeignGames: -0.5, "": math.NaN()}[games]
	m := Measures{math.Asinh(gain / se), min(1, groupLoss), max(-4, min(5, math.Log2(change/10))), own}
	if !(se > 0) {
		m[0] = math.NaN()
	}
	return m
}

// MeasuresOf returns the covariates of a fit.
func MeasuresOf(v *tuner.Verdict, games string) Measures {
	gain, se := math.NaN(), math.NaN()
	if p := v.Gain(); p != nil {
		gain, se = p.Gain, float64(p.SE)
	}
	return NewMeasures(gain, se, float64(v.GroupLoss), float64(v.Change), games)
}

// Fit is a fit that was played.
type Fit struct {
	dataset.FitRow // the first of its rows
	Measures       Measures
	Elo, SE        float64
	Pairs          sprt.Pentanomial // of all its matches
}

// Fits makes fits of rows: those of one fit are one, their pairs added up. A match counts once.
func Fits(rows []dataset.FitRow) (fits []Fit) {
	at, seen := map[[3]string]int{}, map[string]bool{}
	for _, r := range rows {
		if seen[r.Match] {
			continue
		}
		seen[r.Match] = true
		key := [3]string{r.Engine, r.Fit, r.B}
		k, known := at[key]
		if !known {
			k = len(fits)
			at[key] = k
			m := NewMeasures(known32(r.Gain), known32(r.GainSE), known32(r.GroupLoss), known32(r.Change), r.Games)
			fits = append(fits, Fit{FitRow: r, Measures: m})
		}
		for j, n := range r.Pentanomial {
			fits[k].Pairs[j] += int64(n)
		}
	}
	for i := range fits {
		fits[i].measure()
	}
	return fits
}

// measure takes Elo and its error from the likelihood of the pairs: half its interval is 1.96 errors even where one
// side won nothing.
func (f *Fit) measure() {
	s := sprt.Summarize(f.Pairs)
	f.Elo, f.SE = (s.LikelyLo+s.LikelyHi)/2, (s.LikelyHi-s.LikelyLo)/(2*1.96)
}

func known32(v float32) float64 {
	if v == dataset.NoEval {
		return math.NaN()
	}
	return float64(v)
}
