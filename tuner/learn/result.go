package learn

import (
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

	Pieces []PieceValue `json:"pieces"`
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
	Name    string  `json:"name"`
	Group   string  `json:"group"`
	Tapered bool    `json:"tapered"`
	OldMG   int32   `json:"old_mg"`
	OldEG   int32   `json:"old_eg"`
	NewMG   int32   `json:"new_mg"`
	NewEG   int32   `json:"new_eg"`
	SEMG    float64 `json:"se_mg"` // clustered by game; 0 where the term was never seen
	SEEG    float64 `json:"se_eg"`
	Count   int64   `json:"count"` // positions in which it occurred
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
	return s
}

// shannonValues are the coefficients of Shannon's f(P) for pawn to queen, in
// centipawns (Shannon 1950, section 3).
var shannonValues = [5]float64{100, 300, 300, 500, 900}

// changes lists the terms of two weight files of one model side by side.
func changes(before, after *models.File) ([]TermChange, error) {
	m, old, err := before.Weights()
	if err != nil {
		return nil, err
	}
	_, now, err := after.Weights()
	if err != nil {
		return nil, err
	}
	list := make([]TermChange, len(m.Terms))
	for i, t := range m.Terms {
		list[i] = TermChange{
			Name: t.Name, Group: t.Group, Tapered: t.Tapered,
			OldMG: old[i].MG, OldEG: old[i].EG, NewMG: now[i].MG, NewEG: now[i].EG,
			SEMG: after.Terms[i].SEMG, SEEG: after.Terms[i].SEEG, Count: after.Terms[i].Count,
		}
	}
	return list, nil
}
