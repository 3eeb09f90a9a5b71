package learn

import (
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
)

// Format names the layout of a run's result.json.
const Format = "assay.learn/1"

// Result is what a run came to: the content of its result.json. It holds nothing
// that depends on the clock. Paths are relative to the run's folder.
type Result struct {
	Format      string             `json:"format"`
	Program     string             `json:"program"`
	Plan        Plan               `json:"plan"`
	K           float64            `json:"k"` // slope of the sigmoid, fitted once under the start weights
	Start       WeightsRef         `json:"start"`
	Generations []GenerationResult `json:"generations"`
	Champion    WeightsRef         `json:"champion"`
	Opponent    WeightsRef         `json:"opponent"`
	Learned     WeightsRef         `json:"learned"` // whose Pieces and Terms follow: the champion's, or without a promotion the last fit's
	Pieces      []PieceValue       `json:"pieces"`
	Terms       []TermChange       `json:"terms"`
	Final       *match.Result      `json:"final"` // score of the champion against the opponent

	// FromStart is the score of the champion against the weights that the run began
	// with: what was learned, the model and the search being the same. Null where
	// nothing was promoted.
	FromStart *match.Result `json:"from_start"`

	Already bool `json:"-"` // the run was complete before
}

// WeightsRef points at weights.
type WeightsRef struct {
	ID         string `json:"id"`
	File       string `json:"file"` // an embedded name where Generation is 0
	Generation int    `json:"generation"`
}

// GenerationResult is what one generation came to.
type GenerationResult struct {
	Number    int             `json:"number"`
	Games     datagen.Summary `json:"games"`
	Positions dataset.Counts  `json:"positions"`
	Fit       FitSummary      `json:"fit"`
	Gate      *match.Result   `json:"gate"` // score of the new weights against the champion's
	Warnings  []string        `json:"warnings"`
	Promoted  bool            `json:"promoted"`
	Reason    string          `json:"reason"` // of the decision, in words
}

// FitSummary is what a fit says of itself. Losses are means over positions.
type FitSummary struct {
	ID         string   `json:"id"` // of the weights
	Rows       int      `json:"rows"`
	Games      int64    `json:"games"`
	Split      string   `json:"split"`
	Method     string   `json:"method"`
	Settings   string   `json:"settings"`
	K          float64  `json:"k"`
	StartTrain float64  `json:"start_train"`
	StartValid *float64 `json:"start_valid"` // null where no game was held out
	LossTrain  float64  `json:"loss_train"`
	LossValid  *float64 `json:"loss_valid"`
	Parameters int      `json:"parameters"`
	Effective  float64  `json:"effective_parameters"` // determined by the data rather than the prior
	Design     float64  `json:"design_effect"`
	Warnings   []string `json:"warnings"`

	Pieces      []PieceValue `json:"pieces"`
	Calibration Calibration  `json:"calibration"`
}

// Calibration compares what a fit foretells with what came: on games held out, or, where
// there are none, on those it was trained on.
type Calibration struct {
	HeldOut bool             `json:"held_out"`
	ByScore []CalibrationBin `json:"by_score"` // by tenths of the prediction
	ByPhase []CalibrationBin `json:"by_phase"`
}

// CalibrationBin is a tuner.Bin.
type CalibrationBin struct {
	Lo        float64 `json:"lo"` // of the predictions, or of the phases
	Hi        float64 `json:"hi"`
	Rows      int64   `json:"rows"`
	Predicted float64 `json:"predicted"` // means, White's view, 0 to 1
	Actual    float64 `json:"actual"`    // of the targets: results, mixed with scores where lambda < 1
	SE        float64 `json:"se"`
	Start     float64 `json:"loss_start"` // under the weights that the fit began with
	Loss      float64 `json:"loss_fit"`
}

// PieceValue is what a man is worth: the average change of the evaluation when it is
// taken off the board, in centipawns.
type PieceValue struct {
	Piece   string  `json:"piece"`
	Shannon float64 `json:"shannon"` // his guess
	Old     float64 `json:"old"`     // under the start weights
	New     float64 `json:"new"`
	SE      float64 `json:"se"`
	Pawns   float64 `json:"pawns"` // New in pawns
	SEPawns float64 `json:"se_pawns"`
}

