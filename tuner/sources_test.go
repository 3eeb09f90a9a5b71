package tuner

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// walks plays random games; the result is a coin that leans to the side with
// more material.
func walks(t testing.TB, games int) []dataset.PositionRow {
	t.Helper()
	r := rand.New(rand.NewPCG(6, 6))
	value := [6]int{1, 3, 3, 5, 9, 0}
	var out []dataset.PositionRow
	for g := range games {
		p := board.StartPosition()
		first := len(out)
		for ply := range 80 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[r.IntN(len(moves))])
			out = append(out, dataset.PositionRow{Board: p, Ply: uint16(ply + 1), Score: dataset.NoScore, Game: uint64(g + 1),
				Opening: uint64(g + 1), Weight: 1})
		}
		balance := 0
		for pt, v := range value {
			balance += v * (p.Pieces(board.White, board.PieceType(pt)).Count() - p.Pieces(board.Black,
				board.PieceType(pt)).Count())
		}
		result := float32(0)
		if r.Float64() < objective.Sigmoid(0.4*float64(balance)) {
			result = 1
		}
		for i := first; i < len(out); i++ {
			out[i].Result = result
		}
	}
	return out
}

// TestBuildPositions: rows hold what the model counts, so that their evaluation
// under integer weights is the model's to within its rounding, whatever the
// number of workers.
func TestBuildPositions(t *testing.T) {
	ctx := context.Background()
	positions := walks(t, 60)
	for i := range positions {
		positions[i].Game, positions[i].Opening = uint64(i+1), 0
	}
	models := eval.Models()
	if testing.Short() { // under the race detector: the goroutines are the same for any model
		models = models[:2]
	}
	for _, m := range models {
		w := make([]eval.Coef, len(m.Terms))
		r := rand.New(rand.NewPCG(1, 1))
		for i := range w {
			w[i] = eval.Coef{MG: int32(r.IntN(100)), EG: int32(r.IntN(100))}
			if !m.Terms[i].Tapered {
				w[i].EG = w[i].MG
			}
		}
		terms := setup.Must(rows.TermsOf(m, w))
		var first *rows.Store
		for _, workers := range []int{1, 2, 5} {
			s := setup.Must(rows.Build{Workers: workers}.Positions(ctx, m,
				[]rows.Source{sliceSource(positions[:1000]), sliceSource(positions[1000:])}))
			if (s.Seen == nil) != (m.Nonlinear != nil) {
				t.Errorf("%s: occurrences of terms: %v", m.Name, s.Seen)
			}
			if first == nil {
				first = s
			}
			if !slices.Equal(s.Pairs(), first.Pairs()) || !slices.Equal(s.Seen, first.Seen) || !sameChunks(s, first) {
				t.Errorf("%s: another store with %d workers", m.Name, workers)
			}
			compareEvaluations(t, m, w, positions, evaluations(t, s, objective.StartOf(terms), workers))
		}
	}
}

// sameChunks compares the rows of stores. The factors of rows with a formula are NaN, which is
// equal to nothing.
func sameChunks(a, b *rows.Store) bool {
	if a.Nonlinear() == nil {
		return reflect.DeepEqual(a.Chunks, b.Chunks)
	}
	return slices.EqualFunc(a.Chunks, b.Chunks, func(x, y *rows.Chunk) bool {
		p, q := *x, *y
		if math.IsNaN(p.MG) && math.IsNaN(p.EG) && math.IsNaN(q.MG) && math.IsNaN(q.EG) {
			p.MG, p.EG, q.MG, q.EG = 0, 0, 0, 0
		}
		return reflect.DeepEqual(p, q)
	})
}

func compareEvaluations(t *testing.T, m *eval.Model, w []eval.Coef, positions []dataset.PositionRow, got []float64) {
	t.Helper()
	ev := setup.Must(m.NewEvaluator(w))
	for i := range positions {
		p := &positions[i].Board
		x := got[i]
		if want := float64(ev.Evaluate(p)); math.Abs(x-want) >= 1 && math.Abs(want) < eval.MaxScore {
			t.Fatalf("%s: row %d evaluates to %v, the model says %v", m.Name, i, x, want)
		}
	}
}

