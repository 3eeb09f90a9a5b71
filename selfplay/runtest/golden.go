package runtest

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata")

var long = regexp.MustCompile(`-?[0-9]+\.[0-9]{7,}(e-?[0-9]+)?`)

// Golden compares a text, its numbers rounded to a number of digits, with a file of testdata. With -update it writes
// the file first.
func Golden(t *testing.T, name, text string, digits int) {
	t.Helper()
	path := filepath.Join("testdata", name)
	text = long.ReplaceAllStringFunc(text, func(number string) string {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(v, 'g', digits, 64)
	})
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, had := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(had)) {
		if i >= len(got) || i >= len(had) || got[i] != had[i] {
			t.Fatalf("%s differs from line %d on; run with -update and read the difference\n%s", path, i+1, text)
		}
	}
}
