package selfplay_test

import (
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
)

// A program that plays at once, whatever the nodes, is noticed; one that something else ends is not.
func TestIgnores(t *testing.T) {
	program := engine.Spec{}.WithProgram("./engine")
	nodes := selfplay.Limits{Nodes: 5000}
	deep := program
	deep.Depth = 3
	for _, c := range []struct {
		spec   engine.Spec
		limits selfplay.Limits
		mean   float64
		want   string
	}{
		{program, nodes, 6, "slow searched 6 nodes a ply, and its limit is 5000: it does not seem to know \"go nodes\"; " +
			"play with --movetime or --tc"},
		{program, nodes, 4000, ""},
		{program, nodes, 0, ""}, // it reports none
		{deep, nodes, 6, ""},
		{engine.Spec{Name: "shannon-1950"}, nodes, 6, ""},
		{program, selfplay.Limits{Nodes: 5000, MoveTime: time.Second}, 6, ""},
		{program, selfplay.Limits{MoveTime: time.Second}, 6, ""},
	} {
		if got := (selfplay.Entrant{Spec: c.spec, Name: "slow"}).Ignores(c.limits, c.mean); got != c.want {
			t.Errorf("%v, %v, %g nodes: %q, want %q", c.spec, c.limits, c.mean, got, c.want)
		}
	}
}

// The names of files do not make players differ; what is in them, arguments and options do.
func TestSamePlayer(t *testing.T) {
	const a, b = "a5ebbaaa08ca", "0123456789ab"
	for _, tt := range []struct {
		x, y string
		want bool
	}{
		{"uci:new@" + a, "uci:old@" + a, true},
		{"uci:new@" + a, "uci:new@" + b, false},
		{"uci:new@" + a + "?EvalFile=x.txt@" + b, "uci:old@" + a + "?EvalFile=y.txt@" + b, true},
		{"uci:new@" + a + "?EvalFile=x.txt@" + b, "uci:old@" + a + "?EvalFile=x.txt@" + a, false},
		{"uci:new@" + a + " -eval one", "uci:old@" + a + " -eval two", false},
		{"uci:new@" + a + ":nodes=200", "uci:old@" + a + ":nodes=300", false},
		{"assay:weights=" + a, "assay:weights=" + b, false},
	} {
		if got := selfplay.SamePlayer(tt.x, tt.y); got != tt.want {
			t.Errorf("%s, %s: %t", tt.x, tt.y, got)
		}
	}
}
