package tuner

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/assay-chess/assay/engine/num"
)

func TestMoved(t *testing.T) {
	moved := TermFit{StartMG: 100, MG: 120, SEMG: 5, EffectiveGames: 100, DataShare: 0.8, Rescale: 1}
	for name, test := range map[string]struct {
		change func(*TermFit)
		want   bool
	}{
		"far":                {func(*TermFit) {}, true},
		"near":               {func(t *TermFit) { t.SEMG = 15 }, false},
		"endgame":            {func(t *TermFit) { t.SEMG, t.StartEG, t.EG, t.SEEG = 15, 10, 40, 3 }, true},
		"the prior's":        {func(t *TermFit) { t.DataShare = 0.1 }, false},
		"few games":          {func(t *TermFit) { t.EffectiveGames = 20 }, false},
		"only the rescaling": {func(t *TermFit) { t.Rescale = 1.2 }, false},
		"never seen":         {func(t *TermFit) { t.SEMG = 0 }, false},
	} {
		term := moved
		test.change(&term)
		if term.Moved() != test.want {
			t.Errorf("%s: Moved() = %v", name, !test.want)
		}
	}
}

// TestLossesJSON: an unknown loss is null, and null is read as unknown.
func TestLossesJSON(t *testing.T) {
	text, err := json.Marshal(Losses{0.5, num.Float(math.NaN())})
	if err != nil || string(text) != `{"train":0.5,"valid":null}` {
		t.Fatalf("%s, %v", text, err)
	}
	var l Losses
	if err := json.Unmarshal(text, &l); err != nil || l.Train != 0.5 || l.Valid.Known() {
		t.Errorf("%+v, %v", l, err)
	}
}
