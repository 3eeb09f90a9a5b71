package tune

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

// writePair writes features of an evaluation of two terms, a and b, as fill makes
// them: counts and result of a row.
func writePair(t *testing.T, dir string, fill func(r *rand.Rand) (a, b, result float32)) {
	t.Helper()
	set := dataset.FeatureSet{Model: "pair", Float: true,
		Terms: []dataset.FeatureTerm{{Name: "a", MG: 10, EG: 10}, {Name: "b"}}}
	w := setup.Must(dataset.NewFeatureWriter(dir, set, dataset.WriterConfig{Config: "test", Program: "test"}))
	r := rand.New(rand.NewPCG(8, 9))
	for i := range 2000 {
		row := dataset.FeatureRow{Phase: float32(r.IntN(25)) / 24, Scale: 1, Eval: dataset.NoEval,
			Score: dataset.NoScore, Game: uint64(i/10 + 1), Weight: 1}
		a, b, result := fill(r)
		row.Result = result
		for t, v := range []float32{a, b} {
			if v != 0 {
				row.Terms, row.Counts = append(row.Terms, uint16(t)), append(row.Counts, v)
			}
		}
		setup.Check(t, w.Append(&row))
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
}

// poison copies the only file of a data set, with the result of one row not a number,
// as programs that write their own Arrow files can.
func poison(t *testing.T, dir, to string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.arrow"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	in := setup.Must(os.Open(files[0]))
	defer in.Close()
	from := setup.Must(ipc.NewFileReader(in))
	batch := setup.Must(from.Record(0))
	at := from.Schema().FieldIndices("result")[0]
	results := append([]float32(nil), batch.Column(at).(*array.Float32).Float32Values()...)
	results[6] = float32(math.NaN())
	b := array.NewFloat32Builder(memory.DefaultAllocator)
	b.AppendValues(results, nil)
	columns := append([]arrow.Array(nil), batch.Columns()...)
	columns[at] = b.NewArray()
	out := setup.Must(os.Create(to))
	w := setup.Must(ipc.NewFileWriter(out, ipc.WithSchema(from.Schema())))
	setup.Check(t, w.Write(array.NewRecord(from.Schema(), columns, batch.NumRows())))
	setup.Check(t, w.Close())
	setup.Check(t, out.Close())
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
	poison(t, path("copies"), path("nan.arrow"))
	for _, tt := range []struct {
		name, want string
		ok         bool
		flags      []string
	}{
		{"zero", "every feature of every training row is zero", false, nil},
		{"won", "every row has the same target", false, nil},
		{"separable", "separable data", true, nil},
		{"separable", "no finite optimum, as that of a term that always wins; they are held at the limit", true,
			[]string{"--prior", "a=inf"}},
		{"copies", "b mg is, exactly, +1 a mg", true, []string{"--all"}},
		{"copies", "not determined by data or prior", true, []string{"--prior", "a=inf,b=inf"}},
		{"huge", "row 1: bad row: term 1 has count 3e+06, which is beyond 1048576", false, nil},
		{"nan.arrow", "result NaN", false, nil},
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
