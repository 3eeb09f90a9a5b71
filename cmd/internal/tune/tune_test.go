package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/data"
	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
)

// writeWalks writes a data set of positions from random games, whose results
// lean to the side with more material.
func writeWalks(t *testing.T, dir string, games int, change func(*dataset.PositionRow)) {
	t.Helper()
	w := setup.Must(dataset.NewPositionWriter(dir, dataset.WriterConfig{Config: "random walks", Program: "test"}))
	r := rand.New(rand.NewPCG(4, 4))
	for g := range games {
		var rows []dataset.PositionRow
		p := board.StartPosition()
		for ply := range 60 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[r.IntN(len(moves))])
			rows = append(rows, dataset.PositionRow{Board: p, Ply: uint16(ply + 1), Score: dataset.NoScore,
				Game: uint64(g + 1), Opening: uint64(g/2 + 1), Weight: 1})
		}
		balance := walkScore(&p) / 100
		result := float32(max(-2, min(2, balance/3+r.IntN(3)-1))+2) / 4
		for _, row := range rows {
			row.Result = result
			if change != nil {
				change(&row)
			}
			setup.Check(t, w.Append(&row))
		}
	}
	setup.Must(w.Finish(nil))
}

func tune(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	return execute(t.Context(), New(), args...)
}

func execute(ctx context.Context, c *cobra.Command, args ...string) (stdout string, err error) {
	var out, log bytes.Buffer
	c.SetContext(ctx)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&log)
	err = c.Execute()
	return out.String(), err
}

// TestTune: the same weights, errors and pedigree for any number of workers; a
// file that opens; a report with every term.
func TestTune(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "positions")
	writeWalks(t, data, 60, nil)
	var first []byte
	for workers := 1; workers <= 3; workers++ {
		out := filepath.Join(dir, fmt.Sprintf("w%d.json", workers))
		text := setup.Must(tune(t, data, "--model", "shannon-1950", "--out", out, "--seed", "5", "--all", "--workers",
			fmt.Sprint(workers)))
		f := setup.Must(models.Load(out))
		for _, want := range []string{"pawn ", "queen ", "effective number of games", "id " + f.ID()} {
			if !strings.Contains(text, want) {
				t.Errorf("report without %q:\n%s", want, text)
			}
		}
		if !strings.Contains(text, "make quiet rows: assay data positions "+quote.Word(data)+" --preset texel --out "+
			"quiet\n") {
			t.Errorf("no warning in\n%s", text)
		}
		if n := strings.Count(text, "of the rows say little"); n != 1 {
			t.Errorf("the warning about the rows is printed %d times", n)
		}
		p := f.Provenance
		if len(p.Data) != 1 || p.Games != 60 || p.Rows == 0 || p.Seed != 5 || p.Time == "" ||
			!strings.Contains(p.Split, "opening") {
			t.Errorf("provenance %+v", p)
		}
		f.Provenance.Time = ""
		b := setup.Must(f.Encode())
		if first == nil {
			first = b
		}
		if !bytes.Equal(b, first) {
			t.Errorf("%d workers wrote another file than one", workers)
		}
	}
}

// Rows without noise have no warning.
func TestTuneQuietRows(t *testing.T) {
	dir := t.TempDir()
	rows, quiet := filepath.Join(dir, "positions"), filepath.Join(dir, "quiet")
	writeWalks(t, rows, 60, nil)
	setup.Must(execute(t.Context(), data.New(), "positions", rows, "--preset", "texel", "--weights", "assay", "--out",
		quiet))
	text, err := tune(t, quiet, "--model", "shannon-1950", "--out", filepath.Join(dir, "w.json"))
	if err != nil || strings.Contains(text, "say little") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestTuneJSON(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "positions")
	writeWalks(t, data, 60, nil)
	text := setup.Must(tune(t, data, "--model", "shannon-1950", "--json", "--out", filepath.Join(dir, "w.json"),
		"--freeze",
		"pawn", "--prior", "mobility=3", "--ablate"))
	var j tuner.Report
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if len(j.Warnings) == 0 || !strings.Contains(j.Warnings[0], "of the rows say little") {
		t.Errorf("warnings %q", j.Warnings)
	}
	if len(j.Terms) != 9 || j.Games != 60 || !(j.Fit.Train < j.Start.Train) {
		t.Errorf("%+v", j)
	}
	if x := j.Terms[8]; x.IntervalMG == (tuner.Interval{}) ||
		!(x.IntervalMG[0] < x.FitMG-1.96*float64(x.SEMG) && x.FitMG+1.96*float64(x.SEMG) < x.IntervalMG[1]) {
		t.Errorf("%+v", x)
	}
	if pawn := j.Terms[0]; !pawn.Frozen || pawn.MG != 100 || pawn.SEMG != 0 || pawn.IntervalMG != (tuner.Interval{}) {
		t.Errorf("frozen pawn: %+v", pawn)
	}
	var b strings.Builder
	if err := doc.Tune(&j, 0).Print(&b, false); err != nil || len(j.Ablations) < 2 ||
		!strings.Contains(b.String(), "\n"+j.Ablations[0].Name+" ") {
		t.Errorf("%v: ablations %+v in %s", err, j.Ablations, b.String())
	}
	if !strings.Contains(j.Settings, "freeze:pawn") || !strings.Contains(j.Settings, "prior:mobility=3") {
		t.Errorf("settings %q", j.Settings)
	}
}

