package roster

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/historic/programs"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/internal/toy"
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
			p := setup.Must(openText(spec))
			game := board.NewGame(board.StartPosition())
			setup.Check(t, p.NewGame(1))
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
		{"assay:", `"" is not a setting KEY=VALUE (there are: weights=, hash=, nodes=, depth=, and the parameters of its search)`},
		{"assay:speed=9", `"speed=9" is not a setting of assay (there are: weights=, hash=, nodes=, depth=, and the parameters of its search)`},
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
	p := setup.Must(openText("assay:depth=3:hash=1"))
	r, err := p.Search(context.Background(), board.NewGame(board.StartPosition()), engine.Limits{Depth: 9, Nodes: 1e6})
	if err != nil || r.Depth != 3 {
		t.Errorf("depth %d, error %v; want the player's own 3", r.Depth, err)
	}
	if o, ok := engine.As[engine.OptionLister](p); !ok || len(o.Options()) == 0 {
		t.Error("a player with limits lists no options")
	}
}

func TestIdentify(t *testing.T) {
	f := setup.Must(models.Embedded("shannon-1950"))
	data := setup.Must(f.Encode())
	path := filepath.Join(t.TempDir(), "copy:of it.json")
	setup.Check(t, os.WriteFile(path, data, 0o644))
	a := setup.Must(identifyText("assay:weights=shannon-1950:nodes=7"))
	b := setup.Must(identifyText("assay:nodes=7:weights=" + path))
	if want := "assay:weights=" + f.ID() + ":nodes=7"; a != want || b != want {
		t.Errorf("identities %q and %q, want %q", a, b, want)
	}
}

