package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/durable"
)

func someFits(n int) (rows []FitRow) {
	for i := range n {
		r := FitRow{Engine: "flint", Fit: "f00d", Start: GuessedStart, Games: OwnGames, Data: "ab cd", DataGames: 4000,
			DataRows: 200000 + uint32(i), Settings: "lambda=1", Program: "assay 1", Verdict: "better", Basis: "test data",
			Gain: 0.002, GainSE: 0.0005, LossStart: 0.57, LossConstant: 0.69, NetGain: -0.001, GroupLoss: 0.25, Change: 12.5,
			Nodes: 5000, Pentanomial: []uint32{1, 20, 100, 25, uint32(i)}, A: "new", B: "old", Match: "beef"}
		if i%2 == 1 {
			r.Parent, r.Start, r.Games, r.Noisy = "abcd", TunedStart, ForeignGames, 1
			r.Verdict, r.Gain, r.GainSE, r.Nodes, r.Clock = "", NoEval, NoEval, 0, "8+0.08"
		}
		rows = append(rows, r)
	}
	return rows
}

// What is written is read, whatever is missing, and in place of what was there.
func TestFits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fits.arrow")
	for _, n := range []int{5000, 0, 1, 7} {
		want := someFits(n)
		if err := WriteFits(path, want); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFits(path); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%d rows: %v, read %d", n, err, len(got))
		}
	}
	if _, err := Detect(path); err == nil || !strings.Contains(err.Error(), "assay archive show") {
		t.Errorf("Detect: %v", err)
	}
}

// A row without a pedigree is neither written nor read.
func TestFitsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fits.arrow")
	if err := WriteFits(path, someFits(2)); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	for _, tt := range []struct {
		change   func(*FitRow)
		want     string
		pedigree bool
	}{
		{func(f *FitRow) { f.Start = "" }, `row 2 is not valid: the fit has no pedigree: start is ""`, true},
		{func(f *FitRow) { f.Games = "other" }, `games is "other", not own or foreign`, true},
		{func(f *FitRow) { f.Engine = "" }, "its engine is missing", true},
		{func(f *FitRow) { f.Data = "" }, "its data is missing", true},
		{func(f *FitRow) { f.Settings = "" }, "its settings is missing", true},
		{func(f *FitRow) { f.Match = "" }, "no match belongs to the fit", false},
		{func(f *FitRow) { f.Clock = "" }, "at equal nodes or by the clock", false},
		{func(f *FitRow) { f.Nodes = 1 }, "at equal nodes or by the clock", false},
		{func(f *FitRow) { f.Pentanomial = make([]uint32, 5) }, "without games", false},
		{func(f *FitRow) { f.Pentanomial = f.Pentanomial[:3] }, "3 counts of pairs, want 5", false},
		{func(f *FitRow) { f.Change = 1e7 }, "a measure of the fit is 1e+07", false},
	} {
		rows := someFits(2)
		tt.change(&rows[1])
		err := WriteFits(path, rows)
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrPedigree) != tt.pedigree {
			t.Errorf("%v; want %s", err, tt.want)
		}
		if now, _ := os.ReadFile(path); string(now) != string(before) {
			t.Fatal("the archive has changed")
		}
	}
	if _, err := ParseFits("x", before[:len(before)/2]); !errors.Is(err, durable.ErrDamaged) {
		t.Errorf("half of a file: %v", err)
	}
}

// Whatever a file holds, rows that are read are valid.
func FuzzFits(f *testing.F) {
	path := filepath.Join(f.TempDir(), "fits.arrow")
	if err := WriteFits(path, someFits(3)); err != nil {
		f.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	f.Add(data)
	f.Add(data[8:])
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, _ := ParseFits("fuzz", data)
		for i := range rows {
			if err := rows[i].Check(); err != nil {
				t.Fatalf("row %d: %v", i, err)
			}
		}
	})
}
