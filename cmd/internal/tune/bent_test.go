package tune

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

// bentSet is an evaluation whose attack counts by its square.
func bentSet(formula string) dataset.FeatureSet {
	return dataset.FeatureSet{Version: 2, Model: "bent", Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2},
		Bend: dataset.Bend{
			Channels: []dataset.Channel{{Name: "main", Kind: dataset.TaperedChannel},
				{Name: "attack", Kind: dataset.PlainChannel, Sides: true}},
			Columns: []dataset.Column{{Name: "g"}}, Formula: formula,
		}, Terms: []dataset.FeatureTerm{
			{Name: "pawn", Channel: "main", MG: 80, EG: 90}, {Name: "rook", Channel: "main", MG: 400, EG: 500},
			{Name: "near", Channel: "attack", MG: 12, EG: 12}, {Name: "check", Channel: "attack", MG: 20, EG: 20},
			{Name: "share", Kind: dataset.ScalarTerm, MG: 0.5, EG: 0.5, Step: 0.05},
			{Name: "divisor", Kind: dataset.ScalarTerm, MG: 50, EG: 50, Step: 10},
		}}
}

const bentFormula = `let q = max(attack, 0)^2 / divisor; value = (main.mg + balance(q))*phase + (main.eg + share*balance(q))*(1 - phase) + 0*g`

