//go:build experiment

package processtest

import (
	"os"
	"strings"
	"testing"
)

// TestLearnEngineWhole is the whole loop with all its matches: from pieces that are all worth a pawn to a patch that
// applies.
func TestLearnEngineWhole(t *testing.T) {
	f := newFlint(t, "S(300, 300), S(300, 300), S(500, 500), S(900, 900)",
		"S(100, 100), S(100, 100), S(100, 100), S(100, 100)",
		"nodes = 150", "games = 400", "lambda = 1", "gate = '0,150'", "final_games = 240",
		"clock_games = 2", "clock = '1+0.01'")
	code, stdout, stderr := call(t, "learn", "--engine", ".", "--out", "runs/tuned", "--generations", "1")
	if code != exitDone || !strings.HasPrefix(stdout, "gain proved: +") ||
		!strings.Contains(stdout, "git am runs/tuned/engine.patch") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(f.run("report.html")); err != nil {
		t.Error(err)
	}
	f.git("am", f.run("engine.patch"))
}
