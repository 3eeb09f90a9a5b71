package match

import (
	"strings"
	"testing"

	"github.com/assay-chess/assay/selfplay"
)

// Players that search beyond a soft limit alike are no cause for a warning; one that does alone is.
func TestNodeWarnings(t *testing.T) {
	nodes := selfplay.Limits{Nodes: 1000}
	c := &Config{Setup: selfplay.Setup{Rules: selfplay.Rules{Limits: nodes}}, LimitsB: nodes}
	for _, x := range []struct {
		a, b uint64 // a ply
		want string
	}{
		{1700, 1650, ""}, {1700, 1000, "A, a, searched 1700 nodes a ply, beyond its limit of 1000, and b 1000: "},
		{1000, 4000, "B, b, searched 4000"}, {1400, 900, ""}, {2000, 0, ""},
	} {
		r := &Result{A: "a", B: "b", Plies: 200, Nodes: [2]uint64{100 * x.a, 100 * x.b}}
		got := strings.Join(r.nodeWarnings(c), "; ")
		if !strings.HasPrefix(got, x.want) || (got == "") != (x.want == "") {
			t.Errorf("%d and %d nodes a ply: %q, want %q", x.a, x.b, got, x.want)
		}
	}
	c.A.Spec.Nodes = 4000
	r := &Result{A: "a", B: "b", Plies: 200, Nodes: [2]uint64{400_000, 100_000}}
	if list := r.nodeWarnings(c); list != nil {
		t.Errorf("a player with nodes of its own: %q", list)
	}
}