// writeBent writes rows of it; zero is the row whose column g is 1, of 2,000.
func writeBent(t *testing.T, dir string, zero int) {
	t.Helper()
	set := bentSet(bentFormula)
	w := setup.Must(dataset.NewFeatureWriter(dir, set, dataset.WriterConfig{Config: "test", Program: "test"}))
	r := rand.New(rand.NewPCG(10, 11))
	for i := range 2000 {
		row := dataset.FeatureRow{Phase: float32(r.IntN(25)) / 24, Scale: 1, EGScale: 1, Eval: dataset.NoEval,
			Score: dataset.NoScore, Game: uint64(i/5 + 1), Weight: 1,
			Terms: []uint16{0, 1, 2, 3}, Columns: []float32{0}}
		for k := range 4 {
			white, black := float32(r.IntN(4)), float32(0)
			if k < 2 {
				white -= 2
			} else {
				black = float32(r.IntN(4))
			}
			row.Counts, row.Blacks = append(row.Counts, white), append(row.Blacks, black)
		}
		if set.Value(&row) > 300*r.NormFloat64() {
			row.Result = 1
		}
		if i == zero {
			row.Columns[0] = 1
		}
		setup.Check(t, w.Append(&row))
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
}

// TestTuneOwnFormula: our own model with a formula is fitted to positions, and compared with
// another formula of its channels.
func TestTuneOwnFormula(t *testing.T) {
	dir := t.TempDir()
	data, line, out := filepath.Join(dir, "data"), filepath.Join(dir, "linear.txt"), filepath.Join(dir, "tuned.json")
	writeWalks(t, data, 12, nil)
	text := "let k = clamp(64 + winning.white + winning.black, 0, 64)/64; value = (main.mg + " +
		"balance(danger.mg)/16)*phase + (main.eg + balance(danger.eg)/16 + complexity/64)*(1 - phase)*k"
	setup.Check(t, os.WriteFile(line, []byte(text), 0o644))
	flags := []string{"--model", "assay-bent", "--folds", "2", "--iterations", "2", "--k", "0.005", "--freeze",
		"piece-square,mobility,passed,pawns,pieces,threats,tempo", "--out", out}
	said, err := tune(t, append(flags, data, "--against", line)...)
	if err != nil || !strings.Contains(said, "on games held out") {
		t.Fatalf("%v\n%s", err, said)
	}
	f, err := models.Load(out)
	if err != nil || f.Model != "assay-bent" || f.Foreign != nil || f.Formula == "" {
		t.Fatalf("%v, %+v", err, f)
	}
	if _, err := tune(t, append(flags, data, "--formula", line)...); err != nil {
		t.Fatal(err)
	}
	if _, err := models.Load(out); err == nil {
		t.Error("weights for another formula are taken for those of the model")
	}
}

// TestTuneFormula: a bent evaluation is fitted, compared with a linear one, and exported.
func TestTuneFormula(t *testing.T) {
	dir := t.TempDir()
	data, line, out := filepath.Join(dir, "data"), filepath.Join(dir, "linear.txt"), filepath.Join(dir, "tuned.json")
	writeBent(t, data, -1)
	if err := os.WriteFile(line, []byte("# no bend\nvalue = (main.mg + balance(attack))*phase + (main.eg + "+
		"share*balance(attack))*(1 - phase)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text := setup.Must(tune(t, data, "--against", line, "--out", out))
	for _, want := range []string{"The formula is ", "on games held out", "divisor is held at its start value",
		"near, check"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	f, err := models.OpenAny(out)
	if err != nil || f.Formula != bentFormula || f.Terms[4].Step != 0.05 || f.Terms[5].Value() != 50 {
		t.Fatalf("%+v, %v", f, err)
	}
	source := []byte("const int pawn[2] = {80, 90};\nconst int rook[2] = {400, 500};\nconst int near = 12;\nconst " +
		"int check = 20;\nconst double share = 0.5;\nconst int divisor = 40;\n")
	p, err := f.Paste([]models.Source{{Name: "bent.c", Text: source}}, f.Held)
	if err != nil || !strings.Contains(string(p.Files[0]), "divisor = 50") ||
		!strings.Contains(string(p.Files[0]), "share = 0.5;") || len(p.ByHand) != 1 ||
		!strings.HasPrefix(p.ByHand[0], "share = 0.") {
		t.Errorf("%+v, %v: a share of %v is for the author to write", p, err, f.Terms[4].Value())
	}
	if _, err := tune(t, data, "--from", out, "--formula", line, "--out",
		filepath.Join(dir, "other.json")); err != nil {
		t.Error(err)
	}
}

// TestTuneFormulaErrors: what is wrong with a formula is said with its place, and leaves no
// weight file.
func TestTuneFormulaErrors(t *testing.T) {
	dir := t.TempDir()
	data, out, file := filepath.Join(dir, "data"), filepath.Join(dir, "tuned.json"), filepath.Join(dir, "formula.txt")
	writeBent(t, data, 1234)
	for text, want := range map[string]string{
		"value = main.mg +":                         "want a number, a name or a bracket, found the end",
		"value = mein.mg":                           `did you mean "main.mg"?`,
		"let a = b; let b = a; value = a + main.mg": "defined by itself",
		"value = main.mg + balance(attack)/(1 - g)": "row 1235: bad row: formula, line 1, column 34: division " +
			"by 0",
		"value = main.mg + sqrt(0.5 - g)": "row 1235: bad row: formula, line 1, column 19: the root " +
			"of a number below 0",
		"value = main.mg*1e300*main.eg*1e300 + attack": "attack is counted for each side",
		"value = main.mg*1e300*(main.eg + 1e9)*1e300": "row 1: bad row: formula, line 1, column 22: the result " +
			"is not a finite number",
		"value = main.mg + sqrt(max(balance(attack), 0))": "a derivative is not finite, as that of a root at 0",
		"value = main.mg + balance(attack/(attack - 12))": "division by 0",
		"value = main.mg; value = main.eg":                "the value must come last",
		"":                                                "the file is empty",
		"value = main.mg + balance(attack)*phase.white":   "phase is not counted for each side",
		"value = main.mg > 0":                             "want a number, found a condition",
		"value = main.mg + balance(attack)*unknown(1)":    `no function "unknown"`,
		"value = max(main.mg)":                            "max takes 2 or more arguments",
		"value = balance(main.mg)":                        "the balance of what is the same for both sides is 0",
		"value = main.mg + share[2]":                      `no table "share"`,
		"value = 100*g":                                   "every feature of every training row is zero",
		"value = if(main.mg > 0, 1, -1)*100":              "every feature of every training row is zero",
		"let q = max(attack, 0); value = main.mg/q.mg":    "no channel, column, scalar or let",
		"let q = max(attack, 0); value = q^2":             "counted for each side",
		"value = main.mg^0.5":                             "the only power is ^2",
		"value = main.mg + \"x\"":                         "does not belong in a formula",
		"value = (((main.mg":                              "to close the bracket",
		"value = main.mg + balance(attack) + phase phase": "want an operator",
		"let phase = 1; value = main.mg*phase":            `"phase" is the name of a column`,
		"let balance = 1; value = main.mg":                "cannot be the name of a let",
		"value = main.mg + if(g, 1, 2)":                   "want a condition",
		"value = main.mg/0":                               "division by 0",
	} {
		setup.Check(t, os.WriteFile(file, []byte(text), 0o644))
		_, err := tune(t, data, "--formula", file, "--out", out)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: there is a weight file", text)
			os.Remove(out)
		}
	}
	if _, err := tune(t, data, "--against", filepath.Join(dir, "none.txt"), "--out", out); err == nil ||
		!strings.Contains(err.Error(), "--against") {
		t.Errorf("no file: %v", err)
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
