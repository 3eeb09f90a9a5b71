package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/wdl"
)

// writeFeatures writes n rows of features, ten a game, and the report of their manifest. Fill changes a row, and
// returns the count of each term.
func writeFeatures(t *testing.T, dir string, set dataset.FeatureSet, n int, report any,
	fill func(i int, row *dataset.FeatureRow) []float32) {
	t.Helper()
	w := setup.Must(dataset.NewFeatureWriter(dir, set, dataset.WriterConfig{Config: "test", Program: "test"}))
	for i := range n {
		row := dataset.FeatureRow{Scale: 1, Eval: dataset.NoEval, Score: dataset.NoScore, Game: uint64(i/10 + 1), Weight: 1}
		for term, v := range fill(i, &row) {
			if v != 0 {
				row.Terms, row.Counts = append(row.Terms, uint16(term)), append(row.Counts, v)
			}
		}
		setup.Check(t, w.Append(&row))
	}
	setup.Must(w.Finish(report))
}

// writePair writes features of an evaluation of two terms, a and b, as fill makes
// them: counts and result of a row.
func writePair(t *testing.T, dir string, fill func(r *rand.Rand) (a, b, result float32)) {
	t.Helper()
	set := dataset.FeatureSet{Model: "pair", Float: true,
		Terms: []dataset.FeatureTerm{{Name: "a", MG: 10, EG: 10}, {Name: "b"}}}
	r := rand.New(rand.NewPCG(8, 9))
	writeFeatures(t, dir, set, 2000, nil, func(_ int, row *dataset.FeatureRow) []float32 {
		row.Phase = float32(r.IntN(25)) / 24
		a, b, result := fill(r)
		row.Result = result
		return []float32{a, b}
	})
}

// TestTuneBadData: what data can be wrong in is an error that says so, and leaves no
// weights, or a finite result with a warning.
func TestTuneBadData(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	count := func(r *rand.Rand) float32 { return float32(r.IntN(7) - 3) }
	sign := func(v float32) float32 {
		if v > 0 {
			return 1
		}
		return 0
	}
	writePair(t, path("zero"), func(r *rand.Rand) (a, b, result float32) { return 0, 0, float32(r.IntN(2)) })
	writePair(t, path("won"), func(r *rand.Rand) (a, b, result float32) { return count(r), 1, 1 })
	writePair(t, path("separable"), func(r *rand.Rand) (a, b, result float32) {
		a = count(r) + 0.5 // never 0
		return a, 0, sign(a)
	})
	writePair(t, path("copies"), func(r *rand.Rand) (a, b, result float32) {
		a = count(r)
		return a, a, sign(a + 6*r.Float32() - 3)
	})
	writePair(t, path("huge"), func(r *rand.Rand) (a, b, result float32) { return 1, 3e6, float32(r.IntN(2)) })
	for _, tt := range []struct {
		name, want string
		ok         bool
		flags      []string
	}{
		{"zero", "every feature of every training row is zero", false, nil},
		{"won", "every row has the same target", false, nil},
		{"separable", "separable data", true, nil},
		{"separable", "no finite optimum, as for a term that always wins; they are held at the limit", true,
			[]string{"--prior", "a=inf"}},
		{"copies", "b mg is, exactly, +1 a mg", true, []string{"--all"}},
		{"copies", "not determined by data or prior", true, []string{"--prior", "a=inf,b=inf"}},
		{"huge", "row 1: bad row: term 1 has count 3e+06, which is beyond 1048576", false, nil},
	} {
		out := path("out.json")
		text, err := tune(t, append(tt.flags, path(tt.name), "--out", out, "--k", "0.005")...)
		if err != nil {
			text = err.Error()
		}
		if (err == nil) != tt.ok || !strings.Contains(strings.Join(strings.Fields(text), " "), tt.want) {
			t.Errorf("%s %q: error %v, want %q in %s", tt.name, tt.flags, err, tt.want, text)
		}
		f, err := models.OpenAny(out)
		if (err == nil) != tt.ok {
			t.Fatalf("%s %q: weights %v", tt.name, tt.flags, err)
		}
		if tt.ok {
			for _, x := range f.Terms {
				if v := x.FitMG + x.FitEG + x.SEMG + x.SEEG; math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s %q: %+v", tt.name, tt.flags, x)
				}
			}
			setup.Check(t, os.Remove(out))
		}
	}
}