func TestBuildPositionsErrors(t *testing.T) {
	m, err := eval.Lookup("shannon-1950")
	setup.Check(t, err)
	positions := walks(t, 60)
	bad := append([]dataset.PositionRow(nil), positions...)
	bad[2500].Result = float32(math.NaN())
	_, err = rows.Build{Workers: 2}.Positions(context.Background(), m,
		[]rows.Source{sliceSource(positions[:10]), sliceSource(bad)})
	if !errors.Is(err, rows.ErrRow) || !strings.Contains(err.Error(), "positions: row 2501: ") {
		t.Errorf("NaN in row 2501: error %v", err)
	}
	broken := errors.New("broken")
	failing := rows.Source{Name: "disk", Rows: func(yield func(dataset.PositionRow, error) bool) {
		for _, r := range positions {
			if !yield(r, nil) {
				return
			}
		}
		yield(dataset.PositionRow{}, broken)
	}}
	if _, err = (rows.Build{Workers: 2}).Positions(context.Background(), m, []rows.Source{failing}); !errors.Is(err,
		broken) {
		t.Errorf("source that fails: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = (rows.Build{Workers: 2}).Positions(ctx, m, []rows.Source{sliceSource(positions)}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// TestRowsOfWeight0: a fit with them is the fit without them, from positions and from
// features.
func TestRowsOfWeight0(t *testing.T) {
	ctx := context.Background()
	m := setup.Must(eval.Lookup("shannon-1950"))
	positions := walks(t, 60)
	var mixed []dataset.PositionRow
	for i, p := range positions {
		mixed = append(mixed, p)
		if i%3 == 0 {
			p.Weight, p.Result = 0, 1-p.Result
			mixed = append(mixed, p)
		}
		if i%7 == 0 {
			p.Game = uint64(1e6 + i) // all rows of this game weigh nothing
			mixed = append(mixed, p)
		}
	}
	for i := range mixed {
		if mixed[i].Game >= 1e6 {
			mixed[i].Weight = 0
		}
	}
	terms := setup.Must(rows.TermsOf(m, m.Start))
	fit := func(rows []dataset.PositionRow, features bool) string {
		s := storeOf(t, m, rows, features)
		r := setup.Must(Fit(ctx, s, terms, NewConfig()))
		text := setup.Must(json.Marshal(r))
		return string(text)
	}
	for _, features := range []bool{false, true} {
		if a, b := fit(positions, features), fit(mixed, features); a != b {
			t.Errorf("features %t: without rows of weight 0 %.300s, with them %.300s", features, a, b)
		}
	}
	none := append([]dataset.PositionRow(nil), positions[:50]...)
	for i := range none {
		none[i].Weight = 0
	}
	if _, err := Fit(ctx, storeOf(t, m, none, false), terms, NewConfig()); !errors.Is(err, rows.ErrEmpty) {
		t.Errorf("all rows of weight 0: error %v", err)
	}
}

func storeOf(t *testing.T, m *eval.Model, list []dataset.PositionRow, features bool) *rows.Store {
	t.Helper()
	var s *rows.Store
	var err error
	if features {
		set, list := featuresOf(m, list)
		set.Model = m.Name
		s, err = rows.Build{}.Features(context.Background(), set, []rows.FeatureSource{featureSource(list)})
	} else {
		s, err = rows.Build{Workers: 2}.Positions(context.Background(), m, []rows.Source{sliceSource(list)})
	}
	setup.Check(t, err)
	return s
}

func sliceSource(positions []dataset.PositionRow) rows.Source {
	return rows.Source{Name: "positions", Len: int64(len(positions)), Rows: synthetic.Seq(positions)}
}

// featuresOf turns positions into what an engine with the model's evaluation
// would write.
func featuresOf(m *eval.Model, positions []dataset.PositionRow) (dataset.FeatureSet, []dataset.FeatureRow) {
	set := dataset.FeatureSet{Model: "elsewhere"}
	for i, t := range m.Terms {
		set.Terms = append(set.Terms, dataset.FeatureTerm{Name: t.Name, Group: t.Group, MG: float64(m.Start[i].MG),
			EG: float64(m.Start[i].EG)})
	}
	var out []dataset.FeatureRow
	var f eval.Features
	for i := range positions {
		p := &positions[i]
		m.Features(&p.Board, &f)
		r := dataset.FeatureRow{
			Phase: float32(f.Phase) / 24, Scale: float32(f.ScaleNum) / float32(f.ScaleDen), Eval: float32(f.Value(m.Start)),
			Score: p.Score, Result: p.Result, Game: p.Game, Opening: p.Opening, Weight: p.Weight,
		}
		for _, e := range f.Entries {
			r.Terms, r.Counts = append(r.Terms, e.Term), append(r.Counts, float32(e.Count))
		}
		out = append(out, r)
	}
	return set, out
}

func featureSource(positions []dataset.FeatureRow) rows.FeatureSource {
	return rows.FeatureSource{Name: "engine", Len: int64(len(positions)), Rows: synthetic.Seq(positions)}
}

// TestFeaturesAreThePositions: a fit to the features that an engine wrote is the
// fit to the positions, but for the rounding of the phase to float32.
func TestFeaturesAreThePositions(t *testing.T) {
	ctx := context.Background()
	m := setup.Must(eval.Lookup("shannon-1950"))
	positions := walks(t, 100)
	set, features := featuresOf(m, positions)
	own := setup.Must(rows.Build{Workers: 2}.Positions(ctx, m, []rows.Source{sliceSource(positions)}))
	ownTerms := setup.Must(rows.TermsOf(m, m.Start))
	set.Model = m.Name // known by name: twins and terms without taper
	foreign := setup.Must(rows.Build{}.Features(ctx, set, []rows.FeatureSource{featureSource(features)}))
	a := setup.Must(Fit(ctx, own, ownTerms, NewConfig()))
	b := setup.Must(Fit(ctx, foreign, rows.TermsOfFeatures(set), NewConfig()))
	for i := range a.Terms {
		x, y := a.Terms[i], b.Terms[i]
		if math.Abs(x.FitMG-y.FitMG) > 1e-6 || x.EG != y.EG || x.Name != y.Name || math.Abs(float64(x.SEMG-y.SEMG)) > 1e-6 {
			t.Errorf("from positions %+v, from features %+v", x, y)
		}
	}
}

func TestFeatureErrors(t *testing.T) {
	m := setup.Must(eval.Lookup("shannon-1950"))
	set, good := featuresOf(m, walks(t, 5))
	for _, tt := range []struct {
		name   string
		change func(r *dataset.FeatureRow)
		want   error
		text   string
	}{
		{"drift", func(r *dataset.FeatureRow) { r.Eval += 2 }, dataset.ErrDrift, "row 8"},
		{"offset forgotten", func(r *dataset.FeatureRow) { r.Offset += 30 }, dataset.ErrDrift, "eval is"},
		{"phase", func(r *dataset.FeatureRow) { r.Phase = 1.3 }, rows.ErrRow, "phase 1.3"},
		{"result", func(r *dataset.FeatureRow) { r.Result = float32(math.NaN()) }, rows.ErrRow, "result NaN"},
		{"count", func(r *dataset.FeatureRow) { r.Counts[0] = 1e30 }, rows.ErrRow, "out of range"},
		{"lengths", func(r *dataset.FeatureRow) { r.Counts = r.Counts[1:] }, rows.ErrRow, "counts"},
	} {
		positions := append([]dataset.FeatureRow(nil), good...)
		r := &positions[7]
		r.Counts = append([]float32(nil), r.Counts...)
		tt.change(r)
		_, err := rows.Build{Disk: t.TempDir()}.Features(context.Background(), set,
			[]rows.FeatureSource{featureSource(positions)})
		if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) ||
			!strings.Contains(err.Error(), "engine: row 8") {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}

// TestStartFrom: weights of a file are found by name, and a value for both phases stays one.
func TestStartFrom(t *testing.T) {
	file := &models.File{
		Model:    "elsewhere",
		Terms:    []models.TermWeight{{Name: "b", MG: 7, EG: 7}, {Name: "a", MG: 1, EG: 2}},
		External: []eval.Term{{Name: "b"}, {Name: "a", Tapered: true, Mirror: 1}},
	}
	terms := []rows.Term{{Name: "a", Tapered: true}, {Name: "b", Tapered: true, Mirror: 1}}
	setup.Check(t, StartFrom(terms, file))
	if a, b := terms[0], terms[1]; a.MG != 1 || a.EG != 2 || !a.Tapered || b.MG != 7 || b.EG != 7 || b.Tapered {
		t.Errorf("%+v", terms)
	}
	if err := StartFrom(terms[:1], file); err == nil || !strings.Contains(err.Error(), `"b" is in the weights`) {
		t.Errorf("a term too many: %v", err)
	}
	terms[1].Name = "c"
	if err := StartFrom(terms, file); err == nil || !strings.Contains(err.Error(), `"c" is in the features`) {
		t.Errorf("another term: %v", err)
	}
}

// The unit changes nothing but the numbers: a fit to features of another unit is the same fit,
// in that unit.
func TestUnit(t *testing.T) {
	ctx := context.Background()
	m := setup.Must(eval.Lookup("shannon-1950"))
	set, features := featuresOf(m, walks(t, 60))
	set.Version, set.Evaluation = 2, dataset.Evaluation{Unit: 100, Tolerance: 2}
	var fits []*Result
	const factor = 2.5
	for _, unit := range []float64{100, 100 * factor} {
		set := set
		set.Terms = append([]dataset.FeatureTerm(nil), set.Terms...)
		for i := range set.Terms {
			set.Terms[i].MG *= unit / 100
			set.Terms[i].EG *= unit / 100
		}
		set.Unit = unit
		rescaled := append([]dataset.FeatureRow(nil), features...)
		for i := range rescaled {
			rescaled[i].Eval *= float32(unit / 100)
			rescaled[i].EGScale = 1
		}
		s := setup.Must(rows.Build{}.Features(ctx, set, []rows.FeatureSource{featureSource(rescaled)}))
		c := NewConfig()
		c.Unit, c.KeepScale = unit, true
		r := setup.Must(Fit(ctx, s, rows.TermsOfFeatures(set), c))
		fits = append(fits, r)
	}
	for i := range fits[0].Terms {
		a, b := fits[0].Terms[i], fits[1].Terms[i]
		if math.Abs(b.FitMG-factor*a.FitMG) > 1e-3*(1+math.Abs(b.FitMG)) ||
			math.Abs(float64(b.SEEG-factor*a.SEEG)) > 1e-3*(1+math.Abs(float64(b.SEEG))) {
			t.Errorf("%s: %v +- %v, in units of %v %v +- %v", a.Name, a.FitMG, a.SEEG, factor, b.FitMG, b.SEEG)
		}
	}
}
