package dataset

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// scoredRows are the positions of games in which one side's advantage drifts away: material
// follows it, scores know it with some error, and the result follows its end.
func scoredRows(t testing.TB, games int) (rows []PositionRow) {
	rng := rand.New(rand.NewPCG(1, uint64(games)))
	for g := range games {
		advantage, first := rng.NormFloat64()*50, len(rows)
		for ply := range 60 {
			advantage += rng.NormFloat64()*60 + advantage*0.02
			up := max(-8, min(8, int(math.Round(advantage/150))))
			fen := "4k3/" + pawns(8-max(0, up), "p") + "/8/8/8/8/" + pawns(8-max(0, -up),
				"P") + "/4K3 " + [2]string{"w", "b"}[ply%2] + " - - 0 1"
			p, err := board.ParseFEN(fen)
			if err != nil {
				t.Fatal(fen, err)
			}
			rows = append(rows, PositionRow{Board: p, Ply: uint16(ply),
				Score: int16(advantage + rng.NormFloat64()*40), Game: uint64(g + 1), Weight: 1})
		}
		result := float32(0.5)
		if advantage+rng.NormFloat64()*100 > 200 {
			result = 1
		} else if advantage+rng.NormFloat64()*100 < -200 {
			result = 0
		}
		for i := first; i < len(rows); i++ {
			rows[i].Result = result
		}
	}
	return rows
}

func pawns(n int, piece string) string {
	text := strings.Repeat(piece, n)
	if n < 8 {
		text += string(rune('0' + 8 - n))
	}
	return text
}

func TestViews(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	black := func(r *PositionRow) bool { return r.Board.SideToMove() == board.Black }
	mover := func(r *PositionRow) {
		if black(r) {
			r.Score = -r.Score
		}
	}
	for name, c := range map[string]struct {
		games  int
		change func(*PositionRow)
		want   viewKind
	}{
		"right":                   {300, func(*PositionRow) {}, 0},
		"right, one game":         {1, func(*PositionRow) {}, 0},
		"mover's":                 {300, mover, OneSide},
		"mover's, no games":       {300, func(r *PositionRow) { mover(r); r.Game = 0 }, OneSide},
		"mover's, no order":       {300, func(r *PositionRow) { mover(r); r.Ply = uint16(rng.IntN(90)) }, OneSide},
		"mover's, few games":      {5, mover, OneSide}, // the next ply knows
		"mover's, Black alone":    {300, func(r *PositionRow) { mover(r); drop(r, !black(r)) }, OneSide},
		"mover's, White alone":    {300, func(r *PositionRow) { mover(r); drop(r, black(r)) }, 0},
		"of the side not to move": {300, func(r *PositionRow) { r.Score = -r.Score; mover(r) }, mixedSigns},
		"White's for mover's":     {300, mover, OneSide},
		"Black's":                 {300, func(r *PositionRow) { r.Score = -r.Score }, BothSides},
		"results of the mover":    {300, func(r *PositionRow) { flipResult(r, black(r)) }, MoverResults},
		"both of the mover":       {300, func(r *PositionRow) { mover(r); flipResult(r, black(r)) }, MoverBoth},
		"results of the mover, no scores": {300, func(r *PositionRow) {
			flipResult(r, black(r))
			r.Score = NoScore
		}, MoverResults},
		"results of the mover, some scores": {300, func(r *PositionRow) {
			flipResult(r, black(r))
			drop(r, rng.IntN(2) == 0)
		}, MoverResults},
		"half of the games mover's": {300, func(r *PositionRow) {
			if r.Game%2 == 0 {
				mover(r)
			}
		}, mixedSigns},
		"signs lost, as without color": {300, func(r *PositionRow) {
			if rng.IntN(2) == 0 {
				r.Score = -r.Score
			}
		}, mixedSigns},
		"noise":            {300, func(r *PositionRow) { r.Score = int16(rng.IntN(400) - 200) }, noRelation},
		"noise, few games": {10, func(r *PositionRow) { r.Score = int16(rng.IntN(400) - 200) }, 0},
		"constant":         {300, func(r *PositionRow) { r.Score = 17 }, 0},
		"weak": {300, func(r *PositionRow) {
			r.Score = max(-MaxScore, min(MaxScore, int16(float64(r.Score)/2+rng.NormFloat64()*200)))
		}, 0},
		"a large bonus for the move": {300, func(r *PositionRow) { r.Score += 60; flipScore(r, 120, black(r)) }, 0},
		"drawn":                      {300, func(r *PositionRow) { r.Result = 0.5 }, 0},
		"drawn, mover's":             {300, func(r *PositionRow) { mover(r); r.Result = 0.5 }, OneSide},
		"none":                       {300, func(r *PositionRow) { r.Score = NoScore }, 0},
		"mates and no scores":        {300, func(r *PositionRow) { drop(r, rng.IntN(3) == 0) }, 0},
	} {
		var v Views
		for _, r := range scoredRows(t, c.games) {
			c.change(&r)
			v.Position(&r)
		}
		f := v.Fault()
		if got := kindOf(f); got != c.want {
			t.Errorf("%s: %v, want kind %d", name, f, c.want)
		}
		if f != nil && (f.Wrong() != (f.Kind < uneven) || !strings.HasPrefix(f.Error(), "the ") ||
			strings.Contains(f.Error(), "NaN")) {
			t.Errorf("%s: wrong %v: %v", name, f.Wrong(), f)
		}
	}
}

