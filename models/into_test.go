package models

import (
	"bytes"
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
			text = "#define S(mg, eg) ((mg) * 65536 + (eg))\n" + text + "int main(void) { return !(pst[1][1] == 7 * " +
				"65536 + 8 && material[0] == S(82, 94) && double_ == S(-9, -10) && scale[1] == tempo); }\n"
			compiler = []string{"cc", "-std=c99", "-x", "c"}
		case "cpp":
			text += "static_assert(pst[0][1].eg == -4 && material[1].mg == 337 && double_.eg == -10 && scale[0] == " +
				"11 && tempo == 12, \"\");\nint main() {}\n"
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
		c := exec.Command(compiler[0], append(compiler[1:], "-pedantic", "-Wall", "-Wno-unused", "-Werror", "-o", bin,
			"-")...)
		c.Stdin = strings.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", language, err, out)
		}
		if err := exec.Command(bin).Run(); err != nil {
			t.Errorf("%s: other weights than the file's: %v", language, err)
		}
	}
}
