package tuner

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/objective"
)

// Expected is what weights should score in games against those they started from, by a model of earlier fits
// (package archive). Elo is not known where no model is good enough; EloMissing then says why.
type Expected struct {
	Elo        num.Float `json:"elo_expected"`
	EloLo      num.Float `json:"elo_lo"` // 95 % interval
	EloHi      num.Float `json:"elo_hi"`
	PGain      num.Float `json:"p_gain"`                // probability of more than 0 Elo
	EloGames   int64     `json:"match_games,omitempty"` // that an SPRT of 0 and 10 Elo should take
	EloBasis   string    `json:"elo_basis,omitempty"`   // the fits of the model
	EloMissing string    `json:"elo_missing,omitempty"`
	EloBeyond  []string  `json:"elo_beyond,omitempty"` // measures that are outside of those of the model's fits
}

// vague is half the width of an interval above which people are told the probability alone.
const vague = 25

// EloText says it in a sentence.
func (x *Expected) EloText() string {
	if !x.Elo.Known() {
		return "Elo not known: " + x.EloMissing
	}
	text := "P(gain) " + strings.TrimPrefix(fmt.Sprintf("%.2f", x.PGain), "0")
	if x.EloHi-x.EloLo <= 2*vague {
		text = fmt.Sprintf("expected %+.0f Elo [%+.0f, %+.0f]; %s", x.Elo, x.EloLo, x.EloHi, text)
	}
	text += " (" + x.EloBasis + ")"
	if len(x.EloBeyond) > 0 {
		text += ", beyond the archive in: " + strings.Join(x.EloBeyond, ", ")
	}
	if x.EloGames > 0 {
		text += fmt.Sprintf("; a match of about %d games would tell", roundTo2(x.EloGames))
	}
	return text
}

// roundTo2 rounds to two digits.
func roundTo2(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
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