func kindOf(f *ViewFault) viewKind {
	if f == nil {
		return 0
	}
	return f.Kind
}

func drop(r *PositionRow, yes bool) {
	if yes {
		r.Score = NoScore
	}
}

func flipResult(r *PositionRow, yes bool) {
	if yes {
		r.Result = 1 - r.Result
	}
}

func flipScore(r *PositionRow, by int16, yes bool) {
	if yes {
		r.Score -= by
	}
}

// No verdict without cause: right scores and noise, in many small sets.
func TestViewsRaiseNoFalseAlarm(t *testing.T) {
	rows := scoredRows(t, datatest.Often(2000))
	rng := rand.New(rand.NewPCG(3, 3))
	for _, games := range []int{1, 3, 10, 20, 50, 200} {
		for first := 0; first+60*games <= len(rows); first += 60 * games {
			var right, noise, weak, level Views
			for _, r := range rows[first : first+60*games] {
				right.Position(&r)
				r.Score = int16(float64(r.Score)/10 + rng.NormFloat64()*100)
				weak.Position(&r)
				r.Score = int16(rng.NormFloat64() * 100)
				noise.Position(&r)
				r.Score = int16(r.Game*2654435761%400) - 200 // a whole game is wrong
				level.Position(&r)
			}
			for what, v := range map[string]*Views{"right": &right, "noise": &noise, "weak": &weak, "level": &level} {
				if f := v.Fault(); f.Wrong() {
					t.Errorf("%s, %d games from row %d: %v", what, games, first, f)
				}
			}
		}
	}
}

// Of two players only the one with a view of its own is named, and only its games with Black show it.
func TestViewsOfGames(t *testing.T) {
	for _, c := range []struct {
		wrong   func(name string) bool
		scale   float64 // of b
		players []string
		kind    viewKind
	}{
		{func(string) bool { return false }, 1, nil, 0},
		{func(string) bool { return false }, 1.2, nil, 0},
		{func(string) bool { return false }, 1.8, []string{"a"}, TwoScales}, // or "b", whose are larger
		{func(string) bool { return true }, 1, nil, OneSide},
		{func(name string) bool { return name == "b" }, 1, []string{"b"}, OneSide},
	} {
		rows := scoredRows(t, 200)
		var v Views
		for g := range 200 {
			row := GameRow{Game: uint64(g + 1), White: [2]string{"a", "b"}[g%2], Black: [2]string{"b", "a"}[g%2],
				Result: int8(2*rows[60*g].Result - 1)}
			row.Scores = append(row.Scores, NoScore, NoScore) // the opening
			for i, r := range rows[60*g : 60*g+60] {
				if i%2 == 1 && c.wrong(row.Black) {
					r.Score = -r.Score
				}
				if [2]string{row.White, row.Black}[i%2] == "b" {
					r.Score = int16(c.scale * float64(r.Score))
				}
				row.Scores = append(row.Scores, r.Score)
			}
			v.Game(&row)
		}
		f := v.Fault()
		if kindOf(f) != c.kind || f != nil && strings.Join(f.Players, " ") != strings.Join(c.players, " ") {
			t.Errorf("%v, want kind %d of %v", f, c.kind, c.players)
		}
	}
}

