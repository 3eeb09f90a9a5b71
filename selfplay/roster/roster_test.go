package roster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/models"
)

func openText(text string) (engine.Player, error) {
	spec, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return Open(spec)
}

func identifyText(text string) (string, error) {
	spec, err := Parse(text)
	if err != nil {
		return "", err
	}
	id, _, err := Identify(spec)
	return id, err
}

func TestEveryPlayer(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			spec := name + ":nodes=50"
			if id, err := identifyText(spec); err != nil || !strings.HasPrefix(id, name) {
				t.Errorf("identity %q, error %v", id, err)
			}
			p, err := openText(spec)
			if err != nil {
				t.Fatal(err)
			}
			game := board.NewGame(board.StartPosition())
			if err := p.NewGame(1); err != nil {
				t.Fatal(err)
			}
			r, err := p.Search(context.Background(), game, engine.Limits{})
			if err != nil || !game.Position().IsLegal(r.Move) {
				t.Errorf("move %v, error %v", r.Move, err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Other settings are options of the historic program, in any case.
func TestHistoricOptions(t *testing.T) {
	for spec, want := range map[string]string{
		"random:seed=5":          "random:seed=5",
		"random:Seed=5:depth=1":  "random:seed=5:depth=1",
		"random:depth=1:seed=5":  "random:seed=5:depth=1",
		"random:depth=1:nodes=9": "random:nodes=9:depth=1",
		"first-move":             "first-move",
	} {
		p, err := openText(spec)
		if err != nil {
			t.Errorf("Open(%q): %v", spec, err)
			continue
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if id, err := identifyText(spec); err != nil || id != want {
			t.Errorf("Identify(%q) = %q, %v; want %q", spec, id, err, want)
		}
	}
	for spec, want := range map[string]string{
		"random:speed=1":       `"speed" is unknown; the options are seed`,
		"random:seed=x":        `option Seed: "x" is not a number`,
		"random:seed=1:Seed=2": "set twice",
		"first-move:seed=1":    "this player has no options",
		"random:weights=assay": `"weights=assay" is not a setting of random (there are: nodes=, depth=)`,
		"turing-1951:hash=4":   `"hash" is unknown; the options are pawn, knight`,
		"random:seed":          `"seed" is not a setting`,
	} {
		if _, err := openText(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q) error %v, want one with %q", spec, err, want)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	tests := []struct{ spec, want string }{
		{"", `no such player: "" (there are: assay`},
		{"stockfish", `no such player: "stockfish" (there are: assay`},
		{"shannon-1950", "assay:weights=shannon-1950"},
		{"assay:", `"" is not a setting KEY=VALUE (there are: weights=, hash=, nodes=, depth=; and the search's parameters: assay uci --tunable)`},
		{"assay:speed=9", `"speed=9" is not a setting of assay (there are: weights=, hash=, nodes=, depth=; and the search's parameters: assay uci --tunable)`},
		{"assay:ReverseMargin=9", `option ReverseMargin: "9" is not a number from 10 to 300`},
		{"assay:ReverseMargin=90:nodes=5:reversemargin=90", "reversemargin is set twice"},
		{"assay:EvalFile=assay", `"evalfile=assay" is not a setting`},
		{"assay:nodes", `"nodes" is not a setting`},
		{"assay:nodes=0", "nodes=0 is not a number from 1"},
		{"assay:nodes=1e6", "nodes=1e6 is not a number"},
		{"assay:hash=99999999999999999999", "is not a number"},
		{"assay:weights=", "needs the name"},
		{"assay:nodes=5:nodes=6", "nodes is set twice"},
		{"assay:weights=no/such.json", "no/such.json"},
		{"assay:weights=no/such.json:sped=5", `"sped=5" is not a setting`},
		{`assay:weights=C:\no\such.json:nodes=5`, `C:\no\such.json`},
	}
	for _, tt := range tests {
		p, err := openText(tt.spec)
		if err == nil || p != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Open(%q) error %v, want one with %q", tt.spec, err, tt.want)
		}
	}
	if _, err := openText("nobody"); !errors.Is(err, ErrUnknownPlayer) {
		t.Errorf("error %v does not wrap ErrUnknownPlayer", err)
	}
}

func TestFixedLimits(t *testing.T) {
	p, err := openText("assay:depth=3:hash=1")
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Search(context.Background(), board.NewGame(board.StartPosition()), engine.Limits{Depth: 9, Nodes: 1e6})
	if err != nil || r.Depth != 3 {
		t.Errorf("depth %d, error %v; want the player's own 3", r.Depth, err)
	}
	if o, ok := engine.As[engine.OptionLister](p); !ok || len(o.Options()) == 0 {
		t.Error("a player with limits lists no options")
	}
}

func TestIdentify(t *testing.T) {
	f, err := models.Embedded("shannon-1950")
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy:of it.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := identifyText("assay:weights=shannon-1950:nodes=7")
	if err != nil {
		t.Fatal(err)
	}
	b, err := identifyText("assay:nodes=7:weights=" + path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "assay:weights=" + f.ID() + ":nodes=7"; a != want || b != want {
		t.Errorf("identities %q and %q, want %q", a, b, want)
	}
}

func TestEvalFile(t *testing.T) {
	p, err := openText("assay:hash=1:depth=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"shannon-1950", "<empty>", ""} {
		if err := p.SetOption("EvalFile", value); err != nil {
			t.Errorf("EvalFile %q: %v", value, err)
		}
	}
	if err := p.SetOption("EvalFile", "no/such.json"); err == nil || !strings.Contains(err.Error(), "no/such.json") {
		t.Errorf("error %v does not name the file", err)
	}
}

// A player's own number of nodes is exact where the search asks for exact nodes.
func TestOwnNodesAreExact(t *testing.T) {
	p, err := openText("assay:nodes=500")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, exact := range []bool{true, false} {
		r, err := p.Search(t.Context(), board.NewGame(board.StartPosition()), engine.Limits{Nodes: 9, HardNodes: exact})
		if err != nil || (r.Nodes == 500) != exact || r.Nodes < 500 {
			t.Errorf("exact %t: %d nodes, %v", exact, r.Nodes, err)
		}
	}
}
