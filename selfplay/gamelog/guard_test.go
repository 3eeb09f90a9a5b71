package gamelog

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/selfplay"
)

// TestBlame: the machine is to blame if it was busier than its cores, or stood still, and a player lost on time;
// not if a player crashed, and not on a free machine.
func TestBlame(t *testing.T) {
	busy, free := machine.Load{Threads: 9, Cores: 2, Time: time.Second}, machine.Load{Threads: 2, Cores: 2, Time: time.Second}
	for name, c := range map[string]struct {
		why     board.Termination
		late    bool
		stalls  [2]int
		load    machine.Load
		machine bool
	}{
		"busy":        {selfplay.TimeForfeit, true, [2]int{}, busy, true},
		"no answer":   {selfplay.PlayerFailed, true, [2]int{}, busy, true},
		"stood still": {selfplay.TimeForfeit, true, [2]int{1, 0}, machine.Load{}, true},
		"free":        {selfplay.TimeForfeit, true, [2]int{}, free, false},
		"not known":   {selfplay.TimeForfeit, true, [2]int{}, machine.Load{}, false},
		"crashed":     {selfplay.PlayerFailed, false, [2]int{}, busy, false},
		"illegal":     {selfplay.IllegalMove, false, [2]int{}, busy, false},
	} {
		g := Guard{Names: []string{"new", "base"},
			Who: func(game uint64, side board.Color) int { return int(game+uint64(side)) % 2 }, Slots: 1}
		for n := range uint64(4) { // new loses each of them
			result := board.GameResult(-1)
			if n%2 == 1 {
				result = 1
			}
			g.Count([]selfplay.Result{{Number: n, Result: result, Termination: c.why, Late: c.late, Stalls: c.stalls,
				Time: [2]time.Duration{1, 1}}})
		}
		g.Blame(c.load)
		g.Blame(c.load) // a resumed run asks again
		err := g.Err()
		if !errors.Is(err, selfplay.ErrNoVerdict) || errors.Is(err, selfplay.ErrBusy) != c.machine ||
			strings.HasPrefix(g.Reason(), selfplay.ErrBusy.Error()) != c.machine ||
			strings.Count(err.Error(), "busier") > 1 || !strings.Contains(err.Error(), "new forfeited 2 of 2 games") {
			t.Errorf("%s: %v (%s), the machine is to blame: want %v", name, err, g.Reason(), c.machine)
		}
	}
}

// TestWarnings: a program that searches far less than its limit is named, by the games whose nodes are known.
func TestWarnings(t *testing.T) {
	program := engine.Spec{}.WithProgram("./engine")
	names := []string{"good", "hasty", "new"}
	var players []selfplay.Player
	for _, name := range names {
		players = append(players, selfplay.Player{Spec: program, ID: name})
	}
	g := Guard{Names: names,
		Who: func(game uint64, side board.Color) int { return int(game+uint64(side)) % 2 }, Slots: 1}
	limits := selfplay.Limits{Nodes: 1000}
	if list := g.Warnings(limits, players...); len(list) > 0 {
		t.Errorf("before the first game: %q", list)
	}
	for n := range uint64(4) {
		r := selfplay.Result{Number: n, Moves: make([]board.Move, 12), Opening: 2, Nodes: [2]uint64{4500, 150}}
		if n%2 == 1 {
			r.Nodes[0], r.Nodes[1] = r.Nodes[1], r.Nodes[0]
		}
		g.Count([]selfplay.Result{r})
	}
	g.Count([]selfplay.Result{{Number: 4, Moves: make([]board.Move, 900)}}) // of a file that has no nodes
	list := g.Warnings(limits, players...)
	if len(list) != 1 || !strings.HasPrefix(list[0], "hasty searched 30 nodes a ply, and its limit is 1000") {
		t.Errorf("%q", list)
	}
}