// Two data sets of positions whose scores are far from equally large beside the same material are named.
func TestFaultsOfTwoScales(t *testing.T) {
	for scale, want := range map[float64]bool{1: false, 1.2: false, 1.8: true, 0.5: true} {
		var sets [2]Views
		for i := range sets {
			for _, r := range scoredRows(t, 200+i) {
				if i == 1 {
					r.Score = int16(scale * float64(r.Score))
				}
				sets[i].Position(&r)
			}
		}
		list := Faults([]string{"one", "two"}, []*Views{&sets[0], &sets[1]})
		if got := len(list) == 1 && strings.HasPrefix(list[0].Error(), "two: the scores have another scale"); got != want ||
			!want && list != nil {
			t.Errorf("%g: %v", scale, list)
		}
	}
}

// Features know no side to move: their evaluation is the witness.
func TestViewsOfFeatures(t *testing.T) {
	for name, c := range map[string]struct {
		change func(i int, f *FeatureRow)
		want   viewKind
	}{
		"right":   {func(int, *FeatureRow) {}, 0},
		"mover's": {func(i int, f *FeatureRow) { f.Score *= int16(1 - 2*(i%2)) }, mixedSigns},
		"Black's": {func(_ int, f *FeatureRow) { f.Score = -f.Score }, BothSides},
	} {
		var v Views
		for i, r := range scoredRows(t, 300) {
			f := FeatureRow{Score: r.Score, Result: r.Result, Game: r.Game, Eval: float32(material(&r.Board)) * 2.56}
			c.change(i, &f)
			v.Feature(&f, 256)
		}
		if f := v.Fault(); kindOf(f) != c.want || f != nil && strings.Contains(f.Text, "to move") {
			t.Errorf("%s: %v, want kind %d", name, f, c.want)
		}
	}
}

