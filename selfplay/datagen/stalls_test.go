package datagen

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog/gamelogtest"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// The stalls of the runner are counted by player, and kept out of the data.
func TestStallsAreReported(t *testing.T) {
	c := config(t, 40)
	c.Runner = &gamelogtest.Changing{Runner: &selfplay.Local{Open: toy.Open, Workers: 2},
		Change: func(r *selfplay.Result) {
			r.Time = [2]time.Duration{1, 1}
			r.Stalls[(r.Number+1)%2] = 1 // b has Black in the first game
		}}
	s := run(t, c)
	if len(s.Warnings) != 2 || !strings.Contains(s.Warnings[0], "40 of 40 games") || !strings.Contains(s.Warnings[1],
		"toy b may cause it") {
		t.Errorf("warnings %q", s.Warnings)
	}
	plain := config(t, 40)
	run(t, plain)
	same(t, c.Out, plain.Out)
}

// A program that does not know "go nodes" is named, and the other player is not.
func TestIgnoredNodesAreReported(t *testing.T) {
	c := config(t, 10)
	c.Players[1].Spec = engine.Spec{}.WithProgram("./hasty")
	c.Runner = &gamelogtest.Changing{Runner: &selfplay.Local{Open: toy.Open, Workers: 2},
		Change: func(r *selfplay.Result) { r.Nodes[r.Number%2], r.Nodes[(r.Number+1)%2] = 10_000, 30 }}
	s := run(t, c)
	if len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0], "toy b searched ") {
		t.Errorf("warnings %q", s.Warnings)
	}
}
