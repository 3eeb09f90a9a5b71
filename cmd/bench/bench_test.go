package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-3 }

// The interval of three rounds by hand: log ratios 0, ln 2 and ln 4 have mean ln 2, standard
// error ln 2 / √3, and Student's t with two degrees of freedom is 4.303.
func TestPaired(t *testing.T) {
	half := math.Exp(math.Ln2 / math.Sqrt(3) * 4.30265)
	r := paired([]float64{1, 2, 8}, []float64{1, 1, 2})
	if !near(r.value, 2) || !near(r.lo, 2/half) || !near(r.hi, 2*half) {
		t.Errorf("paired() = %v, want 2 [%v, %v]", r, 2/half, 2*half)
	}
}

func TestPgnPlies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.pgn")
	text := "[Event \"a 1-0\"]\n\n1. e4 {+0.10/8 0.1s} e5 2. Nf3 *\n\n[FEN \"x\"]\n\n12... O-O 13. e8=Q# 1-0\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if n, err := pgnPlies(path); n != 5 || err != nil {
		t.Errorf("pgnPlies() = %v, %v, want 5", n, err)
	}
}

// A row in which assay does twice the work of a peer, another peer is missing and a third
// fails; then the same row, in which assay is twice as fast as before.
func TestTableAndComparison(t *testing.T) {
	table := func(speed float64) savedTable {
		works := func(name string, work float64) side {
			return side{name: name, work: always(work), start: func() ([]byte, float64, error) { return nil, 2, nil }}
		}
		fails := works("fails", 0)
		r := row{"job", "k nodes", 1000, []side{works("assay", 8000*speed), works("peer", 4000), {name: "gone", missing: "not installed"}, fails}}
		return savedTable{Version: "assay", Rows: []savedRow{r.measure(3)}}
	}
	before, after := table(1), table(2)
	var text strings.Builder
	before.Rows[0].print(&text)
	for _, want := range []string{"job, assay\t4 k nodes\t-", "job, peer\t2 k nodes\t2.000 [2.000, 2.000]", "job, gone\tnot measured: not installed\t-", "job, fails\tnot measured: 0 pieces"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, text.String())
		}
	}
	text.Reset()
	if err := compare(&text, before, after); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"job\t2.000 [2.000, 2.000]\n", "job, against peer\t2.000 ["} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, text.String())
		}
	}
	if err := compare(&text, savedTable{}, after); err == nil {
		t.Error("two tables without a row in common are compared")
	}
}
