package gamelog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/selfplay"
)

// A folder has the logs of a hundred games at most, one a game.
func TestKeepFaultLog(t *testing.T) {
	dir := t.TempDir()
	keep := func(n uint64, log string) {
		t.Helper()
		r := selfplay.Result{Number: n, Termination: selfplay.PlayerFailed, Fault: "white: crashed",
			Players: [2]string{"uci:a", "b"}, FaultLog: log}
		if err := KeepFaultLog(dir, &r); err != nil {
			t.Fatal(err)
		}
	}
	keep(3, "")
	if n := FaultLogs(dir); n != 0 {
		t.Errorf("%d logs of players that keep none", n)
	}
	for n := range uint64(maxFaultLogs + 20) {
		keep(n, "> go\n")
		keep(n, fmt.Sprintf("> go nodes %d\n", n))
	}
	if n, more := FaultLogs(dir), MissingFaultLogs(dir, maxFaultLogs+20); n != maxFaultLogs || more != 20 {
		t.Errorf("%d logs, %d more", n, more)
	}
	text, err := os.ReadFile(filepath.Join(dir, FaultsName, "game-7.txt"))
	if want := "game 7: player-failed\nwhite: crashed\nWhite uci:a\nBlack b\n\n> go nodes 7\n"; err != nil ||
		string(text) != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
	if _, err := os.Stat(filepath.Join(dir, FaultsName, "game-100.txt")); !os.IsNotExist(err) {
		t.Errorf("the 101st: %v", err)
	}
	for _, e := range []string{"game-0.txt", "game-99.txt"} {
		if text, err := os.ReadFile(filepath.Join(dir, FaultsName, e)); err != nil || !strings.Contains(string(text),
			"> go nodes") {
			t.Errorf("%s: %q, %v", e, text, err)
		}
	}
}