// TestTuneVerdict: the headline and its JSON, and --strict for a fit that is not better.
func TestTuneVerdict(t *testing.T) {
	dir := t.TempDir()
	noise := filepath.Join(dir, "noise")
	writeWalks(t, noise, 60, func(r *dataset.PositionRow) { r.Result = float32(r.Game*r.Game%7%3) / 2 })
	out := filepath.Join(dir, "w.json")
	text, err := tune(t, noise, "--model", "shannon-1950", "--k", "0.004", "--strict", "--out", out, "--json")
	if err == nil || !strings.Contains(err.Error(), "--strict: ") {
		t.Errorf("noise: error %v", err)
	}
	for range 2 { // the second time of a complete run
		said, err := tune(t, noise, "--model", "shannon-1950", "--k", "0.004", "--strict", "--out", filepath.Join(dir, "run"))
		if err == nil || !strings.Contains(err.Error(), "--strict: ") || !strings.Contains(said, "Verdict: ") {
			t.Errorf("noise, in a run: %v, %.300q", err, said)
		}
	}
	var j struct {
		Verdict         string
		CrossValidation *tuner.Paired `json:"cross_validation"`
	}
	if err := json.Unmarshal([]byte(text), &j); err != nil || j.Verdict == "better" || j.Verdict == "" ||
		j.CrossValidation == nil {
		t.Errorf("noise: %v in %s", err, text)
	}
	text, err = tune(t, noise, "--model", "shannon-1950", "--k", "0.004", "--folds", "0", "--out", out)
	if err != nil || !strings.Contains(text, "Verdict: ") || !strings.Contains(text, "validation games") ||
		!strings.Contains(text, "games decide:\nassay match "+quote.Word("assay:weights="+filepath.ToSlash(out))+
			" assay:weights=shannon-1950 --nodes 5000 --sprt 0,10\n") {
		t.Errorf("%v in %s", err, text)
	}
}

// TestTuneErrors: each names the fault, and no weight file is left.
func TestTuneErrors(t *testing.T) {
	dir := t.TempDir()
	good, empty := filepath.Join(dir, "good"), filepath.Join(dir, "empty")
	writeWalks(t, good, 20, nil)
	writeWalks(t, empty, 0, nil)
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"no rows", []string{empty}},
		{"no row has a score", []string{good, "--lambda", "0.5"}},
		{"number of folds -1", []string{good, "--folds", "-1"}},
		{"lambda 2", []string{good, "--lambda", "2"}},
		{`no such term or group: "knigth"`, []string{good, "--freeze", "knigth"}},
		{`"--ablate" flag: want groups or terms`, []string{good, "--ablate=each"}},
		{"--ablate compares", []string{good, "--ablate", "--folds", "0"}},
		{"--prior king=-3", []string{good, "--prior", "king=-3"}},
		{"--memory lots", []string{good, "--memory", "lots"}},
		{"--memory 0", []string{good, "--memory", "0"}},
		{"--memory 4MG", []string{good, "--memory", "4MG"}},
		{"limit -5", []string{good, "--limit", "-5"}},
		{"limit NaN", []string{good, "--limit", "nan"}},
		{"no such", []string{good, "--disk", filepath.Join(dir, "no", "such")}},
	} {
		out := filepath.Join(dir, "out.json")
		if _, err := tune(t, append(tt.args, "--out", out)...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want one with %q", tt.args, err, tt.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%q left a weight file", tt.args)
		}
	}
}

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "1e9": 1e9, "2k": 2048, "2K": 2048, "1.5M": 3 << 19,
		"800MB": 800 << 20, "4G": 4 << 30, "4GiB": 4 << 30} {
		if got, ok := parseMemory(text); !ok || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "M", "-1G", "inf", "nan", "0.5", "1T", "4Mk", "4GiBB", "4 G", "1e30"} {
		if got, ok := parseMemory(text); ok {
			t.Errorf("%q is %d bytes", text, got)
		}
	}
}

