package roster

import (
	"errors"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/models"
)

// score returns the player's score of a position where White is a queen up.
func score(t *testing.T, p engine.Player) int {
	t.Helper()
	position, err := board.ParseFEN("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.NewGame(1); err != nil {
		t.Fatal(err)
	}
	r, err := p.Search(t.Context(), board.NewGame(position), engine.Limits{Depth: 1})
	if err != nil {
		t.Fatal(err)
	}
	return int(r.Score)
}

// A weight set as an option has the same effect as in a file.
func TestWeightsAreOptions(t *testing.T) {
	p, err := openText("assay:hash=1:weights=assay-start")
	if err != nil {
		t.Fatal(err)
	}
	before := score(t, p)
	for _, value := range []string{"500", "1300"} {
		if err := p.SetOption("queen", value); err != nil {
			t.Fatal(err)
		}
		f, err := models.Embedded("assay-start")
		if err != nil {
			t.Fatal(err)
		}
		m, w, err := f.Weights()
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Terms {
			if m.Terms[i].Name == "queen" {
				w[i].MG, w[i].EG = 500, 500
				if value == "1300" {
					w[i].MG, w[i].EG = 1300, 1300
				}
			}
		}
		ev, err := m.NewEvaluator(w)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := score(t, p), score(t, search.New(ev, 1)); got != want || got == before {
			t.Errorf("queen %s: %d, in a file %d, before %d", value, got, want, before)
		}
	}
	if err := p.SetOption("queen.mg", "1200"); err != nil { // an endgame: it hardly counts
		t.Error(err)
	}
	if err := p.SetOption("EvalFile", "assay-start"); err != nil {
		t.Error(err)
	}
	if got := score(t, p); got != before {
		t.Errorf("%d after the file was loaded again, %d before", got, before)
	}
}

func TestWeightsRefused(t *testing.T) {
	p, err := openText("assay:hash=1:weights=assay-start")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range [][3]string{
		{"queen", "9.5", "whole number"}, {"queen", "", "whole number"}, {"queen", "99999999999", "whole number"},
		{"queen", "2000000000", "queen"}, {"queens", "1", "unknown"}, {"queen.xg", "1", "unknown"},
	} {
		if err := p.SetOption(o[0], o[1]); !errors.Is(err, search.ErrOption) || !strings.Contains(err.Error(), o[2]) {
			t.Errorf("%s=%s: %v, want %q", o[0], o[1], err, o[2])
		}
	}
}
