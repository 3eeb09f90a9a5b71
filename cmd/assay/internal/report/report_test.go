package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

func write(t *testing.T, r any) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "a <b> run")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, store.RunResultName), data, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func result() *learn.Result {
	loss := 0.5
	return &learn.Result{
		Format: learn.Format,
		Plan:   learn.Plan{Model: "assay", From: "<script>alert(1)</script>", Opponent: "shannon-1950"},
		Generations: []learn.GenerationResult{{
			Number: 1, Gate: &match.Result{Games: 20, Elo: 12.34}, Promoted: true, Reason: "passed",
			Fit: learn.FitSummary{LossValid: &loss},
		}},
		Pieces: []learn.PieceValue{{Piece: "queen", Shannon: 900, Old: 950, New: 1044.4, SE: 32}},
		Terms: []learn.TermChange{
			{Name: "psq.knight.e5", NewMG: 37, NewEG: -21},
			{Name: "psq.knight.z9", NewMG: 1},
			{Name: "tempo", NewMG: 9, SEMG: 2, Clusters: 50, Share: 0.5, Rescale: 1},
			{Name: "unseen", NewMG: 9, SEMG: 2, Rescale: 1},
		},
		Final: &match.Result{Games: 400, Elo: 123.4, EloLo: 100.1, EloHi: 147.9, Pentanomial: sprt.Pentanomial{1, 2, 3, 4, 5}},
	}
}

func TestPageSaysWhatTheResultSays(t *testing.T) {
	path, err := Write(write(t, result()))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, want := range []string{
		"123.4 Elo", "100.1", "147.9", "1044", "none held out", "0.50000", "promoted: passed",
		"knight, middlegame", "knight, endgame", `title="e5">37<`, `title="e5">-21<`, `class="moved"><td>tempo`, "<tr><td>unseen", "nothing was learned",
		"a &lt;b&gt; run", "&lt;script&gt;alert(1)",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"<script>", "http://", "https://", "ZgotmplZ", "z9\">"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
}

func TestOtherResultsAreRefused(t *testing.T) {
	for name, r := range map[string]any{
		"another format": map[string]any{"format": "assay.match/1"},
		"no match":       &learn.Result{Format: learn.Format},
		"no object":      []int{1},
	} {
		dir := write(t, r)
		if _, err := Write(dir); err == nil || !strings.Contains(err.Error(), store.RunResultName) {
			t.Errorf("%s: %v, want an error that names the file", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, Name)); err == nil {
			t.Errorf("%s: a page was written", name)
		}
	}
}
