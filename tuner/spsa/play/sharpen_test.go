package play

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/spsa"
)

var (
	sharpenFit       = flag.String("fit", "", "folder of a fit, with "+tuner.RefitName)
	sharpenPositions = flag.String("positions", "", "positions of the fit")
	sharpenGames     = flag.Int("games", 0, "games to tune by")
	sharpenNodes     = flag.Uint64("nodes", 0, "nodes a move")
	sharpenSeed      = flag.Uint64("seed", 1, "seed of the games")
	sharpenOut       = flag.String("out", "", "folder of the run; without it no game is played")
)

const (
	sharpenAlong = 16 // directions
	// sharpenChange is what all directions change the evaluation by at c_end, in centipawns: as much as the 24 weights of
	// plain SPSA do, by the root mean square over the sample.
	sharpenChange = 90
	// sharpenREnd is a share of the default r_end, since a fit starts near the optimum. Simulated with 1,000 pairs: where
	// c_end is worth 5 Elo and the optimum a quarter of it away, 5.4 Elo are missing at the start, 4.0 at the end, 12.6
	// with the default; half of it away 21.4, 5.5 and 12.8.
	sharpenREnd = 0.2
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// directions returns the n directions, as columns, in which the covariance of a fit's parameters lets the evaluation
// vary most, each one standard error long, and the root mean square change of the evaluation by each. With S the
// covariance and G the metric, V'S^-1 V = I and V'GV = diag(change^2): V = LQ, S = LL', L'GL = Q diag(change^2) Q'.
func directions(t *testing.T, covariance, metric mat.Symmetric, n int) (v *mat.Dense, change []float64) {
	t.Helper()
	var chol mat.Cholesky
	var svd mat.SVD
	var l mat.TriDense
	var product, q mat.Dense
	if !chol.Factorize(covariance) {
		t.Fatal("the covariance is not positive definite")
	}
	chol.LTo(&l)
	product.Product(l.T(), metric, &l)
	if !svd.Factorize(&product, mat.SVDThinU) { // the eigenvectors of a positive matrix, largest first
		t.Fatal("no eigenvectors")
	}
	svd.UTo(&q)
	v = mat.NewDense(covariance.SymmetricDim(), n, nil)
	v.Mul(&l, q.Slice(0, covariance.SymmetricDim(), 0, n))
	for _, square := range svd.Values(nil)[:n] {
		change = append(change, math.Sqrt(square))
	}
	return v, change
}

// metric returns the mean product, over positions, of the changes of the evaluation by each pair of n parameters.
// of[2t] and of[2t+1] are the parameters of the halves of term t; -1 is none.
func metric(m *eval.Model, positions []board.Position, of []int, n int) *mat.SymDense {
	g := mat.NewSymDense(n, nil)
	var f eval.Features
	for i := range positions {
		m.Features(&positions[i], &f)
		by, scale := map[int]float64{}, float64(f.ScaleNum)/float64(f.ScaleDen*eval.MaxPhase)
		for _, e := range f.Entries {
			for half, share := range [2]int{f.Phase, eval.MaxPhase - f.Phase} {
				if p := of[2*int(e.Term)+half]; p >= 0 {
					by[p] += float64(e.Count) * float64(share) * scale
				}
			}
		}
		keys := slices.Sorted(maps.Keys(by))
		for i, p := range keys {
			for _, q := range keys[i:] {
				g.SetSym(p, q, g.At(p, q)+by[p]*by[q]/float64(len(positions)))
			}
		}
	}
	return g
}

// directionParameters returns standard errors along directions as parameters, with the bounds that terms have.
func directionParameters(n int, cEnd, rEnd float64) (list []spsa.Parameter) {
	for k := range n {
		list = append(list, spsa.Parameter{Name: "direction-" + strconv.Itoa(k), Min: -cEndsToBound * cEnd,
			Max: cEndsToBound * cEnd, CEnd: cEnd, REnd: rEnd})
	}
	return list
}

// sharpened is assay with options that move its weights from those of a fit along directions.
type sharpened struct {
	engine.Player
	model *eval.Model
	terms []tuner.RefitTerm
	along *mat.Dense // columns, in centipawns of each parameter
	z     []float64
}

func (s *sharpened) Unwrap() engine.Player { return s.Player }

func (s *sharpened) SetOption(name, value string) (err error) {
	s.z[must(strconv.Atoi(strings.TrimPrefix(name, "direction-")))], err = strconv.ParseFloat(value, 64)
	return err
}

func (s *sharpened) NewGame(seed uint64) error {
	setter, _ := engine.As[engine.EvaluatorSetter](s.Player)
	setter.SetEvaluator(must(s.model.NewEvaluator(s.weights())))
	return s.Player.NewGame(seed)
}

// weights returns those of the fit, moved, in whole centipawns.
func (s *sharpened) weights() (list []eval.Coef) {
	var move mat.VecDense
	move.MulVec(s.along, mat.NewVecDense(len(s.z), s.z))
	for _, t := range s.terms {
		if t.MG >= 0 {
			t.Fit.MG += int32(math.Round(move.AtVec(t.MG)))
		}
		if t.EG >= 0 {
			t.Fit.EG += int32(math.Round(move.AtVec(t.EG)))
		}
		list = append(list, t.Fit)
	}
	return list
}

// readSharpened reads a fit. Its posterior covariance is D (H + DP)^-1, of rescaled weights.
func readSharpened(t *testing.T, weights string) (s sharpened, change []float64) {
	t.Helper()
	s.model, _, _ = must(models.Open(weights)).Weights()
	line, binary, _ := bytes.Cut(must(os.ReadFile(filepath.Join(*sharpenFit, tuner.RefitName))), []byte("\n"))
	var fit tuner.Refit
	var result tuner.Result
	var a mat.Dense
	if err := cmp.Or(json.Unmarshal(line, &fit), a.UnmarshalBinary(binary),
		durable.ReadJSON(filepath.Join(*sharpenFit, durable.RunResultName), &result)); err != nil {
		t.Fatal(err)
	}
	n, _ := a.Dims()
	covariance, of := mat.NewSymDense(n, a.RawMatrix().Data), []int{}
	covariance.ScaleSym(result.Design*result.Rescale*result.Rescale, covariance)
	for _, term := range fit.Terms {
		of = append(of, term.MG, term.EG)
	}
	var positions []board.Position
	rows := 0
	for row, err := range must(dataset.OpenPositions(*sharpenPositions)).All() {
		if rows++; rows%10 == 0 {
			positions = append(positions, must(row, err).Board)
		}
	}
	s.terms, s.z = fit.Terms, make([]float64, sharpenAlong)
	s.along, change = directions(t, covariance, metric(s.model, positions, of, n), sharpenAlong)
	return s, change
}

// TestSharpen tunes a fit by games, along its directions, and writes weights.json into -out.
func TestSharpen(t *testing.T) {
	if *sharpenOut == "" {
		t.Skip("see .ci/results sharpen")
	}
	weights := filepath.Join(*sharpenFit, "weights.json")
	s, change := readSharpened(t, weights)
	cEnd, iterations := sharpenChange/mat.Norm(mat.NewVecDense(sharpenAlong, change), 2), *sharpenGames/2
	t.Logf("c_end is %.2f standard errors; each changes the evaluation by %.1f centipawns", cEnd, change)
	c := Config{Setup: selfplay.Setup{Out: *sharpenOut, Seed: *sharpenSeed,
		Limits: selfplay.Limits{Nodes: *sharpenNodes}, Rule: selfplay.StandardAdjudication(),
		Open: func(spec engine.Spec) (engine.Player, error) {
			p, err := roster.Open(spec)
			return &sharpened{p, s.model, s.terms, s.along, make([]float64, sharpenAlong)}, err
		}}}
	c.Player.Spec = engine.Spec{Name: "assay", Weights: weights, Options: []engine.Option{{Name: "hash", Value: "1"}}}
	c.SPSA = spsa.Config{Iterations: iterations, Ahead: DefaultAhead,
		Parameters: directionParameters(sharpenAlong, cEnd, sharpenREnd*spsa.DefaultREnd(iterations, sharpenAlong))}
	c.Progress = func(done, total int64, note string) {
		if done%max(1, total/10) == 0 {
			t.Logf("%d of %d iterations: %s", done, total, note)
		}
	}
	for k, e := range run(t, c).Parameters {
		s.z[k] = e.Value
	}
	t.Logf("moved by %.2f standard errors", s.z)
	text := must(models.New(s.model, s.weights()).Encode())
	if err := durable.WriteFile(filepath.Join(*sharpenOut, "weights.json"), text); err != nil {
		t.Fatal(err)
	}
}

// randomSymmetric returns a positive definite matrix.
func randomSymmetric(r *rand.Rand, n int) *mat.SymDense {
	s, x := mat.NewSymDense(n, nil), make([]float64, n)
	for range 2 * n {
		for i := range x {
			x[i] = r.NormFloat64() * math.Exp(-float64(i)/10)
		}
		s.SymRankOne(s, 1, mat.NewVecDense(n, x))
	}
	return s
}

// Directions are orthogonal in the metric and one standard error long; those that change more come first.
func TestDirections(t *testing.T) {
	const n = 40
	r := rand.New(rand.NewPCG(1, 2))
	s, g, squares := randomSymmetric(r, n), randomSymmetric(r, n), mat.NewDiagDense(n, nil)
	v, change := directions(t, s, g, n)
	for k, c := range change {
		squares.SetDiag(k, c*c)
		if c > change[max(0, k-1)] {
			t.Errorf("direction %d changes %v, the one before it %v", k, c, change[k-1])
		}
	}
	var covariance, changes mat.Dense
	covariance.Mul(v, v.T()) // S if V'S^-1 V = I
	changes.Product(v.T(), g, v)
	if !mat.EqualApprox(&covariance, s, 1e-9*mat.Max(s)) || !mat.EqualApprox(&changes, squares, 1e-9*change[0]*change[0]) {
		t.Errorf("VV' is %v, want %v; V'GV is %v, want %v", covariance, s, changes, squares)
	}
}

// The metric says by how much weights change the evaluation.
func TestMetric(t *testing.T) {
	m, positions, of, by := must(eval.Lookup("assay")), must(sample()), []int{}, []float64{}
	w := slices.Clone(m.Start)
	for i := range w {
		w[i].EG /= 2
		of, by = append(of, 2*i, 2*i+1), append(by, float64(w[i].MG), float64(w[i].EG))
	}
	squares, x := 0.0, mat.NewVecDense(len(by), by)
	var f eval.Features
	for i := range positions {
		m.Features(&positions[i], &f)
		squares += math.Pow(float64(f.Value(w)), 2) / float64(len(positions))
	}
	got, want := math.Sqrt(mat.Inner(x, metric(m, positions, of, len(of)), x)), math.Sqrt(squares)
	if math.Abs(got-want) > 1 { // values are truncated
		t.Errorf("root mean square evaluation %v, want %v", got, want)
	}
}

// Where strength falls with the square of the evaluation's error, SPSA along the directions finds an optimum that lies
// three standard errors along the first, 60 Elo above the start.
func TestSharpenedQuadratic(t *testing.T) {
	const n, along, iterations = 40, 8, 4000
	r := rand.New(rand.NewPCG(5, 6))
	g := randomSymmetric(r, n)
	v, change := directions(t, randomSymmetric(r, n), g, along)
	elo := func(z []float64) float64 {
		var off mat.VecDense
		off.MulVec(v, mat.NewVecDense(along, z))
		off.AddScaledVec(&off, -3, v.ColView(0))
		return -60 * mat.Inner(&off, g, &off) / (9 * change[0] * change[0])
	}
	tuner := must(spsa.New(spsa.Config{Iterations: iterations, Seed: 7,
		Parameters: directionParameters(along, 2, spsa.DefaultREnd(iterations, along))}))
	for k := range iterations {
		trial, points := must(tuner.Ask(k+1)), 0.0
		for range 2 { // games
			points += math.Copysign(1, 1/(1+math.Pow(10, (elo(trial.Minus)-elo(trial.Plus))/400))-r.Float64())
		}
		if err := tuner.Tell(k+1, points, 2); err != nil {
			t.Fatal(err)
		}
	}
	z := make([]float64, along)
	for k, e := range tuner.Estimates() {
		z[k] = e.Value
	}
	if left := elo(z); left < -15 || math.Abs(z[0]-3) > 1.2 {
		t.Errorf("found %.2f, %.1f Elo; want 3 along the first", z, left)
	}
}
