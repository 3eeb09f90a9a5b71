package synthetic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/tuner/internal/objective"
)

// BentK is the slope under which results are drawn.
const BentK = 0.005

// BentSet is an evaluation of n terms of a tapered channel, king danger of each side, which
// counts by its square, a factor of the side and a free share in the endgame, and complexity,
// which multiplies the endgame half. It has no kinks where rows are, so that its loss has one minimum.
func BentSet(n int) dataset.FeatureSet {
	s := dataset.FeatureSet{Version: 2, Model: "bent", Float: true,
		Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2}, Bend: dataset.Bend{
			Channels: []dataset.Channel{{Name: "main", Kind: dataset.TaperedChannel},
				{Name: "danger", Kind: dataset.PlainChannel, Sides: true}, {Name: "complexity", Kind: dataset.PlainChannel}},
			Columns: []dataset.Column{{Name: "f", Sides: true}},
			Formula: `let q = max(danger, 0)^2 / 400;
			let e = (main.eg + balance(q)*share)*(1 + clamp(complexity, -50, 50)/100);
			value = (main.mg + balance(q*f))*phase + e*(1 - phase)`,
		}}
	for i := range n {
		s.Terms = append(s.Terms, dataset.FeatureTerm{Name: fmt.Sprintf("main.%d", i), MG: float64(60 + 10*i),
			EG: float64(90 - 5*i)})
	}
	for i := range 4 {
		s.Terms = append(s.Terms, dataset.FeatureTerm{Name: fmt.Sprintf("danger.%d", i), Group: "danger", Channel: "danger",
			MG: float64(20 + 10*i), EG: float64(20 + 10*i)})
	}
	s.Terms = append(s.Terms, dataset.FeatureTerm{Name: "complexity", Channel: "complexity", MG: 5, EG: 5},
		dataset.FeatureTerm{Name: "share", Kind: dataset.ScalarTerm, MG: 0.3, EG: 0.3, Step: 0.01})
	return s
}

// LinearSet is an evaluation that is linear, written as a formula.
func LinearSet(n int) dataset.FeatureSet {
	s := BentSet(n)
	s.Model, s.Bend = "linear", dataset.Bend{Channels: s.Channels[:1],
		Formula: "let m = main.mg*phase; value = m + main.eg*(1 - phase)"}
	s.Terms = s.Terms[:n]
	return s
}

// BentGames draws games of rows of a set, whose results follow the values of its terms. The rows
// of a game share its luck.
func BentGames(t testing.TB, set dataset.FeatureSet, games, length int, seed uint64) []dataset.FeatureRow {
	t.Helper()
	if err := set.Check(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 11))
	var out []dataset.FeatureRow
	for g := range games {
		luck := r.Float64()
		for range length {
			row := dataset.FeatureRow{Phase: float32(r.IntN(25)) / 24, Scale: 1, EGScale: 1, Eval: dataset.NoEval,
				Score: dataset.NoScore, Weight: 1, Game: uint64(g + 1)}
			for i := range set.Terms {
				c := set.ChannelOf(&set.Terms[i])
				if c < 0 || r.IntN(3) == 0 {
					continue
				}
				row.Terms = append(row.Terms, uint16(i))
				switch black := float32(0); {
				case set.Channels[c].Sides:
					row.Counts = append(row.Counts, float32(r.IntN(4)))
					black = float32(r.IntN(4))
					row.Blacks = append(row.Blacks, black)
				case set.BySides():
					row.Counts, row.Blacks = append(row.Counts, float32(r.IntN(5)-2)), append(row.Blacks, black)
				default:
					row.Counts = append(row.Counts, float32(r.IntN(5)-2))
				}
			}
			for range set.Numbers() {
				row.Columns = append(row.Columns, 0.5+0.5*float32(r.IntN(2)))
			}
			v, err := set.ValueOf(&row)
			if err != nil {
				t.Fatal(err)
			}
			if luck < objective.Sigmoid(BentK*v) {
				row.Result = 1
			}
			out = append(out, row)
		}
	}
	return out
}
