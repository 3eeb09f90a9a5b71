package tune

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

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
	if err != nil || f.Model != "assay-bent" || f.Foreign != nil || f.Formula != m.Bend.Formula.Text {
		t.Fatalf("%v, %+v", err, f)
	}
}

// TestTuneUnscored: rows without a score are counted where the target has scores.
func TestTuneUnscored(t *testing.T) {
	dir := t.TempDir()
	set := dataset.FeatureSet{Model: "scored", Terms: []dataset.FeatureTerm{{Name: "a", MG: 60, EG: 60}}}
	w := setup.Must(dataset.NewFeatureWriter(dir, set, dataset.WriterConfig{Config: "test", Program: "test"}))
	r := rand.New(rand.NewPCG(12, 13))
	for i := range 2000 {
		n := r.IntN(7) - 3
		row := dataset.FeatureRow{Phase: 1, Scale: 1, Eval: dataset.NoEval, Score: int16(50 * n), Game: uint64(i/5 + 1),
			Weight: 1, Terms: []uint16{0}, Counts: []float32{float32(n)}}
		if i%4 == 0 {
			row.Score = dataset.NoScore
		}
		if float64(n) > 3*r.NormFloat64() {
			row.Result = 1
		}
		setup.Check(t, w.Append(&row))
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
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
