package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/rows"
	"gonum.org/v1/gonum/mat"
)

// fitMean fits equal terms that each occur once in every row, for White. A game has length rows, and won is the
// share of rows won in each game. It returns the covariance at the optimum and the first parameter's clustered
// standard error.
func fitMean(t *testing.T, won []float64, length, equal int) (*Covariance, float64) {
	t.Helper()
	var entries []rows.Entry
	var terms []rows.Term
	var leaders []int
	for i := range equal {
		entries = append(entries, rows.Entry{Term: uint16(i), Count: 1})
		terms = append(terms, rows.Term{Name: fmt.Sprint("tempo", i), Group: "tempo", Mirror: i})
		leaders = append(leaders, i)
	}
	wide := slices.Repeat([]float64{math.Inf(1)}, equal)
	b := rows.NewBuilder(equal)
	for g, share := range won {
		for i := range length {
			r := rows.Row{
				Entries: entries, Phase: rows.MaxPhase, Scale: 1, Weight: 1,
				Score: rows.NoScore, Game: uint64(g + 1),
			}
			if float64(i) < share*float64(length) {
				r.Result = 1
			}
			setup.Check(t, b.Add(&r))
		}
	}
	s := setup.Must(b.Finish())
	clusters := s.Clusters()
	omega, _ := s.Split(clusters, 0, 0)
	p := &objective.Problem{Store: s, K: 0.004, Target: objective.Targets(s, 1, 0), Omega: omega}
	q := objective.NewParams(terms, objective.StartOf(terms), make([]bool, equal), wide, leaders)
	o := objective.New(p, q, 1)
	out := setup.Must(optimize.GaussNewton{}.Minimize(t.Context(), o, make([]float64, equal),
		optimize.Settings{Gap: 1e-14}))
	v := setup.Must(NewCovariance(t.Context(), o, clusters, out.X))
	setup.Check(t, v.Finish(t.Context()))
	return v, v.SE(0, out.X[0])
}

// TestErrorsOfAMean: the coefficient of a term that every row has is the logarithm of the odds, whose
// errors follow from the error of a mean: of the games' results, and of independent rows.
func TestErrorsOfAMean(t *testing.T) {
	const games, length, k = 400, 10, 0.004
	r := rand.New(rand.NewPCG(4, 2))
	won, mean := make([]float64, games), 0.0
	for g := range won {
		won[g] = float64(r.IntN(length+1)) / length
		mean += won[g] / games
	}
	spread := 0.0
	for _, w := range won {
		spread += (w - mean) * (w - mean)
	}
	v, se := fitMean(t, won, length, 1)
	perPoint := 1 / (k * mean * (1 - mean)) // centipawns
	want := perPoint * math.Sqrt(spread/games/(games-1))
	if math.Abs(se/want-1) > 1e-3 || v.Ridge {
		t.Errorf("clustered error %v, want %v; ridge %v", se, want, v.Ridge)
	}
	if v, _ := fitMean(t, won, length, 2); !v.Ridge {
		t.Error("two equal terms leave a matrix that is not singular")
	}
	want = perPoint * math.Sqrt(mean*(1-mean)/(games*length-1))
	if naive := v.NaiveErrors()(0, 0); math.Abs(naive/want-1) > 1e-3 {
		t.Errorf("error of independent rows %v, want %v", naive, want)
	}
	if v.N != games || math.Abs(v.Games[0]-games) > 1e-6 || math.Abs(v.Effective-1) > 1e-9 {
		t.Errorf("%d games, %v effective, %v parameters", v.N, v.Games[0], v.Effective)
	}
}

// Every collinear coefficient is listed, however many there are.
func TestFindCollinearAll(t *testing.T) {
	const n = 60
	h, names := mat.NewSymDense(n, nil), make([]string, n)
	for i := range n {
		names[i] = fmt.Sprintf("t%d mg", i)
		for j := i; j < n; j++ {
			h.SetSym(i, j, 1)
		}
	}
	list := FindCollinear(h, names)
	if len(list) != n-1 {
		t.Fatalf("%d of %d", len(list), n-1)
	}
	for _, c := range list {
		if !c.Exact || len(c.Others) != 1 || c.Others[0] != "+1 t0 mg" {
			t.Errorf("%+v", c)
		}
	}
}

// A column that is a sum of others of other sizes is listed with the factors of the sum, and one that all but repeats
// another with the share that it adds; one without data is not.
func TestFindCollinearFactors(t *testing.T) {
	x := mat.NewDense(5, 5, []float64{10, 1, 0, 0, 0, 10, -1, 1, 0, 0, -10, 1, 0, 0, 0, 10, 2, -3, 0, 0, 10, 0, 2, 0, 0})
	for i := range 5 {
		x.Set(i, 3, 2*x.At(i, 0)-3*x.At(i, 1)+0.5*x.At(i, 2))
	}
	h := mat.NewSymDense(5, nil)
	h.SymOuterK(1, x.T())
	list := FindCollinear(h, []string{"a", "b", "c", "sum", "none"})
	if len(list) != 1 || !list[0].Exact || list[0].Coefficient != "sum" ||
		!slices.Equal(list[0].Others, []string{"-3 b", "+2 a", "+0.5 c"}) {
		t.Errorf("%+v", list)
	}
	list = FindCollinear(mat.NewSymDense(2, []float64{1, 0.999, 0.999, 1}), []string{"a", "almost"})
	if len(list) != 1 || list[0].Exact || math.Abs(list[0].Unexplained-(1-0.999*0.999)) > 1e-12 ||
		list[0].Coefficient != "almost" || !slices.Equal(list[0].Others, []string{"+1 a"}) {
		t.Errorf("%+v", list)
	}
}
