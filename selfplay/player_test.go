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
			"limit its time instead"},
		{program, nodes, 4000, ""},
		{program, nodes, 0, ""}, // it reports none
		{deep, nodes, 6, ""},
		{engine.Spec{Name: "shannon-1950"}, nodes, 6, ""},
		{program, selfplay.Limits{Nodes: 5000, MoveTime: time.Second}, 6, ""},
		{program, selfplay.Limits{MoveTime: time.Second}, 6, ""},
	} {
		if got := (selfplay.Player{Spec: c.spec, ID: "slow"}).Ignores(c.limits, c.mean); got != c.want {
			t.Errorf("%v, %v, %g nodes: %q, want %q", c.spec, c.limits, c.mean, got, c.want)
		}
	}
}
