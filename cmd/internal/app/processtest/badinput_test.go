package processtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/models"
)

// TestBadFENs gives each command that takes a FEN the bad ones from the tests of board. The
// command must exit with 1, name the FEN and print no result.
func TestBadFENs(t *testing.T) {
	list, err := os.ReadFile("../../../../engine/board/testdata/bad_fens.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(list)) {
		mention, fen, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if fen[0] == '"' {
			if fen, err = strconv.Unquote(fen); err != nil {
				t.Fatal(err)
			}
		}
		n++
		for _, args := range [][]string{{"eval", "--", fen}, {"perft", "--", fen, "2"},
			{"historic", "prinz", "--", fen}, {"historic", "explain", "torres-1890", "--", fen}} {
			if fen == "startpos" && (args[0] == "eval" || args[0] == "perft" || args[1] == "explain") {
				continue // these take startpos
			}
			code, stdout, stderr := call(t, args...)
			if code != exitFailed || stdout != "" || !strings.Contains(stderr, mention) {
				t.Errorf("assay %q: exit %d, stdout %q, stderr %q; want exit 1 and an error with %q", args, code, stdout, stderr,
					mention)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d bad FENs", n)
	}
}

// TestBadWeightFiles damages a weight file in many ways and gives it to each command that
// takes one.
func TestBadWeightFiles(t *testing.T) {
	f := setup.Must(models.Embedded("shannon-1950"))
	good := setup.Must(f.Encode())
	replace := func(old, now string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("the file has no %q:\n%s", old, good)
		}
		return strings.Replace(string(good), old, now, 1)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty":        "",
		"unknown-term": replace(`"queen"`, `"quine"`),
		"missing-term": replace(`"name": "queen", `, ``),
		"nan":          replace(`900`, `NaN`),
		"quoted-nan":   replace(`900`, `"NaN"`),
		"huge":         replace(`900`, `1e300`),
		"fraction":     replace(`900`, `900.5`),
		"out-of-range": replace(`900`, `900000`),
		"no-format":    replace(`"format"`, `"farmat"`),
		"old-format":   replace(`weights/1`, `weights/0`),
		"other-model":  replace(`"shannon-1950"`, `"shannon-1951"`),
		"truncated":    string(good[:len(good)/2]),
		"doubled":      string(good) + string(good),
		"deep":         strings.Repeat("[", 100000),
		"binary":       "\x00\xff\x00ARROW1",
		"array":        "[]",
	} {
		path := filepath.Join(dir, name+".json")
		setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
		for _, args := range [][]string{
			{"eval", "8/5k2/8/3KP3/8/8/8/8 w - - 0 1", "--weights", path},
			{"weights", "show", path},
			{"bench", "--weights", path},
			{"match", "assay:weights=" + path, "assay", "--games", "2", "--nodes", "10"},
			{"selfplay", "--out", filepath.Join(dir, name+"-games"), "--games", "2", "--nodes", "10", "--weights", path},
			{"learn", "--from", path, "--out", filepath.Join(dir, name+"-run")},
		} {
			if name == "other-model" && args[0] == "weights" {
				continue // it shows weights of any evaluation
			}
			code, stdout, stderr := call(t, args...)
			if code != exitFailed || stdout != "" || !strings.Contains(stderr, name+".json") {
				t.Errorf("assay %q: exit %d, stdout %q, stderr %q; want exit 1 and an error that names the file", args, code,
					stdout, stderr)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, name+"-games")); err == nil {
			t.Errorf("%s: selfplay left a folder for games that cannot be played", name)
		}
	}
	if _, err := os.Stat(report.Dir); err == nil {
		t.Error("learn left a run for weights that cannot be read")
	}
}
