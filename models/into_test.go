package models

import (
	"bytes"
	"errors"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// foreignFile has every shape of array, and a term whose name is a word of C.
func foreignFile(t *testing.T) *File {
	t.Helper()
	f, err := ParseAny("mine.json", []byte(`{"format": "assay.weights/1", "model": "mine", "unit": "centipawn", "K": 0.005, "provenance": {}, "terms": [
{"name": "material.0", "mg": 82, "eg": 94}, {"name": "material.1", "mg": 337, "eg": 281},
{"name": "pst.0.0", "mg": 1, "eg": 2}, {"name": "pst.0.1", "mg": 3, "eg": -4}, {"name": "pst.1.0", "mg": 5, "eg": 6}, {"name": "pst.1.1", "mg": 7, "eg": 8},
{"name": "scale[2]", "mg": 11}, {"name": "scale[3]", "mg": 12},
{"name": "double", "mg": -9, "eg": -10}, {"name": "tempo", "mg": 12}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every built-in format of a foreign evaluation against a golden file; what is C compiles,
// and what is Go is formatted.
func TestExportForeign(t *testing.T) {
	f := foreignFile(t)
	dir := t.TempDir()
	for _, language := range []string{"tables", "c", "cpp", "rust", "go", "uci"} {
		var b bytes.Buffer
		if err := f.Export(&b, language); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "mine-"+language+".txt")
		if *update {
			if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s differs from the export (%v): run go test ./models -update and look at git diff", path, err)
		}
		text := b.String()
		var compiler []string
		switch language {
		case "tables":
			text = "#define S(mg, eg) ((mg) * 65536 + (eg))\n" + text + "int main(void) { return !(pst[1][1] == 7 * 65536 + 8 && material[0] == S(82, 94) && double_ == S(-9, -10) && scale[1] == tempo); }\n"
			compiler = []string{"cc", "-std=c99", "-x", "c"}
		case "cpp":
			text += "static_assert(pst[0][1].eg == -4 && material[1].mg == 337 && double_.eg == -10 && scale[0] == 11 && tempo == 12, \"\");\nint main() {}\n"
			compiler = []string{"c++", "-std=c++11", "-x", "c++"}
		case "go":
			src := []byte("package weights\n\n" + text)
			if formatted, err := format.Source(src); err != nil || !bytes.Equal(src, formatted) {
				t.Errorf("%v: gofmt changes\n%s", err, src)
			}
		}
		if compiler == nil {
			continue
		}
		if _, err := exec.LookPath(compiler[0]); err != nil {
			continue
		}
		bin := filepath.Join(dir, language)
		c := exec.Command(compiler[0], append(compiler[1:], "-pedantic", "-Wall", "-Wno-unused", "-Werror", "-o", bin, "-")...)
		c.Stdin = strings.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", language, err, out)
		}
		if err := exec.Command(bin).Run(); err != nil {
			t.Errorf("%s: other weights than the file's: %v", language, err)
		}
	}
}

const source = `#define S(mg, eg) ...
// assay:begin material tempo
// assay:end
int evaluate() {
	/* assay:begin pst.0 */
	old text, to be replaced
	/* assay:end */
}
`

func TestInto(t *testing.T) {
	f := foreignFile(t)
	text, err := ExportTemplate("tables")
	if err != nil {
		t.Fatal(err)
	}
	into := func(source string) (string, []string, error) {
		out, left, err := pasteRegions(f, []byte(source), "tables", text)
		return string(out), left, err
	}
	empty := strings.Replace(source, "\told text, to be replaced\n", "", 1)
	want := `#define S(mg, eg) ...
// assay:begin material tempo
static const int material[2] = {
	S(82, 94), S(337, 281),
};
static const int tempo = 12;
// assay:end
int evaluate() {
	/* assay:begin pst.0 */
	static const int pst_0[2] = {
		S(1, 2), S(3, -4),
	};
	/* assay:end */
}
`
	got, left, err := into(empty)
	if err != nil || got != want || strings.Join(left, " ") != "pst scale double" {
		t.Fatalf("%v, left %q\n%s", err, left, got)
	}
	if again, _, err := into(got); err != nil || again != got {
		t.Errorf("a second time: %v\n%s", err, again)
	}
	crlf := strings.ReplaceAll(empty, "\n", "\r\n")
	if got, _, err := into(crlf); err != nil || got != strings.ReplaceAll(want, "\n", "\r\n") {
		t.Errorf("CRLF: %v\n%q", err, got)
	}
	f.Terms[0].MG = 100
	if got, _, err := into(want); err != nil || got != strings.Replace(want, "S(82,", "S(100,", 1) {
		t.Errorf("other weights: %v\n%s", err, got)
	}
	for _, c := range []struct{ source, err string }{
		{source, "line 5: the region would lose the names be, old, replaced, text, to and get S, const, int, pst_0, static; if that is right, empty it"},
		{"int x;\n", "no markers"},
		{"// assay:begin\n", "line 1: no assay:end follows"},
		{"// assay:end\n", "line 1: assay:end without"},
		{"// assay:begin\n// assay:begin\n// assay:end\n", "line 2: assay:begin, but the one of line 1"},
		{"// assay:begin psts\n// assay:end\n", "line 1: no array or term of mine is named psts"},
		{"// assay:begin pst\n// assay:end\n// assay:begin\n// assay:end\n", "line 3: pst.0 is in an earlier region too"},
	} {
		if _, _, err := into(c.source); !errors.Is(err, errInto) || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v; want %q", c.source, err, c.err)
		}
	}
	f.Terms[1].Name = "material.7"
	f.Foreign[1].Name = "material.7"
	if _, _, err := into(empty); err == nil || !strings.Contains(err.Error(), "material.7 follows material.0: the elements of an array must be numbered without gaps") {
		t.Errorf("a gap: %v", err)
	}
}

// What all regions of a source need is defined once, in the first: with several regions, the
// file still compiles.
func TestIntoDefinesOnce(t *testing.T) {
	f := foreignFile(t)
	for _, c := range []struct {
		format, definition string
		compiler           []string
	}{
		{"cpp", "struct weights_score", []string{"c++", "-std=c++11", "-x", "c++"}},
		{"c", "typedef struct", []string{"cc", "-std=c99", "-x", "c"}},
	} {
		text, err := ExportTemplate(c.format)
		if err != nil {
			t.Fatal(err)
		}
		const regions = "// assay:begin material tempo\n// assay:end\n// assay:begin pst double\n// assay:end\n"
		out, _, err := pasteRegions(f, []byte(regions), c.format, text)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(out), c.definition); n != 1 {
			t.Errorf("%s: %d definitions in\n%s", c.format, n, out)
		}
		if again, _, err := pasteRegions(f, out, c.format, text); err != nil || !bytes.Equal(again, out) {
			t.Errorf("%s: a second time: %v\n%s", c.format, err, again)
		}
		if _, err := exec.LookPath(c.compiler[0]); err != nil {
			continue
		}
		compile := exec.Command(c.compiler[0], append(c.compiler[1:], "-Wall", "-Wno-unused", "-Werror", "-o", filepath.Join(t.TempDir(), c.format), "-")...)
		compile.Stdin = strings.NewReader(string(out) + "int main(void) { return material[1].mg + pst" + map[string]string{"c": "_1[1]", "cpp": "[1][1]"}[c.format] + ".eg + double_.eg - 337 - 8 + 10; }\n")
		if out, err := compile.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c.format, err, out)
		}
	}
}

// What a region held before shows what stands outside it: Black's values, and old numbers.
func TestIntoKnowsTheOldValues(t *testing.T) {
	f := weightsOf(t, piecesTerms("value"))
	text, err := ExportTemplate("tables")
	if err != nil {
		t.Fatal(err)
	}
	const source = "// assay:begin\nstatic const int value[5] = {\n\t100, 300, 320, 500, 900,\n};\n// assay:end\nint black_value[5] = {-100, -300, -320, -500, -900};\n#define MARGIN 320\n"
	p, err := f.Paste([]Source{{Name: "e.c", Text: []byte(source), Layout: "tables", Template: text}}, f.Held)
	if err != nil {
		t.Fatal(err)
	}
	want := "// assay:begin\nstatic const int value[5] = {\n\t111, 333, 344, 555, 999,\n};\n// assay:end\nint black_value[5] = {-111, -333, -344, -555, -999};\n#define MARGIN 320\n"
	if string(p.Files[0]) != want || len(p.Stale) != 1 || p.Stale[0] != "line 7: 320, the old value of value.2" {
		t.Errorf("%q\n%s\nwant\n%s", p.Stale, p.Files[0], want)
	}
	if _, err := f.Paste([]Source{{Name: "e.c", Text: []byte(source), Layout: "tables", Template: text}, {Name: "f.c", Text: []byte("int value[5] = {1, 2, 3, 4, 5};\n")}}, f.Held); err == nil {
		t.Error("a term in a region and in another file")
	}
}
