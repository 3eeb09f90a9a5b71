package roster

import (
	"slices"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

const reverse = "option name ReverseMargin type spin default 95 min 10 max 300"

// nodesOf counts what the player of a specification visits in the start position.
func nodesOf(t *testing.T, spec string) uint64 {
	t.Helper()
	p, err := Open(spec)
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

// Parameters of the search are settings of a specification: they change how it plays and
// who it is.
func TestParametersInSpecifications(t *testing.T) {
	plain, same, other := nodesOf(t, "assay:hash=1"), nodesOf(t, "assay:hash=1:ReverseMargin=95"), nodesOf(t, "assay:ReverseMargin=20:hash=1")
	if plain != same || plain == other {
		t.Errorf("%d nodes, %d with the default, %d with another value", plain, same, other)
	}
	plainID, err := Identify("assay")
	if err != nil {
		t.Fatal(err)
	}
	if id, err := Identify("assay:ReverseMargin=20"); err != nil || id != plainID+":reversemargin=20" {
		t.Errorf("identity %q, %v", id, err)
	}
	_, renamed, err := WeightsOf("assay:ReverseMargin=20:nodes=7")
	if err != nil {
		t.Fatal(err)
	}
	if spec := renamed("there.json"); spec != "assay:weights=there.json:hash=16:nodes=7:reversemargin=20" {
		t.Errorf("on another machine it is %q", spec)
	}
	if _, renamed, err = WeightsOf("shannon-a:moves=2"); err != nil {
		t.Fatal(err)
	}
	if spec := renamed("assay"); spec != "shannon-a:weights=assay:moves=2" {
		t.Errorf("on another machine it is %q", spec)
	}
}

func TestShowParameters(t *testing.T) {
	for spec, want := range map[string]bool{"assay": true, "assay:nodes=5": true, "random": false, "random:nodes=5": false} {
		p, err := Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		tells := func() bool { return slices.Contains(p.(interface{ Options() []string }).Options(), reverse) }
		if tells() {
			t.Errorf("%s shows parameters unasked", spec)
		}
		if got := ShowParameters(p); got != want || tells() != want {
			t.Errorf("%s: %v, and shows them: %v", spec, got, tells())
		}
	}
}

// Options that are parameters of the search leave the weights what they are.
func TestReweigh(t *testing.T) {
	if f, err := Reweigh("assay:hash=1", [][2]string{{"ReverseMargin", "90"}}); f != nil || err != nil {
		t.Errorf("a parameter gives weights %v, %v", f, err)
	}
	f, err := Reweigh("assay:hash=1:depth=1", [][2]string{{"ReverseMargin", "90"}, {"queen", "950"}})
	if err != nil || f == nil || f.Provenance.Parent == "" || f.ID() == f.Provenance.Parent {
		t.Errorf("a weight gives no weights of their own, %v", err)
	}
}
