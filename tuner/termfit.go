package tuner

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
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

// Quantile returns how many standard errors a 95 % interval of the term reaches to either side: that of
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
			return x.Half == c.Half && x.Moved == c.Moved && x.SE == c.SE && x.Term.Group == c.Term.Group
		})
		if len(list) < n && c.Moved != 0 && !twin {
			list = append(list, c)
		}
	}
	return list
}
