package app

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/quote"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Games that an external engine forfeits count with their termination, and self-play goes on until
// there are too many; then the error says what to do.
func TestSelfplayWithAnEngineThatForfeits(t *testing.T) {
	path := testengine.Build(t, "badengine")
	specs := map[string]string{}
	for _, mode := range []string{"crash-rarely", "crash-often"} {
		spec, mark := badPlayer(path, mode)
		specs[mode] = spec
		defer testengine.NoneLeft(t, mark)
	}
	selfplay := func(mode, games, out string, flags ...string) (code int, stdout, stderr string) {
		return call(t, append([]string{"selfplay", "--players", specs[mode], "--games", games, "--nodes", "5",
			"--max-plies", "6", "--opening-score", "-1", "--json", "--out", out}, flags...)...)
	}
	var r datagen.Summary
	out := filepath.Join(t.TempDir(), "rarely")
	code, stdout, stderr := selfplay("crash-rarely", "200", out)
	if err := json.Unmarshal([]byte(stdout), &r); code != exitDone || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, stderr)
	}
	n := r.Terminations["player-failed"]
	if n < 1 || n > 8 || r.Games != 200 || r.Forfeits() != n || gamelog.FaultLogs(out) != int(n) ||
		strings.Count(stderr, ": player-failed: ") != int(n) {
		t.Errorf("%d forfeits of %d games, %d logs: %s", n, r.Games, gamelog.FaultLogs(out), stderr)
	}
	out = filepath.Join(t.TempDir(), "often")
	for range 2 { // the second time it says so without a game
		code, _, stderr = selfplay("crash-often", "60", out)
		for _, want := range []string{" forfeited ", "too many where 2 % are tolerated",
			"the games are kept in " + quote.Word(out),
			"--recover", "--max-forfeits"} {
			if code != exitFailed || !strings.Contains(stderr, want) {
				t.Errorf("exit %d, no %q: %s", code, want, stderr)
			}
		}
	}
	if code, stdout, stderr = selfplay("crash-often", "60", out, "--recover"); code != exitDone ||
		!strings.Contains(stdout, `"games":60`) {
		t.Errorf("with --recover: exit %d, %s", code, stderr)
	}
}
