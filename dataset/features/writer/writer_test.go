package writer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/internal/setup"
)

// fens are two short positions with a flush between them, and one whose counts need float32.
const fens = "8/8/8 w\n\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\r\n" +
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/long/long/long/long/long/long/long/long/long/long/long/long/long/long/long/long w KQkq - 0 1\n"

// weightFile is a weight file of the terms of odd or bent, as assay tune writes it.
func weightFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weights.json")
	text := "{\n  \"format\": \"assay.weights/1\",\n  \"model\": \"t\",\n  \"terms\": [\n    " +
		strings.Join(lines, ",\n    ") + "\n  ]\n}\n"
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// loads are weight files of three terms, a tapered one, one with a single value and a scalar with the step 0.5, and
// the error, or the values as the engines of testdata print them.
var loads = []struct {
	lines []string
	want  string
}{
	{[]string{`{"name": "a", "mg": -104, "eg": 131, "fit_mg": -103.9, "count": 7}`, `{"name": "b<\"\\", "mg": 9}`,
		`{"name": "k", "mg": 3, "step": 0.5}`}, "-104 131 9 9 1.5"},
	{[]string{`{"name": "k", "mg": 3, "step": 0.5}`, `{"name": "a", "mg": 1, "eg": 0}`, `{"name": "b\u003c\u0022\\", "mg": 0}`},
		"1 0 0 0 1.5"},
	{[]string{`{"name": "a", "mg": 1, "eg": 0}`, `{"name": "k", "mg": 3}`}, "error"},
	{[]string{`{"name": "a", "mg": 1, "eg": 0}`, `{"name": "k", "mg": 3}`, `{"name": "c", "mg": 3}`}, "error"},
	{[]string{`{"name": "a", "mg": 1, "eg": 0}`, `{"name": "k", "mg": 3}`, `{"name": "b<\"\\", "mg": 9}`, `{"name": "c", "mg": 3}`},
		"error"},
}