// TermChange is a coefficient before and after, in centipawns.
type TermChange struct {
	Name     string  `json:"name"`
	Group    string  `json:"group"`
	Tapered  bool    `json:"tapered"`
	OldMG    int32   `json:"old_mg"`
	OldEG    int32   `json:"old_eg"`
	NewMG    int32   `json:"new_mg"`
	NewEG    int32   `json:"new_eg"`
	SEMG     float64 `json:"se_mg"` // clustered by game; 0 where the term was never seen
	SEEG     float64 `json:"se_eg"`
	Count    int64   `json:"count"`    // positions in which it occurred
	Clusters float64 `json:"clusters"` // effective number of games that inform it
	Share    float64 `json:"share"`    // of it that the data determined, the rest being the prior's: 0 to 1
	Rescale  float64 `json:"rescale"`  // factor on all weights, which keeps the size of evaluations as it was
}

// A change is believed of a term that enough games inform, and that the data rather
// than the prior determine: an error that the prior made small says nothing.
const (
	believedClusters = 30
	believedShare    = 0.2
)

// Moved tells whether the games say that the coefficient is another: whether it
// changed, beyond the rescaling of all, by more than two standard errors that can be
// believed.
func (t *TermChange) Moved() bool {
	if t.Clusters < believedClusters || t.Share < believedShare {
		return false
	}
	far := func(before, after int32, se float64) bool {
		return se > 0 && math.Abs(float64(after)-t.Rescale*float64(before)) > 2*se
	}
	return far(t.OldMG, t.NewMG, t.SEMG) || far(t.OldEG, t.NewEG, t.SEEG)
}

func summarize(r *tuner.Result, id string) FitSummary {
	s := FitSummary{
		ID: id, Rows: r.Rows, Games: r.Games, Split: r.Split(), Method: r.Method(), Settings: r.Settings(), K: r.K,
		StartTrain: r.Start.Train, StartValid: number(r.Start.Valid),
		LossTrain: r.Rounded.Train, LossValid: number(r.Rounded.Valid),
		Parameters: r.Parameters, Effective: r.Effective, Design: r.Design,
		Warnings: append([]string{}, r.Warnings...),
	}
	for _, p := range r.Pieces {
		s.Pieces = append(s.Pieces, PieceValue{
			Piece: p.Piece.String(), Shannon: shannonValues[p.Piece], Old: p.Old, New: p.New, SE: p.SE, Pawns: p.Pawns, SEPawns: p.SEPawns,
		})
	}
	s.Calibration.HeldOut = r.Calibration.HeldOut
	for _, b := range r.Calibration.ByScore {
		s.Calibration.ByScore = append(s.Calibration.ByScore, CalibrationBin(b))
	}
	for _, b := range r.Calibration.ByPhase {
		s.Calibration.ByPhase = append(s.Calibration.ByPhase, CalibrationBin(b))
	}
	return s
}

// shannonValues are the coefficients of Shannon's f(P) for pawn to queen, in
// centipawns (Shannon 1950, section 3).
var shannonValues = [5]float64{100, 300, 300, 500, 900}

// changes lists the terms of a fit beside the weights that the run began with.
func changes(start *models.File, r *tuner.Result) ([]TermChange, error) {
	_, old, err := start.Weights()
	if err != nil {
		return nil, err
	}
	list := make([]TermChange, len(r.Terms))
	for i, t := range r.Terms {
		list[i] = TermChange{
			Name: t.Name, Group: t.Group, Tapered: t.Tapered,
			OldMG: old[i].MG, OldEG: old[i].EG, NewMG: t.NewMG, NewEG: t.NewEG,
			SEMG: t.SE.MG, SEEG: t.SE.EG, Count: t.Count, Clusters: t.Clusters, Share: t.Share, Rescale: r.Rescale,
		}
	}
	return list, nil
}
