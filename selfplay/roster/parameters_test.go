package roster

import (
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

const checkPlies = "option name CheckPlies type spin default 1 min 0 max 3"

// nodesOf returns the nodes of a player's search of the start position.
func nodesOf(t *testing.T, spec string) uint64 {
	t.Helper()
	p, err := openText(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.NewGame(1); err != nil {
		t.Fatal(err)
	}
	r, err := p.Search(t.Context(), board.NewGame(board.StartPosition()), engine.Limits{Depth: 8})
	if err != nil {
		t.Fatal(err)
	}
	return r.Nodes
}

// Parameters of the search are settings of a specification, and change a player's moves and
// identity.
func TestParametersInSpecifications(t *testing.T) {
	plain, same, other := nodesOf(t, "assay:hash=1"), nodesOf(t, "assay:hash=1:CheckPlies=1"), nodesOf(t,
		"assay:ReverseMargin=20:hash=1")
	if plain != same || plain == other {
		t.Errorf("%d nodes, %d with the default, %d with another value", plain, same, other)
	}
	plainID, err := identifyText("assay")
	if err != nil {
		t.Fatal(err)
	}
	if id, err := identifyText("assay:ReverseMargin=20"); err != nil || id != plainID+":reversemargin=20" {
		t.Errorf("identity %q, %v", id, err)
	}
}

func TestShowParameters(t *testing.T) {
	for spec, want := range map[string]bool{"assay": true, "assay:nodes=5": true, "random": false,
		"random:nodes=5": false} {
		p, err := openText(spec)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		lister, _ := engine.As[engine.OptionLister](p)
		listed := func() bool { return slices.Contains(lister.Options(), checkPlies) }
		if listed() {
			t.Errorf("%s lists parameters before ShowParameters", spec)
		}
		q, ok := engine.As[engine.ParameterLister](p)
		if got := ok && q.ShowParameters(); got != want || listed() != want {
			t.Errorf("%s: ShowParameters %v, listed %v, want %v", spec, got, listed(), want)
		}
	}
}

// Parameters of the search do not change the weights.
func TestWeightsWithOptions(t *testing.T) {
	if f, err := WeightsWithOptions(toy.Spec("assay:hash=1"), options("ReverseMargin", "90")); f != nil ||
		err != nil {
		t.Errorf("weights %v after setting a parameter, %v", f, err)
	}
	f, err := WeightsWithOptions(toy.Spec("assay:hash=1:depth=1"), options("ReverseMargin", "90", "queen", "950"))
	if err != nil || f == nil || f.Provenance.Parent == "" || f.ID() == f.Provenance.Parent {
		t.Errorf("no new weights after setting a weight, %v", err)
	}
}

// Terms of every player with weights are options, and what they make of its weights is known.
func TestWeightsWithOptionsOfHistoricPrograms(t *testing.T) {
	for _, spec := range []string{"shannon-a:moves=1", "shannon-b", "machack-1967:isolated=-20:book=false",
		"assay:weights=shannon-1950"} {
		p, err := openText(spec)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if err := p.SetOption("queen", "1000"); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
		if err := p.SetOption("queen", "x"); err == nil {
			t.Errorf("%s takes a queen of x", spec)
		}
		f, err := WeightsWithOptions(toy.Spec(spec), options("Seed", "3", "queen", "1000"))
		if err != nil || f == nil || f.Provenance.Parent == "" {
			t.Fatalf("%s: %v, %v", spec, f, err)
		}
		for _, term := range f.Terms {
			if term.Name == "queen" && term.MG != 1000 || spec[0] == 'm' && term.Name == "isolated" && term.MG != -20 {
				t.Errorf("%s: %+v", spec, term)
			}
		}
	}
	if f, err := WeightsWithOptions(toy.Spec("random"), options("queen", "1000")); f != nil || err != nil {
		t.Errorf("random has weights: %v, %v", f, err)
	}
}

func options(nameValue ...string) (list []engine.Option) {
	for i := 0; i < len(nameValue); i += 2 {
		list = append(list, engine.Option{Name: nameValue[i], Value: nameValue[i+1]})
	}
	return list
}
