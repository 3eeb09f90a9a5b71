package objective_test

import (
	"math"
	"slices"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestPin: without a prior, what always wins or always loses starts at its limit, and is held there; what the
// games push both ways and what a prior holds are not.
func TestPin(t *testing.T) {
	const winner, loser, both, drawn, held = 0, 1, 2, 3, 4
	b := rows.NewBuilder(5)
	for i, row := range []rows.Row{
		{Result: 1, Entries: []rows.Entry{{Term: winner, Count: 1}, {Term: both, Count: 1}, {Term: held, Count: 1}}},
		{Result: 0, Entries: []rows.Entry{{Term: winner, Count: -2}, {Term: loser, Count: 1}}},
		{Result: 1, Entries: []rows.Entry{{Term: loser, Count: -1}, {Term: both, Count: -1}}},
		{Result: 0.5, Entries: []rows.Entry{{Term: drawn, Count: 1}}},
	} {
		row.Phase, row.Scale, row.Weight, row.Score, row.Game = 12, 1, 1, rows.NoScore, uint64(i+1)
		setup.Check(t, b.Add(&row))
	}
	var terms []rows.Term
	for i, name := range []string{"winner", "loser", "both", "drawn", "held"} {
		terms = append(terms, rows.Term{Name: name, Mirror: i, MG: 10, EG: 700, Tapered: true})
	}
	d := synthetic.Data{Store: synthetic.Finish(t, b), Terms: terms}
	p := &objective.Problem{Store: d.Store, K: 0.005, Target: objective.Targets(d.Store, 1, 0)}
	p.Omega, _ = d.Store.Split(d.Store.Clusters(), 0, 0)
	tau := slices.Repeat([]float64{math.Inf(1)}, len(terms))
	tau[held] = 50
	leader := setup.Must(objective.Leaders(terms, objective.TwinsTied))
	q := objective.NewParams(terms, objective.StartOf(terms), make([]bool, len(terms)), tau, leader)
	q.Limit(500)
	theta := setup.Must(q.Pin(t.Context(), p))
	for term, want := range map[int][2]float64{
		winner: {490, 0}, loser: {-510, -1400}, both: {}, drawn: {}, held: {},
	} {
		for half, j := range []int{q.MG[term], q.EG[term]} {
			stuck := term == winner || term == loser
			if theta[j] != want[half] || q.Stuck(j) != stuck {
				t.Errorf("%s, half %d: starts %v from its value, held %v; want %v, %v",
					terms[term].Name, half, theta[j], q.Stuck(j), want[half], stuck)
			}
		}
	}
	for term, want := range map[int][2]float64{both: {-510, 490}, held: {math.Inf(-1), math.Inf(1)}} {
		if j := q.MG[term]; q.Box.Lo[j] != want[0] || q.Box.Hi[j] != want[1] {
			t.Errorf("%s: from %v to %v, want %v", terms[term].Name, q.Box.Lo[j], q.Box.Hi[j], want)
		}
	}
}