func TestEvalFile(t *testing.T) {
	p := setup.Must(openText("assay:hash=1:depth=1"))
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
	p := setup.Must(openText("assay:nodes=500"))
	defer p.Close()
	for _, exact := range []bool{true, false} {
		r, err := p.Search(t.Context(), board.NewGame(board.StartPosition()), engine.Limits{Nodes: 9, HardNodes: exact})
		if err != nil || (r.Nodes == 500) != exact || r.Nodes < 500 {
			t.Errorf("exact %t: %d nodes, %v", exact, r.Nodes, err)
		}
	}
	endless := &limited{setup.Must(openText("assay")), 1 << 40, 0} // but for the clock
	defer endless.Close()
	limits := engine.Limits{Depth: 1, Clock: [2]time.Duration{time.Second, time.Second}}
	if r, err := endless.Search(t.Context(), board.NewGame(board.StartPosition()), limits); err != nil || r.Depth < 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

const checkPlies = "option name CheckPlies type spin default 1 min 0 max 3"

// nodesOf returns the nodes of a player's search of the start position.
func nodesOf(t *testing.T, spec string) uint64 {
	t.Helper()
	p := setup.Must(openText(spec))
	defer p.Close()
	setup.Check(t, p.NewGame(1))
	r := setup.Must(p.Search(t.Context(), board.NewGame(board.StartPosition()), engine.Limits{Depth: 8}))
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
	plainID := setup.Must(identifyText("assay"))
	if id, err := identifyText("assay:ReverseMargin=20"); err != nil || id != plainID+":reversemargin=20" {
		t.Errorf("identity %q, %v", id, err)
	}
}

func TestShowParameters(t *testing.T) {
	for spec, want := range map[string]bool{"assay": true, "assay:nodes=5": true, "random": false,
		"random:nodes=5": false} {
		p := setup.Must(openText(spec))
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
		p := setup.Must(openText(spec))
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

// score returns the player's score of a position where White is a queen up.
func score(t *testing.T, p engine.Player) int {
	t.Helper()
	position := setup.Must(board.ParseFEN("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1"))
	setup.Check(t, p.NewGame(1))
	r := setup.Must(p.Search(t.Context(), board.NewGame(position), engine.Limits{Depth: 1}))
	return int(r.Score)
}

// A weight set as an option has the same effect as in a file.
func TestWeightsAreOptions(t *testing.T) {
	p := setup.Must(openText("assay:hash=1:weights=assay-start"))
	before := score(t, p)
	for _, value := range []string{"500", "1300"} {
		setup.Check(t, p.SetOption("queen", value))
		f := setup.Must(models.Embedded("assay-start"))
		m, w, err := f.Weights()
		setup.Check(t, err)
		for i := range m.Terms {
			if m.Terms[i].Name == "queen" {
				w[i].MG, w[i].EG = 500, 500
				if value == "1300" {
					w[i].MG, w[i].EG = 1300, 1300
				}
			}
		}
		ev := setup.Must(m.NewEvaluator(w))
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
	p := setup.Must(openText("assay:hash=1:weights=assay-start"))
	for _, o := range [][3]string{
		{"queen", "9.5", "whole number"}, {"queen", "", "whole number"}, {"queen", "99999999999", "whole number"},
		{"queen", "2000000000", "queen"}, {"queens", "1", "unknown"}, {"queen.xg", "1", "unknown"},
	} {
		if err := p.SetOption(o[0], o[1]); !errors.Is(err, search.ErrOption) || !strings.Contains(err.Error(), o[2]) {
			t.Errorf("%s=%s: %v, want %q", o[0], o[1], err, o[2])
		}
	}
}

// A program with its own depth searches it whatever the limits are; other players, and those with
// limits of their own, are left alone.
func TestWithOwnDepth(t *testing.T) {
	for spec, want := range map[string]string{
		"turing-1951":                "turing-1951:depth=40",
		"shannon-a:moves=2":          "shannon-a:depth=40:moves=2",
		"machack-1967:nodes=9":       "machack-1967:nodes=9",
		"bernstein-1957:depth=2":     "bernstein-1957:depth=2",
		"assay":                      "assay",
		"uci:engine?Style=shannon-a": "uci:engine?Style=shannon-a",
	} {
		if got := WithOwnDepth(toy.Spec(spec)).String(); got != want {
			t.Errorf("%s becomes %s, want %s", spec, got, want)
		}
	}
	for _, spec := range []string{"shannon-a:moves=1", WithOwnDepth(toy.Spec("shannon-a:moves=1")).String()} {
		p := setup.Must(openText(spec))
		r, err := p.Search(context.Background(), board.NewGame(board.StartPosition()),
			engine.Limits{Nodes: 30, HardNodes: true})
		if held := spec == "shannon-a:moves=1"; err != nil || (r.Nodes <= 30) != held || (r.Depth < 2) != held {
			t.Errorf("%s: %d plies, %d nodes, error %v", spec, r.Depth, r.Nodes, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// suitePositions returns the positions of the perft suites.
func suitePositions(t *testing.T) (all []board.Position) {
	t.Helper()
	for _, file := range []string{"perft.epd", "standard.epd", "tricky.epd", "fischer.epd"} {
		f := setup.Must(os.Open("../../engine/board/testdata/" + file))
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			text, _, _ := strings.Cut(lines.Text(), ";")
			if p, err := board.ParseFEN(strings.TrimSpace(text)); err == nil {
				all = append(all, p)
			}
		}
	}
	if len(all) < 1100 {
		t.Fatalf("only %d positions", len(all))
	}
	return all
}

// suiteStep selects every fourth position; a soak takes all of them.
var suiteStep = 4

// Every historic program answers positions of the perft suites, checkmate and stalemate
// within its limit and with a legal move. It explains a few of them.
func TestHistoricProgramsOnPerftSuites(t *testing.T) {
	positions := suitePositions(t)
	for _, fen := range []string{"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"} {
		p := setup.Must(board.ParseFEN(fen))
		positions = append(positions, p)
	}
	step := suiteStep
	if testing.Short() {
		step *= 10
	}
	for _, e := range programs.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			p := setup.Must(openText(e.Name))
			for i := 0; i < len(positions); i += step {
				answer(t, p, &positions[i], i)
			}
			for _, i := range []int{0, 2, len(positions) - 2, len(positions) - 1} {
				explain(t, p, &positions[i])
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func answer(t *testing.T, p engine.Player, pos *board.Position, number int) engine.Result {
	t.Helper()
	setup.Check(t, p.NewGame(uint64(number)))
	const nodes = 60
	r, err := p.Search(context.Background(), board.NewGame(*pos), engine.Limits{Nodes: nodes, HardNodes: true})
	legal := pos.CountLegal() > 0
	if err != nil || r.Nodes > nodes || legal != (r.Move != board.NullMove) || legal && !pos.IsLegal(r.Move) {
		t.Errorf("%s: move %v after %d nodes, error %v", pos.FEN(), r.Move, r.Nodes, err)
	}
	return r
}

// explain asks the player to explain a position, which must not change how it plays.
func explain(t *testing.T, p engine.Player, pos *board.Position) {
	t.Helper()
	x, ok := p.(historic.Explainer)
	if !ok {
		t.Fatal("the player is not a historic.Explainer")
	}
	before := answer(t, p, pos, 1)
	if text, err := x.Explain(pos); err == nil && !strings.HasSuffix(text, "\n") {
		t.Errorf("%s: the explanation is %q", pos.FEN(), text)
	}
	if after := answer(t, p, pos, 1); after.Move != before.Move || after.Score != before.Score ||
		after.Nodes != before.Nodes {
		t.Errorf("%s: played %v with %d nodes, and after an explanation %v with %d", pos.FEN(), before.Move, before.Nodes,
			after.Move, after.Nodes)
	}
}

// Programs that do not search, and moves from a book, have no score; 0 would be a draw.
func TestHistoricProgramsWithoutScores(t *testing.T) {
	start := board.StartPosition()
	for spec, scored := range map[string]bool{"random": false, "first-move": false, "torres-1890": false,
		"shannon-a:book=true": false,
		"machack-1967":        false, "shannon-a": true, "turing-1951": true, "bernstein-1957": true, "losalamos-1956": true,
		"nss-1958": true} {
		p, err := openText(spec)
		if err != nil {
			t.Error(err)
			continue
		}
		if r := answer(t, p, &start, 1); r.Score.Known() != scored {
			t.Errorf("%s: score %d, known %v", spec, r.Score, r.Score.Known())
		}
	}
}