// TestTuneRun: a folder for --out records the steps of the fit; it is not done twice,
// nor with other settings, and the weights equal a plain file's.
func TestTuneRun(t *testing.T) {
	dir := t.TempDir()
	data, run, file := filepath.Join(dir, "positions"), filepath.Join(dir, "run"), filepath.Join(dir, "w.json")
	writeWalks(t, data, 60, nil)
	args := []string{data, "--model", "shannon-1950", "--valid", "0.3"}
	text := setup.Must(tune(t, append(args, "--out", run)...))
	for _, want := range []string{"group ", "Calibration on", "held-out positions", "validation"} {
		if !strings.Contains(text, want) {
			t.Errorf("report without %q:\n%s", want, text)
		}
	}
	events, err := os.ReadFile(filepath.Join(run, "events.jsonl"))
	if err != nil || strings.Count(string(events), `"event":"step"`) < 2 || !strings.Contains(string(events),
		`"event":"weights"`) {
		t.Errorf("events %s, %v", events, err)
	}
	var result tuner.Report
	if b, err := os.ReadFile(filepath.Join(run, "result.json")); err != nil || json.Unmarshal(b, &result) != nil ||
		len(result.Groups) == 0 {
		t.Errorf("result %s, %v", b, err)
	}
	if !strings.Contains(string(events), `"seconds"`) {
		t.Error("events.jsonl does not say how long the fit took")
	}
	if page, err := os.ReadFile(filepath.Join(run, "report.html")); err != nil ||
		!strings.Contains(string(page), "<strong>Verdict: "+result.Answer+" (") {
		t.Errorf("%v: report.html without the verdict %q", err, result.Answer)
	}
	elsewhere := t.TempDir() // result.json names the weight file as --out does
	bytesOf := func() string {
		t.Chdir(elsewhere)
		setup.Must(tune(t, append(args, "--out", "run")...))
		text := setup.Must(os.ReadFile(filepath.Join("run", "result.json")))
		setup.Check(t, os.RemoveAll("run"))
		return string(text)
	}
	if a, b := bytesOf(), bytesOf(); a != b {
		t.Errorf("two runs with the same seed:\n%s\n%s", a, b)
	}
	setup.Must(tune(t, append(args, "--out", file, "--disk", dir)...))
	a := setup.Must(models.Load(filepath.Join(run, "weights.json")))
	if b, err := models.Load(file); err != nil || a.ID() != b.ID() || b.ID() != result.ID {
		t.Errorf("ids %s and %s, %v: memory and disk differ", a.ID(), b.ID(), err)
	}
	again, err := tune(t, append(args, "--out", run, "--json")...)
	if err != nil || !strings.Contains(again, result.ID) {
		t.Errorf("a complete run gave %q, %v", again, err)
	}
	var changed *durable.ConfigChangedError
	if _, err := tune(t, append(args, "--out", run, "--lambda", "0.5")...); !errors.As(err, &changed) {
		t.Errorf("other settings in the same folder: %v", err)
	}
}

