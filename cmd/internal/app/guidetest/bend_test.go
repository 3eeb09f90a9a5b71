package guidetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// TestGuideBendMyEvaluation runs the commands of the guide on the engine with a formula.
func TestGuideBendMyEvaluation(t *testing.T) {
	cc, features := withCompiler(t)
	if out, err := exec.Command(cc, "-O2", "-I"+features, "-o", "engine",
		filepath.Join(features, "testdata", "bent.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ran, formula := 0, false
	var commands []string
	for _, block := range guideBlocks(t, "bend-my-evaluation") {
		switch {
		case strings.HasPrefix(block, "value = "): // of the guide's engine, whose danger is plain
			formula = true
			block = strings.Replace(block, "balance(danger)", "balance(danger.mg)", 1)
			setup.Check(t, os.WriteFile("linear.txt", []byte(block), 0o666))
		case strings.HasPrefix(block, "assay "):
			for line := range strings.Lines(block) {
				commands = append(commands, strings.TrimSpace(line))
			}
		}
	}
	for _, line := range append([]string{
		"assay selfplay --games 100 --nodes 30 --hard-nodes --opening-nodes 50 --out games",
		"assay data positions games --preset texel --out positions",
	}, commands...) {
		code, stdout, stderr := call(t, quotedFields(line)[1:]...)
		if code != exitDone {
			t.Fatalf("%s: exit %d: %s%s", line, code, stdout, stderr)
		}
		if ran++; strings.Contains(line, " tune ") && !strings.Contains(stdout, "The formula is ") {
			t.Errorf("%s: %s", line, stdout)
		}
	}
	if ran != 4 || !formula {
		t.Errorf("%d commands, formula %v", ran, formula)
	}
}
