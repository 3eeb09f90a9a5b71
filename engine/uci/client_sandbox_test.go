package uci

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/uci/sandbox"
)

// A contained engine plays. What it tries beside that is reported, and stands in its log. When
// half of its processor time is over, the next game starts it again.
func TestClientContainsItsProgram(t *testing.T) {
	if err := sandbox.Available(); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "toy-rogue")
	if out, err := exec.Command("go", "build", "-o", path, "./testdata/nullengine").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := NewClient(Command{Path: path, Sandbox: &sandbox.Limits{Memory: 256},
		StartTimeout: time.Minute, MoveTimeout: time.Minute})
	defer c.Close()
	acts := make(chan string, 10)
	c.OnContained(func(act string) { acts <- act })
	if err := c.NewGame(1); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Search(t.Context(), board.NewGame(board.StartPosition()), engine.Limits{Nodes: 1}); err != nil {
		t.Fatal(err)
	}
	if a, b := <-acts, <-acts; !strings.HasSuffix(a, "rogue-was-here") || b != "open a socket" {
		t.Errorf("reported %q and %q", a, b)
	}
	if log := c.Log(); !strings.Contains(log, "its sandbox refused it to") || !strings.Contains(log, "open a socket") {
		t.Error(log)
	}
	first := c.process.pid
	if err := c.NewGame(2); err != nil || c.process.pid != first {
		t.Errorf("%v: it was started again too early", err)
	}
	c.command.Sandbox.Time = time.Nanosecond // too short for a start
	if err := c.NewGame(3); err == nil || !strings.Contains(err.Error(), "processor time: want") {
		t.Errorf("it was not started again: %v", err)
	}
}