// TestTuneUnit: an external evaluation with a unit of its own is tuned, and reported, in engine
// units; only widths of priors are in centipawns.
func TestTuneUnit(t *testing.T) {
	dir := t.TempDir()
	set := dataset.FeatureSet{Version: 2, Model: "mine",
		Terms: []dataset.FeatureTerm{{Name: "pawn", MG: 200, EG: 300},
			{Name: "tempo", MG: 20, EG: 20, Kind: dataset.FlatTerm}},
		Evaluation: dataset.Evaluation{Unit: 256, Tolerance: 2}}
	features, run := filepath.Join(dir, "features"), filepath.Join(dir, "run")
	r := rand.New(rand.NewPCG(1, 7))
	writeFeatures(t, features, set, 4000, featuresReport{}, func(_ int, row *dataset.FeatureRow) []float32 {
		a, b := r.IntN(7)-3, 1-2*r.IntN(2)
		row.Phase, row.EGScale, row.Eval = 0.5, 1, float32(250*a+20*b)
		if r.Float64() < tuner.Sigmoid(0.004*256*float64(a)+0.1*float64(b)) {
			row.Result = 1
		}
		return []float32{float32(a), float32(b)}
	})
	text := setup.Must(tune(t, features, "--out", run))
	for _, want := range []string{"per engine unit (256 a pawn) under the start weights",
		"eval scale x", "weights and their errors are in engine units, 256 a pawn"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "per centipawn") {
		t.Errorf("something is per centipawn in\n%s", text)
	}
	out := filepath.Join(run, "weights.json")
	file, err := models.OpenAny(out)
	if err != nil || file.Unit != 256 {
		t.Fatalf("%v: %+v", err, file)
	}
	page, err := os.ReadFile(filepath.Join(run, "report.html"))
	if err != nil || !strings.Contains(string(page), "All 2 coefficients") ||
		!strings.Contains(string(page), "values in engine units, 256 a pawn;") {
		t.Errorf("the page: %v", err)
	}
	for _, c := range []struct {
		command *cobra.Command
		args    []string
		want    string
	}{
		{weights.New(), []string{"show", out}, "per engine unit (256 a pawn)"},
		{New(), []string{features, "--from", out, "--out", filepath.Join(dir, "w.json")}, "per engine unit"},
	} {
		if said, err := execute(t.Context(), c.command, c.args...); err != nil || !strings.Contains(said, c.want) {
			t.Errorf("%v: %v; no %q in\n%s", c.args, err, c.want, said)
		}
	}
	file.Unit = 0
	setup.Check(t, os.WriteFile(out, setup.Must(file.Encode()), 0o666))
	if _, err := tune(t, features, "--from", out, "--out", filepath.Join(dir, "w2.json")); err == nil ||
		!strings.Contains(err.Error(), "in units of 1/100 pawn, the features in 1/256 pawn") {
		t.Errorf("weights of another unit: %v", err)
	}
}

