package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/models"
)

// writeWalks writes a data set of positions from random games, whose results
// lean to the side with more material.
func writeWalks(t *testing.T, dir string, games int, change func(*dataset.PositionRow)) {
	t.Helper()
	w, err := dataset.NewPositionWriter(dir, dataset.WriterConfig{Config: "random walks", Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 4))
	for g := range games {
		var rows []dataset.PositionRow
		p, balance := board.StartPosition(), 0
		for ply := range 100 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[r.IntN(len(moves))])
			rows = append(rows, dataset.PositionRow{Board: p, Ply: uint16(ply + 1), Score: dataset.NoScore, Game: uint64(g + 1), Opening: uint64(g/2 + 1), Weight: 1})
		}
		for pt, v := range [5]int{1, 3, 3, 5, 9} {
			balance += v * (p.Pieces(board.White, board.PieceType(pt)).Count() - p.Pieces(board.Black, board.PieceType(pt)).Count())
		}
		result := float32(max(-2, min(2, balance/3+r.IntN(3)-1))+2) / 4
		for _, row := range rows {
			row.Result = result
			if change != nil {
				change(&row)
			}
			if err := w.Append(&row); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
}

func tune(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out, log bytes.Buffer
	c := newTuneCommand()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&log)
	err = c.Execute()
	return out.String(), err
}

// TestTune: the same weights, errors and pedigree for any number of workers; a
// file that opens; a report with Shannon's five pieces first.
func TestTune(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "positions")
	writeWalks(t, data, 150, nil)
	var first []byte
	for workers := 1; workers <= 3; workers++ {
		out := filepath.Join(dir, fmt.Sprintf("w%d.json", workers))
		text, err := tune(t, data, "--out", out, "--seed", "5", "--workers", fmt.Sprint(workers))
		if err != nil {
			t.Fatal(err)
		}
		f, err := models.Load(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"pawn ", "queen ", "effective number of games", "id " + f.ID()} {
			if !strings.Contains(text, want) {
				t.Errorf("report without %q:\n%s", want, text)
			}
		}
		p := f.Provenance
		if len(p.Data) != 1 || p.Games != 150 || p.Rows == 0 || p.Seed != 5 || p.Time == "" || !strings.Contains(p.Split, "opening") {
			t.Errorf("provenance %+v", p)
		}
		f.Provenance.Time = ""
		b, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		}
		if !bytes.Equal(b, first) {
			t.Errorf("%d workers wrote another file than one", workers)
		}
	}
}

func TestTuneJSON(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "positions")
	writeWalks(t, data, 60, nil)
	text, err := tune(t, data, "--model", "shannon-1950", "--json", "--out", filepath.Join(dir, "w.json"), "--freeze", "pawn", "--prior", "mobility=3")
	if err != nil {
		t.Fatal(err)
	}
	var j tuneJSON
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if len(j.Terms) != 9 || len(j.Pieces) != 5 || j.Games != 60 || j.Fit.Train == nil || *j.Fit.Train >= *j.Start.Train {
		t.Errorf("%+v", j)
	}
	if pawn := j.Terms[0]; !pawn.Frozen || pawn.MG != 100 || pawn.SEMG != 0 {
		t.Errorf("frozen pawn: %+v", pawn)
	}
	if !strings.Contains(j.Settings, "freeze:pawn") || !strings.Contains(j.Settings, "prior:mobility=3") {
		t.Errorf("settings %q", j.Settings)
	}
}

// TestTuneErrors: each names what is wrong, and no weight file is left.
func TestTuneErrors(t *testing.T) {
	dir := t.TempDir()
	good, won, empty := filepath.Join(dir, "good"), filepath.Join(dir, "won"), filepath.Join(dir, "empty")
	writeWalks(t, good, 20, nil)
	writeWalks(t, won, 3, func(r *dataset.PositionRow) { r.Result = 1 })
	writeWalks(t, empty, 0, nil)
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"no rows", []string{empty}},
		{"every row has the same target", []string{won}},
		{"no row has a score", []string{good, "--lambda", "0.5"}},
		{"lambda 2", []string{good, "--lambda", "2"}},
		{`no such term or group: "knigth"`, []string{good, "--freeze", "knigth"}},
		{"--prior king", []string{good, "--prior", "king"}},
		{"--prior king=-3", []string{good, "--prior", "king=-3"}},
		{"--tie", []string{good, "--tie", "maybe"}},
		{"unknown loss", []string{good, "--loss", "hinge"}},
		{"unknown method", []string{good, "--method", "prayer"}},
		{"unknown model", []string{good, "--model", "deep"}},
		{"nowhere", []string{filepath.Join(dir, "nowhere")}},
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
