package search

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// Every parameter has an effect: at one end of its range, the search of some bench position
// visits another number of nodes.
func TestEveryParameterHasAnEffect(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	nodes := func(fen string, most uint64) uint64 {
		setup.Check(t, e.NewGame(0))
		return run(t, e, board.NewGame(position(t, fen)), engine.Limits{Depth: 11, Nodes: most, HardNodes: true}).Nodes
	}
	before := map[string]uint64{}
	for _, fen := range benchPositions {
		before[fen] = nodes(fen, 1<<32)
	}
	// Small trees first: most parameters show an effect there.
	positions := slices.SortedFunc(maps.Keys(before), func(a, b string) int {
		return cmp.Compare(before[a], before[b])
	})
	for i := range parameters {
		p := &parameters[i]
		moves := func(fen string) bool {
			for _, value := range []int{p.least, p.most} {
				setup.Check(t, e.SetOption(p.name, strconv.Itoa(value)))
				if nodes(fen, before[fen]+1) != before[fen] {
					return true
				}
			}
			return false
		}
		if !slices.ContainsFunc(positions, moves) {
			t.Errorf("%s: %d and %d have no effect", p.name, p.least, p.most)
		}
		setup.Check(t, e.SetOption(p.name, strconv.Itoa(p.preset)))
	}
	if fen := benchPositions[1]; nodes(fen, before[fen]+1) != before[fen] {
		t.Errorf("%d nodes after all defaults were restored, want %d", nodes(fen, before[fen]+1), before[fen])
	}
}

// With all parameters at an end of their ranges, the search still ends, plays legal moves
// and finds a mate.
func TestParametersAtTheirLimits(t *testing.T) {
	for _, end := range []struct {
		name string
		of   func(*parameterInfo) int
	}{
		{"least", func(p *parameterInfo) int { return p.least }},
		{"most", func(p *parameterInfo) int { return p.most }},
	} {
		t.Run(end.name, func(t *testing.T) {
			e := New(evaluator(t, "assay-start"), 1)
			for i := range parameters {
				setup.Check(t, e.SetOption(parameters[i].name, strconv.Itoa(end.of(&parameters[i]))))
			}
			for _, fen := range benchPositions {
				p := position(t, fen)
				r := run(t, e, board.NewGame(p), engine.Limits{Nodes: 5000, HardNodes: true})
				if !p.IsLegal(r.Move) || r.Nodes > 5000 {
					t.Errorf("%s: move %v after %d nodes", fen, r.Move, r.Nodes)
				}
			}
			mate := run(t, e, board.NewGame(position(t, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")),
				engine.Limits{Depth: 6})
			if mate.Score != engine.MateScore-1 {
				t.Errorf("a mate in one scores %d", mate.Score)
			}
		})
	}
}

func TestParameterTable(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range parameters {
		if p.name == "" || strings.ContainsAny(p.name, " :=?&.") || p.about == "" || p.least >= p.most ||
			p.preset < p.least || p.preset > p.most {
			t.Errorf("%+v", p)
		}
		if name := strings.ToLower(p.name); seen[name] {
			t.Errorf("%s is listed twice", p.name)
		} else {
			seen[name] = true
		}
		if !IsParameter(strings.ToUpper(p.name)) {
			t.Errorf("%s is not found in capitals", p.name)
		}
	}
	if IsParameter("Hash") || IsParameter("") {
		t.Error("Hash or an empty name is a parameter")
	}
}

func TestParametersAreOptions(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	preset := parameters[reverseMargin].preset
	line := fmt.Sprintf("option name ReverseMargin type spin default %d min 10 max 300", preset)
	if slices.Contains(e.Options(), line) {
		t.Error("parameters are listed before ShowParameters")
	}
	if !e.ShowParameters() || !slices.Contains(e.Options(), line) {
		t.Errorf("options %q lack %q", e.Options(), line)
	}
	for _, value := range []string{"9", "301", "", "eighty", "80.5", "-80"} {
		err := e.SetOption("reversemargin", value)
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "ReverseMargin") ||
			!strings.Contains(err.Error(), "from 10 to 300") {
			t.Errorf("%q: %v", value, err)
		}
	}
	if v := e.params.values[reverseMargin]; v != preset {
		t.Errorf("refused values changed it to %d", v)
	}
	if err := e.SetOption("reversemargin", "90"); err != nil || e.params.values[reverseMargin] != 90 {
		t.Errorf("set to %d, %v", e.params.values[reverseMargin], err)
	}
}
