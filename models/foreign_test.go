package models

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
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

// The C header of a foreign evaluation against a golden file, and with a program that checks some weights.
func TestExportForeign(t *testing.T) {
	var b bytes.Buffer
	setup.Check(t, foreignFile(t).Export(&b, "c"))
	path := filepath.Join("testdata", "mine.h")
	if *update {
		setup.Check(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	if want, err := os.ReadFile(path); err != nil || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s differs from the export (%v): run go test ./models -update and look at git diff", path, err)
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("cc is not installed")
	}
	bin := filepath.Join(t.TempDir(), "mine")
	c := exec.Command("cc", "-std=c99", "-x", "c", "-pedantic", "-Wall", "-Wno-unused", "-Werror", "-o", bin, "-")
	c.Stdin = strings.NewReader(b.String() + "int main(void) { return !(pst_1[1].mg == 7 && material[0].eg == 94 && " +
		"double_.eg == -10 && scale[1] == tempo); }\n")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := exec.Command(bin).Run(); err != nil {
		t.Errorf("other weights than the file's: %v", err)
	}
}