// TestTuneFeatures: the features of an external evaluation become a weight file of its
// terms; an evaluation that drifted away from them does not.
func TestTuneFeatures(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, evals func(sum float64) int16) string {
		t.Helper()
		path := filepath.Join(dir, name)
		set := dataset.FeatureSet{Model: "mine",
			Terms: []dataset.FeatureTerm{{Name: "pawn", MG: 90, EG: 110}, {Name: "king.safety", MG: 5}}}
		r := rand.New(rand.NewPCG(1, uint64(len(name)-2)))
		report := featuresReport{positions.Noise{Rows: 100, Noisy: 20}}
		writeFeatures(t, path, set, 4000, report, func(_ int, row *dataset.FeatureRow) []float32 {
			a, b, phase := float32(r.IntN(7)-3), float32(r.IntN(9)-4), r.IntN(25)
			row.Phase = float32(phase) / 24
			row.Eval = float32(evals(float64(a)*(90*float64(phase)+110*float64(24-phase))/24 + 5*float64(b)*float64(phase)/24))
			if r.Float64() < tuner.Sigmoid(0.006*100*float64(a)+0.1*float64(b)) {
				row.Result = 1
			}
			return []float32{a, b}
		})
		return path
	}
	good := write("good", func(sum float64) int16 { return int16(sum) })
	out := filepath.Join(dir, "w.json")
	if _, err := tune(t, good, "--out", filepath.Join(dir, "strict.json"), "--strict"); err == nil ||
		!strings.Contains(err.Error(), "--strict: "+tuner.BetterHere) {
		t.Errorf("noisy rows, --strict: %v", err)
	}
	text := setup.Must(tune(t, good, "--out", out, "--json"))
	var j tuner.Report
	if err := json.Unmarshal([]byte(text), &j); err != nil || len(j.Terms) != 2 || j.Terms[1].Group != "king" ||
		j.Terms[1].ZMG < 2 || j.Answer != tuner.BetterHere || !j.NoisyRows ||
		!strings.HasPrefix(j.Warnings[0], "20.0 % of the rows say little") {
		t.Errorf("%v, %+v, warnings %q", err, j.Terms, j.Warnings)
	}
	b, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(b), `"format": "assay.weights/1"`) || !strings.Contains(string(b),
		`"king.safety"`) {
		t.Errorf("weights %s, %v", b, err)
	}
	again := setup.Must(tune(t, good, "--from", out, "--out", filepath.Join(dir, "w2.json"), "--json"))
	var j2 tuner.Report
	if err := json.Unmarshal([]byte(again), &j2); err != nil || j2.Parent != j.ID ||
		j2.Terms[0].StartMG != float64(j.Terms[0].MG) {
		t.Errorf("from %s: %v, parent %q, %+v", j.ID, err, j2.Parent, j2.Terms)
	}
	fresh := write("fresh", func(sum float64) int16 { return int16(sum) })
	tested := setup.Must(tune(t, good, "--test", fresh, "--out", out, "--json"))
	j2 = tuner.Report{}
	if err := json.Unmarshal([]byte(tested), &j2); err != nil || j2.Test == nil || j2.Test.Rows != 4000 ||
		j2.Test.Clusters != 400 || j2.Basis != "test data" || j2.Answer != tuner.Better {
		t.Errorf("tested on other games: %v, %+v", err, j2.Verdict)
	}
	bad := write("bad", func(sum float64) int16 { return int16(sum) + 12 })
	for want, args := range map[string][]string{
		"drifted apart":                {bad},
		`"king.safety" is in the feat`: {good, "--from", "machack-1967"},
		`the features are of "mine"`:   {good, "--model", "assay"},
		"is also tuned on":             {good, "--test", good},
		"--test: ":                     {good, "--test", filepath.Join(dir, "nowhere")},
		"no such file":                 {good, "--from", filepath.Join(dir, "nowhere.json")},
	} {
		if _, err := tune(t, append(args, "--out", out)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", args, err, want)
		}
	}
	positions := filepath.Join(dir, "positions")
	writeWalks(t, positions, 2, nil)
	if _, err := tune(t, positions, good, "--out", out); err == nil || !strings.Contains(err.Error(), "together") {
		t.Errorf("positions and features: %v", err)
	}
	if _, err := tune(t, good, "--test", positions, "--out", out); err == nil ||
		!strings.Contains(err.Error(), "together") {
		t.Errorf("features tested on positions: %v", err)
	}
}

// Unknown errors are a dash, and null in JSON: of two games of one opening, which are one cluster, and of a
// fit above --memory. A limit of infinity is none.
func TestTuneWithoutErrors(t *testing.T) {
	dir := t.TempDir()
	two, data := filepath.Join(dir, "two"), filepath.Join(dir, "positions")
	writeWalks(t, two, 2, func(r *dataset.PositionRow) { r.Result = float32(r.Game - 1) })
	writeWalks(t, data, 20, nil)
	for why, args := range map[string][]string{
		"1 games or openings are too few for standard errors": {two, "--valid", "0", "--memory", "4G"},
		"a large fit: matrices would take":                    {data, "--memory", "1M", "--limit", "inf"},
	} {
		out := args[0] + "-run"
		text := setup.Must(tune(t, append(args, "--model", "assay", "--all", "--out", out)...))
		doc := setup.Must(os.ReadFile(filepath.Join(out, "result.json")))
		if !strings.Contains(text, why) || !regexp.MustCompile(`(?m)^tempo +-?[0-9]+ +-?[0-9]+ +- `).MatchString(text) ||
			!strings.Contains(string(doc), `"se_mg": null`) || !strings.Contains(string(doc), `"interval_mg": null`) {
			t.Errorf("no %q, or errors, in\n%.3000s", why, text)
		}
		var r tuner.Report
		setup.Check(t, json.Unmarshal(doc, &r))
		for i := range r.Terms {
			if x := &r.Terms[i]; x.Count > 0 &&
				(x.SEMG.Known() || x.SEEG.Known() || x.ZMG.Known() || x.Moved() || x.IntervalMG != (tuner.Interval{})) {
				t.Errorf("%s: %+v", why, x)
			}
		}
		for _, table := range r.Tables {
			for _, c := range table.Centered {
				if c.SEMG.Known() || c.SEEG.Known() {
					t.Errorf("%s: %+v", table.Name, c)
				}
			}
		}
	}
}
