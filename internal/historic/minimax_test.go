package historic

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// figure is a tree as the papers draw it: named nodes, with vectors as the values of the
// leaves. The first component of a vector dominates, as in the paper of Newell, Shaw and
// Simon.
type figure struct {
	branches map[string][]string
	values   map[string][]float64
	played   []string
	limit    int // number of moves after which Play stops the search
}

func (d *figure) Expand(n *string, _ int) ([]string, []float64, bool) {
	v, standPat := d.values[*n]
	return d.branches[*n], v, standPat
}

func (d *figure) Play(_ *string, m string) (string, bool) {
	if len(d.played) == d.limit {
		return "", false
	}
	d.played = append(d.played, m)
	return m, true
}

func (d *figure) Better(a, b []float64) bool { return slices.Compare(a, b) > 0 }

// The figures whose values the papers give. Shannon 1950, section 4, fig. 2: the three moves
// have the values +.1, -7 and -6 (the other replies are ours). Newell, Shaw and Simon 1958,
// fig. 2: the first move draws and the others lose; fig. 4: the analysis of a move that
// leads to P1.
func TestMinimaxOfFigures(t *testing.T) {
	shannon := &figure{branches: map[string][]string{
		"": {"1", "2", "3"}, "1": {"1a", "1b", "1c"}, "2": {"2a", "2b", "2c"}, "3": {"3a", "3b", "3c"},
	}, values: map[string][]float64{
		"1a": {0.5}, "1b": {0.1}, "1c": {3}, "2a": {-7}, "2b": {0.2}, "2c": {-1}, "3a": {8}, "3b": {-5}, "3c": {-6},
	}}
	nss2 := &figure{branches: map[string][]string{
		"": {"1", "2", "3"}, "1": {"a", "b"}, "2": {"c", "d"}, "3": {"e", "f"},
	}, values: map[string][]float64{"a": {0}, "b": {0}, "c": {-1}, "d": {-1}, "e": {1}, "f": {-1}}}
	figure4 := func(p3 ...string) *figure {
		return &figure{branches: map[string][]string{"P1": {"P2", "P3"}, "P3": p3},
			values: map[string][]float64{"P2": {4, 3, 1}, "P4": {2, 8, 1}, "P5": {4, 7, 3}}}
	}
	for _, test := range []struct {
		name   string
		tree   *figure
		root   string
		max    bool
		want   []float64
		line   string
		played string
	}{
		{"Shannon 2", shannon, "", true, []float64{0.1}, "1 1b", "1 1a 1b 1c 2 2a 3 3a 3b"},
		{"NSS 2", nss2, "", true, []float64{0}, "1 a", "1 a b 2 c 3 e f"},
		{"NSS 4", figure4("P4", "P5"), "P1", false, []float64{4, 3, 1}, "P2", "P2 P3 P4 P5"},
		{"NSS 4, P3", figure4("P4", "P5"), "P3", true, []float64{4, 7, 3}, "P5", "P4 P5"},
		// "If P5 had been generated prior to P4 no further moves would have been generated."
		{"NSS 4, P5 first", figure4("P5", "P4"), "P1", false, []float64{4, 3, 1}, "P2", "P2 P3 P5"},
	} {
		test.tree.limit = 1000
		v, line, ok := Minimax(test.tree, &test.root, 0, test.max, nil, nil)
		if !ok || !slices.Equal(v, test.want) || strings.Join(line, " ") != test.line {
			t.Errorf("%s: %v by %v, want %v by %s", test.name, v, line, test.want, test.line)
		}
		if strings.Join(test.tree.played, " ") != test.played {
			t.Errorf("%s: searched %v, want %s", test.name, test.tree.played, test.played)
		}
	}
}

// On random trees, in which some inner nodes allow standing pat, Minimax agrees with its
// definition.
func TestMinimaxAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cut := 0
	for range 500 {
		d := &figure{branches: map[string][]string{}, values: map[string][]float64{}, limit: 1 << 30}
		grow(d, "", 5, rng)
		root, max := "", rng.IntN(2) == 0
		want := define(d, root, max)
		v, line, ok := Minimax(d, &root, 0, max, nil, nil)
		if !ok || !slices.Equal(v, want) {
			t.Fatalf("value %v, want %v", v, want)
		}
		// The line must end at a node with the value.
		end := ""
		if len(line) > 0 {
			end = line[len(line)-1]
		}
		if !slices.Equal(d.values[end], want) {
			t.Fatalf("the line %v does not end at %v", line, want)
		}
		if len(d.played) < len(d.branches)+len(d.values) {
			cut++
		}
		// If the search is stopped, ok must be false.
		d.limit, d.played = len(d.played)-1, nil
		if _, _, ok := Minimax(d, &root, 0, max, nil, nil); ok && d.limit >= 0 {
			t.Fatal("a stopped search returns ok")
		}
	}
	if cut < 100 {
		t.Errorf("only %d of 500 trees were cut", cut)
	}
}

func grow(d *figure, n string, depth int, rng *rand.Rand) {
	branches := rng.IntN(4)
	if depth == 0 || branches == 0 || rng.IntN(3) == 0 {
		d.values[n] = []float64{float64(rng.IntN(5)), float64(rng.IntN(3))}
	}
	if depth == 0 {
		return
	}
	for i := range branches {
		child := n + string(rune('a'+i))
		d.branches[n] = append(d.branches[n], child)
		grow(d, child, depth-1, rng)
	}
}

func define(d *figure, n string, max bool) []float64 {
	best := d.values[n]
	for _, child := range d.branches[n] {
		v := define(d, child, !max)
		if best == nil || max && d.Better(v, best) || !max && d.Better(best, v) {
			best = v
		}
	}
	return best
}
