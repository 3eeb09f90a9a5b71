package lines

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
)

func TestParseLichess(t *testing.T) {
	for text, want := range map[string]int16{
		`{"fen":"W","evals":[{"pvs":[{"cp":7,"line":"e1d1 {"},{"cp":9}],"knodes":5,"depth":20}]}`: 7,
		`{"evals": [{"depth": 2, "pvs": [{"mate": 3}]}], "fen": "W"} `:                            31995,
		`{"fen":"W","evals":[{"pvs":[{"mate":-3}],"depth":0},{"pvs":[{"cp":1}],"depth":0}]}`:      -31994,
		`{"fen":"B","evals":[{"pvs":[{"mate":3}],"depth":2},{"pvs":[],"depth":3}]}`:               31994,
		`{"fen":"B","evals":[{"pvs":[{"mate":-99999}]}]}`:                                         -30003,
		`{"fen":"B","evals":[{"pvs":[{"cp":30001}]}]}`:                                            dataset.NoScore,
		`{"fen":"W"}`: 0, "": 0, `{"evals":[{"pvs":[{"cp":1}]}]`: 0, `{"fen":"x","evals":[{"pvs":[{"cp":1}]}]}`: 0,
		`{"fen":"W","evals":[{"pvs":[{"cp":1.5}]}]}`: 0, `{"fen":"W","evals":[{"pvs":[{"mate":0}]}]}`: 0, `{"fen`: 0,
	} {
		const fen = `"8/8/8/8/8/4k3/4p3/4K3 `
		text = strings.NewReplacer(`"W"`, fen+`w - -"`, `"B"`, fen+`b - -"`).Replace(text)
		r, foreign, err := ParseLichess(text, false)
		if (err != nil) != (want == 0) || err == nil && r.Score != want || foreign != (want == dataset.NoScore) {
			t.Errorf("%s: %d, %v, %v, want %d", text, r.Score, foreign, err, want)
		}
	}
}

// What encoding/json writes is read back: the first score of the deepest evaluation, from either view.
func TestWrittenByLichess(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, g := range datatest.Games[dataset.GameRow](4, 10) {
		row := dataset.GameRow(g)
		for _, game := range row.Replay() {
			type object = map[string]any
			p, n, depth, mover := *game.Position(), 1+rng.IntN(900), rng.IntN(40), rng.IntN(2) > 0
			kind, sign := []string{"cp", "mate"}[rng.IntN(2)], 1-2*rng.IntN(2)
			evals := []object{{"depth": depth, "pvs": []object{{kind: sign * n, "line": "a b"}, {"cp": 1}}},
				{"depth": depth - 1 - rng.IntN(3), "pvs": []object{{"mate": 2}}}, {"depth": 99, "pvs": []object{}}}
			rng.Shuffle(len(evals), func(i, j int) { evals[i], evals[j] = evals[j], evals[i] })
			text, _ := json.Marshal(object{"fen": p.FEN(), "evals": evals})
			if p.SideToMove() == board.Black && mover {
				sign = -sign // White's view
			}
			want := sign * n
			if kind == "mate" { // after the mover's nth move, or before its n+1st
				if want = 2 * n; sign > 0 == (p.SideToMove() == board.White) {
					want--
				}
				want = sign * (dataset.MateScore - want)
			}
			r, _, err := ParseLichess(string(text), mover)
			if err != nil || int(r.Score) != want || r.Board != p || r.Result > 0.5 != (want > 0) {
				t.Fatalf("%s: %+v, %v, want %d", text, r, err, want)
			}
		}
	}
}
