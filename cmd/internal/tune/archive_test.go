package tune

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/archive"
)

// archiveOf writes an archive of six engines whose Elo rises with the gain, whatever the verdict.
func archiveOf(t *testing.T) string {
	t.Helper()
	var rows []dataset.FitRow
	for e := range 6 {
		for i := range 8 {
			rows = append(rows, dataset.FitRow{Engine: fmt.Sprint("engine", e), Fit: fmt.Sprint(e, i),
				Start: dataset.TunedStart, Games: []string{dataset.OwnGames, dataset.ForeignGames}[i%2], Data: "d", Settings: "s", Program: "p",
				Verdict: tuner.Better, Gain: float32(i - 4), GainSE: 1, GroupLoss: 0.1, LossStart: dataset.NoEval,
				LossConstant: dataset.NoEval, NetGain: dataset.NoEval, Change: 20 + float32((i*5+e)%7), Nodes: 2000,
				Pentanomial: []uint32{20, 90 - 10*uint32(i) + uint32(e), 300, 60 + 10*uint32(i), 20}, A: "a", B: "b",
				Match: fmt.Sprint(e, i)})
		}
	}
	path := filepath.Join(t.TempDir(), "archive.arrow")
	if err := dataset.WriteFits(path, rows); err != nil {
		t.Fatal(err)
	}
	return path
}

// With an archive whose model is good enough tune says what to expect.
func TestTuneExpects(t *testing.T) {
	data, past := filepath.Join(t.TempDir(), "positions"), archiveOf(t)
	writeWalks(t, data, 60, nil)
	out := filepath.Join(t.TempDir(), "fit")
	args := []string{data, "--model", "shannon-1950", "--archive", past, "--pedigree", "own,tuned", "--ablate",
		"--out", out}
	text, err := tune(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := archive.Open(past)
	if err != nil {
		t.Fatal(err)
	}
	all := archive.Judge(archive.Fits(rows), dataset.TunedStart)
	basis := fmt.Sprintf("%d fits of %d engines, 2000 ", all.Fits, len(all.Engines))
	for _, want := range []string{"\nP(gain) .", basis, "a match of about ",
		"Games:     assay match assay:weights="} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	var r tuner.Report
	text, err = tune(t, append(args, "--json")...)
	if err != nil || json.Unmarshal([]byte(text), &r) != nil {
		t.Fatal(err, text)
	}
	if !(r.Elo > 0 && r.EloLo < r.Elo && r.Elo < r.EloHi && r.PGain > 0.5 && r.PGain < 1) || r.Pedigree != "own,tuned" {
		t.Errorf("%+v", r.Expected)
	}
	if text, err = tune(t, data, "--model", "shannon-1950", "--archive", past, "--pedigree", "guessed",
		"--out", out+".json"); err != nil || !strings.Contains(text, "Elo not known: the archive has fits of ") {
		t.Errorf("%v in %s", err, text)
	}
}

// The interval of all or none does not collapse: Wilson's of 10 of 10 is .722 to 1, of 2 of 4 .150 to .850.
func TestCalibration(t *testing.T) {
	c := newCalibration([]archive.Bin{{Fits: 10, Predicted: 0.9, Won: 1}, {Fits: 4, Predicted: 0.4, Won: 0.5}})
	for i, want := range [][2]float64{{0.722, 1}, {0.150, 0.850}} {
		x, y := c.XY(i)
		low, high := c.YError(i)
		if !(math.Abs(y-low-want[0]) < 0.001) || !(math.Abs(y+high-want[1]) < 0.001) {
			t.Errorf("at %.1f: [%.3f, %.3f], want %v", x, y-low, y+high, want)
		}
	}
}

func TestPedigree(t *testing.T) {
	for text, want := range map[string]string{"": " ", "tuned,own": "tuned own", "foreign, guessed": "guessed foreign",
		"own": " own"} {
		if start, games, err := parsePedigree(text); err != nil || start+" "+games != want {
			t.Errorf("%q: %q %q %v", text, start, games, err)
		}
	}
	for _, text := range []string{"tuned,guessed", "own,own", "x", "tuned,", ","} {
		if _, _, err := parsePedigree(text); err == nil || !strings.Contains(err.Error(), "want tuned or guessed") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// All models of assay are one engine.
func TestEngineOf(t *testing.T) {
	for name, want := range map[string]string{"assay": "assay", "shannon-1950": "assay", "assay-bent": "assay",
		"flint": "flint"} {
		if got := engineOf(name); got != want {
			t.Errorf("%s is of engine %s, not %s", name, got, want)
		}
	}
}