func TestLoad(t *testing.T) {
	for _, c := range loads {
		terms := []Term{{Name: "a", MG: 5, EG: 6}, {Name: `b<"\`, Kind: "single"},
			{Name: "k", Kind: "scalar", MG: 9, Step: 0.5}}
		err := Load(weightFile(t, c.lines...), terms)
		got := fmt.Sprint(terms[0].MG, terms[0].EG, terms[1].MG, terms[1].EG, terms[2].MG)
		if err != nil && got == "5 6 0 0 9" {
			got = "error"
		}
		if got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.lines, got, err, c.want)
		}
	}
	if err := Load("writer.go", nil); err == nil || !strings.Contains(err.Error(), "no weight file") {
		t.Error(err)
	}
}

// odd does what the engines of testdata do.
func odd(how string) (string, error) {
	var out bytes.Buffer
	bySide := how == "sides"
	h := Header{Model: `t"\`, Unit: 256, Float: true, BySide: bySide, Resolves: true, Terms: []Term{
		{Name: "a", Group: "g", MG: 100, EG: 120.5}, {Name: "b", Group: "g", MG: -3, EG: -3, Kind: "flat",
			Asymmetric: true}, {Name: "c", Group: "h", MG: 7, EG: 7, Kind: "single"},
		{Name: "d.3", Group: "h", MG: 23, Kind: "mg"}, {Name: "e.1.3", Group: "h", EG: 1, Kind: "eg", Fixed: true},
	}}
	if !bySide {
		h.EGScale = "sign"
	}
	w := New(strings.NewReader(fens), &out, h)
	for fen, ok := w.Next(); ok; fen, ok = w.Next() {
		n := int32(len(fen))
		switch how {
		case "bad":
			w.Add(5, 1)
		case "sides":
			w.AddSides(2, float32(n), 1)
			w.AddSides(0, 0.5, 2)
			w.AddSides(3, 1, 0)
			w.Write(Record{Phase: 1.25, Scale: 1, EGScale: 1, Offset: -3.5, Halves: []int32{n, 2, 3}, ScaleWhite: 0.5,
				ScaleBlack: 0.75, Leaf: fen})
		default:
			w.Add(2, float32(n))
			w.Add(0, 1)
			w.Add(0, -1)
			w.Add(1, -2)
			w.Add(4, 77)
			w.Write(Record{Phase: 0.5, Scale: 2, EGScale: 0.25, Offset: -3.5, Eval: float32(n), HasEval: true,
				Halves: []int32{n, -n}, Leaf: fen})
		}
	}
	return out.String(), w.Err()
}

// bent writes records of an evaluation with a formula.
func bent(how string) (string, error) {
	var out bytes.Buffer
	w := New(strings.NewReader(fens), &out, Header{
		Model: "bent", Formula: "value = main.mg*phase + main.eg*(1 - phase) # \"odd\"\n + balance(danger^2*f)/k + g",
		Channels: []Channel{{Name: "main"}, {Name: "danger", Kind: "plain", Sides: true}},
		Columns:  []Column{{Name: "f", Sides: true}, {Name: "g"}},
		Terms: []Term{
			{Name: "a", Group: "g", MG: 100, EG: 120.5, Channel: "main"}, {Name: "b", Group: "h", MG: 3, Channel: "danger",
				Kind: "single"},
			{Name: "k", Kind: "scalar", MG: 2.5, Step: 0.5},
		},
	})
	for fen, ok := w.Next(); ok; fen, ok = w.Next() {
		n := float32(len(fen))
		if n < 10 {
			w.Add(0, 9)
			w.Write(Record{Skip: "KPK"})
			continue
		}
		w.Add(0, 2)
		w.AddSides(1, n, 1)
		w.AddSides(1, 0, 0.25)
		columns := []float32{0.5, 0.75, n}
		if how == "columns" {
			columns = columns[:2]
		}
		w.Write(Record{Phase: 0.5, Scale: 1, EGScale: 1, Eval: n, HasEval: true, Columns: columns})
	}
	return out.String(), w.Err()
}

// The writers in C, C++, Python and Rust print what the one in Go prints: the same header, and
// records byte for byte.
func TestWritersAgree(t *testing.T) {
	for _, c := range []struct {
		name, needs, install string
		build                []string // with the program's path as the last word; none for a script
		run                  []string
	}{
		{"C", "cc", "apt-get install gcc", strings.Fields("cc -std=c99 -Wall -Wextra -pedantic -Werror " +
			"testdata/engine.c -o"), nil},
		{"C++", "c++", "apt-get install g++", strings.Fields("c++ -x c++ -std=c++17 -Wall -Wextra -pedantic -Werror " +
			"testdata/engine.c -o"), nil},
		{"Rust", "rustc", "apt-get install rustc", strings.Fields("rustc -D warnings testdata/engine.rs -o"), nil},
		{"Python", "python3", "apt-get install python3", nil, []string{"python3", "-B", "testdata/engine.py"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !datatest.Soak && (c.name == "C++" || c.name == "Rust") {
				t.Skip("takes long to compile")
			}
			// A launcher of several versions is there without any of them.
			if err := exec.Command(c.needs, "--version").Run(); err != nil {
				t.Skipf("needs %s: %s", c.needs, c.install)
			}
			command := c.run
			if c.build != nil {
				program := filepath.Join(t.TempDir(), "engine")
				if text, err := exec.Command(c.build[0], append(c.build[1:], program)...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				command = []string{program}
			}
			for _, how := range []string{"plain", "sides", "bent"} {
				write := odd
				if how == "bent" {
					write = bent
				}
				want := setup.Must(write(how))
				cmd := exec.Command(command[0], append(command[1:], how)...)
				cmd.Stdin, cmd.Stderr = strings.NewReader(fens), os.Stderr
				got := setup.Must(cmd.Output())
				gotHeader, gotRecords, _ := strings.Cut(string(got), "\n")
				wantHeader, wantRecords, _ := strings.Cut(want, "\n")
				if gotRecords != wantRecords {
					t.Errorf("%s: records\n%q, want\n%q", how, gotRecords, wantRecords)
				}
				var a, b map[string]any
				if err := json.Unmarshal([]byte(gotHeader), &a); err != nil {
					t.Fatalf("%s: %v", gotHeader, err)
				}
				if err := json.Unmarshal([]byte(wantHeader), &b); err != nil || !reflect.DeepEqual(a, b) {
					t.Errorf("%s: header\n%s, want\n%s", how, gotHeader, wantHeader)
				}
			}
			for _, l := range loads {
				path := weightFile(t, l.lines...)
				got, err := exec.Command(command[0], append(command[1:], "load", path)...).Output()
				if err != nil || strings.TrimSpace(string(got)) != l.want {
					t.Errorf("load of %q: %s, %v; want %s", l.lines, got, err, l.want)
				}
			}
			if c.needs != "cc" {
				return
			}
			cmd := exec.Command(command[0], "bad")
			cmd.Stdin = strings.NewReader(fens)
			if text, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(text), "assay_add of a term that "+
				"assay_begin does not have (5)") {
				t.Errorf("a bad term: %v, %q", err, text)
			}
			cmd = exec.Command(command[0], "mixed")
			cmd.Stdin = strings.NewReader(fens)
			if text, err := cmd.CombinedOutput(); err == nil ||
				!strings.Contains(string(text), "needs assay_add_sides(term, white, black), not assay_add; term (1)") {
				t.Errorf("assay_add of a term of each side: %v, %q", err, text)
			}
		})
	}
}

// An engine that copies the writer may have an old go.mod.
func TestOldGo(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("writer.go")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "writer.go"), text, 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module engine\n\ngo 1.18\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestBadTerm(t *testing.T) {
	if _, err := odd("bad"); err == nil || !strings.Contains(err.Error(), "term 5 of 5") {
		t.Errorf("%v", err)
	}
	if _, err := bent("columns"); err == nil || !strings.Contains(err.Error(), "2 numbers in columns, want 3") {
		t.Errorf("%v", err)
	}
	for name, add := range map[string]func(w *Writer){
		"use AddSides(term, white, black), not Add":  func(w *Writer) { w.Add(1, 2) },
		"use Add(term, white - black), not AddSides": func(w *Writer) { w.AddSides(0, 2, 1) },
	} {
		w := New(strings.NewReader(""), io.Discard, Header{Formula: "value = m + balance(d)",
			Channels: []Channel{{Name: "m", Kind: "plain"}, {Name: "d", Kind: "plain", Sides: true}},
			Terms:    []Term{{Name: "a", Channel: "m"}, {Name: "b", Channel: "d"}}})
		if add(w); w.Err() == nil || !strings.Contains(w.Err().Error(), name) {
			t.Errorf("%v, want %s", w.Err(), name)
		}
	}
	w := New(strings.NewReader(""), io.Discard, Header{Terms: []Term{{Name: "a"}}})
	if w.AddSides(0, 1, 1); w.Err() == nil {
		t.Error("a count of Black that is written nowhere")
	}
}

// Sums of float counts do not depend on the order in which they are added, so that a mirrored position has the
// same ones.
func TestSumsInDouble(t *testing.T) {
	parts := []float32{0.1, 0.7, 1e3, 0.3, 1e-3, 77.7, 0.9}
	record := func(sign float32, reverse bool) string {
		var out bytes.Buffer
		w := New(strings.NewReader("x\n"), &out, Header{Float: true, Terms: []Term{{Name: "a"}}})
		w.Next()
		for i := range parts {
			if reverse {
				i = len(parts) - 1 - i
			}
			w.Add(0, sign*parts[i])
		}
		w.Write(Record{})
		w.Next()
		_, records, _ := strings.Cut(out.String(), "\n")
		return records
	}
	a, b := record(1, false), record(-1, true)
	if n, m := a[len(a)-4:], b[len(b)-4:]; n[:3] != m[:3] || n[3]^m[3] != 0x80 {
		t.Errorf("the sums are % x and % x", n, m)
	}
}
