package stats

import (
	"math"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// PieceValue is the average marginal value of a kind of piece: by how many centipawns the evaluation falls, on
// average over the pieces of that kind in a sample of the data, when one is taken off the board and nothing
// else changes (the phase included). So it holds the material coefficient, the piece's square and mobility, and
// what its absence does to all the rest. This is the number to compare with Shannon's 9, 5, 3, 3 and 1;
// material coefficients alone mean little beside tables that can absorb any part of them. Values are centipawns
// of the evaluation as it is, with no pawn set to 100; Pawns is their ratio to the pawn's value.
type PieceValue struct {
	Piece   string    `json:"piece"`   // pawn to queen
	Count   int64     `json:"count"`   // pieces in the sample
	Shannon float64   `json:"shannon"` // his coefficient (1950, section 3)
	Start   float64   `json:"start"`   // under the start weights
	Value   float64   `json:"value"`   // under the fit
	SE      num.Float `json:"se"`      // clustered
	MG      float64   `json:"mg"`      // under the fit at phase 24
	EG      float64   `json:"eg"`      // under the fit at phase 0
	Pawns   float64   `json:"pawns"`   // Value in units of the pawn's Value, by the delta method
	SEPawns num.Float `json:"se_pawns"`
}

// shannonValues are the coefficients of Shannon's f(P) for pawn to queen, in
// centipawns (Shannon 1950, section 3).
var shannonValues = [rows.PieceTypes]float64{100, 300, 300, 500, 900}

// marginal returns the marginal value of piece type t as a linear function of the coefficients.
func marginal(s *rows.Sample, t int) objective.Tapered {
	a := objective.NewTapered(len(s.Seen))
	for i := range a.MG {
		a.MG[i] = float64(s.MG[t][i]) / float64(rows.MaxPhase*s.Count[t])
		a.EG[i] = float64(s.EG[t][i]) / float64(rows.MaxPhase*s.Count[t])
	}
	return a
}

// PieceValues returns the marginal values of the five piece types under old and new
// weights. scale is the factor between theta and centipawns.
func (v *Covariance) PieceValues(s *rows.Sample, old, fit objective.Tapered, scale float64) []PieceValue {
	var out []PieceValue
	var linear [rows.PieceTypes][]float64
	for t := range rows.PieceTypes {
		p := PieceValue{Piece: board.PieceType(t).String(), Count: s.Count[t], Shannon: shannonValues[t]}
		linear[t] = make([]float64, v.o.Params.N)
		if s.Count[t] > 0 {
			a := marginal(s, t)
			mg, eg := a.Dot(old)
			p.Start = mg + eg
			mg, eg = a.Dot(fit)
			p.Value = mg + eg
			middle := float64(s.Phase[t]) / float64(rows.MaxPhase*s.Count[t])
			p.MG, p.EG = objective.Ratio(mg, middle), objective.Ratio(eg, 1-middle)
			v.o.Params.Fold(a, linear[t])
			p.SE = num.Float(scale * v.contrast(linear[t], p.Value/scale))
		}
		out = append(out, p)
	}
	for t := range out {
		pawn := out[board.Pawn].Value
		out[t].Pawns = objective.Ratio(out[t].Value, pawn)
		d := make([]float64, v.o.Params.N)
		for j := range d {
			d[j] = linear[t][j] - num.Rounded(out[t].Pawns*linear[board.Pawn][j])
		}
		// The value of d is 0: a ratio does not depend on the scale.
		out[t].SEPawns = num.Float(math.Abs(objective.Ratio(scale*v.contrast(d, 0), pawn)))
	}
	return out
}