// A row's terms must make its evaluation, to a centipawn.
func TestDrift(t *testing.T) {
	set := FeatureSet{Model: "m", Terms: []FeatureTerm{{Name: "a", MG: 100, EG: 50}, {Name: "b", MG: -7, EG: -7}}}
	good := FeatureRow{Terms: []uint16{0, 1}, Counts: []float32{2, 3}, Phase: 7. / 24, Scale: 0.5, Offset: 10,
		Eval: NoEval, Score: NoScore, Weight: 1}
	const value = 10 + 0.5*(2*(100*7./24+50*17./24)-21)
	if v := set.Value(&good); math.Abs(v-value) > 1e-6 { // the phase is rounded to float32
		t.Errorf("value %v, want %v", v, value)
	}
	for eval, want := range map[float32]error{NoEval: nil, 64: nil, 65: nil, 63: ErrDrift, 66: ErrDrift,
		-64: ErrDrift} {
		r := good
		r.Eval = eval
		if err := set.CheckRow(&r); !errors.Is(err, want) {
			t.Errorf("eval %g, value %.3f: %v", eval, value, err)
		}
	}
	for want, change := range map[string]func(*FeatureRow){
		"count 200":         func(r *FeatureRow) { r.Counts = []float32{200, 3} },
		"there are 2 terms": func(r *FeatureRow) { r.Terms = []uint16{0, 2} },
	} {
		r := good
		change(&r)
		if err := set.CheckRow(&r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	set.Version = 2
	for phase, want := range map[float32]string{-1000: "", 1000: "", 1001: "phase 1001"} {
		r := good
		r.Phase = phase
		if err := set.CheckRow(&r); err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("phase %g: %v", phase, err)
		}
	}
	set.Float = true
	good.Counts = []float32{200.5, 3}
	if err := set.CheckRow(&good); err != nil {
		t.Error(err)
	}
}

func TestForfeit(t *testing.T) {
	for text, want := range map[string]string{
		"time forfeit": "time-forfeit", "Time forfeit": "time-forfeit", "TIME FORFEIT": "time-forfeit",
		"time-forfeit":        "time-forfeit",
		"Crasher won on time": "time-forfeit", "Game drawn by timeout vs insufficient material": "time-forfeit",
		"illegal move": "illegal-move", "illegal-move": "illegal-move",
		"rules infraction": "rules-infraction", "Rules Infraction": "rules-infraction",
		"player-failed": "player-failed", "engine crash": "player-failed",
		"abandoned": "abandoned", "Abandoned": "abandoned", "stalled connection": "abandoned", "disconnect": "abandoned",
		"Abandon_ship won - game abandoned": "abandoned", "unterminated": "abandoned", "emergency": "abandoned",
		"death":          "abandoned",
		"White forfeits": "forfeit",

		"": "", "Normal": "", "normal": "", "adjudication": "", "checkmate": "", "stalemate": "", "repetition": "",
		"fifty-moves":           "",
		"insufficient-material": "", "adjudicated-win": "", "adjudicated-draw": "", "move-limit": "", "resignation": "",
		"Crasher won by checkmate": "", "Flagship won by resignation": "",
	} {
		if got := Forfeit(text); got != want {
			t.Errorf("Forfeit(%q) = %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"-0.22/12 0.5s, White loses on time":                   "time-forfeit",
		"+M3/20 0.1s, Black makes an illegal move: 0000":       "illegal-move",
		"White's connection stalls":                            "abandoned",
		"0.00/1 0s, Black disconnects":                         "abandoned",
		"Black forfeits by disconnection":                      "abandoned",
		"White forfeits on time":                               "time-forfeit",
		"Black ran out of time and White has no material left": "time-forfeit",
		"White wins on time.":                                  "time-forfeit",
		"Black left the game.":                                 "abandoned",
		"+0.10/9 1s":                                           "",
		"+0.31/12 0.5s, White mates":                           "",
		"Black resigns":                                        "",
		"Black was short of time here":                         "",
		"Draw by adjudication":                                 "",
	} {
		if got := ForfeitComment(text); got != want {
			t.Errorf("ForfeitComment(%q) = %q, want %q", text, got, want)
		}
	}
	for _, w := range forfeitWords {
		if Forfeit(w.reason) != w.reason {
			t.Errorf("Forfeit(%q) = %q", w.reason, Forfeit(w.reason))
		}
	}
}

func TestDrawByRule(t *testing.T) {
	for _, c := range []struct {
		fen    string
		result float32
		want   bool
	}{
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 60", 1, true},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 60", 0.5, false},
		{"4k3/8/8/3N4/8/8/8/4K3 b - - 0 60", 0, true},
		{"4k3/8/8/8/8/8/4P3/4K3 w - - 0 60", 1, false},
		{"3k4/8/8/8/8/8/4R3/3K4 w - - 99 90", 1, false},
		{"3k4/8/8/8/8/8/4R3/3K4 w - - 100 90", 1, true},
		{"3k4/8/8/8/8/8/4R3/3K4 w - - 100 90", 0.5, false},
		{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 60", 1, true}, // stalemate
		{"7k/5Q2/6K1/8/8/8/8/8 w - - 0 60", 1, false},
		{"7k/6Q1/6K1/8/8/8/8/8 b - - 0 60", 1, false}, // mate
	} {
		p := setup.Must(board.ParseFEN(c.fen))
		if r := (PositionRow{Board: p, Result: c.result}); r.DrawByRule() != c.want {
			t.Errorf("%s with result %g: %v", c.fen, c.result, r.DrawByRule())
		}
	}
}