// TestWeight: a weight for a data set is one for each of its rows.
func TestWeight(t *testing.T) {
	dir := t.TempDir()
	var sets [3]string // the third is the second, with rows of half the weight
	for i := range sets {
		sets[i] = filepath.Join(dir, "set-"+string(rune('0'+i)))
		n := min(i, 1)
		writeWalks(t, sets[i], 16, func(r *dataset.PositionRow) {
			r.Game, r.Opening, r.Ply = r.Game+uint64(1000*n), r.Opening+uint64(1000*n), r.Ply+uint16(n)
			if i == 2 {
				r.Weight = 0.5
			}
		})
	}
	terms := func(args ...string) []models.TermWeight {
		t.Helper()
		out := filepath.Join(dir, "w.json")
		setup.Must(tune(t, append(args, "--model", "shannon-1950", "--out", out)...))
		return setup.Must(models.OpenAny(out)).Terms
	}
	half := terms(sets[0], sets[2])
	if got := terms(sets[0], sets[1], "--weight", "1,0.5"); !slices.Equal(got, half) {
		t.Errorf("--weight 1,0.5: %v, rows of half the weight: %v", got, half)
	}
	whole := terms(sets[0], sets[1])
	if got := terms(sets[0], sets[1], "--weight", "1,1"); !slices.Equal(got, whole) || slices.Equal(whole, half) {
		t.Errorf("--weight 1,1: %v, without: %v", got, whole)
	}
	for weights, want := range map[string]string{"1": "has 1 numbers for 2 data sets", "1,-1": "want numbers from 0"} {
		if _, err := tune(t, sets[0], sets[1], "--weight", weights); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--weight %s: %v, want %q", weights, err, want)
		}
	}
}

// Tables have dozens of collinear coefficients: the text names a few and counts the others.
func TestCollinearList(t *testing.T) {
	var list []tuner.Collinear
	for i := range 64 {
		list = append(list, tuner.Collinear{Coefficient: fmt.Sprintf("pst.%d mg", i),
			Others: []string{"a", "b", "c", "d"}, Exact: i < 2, Unexplained: 0.001})
	}
	text := strings.Join(collinear(list), "\n") + "\n"
	for _, want := range []string{"  pst.0 mg is, exactly, a, b, c, ...\n",
		"  pst.2 mg is, but for 0.1 % of its information, a, b, c, ...\n  and 61 more; --json lists all\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := strings.Join(collinear(list[:3]), "\n"); strings.Contains(text, "more") {
		t.Errorf("three of three:\n%s", text)
	}
}

// ± on the page is 95 %, in the JSON one standard error.
func TestWDLPage(t *testing.T) {
	var page strings.Builder
	m := wdl.Model{Pawn: 65, PawnSE: 3.3, Spread: 101, SpreadSE: 4, Draws: 0.31, DrawsSE: 0.014}
	setup.Check(t, printWDL(&page, &m, "c"))
	for _, want := range []string{"65.0 ± 6.5 ", "101.0 ± 7.8 ", "31.0 ± 2.7 %"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in:\n%s", want, &page)
		}
	}
}

// TestTuneBent: our own model with a formula is fitted to positions, and its weights name the formula.
func TestTuneBent(t *testing.T) {
	dir := t.TempDir()
	data, out := filepath.Join(dir, "data"), filepath.Join(dir, "tuned.json")
	writeWalks(t, data, 12, nil)
	said, err := tune(t, "--model", "assay-bent", "--folds", "2", "--iterations", "2", "--k", "0.005", "--freeze",
		"piece-square,mobility,passed,pawns,pieces,threats,tempo", "--out", out, data)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	m := setup.Must(eval.Lookup("assay-bent"))
	f, err := models.Load(out)
	if err != nil || f.Model != "assay-bent" || f.External != nil || f.Formula != m.Nonlinear.Formula.Text {
		t.Fatalf("%v, %+v", err, f)
	}
}

// TestTuneUnscored: rows without a score are counted where the target has scores.
func TestTuneUnscored(t *testing.T) {
	dir := t.TempDir()
	set := dataset.FeatureSet{Model: "scored", Terms: []dataset.FeatureTerm{{Name: "a", MG: 60, EG: 60}}}
	r := rand.New(rand.NewPCG(12, 13))
	writeFeatures(t, dir, set, 2000, nil, func(i int, row *dataset.FeatureRow) []float32 {
		n := r.IntN(7) - 3
		row.Phase, row.Game = 1, uint64(i/5+1)
		if i%4 != 0 {
			row.Score = int16(50 * n)
		}
		if float64(n) > 3*r.NormFloat64() {
			row.Result = 1
		}
		return []float32{float32(n)}
	})
	out := filepath.Join(t.TempDir(), "w.json")
	const want = "500 of 2000 positions (25.0 %) have no score"
	if said, err := tune(t, dir, "--lambda", "0.5", "--folds", "0", "--out", out); err != nil ||
		!strings.Contains(said, want) {
		t.Errorf("%v\n%s", err, said)
	}
	if said, err := tune(t, dir, "--lambda", "0.5", "--folds", "0", "--out", out, "--json"); err != nil ||
		!strings.Contains(said, `"unscored":500`) && !strings.Contains(said, `"unscored": 500`) {
		t.Errorf("%v\n%s", err, said)
	}
	if said, err := tune(t, dir, "--folds", "0", "--out", out); err != nil || strings.Contains(said, "have no score") {
		t.Errorf("%v\n%s", err, said)
	}
}
