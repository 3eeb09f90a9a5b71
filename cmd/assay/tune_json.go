package main

import (
	"math"

	"github.com/assay-chess/assay/tuner"
)

// tuneJSON is what assay tune --json prints. Weights and errors are
// centipawns, losses means over positions; what does not exist is null.
type tuneJSON struct {
	Out         string          `json:"out"`
	ID          string          `json:"id"`
	Parent      string          `json:"parent"`
	Rows        int             `json:"rows"`
	RowsTrain   int             `json:"rows_train"`
	RowsValid   int             `json:"rows_valid"`
	Games       int64           `json:"games"`
	Clusters    int             `json:"clusters"`
	Split       string          `json:"split"`
	Method      string          `json:"method"`
	Settings    string          `json:"settings"`
	Steps       int             `json:"steps"`
	Gap         *float64        `json:"gap"` // mean loss above the optimum
	Converged   bool            `json:"converged"`
	K           float64         `json:"k"`      // of the fit
	FileK       float64         `json:"file_k"` // of the weights as written
	KScore      float64         `json:"k_score,omitempty"`
	Rescale     float64         `json:"rescale"`
	Start       lossJSON        `json:"loss_start"`
	Fit         lossJSON        `json:"loss_fit"`
	Rounded     lossJSON        `json:"loss_rounded"`
	Parameters  int             `json:"parameters"`
	Effective   float64         `json:"effective_parameters"`
	Design      float64         `json:"design_effect"`
	Clustering  float64         `json:"clustering"`
	Dispersion  float64         `json:"dispersion"`
	Jackknife   bool            `json:"jackknife"` // errors are the jackknife's
	Pieces      []pieceJSON     `json:"pieces"`
	Terms       []termJSON      `json:"terms"`
	Tables      []tableJSON     `json:"tables"`
	Groups      []groupJSON     `json:"groups"`
	Collinear   []collinearJSON `json:"collinear"`
	Calibration calibrationJSON `json:"calibration"`
	Curve       *curveJSON      `json:"learning_curve,omitempty"`
	Warnings    []string        `json:"warnings"`
	Partial     bool            `json:"partial"`
	Seconds     float64         `json:"seconds"`
}

type lossJSON struct {
	Train *float64 `json:"train"`
	Valid *float64 `json:"valid"`
}

type pieceJSON struct {
	Piece   string  `json:"piece"`
	Start   float64 `json:"start"`
	Value   float64 `json:"value"`
	SE      float64 `json:"se"`
	MG      float64 `json:"mg"`
	EG      float64 `json:"eg"`
	Pawns   float64 `json:"pawns"`
	SEPawns float64 `json:"se_pawns"`
}

type termJSON struct {
	Name  string  `json:"name"`
	Group string  `json:"group"`
	OldMG float64 `json:"old_mg"`
	OldEG float64 `json:"old_eg"`
	MG    int32   `json:"mg"`
	EG    int32   `json:"eg"`
	FitMG float64 `json:"fit_mg"`
	FitEG float64 `json:"fit_eg"`
	SEMG  float64 `json:"se_mg"`
	SEEG  float64 `json:"se_eg"`
	ZMG   float64 `json:"z_mg"` // (fit - start) / se; 0 where there is no se
	ZEG   float64 `json:"z_eg"`
	// 95 % intervals; null where there is no se.
	IntervalMG *[2]float64 `json:"interval_mg"`
	IntervalEG *[2]float64 `json:"interval_eg"`
	NaiveMG    float64     `json:"naive_se_mg"`
	NaiveEG    float64     `json:"naive_se_eg"`
	Count      int64       `json:"positions"`
	Games      float64     `json:"effective_games"`
	Share      float64     `json:"data_share"` // the rest is the prior's
	Frozen     bool        `json:"frozen,omitempty"`
}

// groupJSON says what tuning a group was worth, in mean training loss.
type groupJSON struct {
	Name       string  `json:"name"`
	Parameters int     `json:"parameters"`
	Effective  float64 `json:"effective_parameters"`
	Gain       float64 `json:"gain"`
	Net        float64 `json:"net_gain"` // to expect on other games
}

type collinearJSON struct {
	Coefficient string   `json:"coefficient"`
	Others      []string `json:"others"`
	Unexplained float64  `json:"unexplained"`
	Exact       bool     `json:"exact"`
}

type calibrationJSON struct {
	HeldOut bool      `json:"held_out"`
	ByScore []binJSON `json:"by_score"`
	ByPhase []binJSON `json:"by_phase"`
}

type binJSON struct {
	Lo        float64 `json:"lo"`
	Hi        float64 `json:"hi"`
	Rows      int64   `json:"rows"`
	Predicted float64 `json:"predicted"`
	Actual    float64 `json:"actual"`
	SE        float64 `json:"se"`
	Start     float64 `json:"loss_start"`
	Loss      float64 `json:"loss_fit"`
}

type curveJSON struct {
	Points []curvePointJSON `json:"points"`
	Twice  *float64         `json:"valid_with_twice_the_games"`
}

