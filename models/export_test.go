package models

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
)

// TestExportGolden compares exports with golden files.
func TestExportGolden(t *testing.T) {
	f := fitted(t)
	shannon := setup.Must(Embedded("shannon-1950"))
	shannon.Terms[1].FitMG, shannon.Terms[1].SEMG, shannon.Terms[1].Count = 300.25, 1.5, 12
	for _, test := range []struct {
		format, golden string
		f              *File
	}{
		{"c", "assay.h", f}, {"c", "shannon-1950.h", shannon}, {"csv", "shannon-1950.csv", shannon},
		{"c", "mine.h", foreignFile(t)},
	} {
		var b bytes.Buffer
		if err := test.f.Export(&b, test.format); err != nil {
			t.Errorf("%s: %v", test.golden, err)
			continue
		}
		path := filepath.Join("testdata", test.golden)
		if *update {
			setup.Check(t, os.WriteFile(path, b.Bytes(), 0o644))
		}
		want := setup.Must(os.ReadFile(path))
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s differs from the export: run go test ./models -update and look at git diff", path)
		}
	}
}

// TestExportCompiles compiles C headers with programs that check some weights.
func TestExportCompiles(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("cc is not installed")
	}
	own := fitted(t)
	m, _ := eval.Lookup("assay")
	at := func(name string) *TermWeight { i, _ := m.Term(name); return &own.Terms[i] }
	at("queen").MG, at("mobility.queen.27").EG, at("psq.pawn.e4").MG = 931, 77, -123
	for want, f := range map[string]*File{
		"queen.mg == 931 && mobility_queen[27].eg == 77 && psq_pawn[28].mg == -123 && psq_pawn[0].mg == 0 && " +
			"sizeof psq_pawn == 64 * sizeof(SCORE)": own,
		"pst_1[1].mg == 7 && material[0].eg == 94 && double_.eg == -10 && double__2.eg == 2 && " +
			"scale[1] == tempo": foreignFile(t),
	} {
		dir := t.TempDir()
		var header bytes.Buffer
		setup.Check(t, f.Export(&header, "c"))
		program := "#include \"w.h\"\nint main(void) { return !(" + want + "); }\n"
		for name, text := range map[string]string{"w.h": header.String(), "main.c": program} {
			setup.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
		bin := filepath.Join(dir, "main")
		if out, err := exec.Command("cc", "-std=c99", "-pedantic", "-Wall", "-Werror", "-o", bin,
			filepath.Join(dir, "main.c")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if err := exec.Command(bin).Run(); err != nil {
			t.Errorf("the header of %s has other weights than the file: %v", f.Model, err)
		}
	}
}

// TestTemplateData checks that arrays hold every term once and that their identifiers are
// unique, for every model.
func TestTemplateData(t *testing.T) {
	for _, m := range eval.Models() {
		s := setup.Must(New(m, m.Start).templateData())
		next := 0
		idents := map[string]bool{}
		for _, a := range s.Arrays {
			if idents[a.Ident()] {
				t.Errorf("%s: two arrays are named %s", m.Name, a.Ident())
			}
			idents[a.Ident()] = true
			for _, c := range a.Cells {
				if c.Name == "" { // a square without a term
					continue
				}
				if c.Name != m.Terms[next].Name {
					t.Fatalf("%s: %s holds %s, want term %d", m.Name, a.Name, c.Name, next)
				}
				next++
			}
		}
		if next != len(m.Terms) {
			t.Errorf("%s: arrays hold %d of %d terms", m.Name, next, len(m.Terms))
		}
	}
}

func TestRounding(t *testing.T) {
	f := setup.Must(Embedded("shannon-1950"))
	if r := f.Rounding(); r != (Rounding{}) {
		t.Errorf("weights without fitted numbers: %+v", r)
	}
	f.Terms[0].FitMG, f.Terms[0].SEMG = 100.3, 1
	f.Terms[1].FitMG, f.Terms[1].SEMG = 299.6, 1
	r := f.Rounding()
	if r.Fitted != 2 || r.Worst != "knight" || math.Abs(r.Largest-.4) > 1e-9 || math.Abs(r.RMS-math.Sqrt(.125)) > 1e-9 {
		t.Errorf("%+v", r)
	}
}

// foreignFile has every shape of array, and a term whose name is a word of C.
func foreignFile(t *testing.T) *File {
	t.Helper()
	f := setup.Must(ParseAny("mine.json", []byte(`{"format": "assay.weights/1", "model": "mine", "unit": "centipawn", "K": 0.005,
	"provenance": {}, "terms": [
{"name": "material.0", "mg": 82, "eg": 94}, {"name": "material.1", "mg": 337, "eg": 281},
{"name": "pst.0.0", "mg": 1, "eg": 2}, {"name": "pst.0.1", "mg": 3, "eg": -4}, {"name": "pst.1.0", "mg": 5, "eg": 6}, {"name": "pst.1.1", "mg": 7, "eg": 8},
{"name": "scale[2]", "mg": 11}, {"name": "scale[3]", "mg": 12},
{"name": "double", "mg": -9, "eg": -10}, {"name": "tempo", "mg": 12},
{"name": "double_", "mg": 1, "eg": 2}]}`)))
	return f
}

// A table of squares has a term for each square that its names give; one of numbers all from 0 to 63, no more.
func TestSquareTables(t *testing.T) {
	numbers := func(prefix string, from, to int) (names []string) {
		for i := from; i < to; i++ {
			names = append(names, fmt.Sprintf("%s%d", prefix, i))
		}
		return names
	}
	for _, c := range []struct {
		names []string
		want  string // names of the tables
	}{
		{[]string{"tempo", "psq.pawn.e4", "psq.pawn.d4", "psq.king.h8", "psq.king.h9"}, "[psq.pawn psq.king]"},
		{numbers("pst.0.", 0, 64), "[pst.0*]"},
		{append(numbers("pst.0.", 0, 64), numbers("pst.1.", 0, 64)...), "[pst.0* pst.1*]"},
		{numbers("pst_", 0, 64), "[pst*]"},
		{numbers("safety.", 0, 63), "[]"},
		{numbers("safety.", 0, 65), "[]"},
		{append(numbers("safety.", 0, 63), "safety.62"), "[]"},
		{append(append(numbers("mobility.", 0, 28), "psq[queen][d1]"), numbers("pst.", 0, 64)...), "[psq[queen] pst*]"},
	} {
		got := []string{}
		for _, table := range SquareTables(c.names) {
			name := table.Name
			if table.Numbered {
				name += "*"
			}
			got = append(got, name)
			for square, i := range table.Terms {
				if i >= 0 && table.Numbered && c.names[i] != fmt.Sprintf("%s.%d", table.Name, square) &&
					c.names[i] != fmt.Sprintf("%s_%d", table.Name, square) {
					t.Errorf("%s is on square %d", c.names[i], square)
				}
				_, end, _ := arrayName(c.names[max(i, 0)])
				if s, ok := board.ParseSquare(end); i >= 0 && !table.Numbered && (!ok || int(s) != square) {
					t.Errorf("%s is on square %d", c.names[i], square)
				}
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
}

func TestColorScale(t *testing.T) {
	for _, c := range []struct {
		values       []float64
		middle, most float64
	}{
		{[]float64{-20, 0, 35}, 0, 35},
		{[]float64{0, 0}, 0, 1},
		{[]float64{10, 25}, 0, 25},
		{[]float64{320, 335, 350}, 335, 15},
		{[]float64{-90, -110}, -100, 10},
	} {
		if middle, most := colorScale(c.values); middle != c.middle || most != c.most {
			t.Errorf("%v: %v ± %v, want %v ± %v", c.values, middle, most, c.middle, c.most)
		}
	}
}

// A board holds the value of each square's term, and the endgame only where it differs.
func TestBoards(t *testing.T) {
	table := SquareTables([]string{"psq.rook.a1", "tempo", "psq.rook.h8"})[0]
	for _, eg := range []float64{0, 5} {
		list := table.Boards([2]string{"old", "new"}, func(term, half int) (old, now float64) {
			return 10, 10 + float64(term) + float64(half)*eg
		})
		if want := map[float64]int{0: 3, 5: 6}[eg]; len(list) != want {
			t.Fatalf("%d boards, want %d", len(list), want)
		}
		for k, b := range list {
			last := []float64{10, 12, 2, 10, 12 + eg, 2 + eg}[k]
			if b.Values[63] != last || b.Values[0] != []float64{10, 10, 0, 10, 10 + eg, eg}[k] || !math.IsNaN(b.Values[1]) ||
				b.Half != k/3 || b.Changes != (k%3 == 2) || b.Changes && (b.Middle != 0 || b.Most != 2+eg) {
				t.Errorf("%d: %s %v, %v ± %v", k, b.Title, b.Values, b.Middle, b.Most)
			}
		}
	}
}

// Weights of an external evaluation may have a unit of their own. It is not part of the id.
func TestUnit(t *testing.T) {
	text := func(unit string) []byte {
		return []byte(`{"format":"assay.weights/1","model":"mine","unit":"` + unit +
			`","K":1,"provenance":{},"terms":[{"name":"a","mg":3}]}`)
	}
	centipawns, err := ParseAny("w.json", text("centipawn"))
	if err != nil || centipawns.Unit != 0 || centipawns.Units() != "centipawns" ||
		centipawns.UnitName() != "centipawn" {
		t.Fatalf("%v %+v", err, centipawns)
	}
	for unit, want := range map[string]float64{"1/256 pawn": 256, "1/62.5 pawn": 62.5, "1/100 pawn": 0} {
		f, err := ParseAny("w.json", text(unit))
		if err != nil || f.Unit != want || f.ID() != centipawns.ID() {
			t.Errorf("%s: %v, %+v", unit, err, f)
			continue
		}
		encoded, err := f.Encode()
		if want != 0 && !bytes.Contains(encoded, []byte(`"unit": "`+unit+`"`)) {
			t.Errorf("%s: %v %s", unit, err, encoded)
		}
		if again, err := ParseAny("w.json", encoded); err != nil || again.Unit != want {
			t.Errorf("%s: %v %+v", unit, err, again)
		}
	}
	for _, unit := range []string{"pawn", "1/5 pawn", "1/20000 pawn", "1/x pawn", "1/NaN pawn", "256", "1/256"} {
		if _, err := ParseAny("w.json", text(unit)); err == nil ||
			!strings.Contains(err.Error(), "with N from 10 to 10000 engine units, got") {
			t.Errorf("%s: %v", unit, err)
		}
	}
	own := setup.Must(Embedded("shannon-1950"))
	own.Unit = 256
	if _, err := own.Encode(); err == nil || !strings.Contains(err.Error(), "are in centipawns") {
		t.Errorf("our own model: %v", err)
	}
	f := foreignFile(t)
	f.Unit = 256
	var b strings.Builder
	if err := f.Export(&b, "c"); err != nil || !strings.Contains(b.String(), "in engine units; written by") {
		t.Errorf("%v\n%s", err, b.String())
	}
	if f.Unit = 3; f.Export(&b, "c") == nil {
		t.Error("three units a pawn are exported")
	}
}
