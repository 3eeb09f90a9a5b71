package models

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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

// TestExportCompiles compiles the C header with a program that checks some weights.
func TestExportCompiles(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("cc is not installed")
	}
	dir := t.TempDir()
	f := fitted(t)
	m, _ := eval.Lookup("assay")
	at := func(name string) *TermWeight { i, _ := m.Term(name); return &f.Terms[i] }
	at("queen").MG, at("mobility.queen.27").EG, at("psq.pawn.e4").MG = 931, 77, -123
	var header bytes.Buffer
	setup.Check(t, f.Export(&header, "c"))
	const program = `#include "w.h"
int main(void) {
	return !(queen.mg == 931 && mobility_queen[27].eg == 77 && psq_pawn[28].mg == -123 && psq_pawn[0].mg == 0 &&
		sizeof psq_pawn == 64 * sizeof(SCORE));
}
`
	for name, text := range map[string]string{"w.h": header.String(), "main.c": program} {
		setup.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	bin := filepath.Join(dir, "main")
	if out, err := exec.Command(cc, "-std=c99", "-pedantic", "-Wall", "-Werror", "-o", bin,
		filepath.Join(dir, "main.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := exec.Command(bin).Run(); err != nil {
		t.Errorf("the header has other weights than the file: %v", err)
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
				if c.Index < 0 {
					continue
				}
				if c.Index != next || c.Name != m.Terms[next].Name {
					t.Fatalf("%s: %s holds %s (%d), want term %d", m.Name, a.Name, c.Name, c.Index, next)
				}
				next++
			}
		}
		if next != len(m.Terms) {
			t.Errorf("%s: arrays hold %d of %d terms", m.Name, next, len(m.Terms))
		}
	}
}

func TestExportJSON(t *testing.T) {
	f := fitted(t)
	var b bytes.Buffer
	setup.Check(t, f.Export(&b, "json"))
	if got, err := Parse("w.json", b.Bytes()); err != nil || got.ID() != f.ID() {
		t.Errorf("exported JSON reads back as %v, %v", got, err)
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
