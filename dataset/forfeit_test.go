package dataset

import (
	"encoding/json"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

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

func TestForfeitsInJSON(t *testing.T) {
	var f, back Forfeits
	f.Add("time-forfeit", 3)
	f.Add("abandoned", 2)
	text, err := json.Marshal(f)
	if err != nil || string(text) != `{"abandoned":2,"time-forfeit":3}` || json.Unmarshal(text, &back) != nil ||
		back != f || f.Games() != 5 {
		t.Errorf("%s, %v: %v", text, err, back)
	}
	if text, err := json.Marshal(struct {
		F Forfeits `json:"f,omitzero"`
	}{}); string(text) != "{}" {
		t.Errorf("no forfeits are %s, %v", text, err)
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
