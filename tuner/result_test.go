package tuner

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
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

// TestLossesJSON: what is not known is null, and null is read as not known.
func TestLossesJSON(t *testing.T) {
	text, err := json.Marshal(Losses{0.5, Float(math.NaN())})
	if err != nil || string(text) != `{"train":0.5,"valid":null}` {
		t.Fatalf("%s, %v", text, err)
	}
	var l Losses
	if err := json.Unmarshal(text, &l); err != nil || l.Train != 0.5 || l.Valid.Known() {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestReadOldReports reads finished fits of assay tune and assay learn with the keys
// they once had.
func TestReadOldReports(t *testing.T) {
	r, err := ParseReport([]byte(`{"id": "abc", "rescale": 0.5, "loss_start": {"train": 0.6, "valid": null}, "loss_rounded": {"train": 0.5, "valid": null},
		"terms": [{"name": "pawn", "old_mg": 100, "old_eg": 110, "mg": 90, "eg": 95, "se_mg": 2, "positions": 12345678901, "effective_games": 40, "data_share": 0.9}],
		"tables": [{"name": "psq", "centred": [{"name": "psq.a1", "mg": 3}]}],
		"pieces": [{"piece": "pawn", "start": 100, "value": 90}]}`))
	if err != nil {
		t.Fatal(err)
	}
	x := r.Terms[0]
	if x.StartMG != 100 || x.StartEG != 110 || x.MG != 90 || x.Count != 12345678901 || x.EffectiveGames != 40 || x.DataShare != 0.9 || x.Rescale != 0.5 || !x.Moved() {
		t.Errorf("%+v", x)
	}
	if r.ID != "abc" || r.Tables[0].Centered[0].MG != 3 || r.Pieces[0].Value != 90 || r.Rounded.Train != 0.5 || r.Start.Valid.Known() {
		t.Errorf("%+v", r)
	}
	doc, err := os.ReadFile(filepath.Join("..", "models", "history", "gen-1", "fit.json"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err = ParseReport(doc); err != nil {
		t.Fatal(err)
	}
	if r.Start.Train != 0.5412362832584591 || r.Rounded.Valid != 0.5324891597527184 || r.Pieces[1].Start != 337.02094647013195 || r.Pieces[1].Value != 349.1032110146558 {
		t.Errorf("losses %+v %+v, pieces %+v", r.Start, r.Rounded, r.Pieces)
	}
	if x := r.Terms[0]; x.Name != "pawn" || x.StartMG == 0 || x.MG == 0 || x.EffectiveGames == 0 || x.DataShare == 0 || x.Rescale == 0 {
		t.Errorf("%+v", x)
	}
}