type curvePointJSON struct {
	Games int      `json:"games"`
	Train float64  `json:"train"`
	Valid *float64 `json:"valid"`
}

type tableJSON struct {
	Name    string      `json:"name"`
	MeanMG  float64     `json:"mean_mg"`
	MeanEG  float64     `json:"mean_eg"`
	Centred []entryJSON `json:"centred"`
}

type entryJSON struct {
	Name string  `json:"name"`
	MG   float64 `json:"mg"`
	EG   float64 `json:"eg"`
	SEMG float64 `json:"se_mg"`
	SEEG float64 `json:"se_eg"`
}

func (t *tuneReport) json() *tuneJSON {
	r := t.r
	j := &tuneJSON{
		Out: t.out, ID: t.id, Parent: t.parent, Seconds: t.seconds,
		Rows: r.Rows, RowsTrain: r.RowsTrain, RowsValid: r.RowsValid, Games: r.Games, Clusters: r.Clusters,
		Split: r.Split(), Method: r.Method(), Settings: r.Settings(),
		Steps: r.Outcome.Iterations, Gap: finiteOrNull(r.Outcome.Gap), Converged: r.Outcome.Converged,
		K: r.K, FileK: r.FileK, KScore: r.KScore, Rescale: r.Rescale,
		Start: lossesJSON(r.Start), Fit: lossesJSON(r.Fit), Rounded: lossesJSON(r.Rounded),
		Parameters: r.Parameters, Effective: r.Effective,
		Design: r.Design, Clustering: r.Clustering, Dispersion: r.Dispersion, Jackknife: r.Jackknife,
		Pieces: []pieceJSON{}, Terms: []termJSON{}, Tables: []tableJSON{}, Groups: []groupJSON{}, Collinear: []collinearJSON{},
		Calibration: calibrationJSON{r.Calibration.HeldOut, binsJSON(r.Calibration.ByScore), binsJSON(r.Calibration.ByPhase)},
		Warnings:    append([]string{}, r.Warnings...), Partial: t.partial,
	}
	for _, p := range r.Pieces {
		j.Pieces = append(j.Pieces, pieceJSON{p.Piece.String(), p.Old, p.New, p.SE, p.MG, p.EG, p.Pawns, p.SEPawns})
	}
	for _, x := range r.Terms {
		j.Terms = append(j.Terms, termJSON{
			x.Name, x.Group, x.MG, x.EG, x.NewMG, x.NewEG, x.Fit.MG, x.Fit.EG,
			x.SE.MG, x.SE.EG, zScore(x.Fit.MG-x.MG, x.SE.MG), zScore(x.Fit.EG-x.EG, x.SE.EG),
			interval(x.Fit.MG, x.SE.MG, &x), interval(x.Fit.EG, x.SE.EG, &x),
			x.Naive.MG, x.Naive.EG, x.Count, x.Clusters, x.Share, x.Frozen,
		})
	}
	for _, b := range r.Tables {
		j.Tables = append(j.Tables, centredJSON(r, &b))
	}
	for _, g := range r.Groups {
		j.Groups = append(j.Groups, groupJSON(g))
	}
	for _, c := range r.Collinear {
		j.Collinear = append(j.Collinear, collinearJSON(c))
	}
	if t.curve != nil {
		j.Curve = &curveJSON{Twice: finiteOrNull(t.curve.Twice)}
		for _, p := range t.curve.Points {
			j.Curve.Points = append(j.Curve.Points, curvePointJSON{p.Games, p.Losses.Train, finiteOrNull(p.Losses.Valid)})
		}
	}
	return j
}

func binsJSON(bins []tuner.Bin) []binJSON {
	out := make([]binJSON, 0, len(bins))
	for _, b := range bins {
		out = append(out, binJSON(b))
	}
	return out
}

func centredJSON(r *tuner.Result, b *tuner.Table) tableJSON {
	t := tableJSON{Name: b.Name, MeanMG: b.MeanMG, MeanEG: b.MeanEG, Centred: []entryJSON{}}
	for i := range b.MG {
		t.Centred = append(t.Centred, entryJSON{r.Terms[b.Terms[i]].Name, b.MG[i], b.EG[i], b.SEMG[i], b.SEEG[i]})
	}
	return t
}

func lossesJSON(l tuner.Losses) lossJSON {
	return lossJSON{finiteOrNull(l.Train), finiteOrNull(l.Valid)}
}

// zScore is v in standard errors; 0 where there is none.
func zScore(v, se float64) float64 {
	if se == 0 {
		return 0
	}
	return v / se
}

// interval is the 95 % interval of a coefficient of x; nil where it has no error.
func interval(v, se float64, x *tuner.TermFit) *[2]float64 {
	if se == 0 {
		return nil
	}
	reach := x.Quantile() * se
	return &[2]float64{v - reach, v + reach}
}

// finiteOrNull is nil for what JSON has no number for.
func finiteOrNull(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
