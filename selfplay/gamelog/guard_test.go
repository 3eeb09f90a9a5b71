package gamelog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
)

// count counts a game between the first two players.
func count(g *Guard, r *selfplay.Result) {
	players := [2]int{int(r.Number % 2), int((r.Number + 1) % 2)}
	g.Tally.Add(r, players)
	g.Count(func(uint64) [2]int { return players }, *r)
}

// TestBlame: the machine is to blame if it was busier than its cores, or stood still, and a player lost on time;
// not if a player crashed, and not on a free machine.
func TestBlame(t *testing.T) {
	busy, free := machine.Load{Threads: 9, Cores: 2, Time: time.Second}, machine.Load{Threads: 2, Cores: 2,
		Time: time.Second}
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
		g := Guard{Names: []string{"new", "base"}, Slots: 1}
		for n := range uint64(4) { // new loses each of them
			result := board.GameResult(-1)
			if n%2 == 1 {
				result = 1
			}
			count(&g, &selfplay.Result{Number: n, Result: result, Termination: c.why, Late: c.late, Stalls: c.stalls,
				Time: [2]time.Duration{1, 1}})
		}
		g.Blame(c.load)
		g.Blame(c.load) // a resumed run asks again
		err := g.err()
		if !errors.Is(err, selfplay.ErrNoVerdict) || errors.Is(err, selfplay.ErrBusy) != c.machine ||
			strings.HasPrefix(g.Reason(), selfplay.ErrBusy.Error()) != c.machine ||
			strings.Count(err.Error(), "busier") > 1 || !strings.HasSuffix(err.Error(),
			"new forfeited 2 of 2 games, too many where 2 % are tolerated; base forfeited 0") {
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
	g := Guard{Names: names, Slots: 1}
	limits := selfplay.Limits{Nodes: 1000}
	if list := g.Warnings(limits, players...); len(list) > 0 {
		t.Errorf("before the first game: %q", list)
	}
	for n := range uint64(4) {
		r := selfplay.Result{Number: n, Moves: make([]board.Move, 12), Opening: 2, Nodes: [2]uint64{4500, 150}}
		if n%2 == 1 {
			r.Nodes[0], r.Nodes[1] = r.Nodes[1], r.Nodes[0]
		}
		count(&g, &r)
	}
	count(&g, &selfplay.Result{Number: 4, Moves: make([]board.Move, 900)}) // of a file that has no nodes
	list := g.Warnings(limits, players...)
	if len(list) != 1 || !strings.HasPrefix(list[0], "hasty searched 30 nodes a ply, and its limit is 1000") {
		t.Errorf("%q", list)
	}
}

// What is counted of two games, in which the players change colours and the second forfeits by being late.
func TestTally(t *testing.T) {
	var c Tally
	for n, r := range []selfplay.Result{
		{Moves: make([]board.Move, 9), Opening: 2, Scores: []int16{0, 0, 5, engine.NoScore, 7, 8, 9, 10, 11},
			Result: board.WhiteWins, Termination: board.Checkmate, Nodes: [2]uint64{50, 40},
			Time: [2]time.Duration{7, 5}, Stalls: [2]int{0, 3}},
		{Moves: make([]board.Move, 4), Opening: 1, Result: board.BlackWins, Termination: selfplay.TimeForfeit, Late: true},
	} {
		c.Add(&r, [2]int{n, 1 - n})
		c.end(&r, [2]int{n, 1 - n})
	}
	want := Tally{Results: [3]int64{1, 0, 1}, Plies: 10,
		Terminations: map[string]int64{string(board.Checkmate): 1, string(selfplay.TimeForfeit): 1},
		Measured:     1, Stalled: 1, players: []playerTally{
			{Games: 2, Nodes: 50, Time: 7, searches: 3.5},
			{Games: 2, Forfeits: 1, Late: 1, Unscored: 1, Nodes: 40, Time: 5, Stalls: 3, searches: 3.5}}}
	if !reflect.DeepEqual(c, want) || c.Games() != 2 || c.Player(2) != (playerTally{}) {
		t.Errorf("counted\n%+v, want\n%+v", c, want)
	}
	var alone Tally
	if alone.end(&selfplay.Result{}, [2]int{}); alone.Player(0).Games != 1 {
		t.Errorf("a player against itself: %+v", alone)
	}
}

// A machine that voids pairs is found unfit when the number of games is a power of two, and at the end.
func TestVoidPairs(t *testing.T) {
	for pairs, reason := range map[int]string{1: "2 of 3 pairs of games were void", 2: "2 of 4 pairs", 3: ""} {
		g := Guard{Slots: 1}
		for n := range pairs {
			if n == pairs-1 {
				g.Tally.Void = 2
			}
			g.Count(func(uint64) [2]int { return [2]int{} }, make([]selfplay.Result, 2)...)
		}
		if !strings.HasPrefix(g.Reason(), reason) || (g.Reason() == "") != (reason == "") {
			t.Errorf("%d pairs: %q, want %q", pairs, g.Reason(), reason)
		}
		if g.Conclude(); !strings.HasPrefix(g.Reason(), fmt.Sprintf("2 of %d pairs", 2+pairs)) {
			t.Errorf("%d pairs, at the end: %q", pairs, g.Reason())
		}
	}
}

func TestStallWarnings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		games  int
		stalls [2]int // one a game, from the first on: in the time of player 0, then of player 1
		took   [2]time.Duration
		says   []string
	}{
		{"none", 100, [2]int{}, [2]time.Duration{1, 1}, nil},
		{"two in a hundred", 100, [2]int{1, 1}, [2]time.Duration{1, 1}, nil},
		{"three in a hundred", 100, [2]int{1, 2}, [2]time.Duration{1, 1},
			[]string{"too busy for clocks: it stood still in 3 of 100 games"}},
		{"nine of one player", 1000, [2]int{9, 0}, [2]time.Duration{1, 1}, nil},
		{"ten of one player", 1000, [2]int{0, 10}, [2]time.Duration{1, 1}, []string{"b may cause it"}},
		{"one player has the time", 1000, [2]int{10, 0}, [2]time.Duration{9, 1}, nil},
	} {
		var c Tally
		for i := range tt.games {
			white := i % 2
			r := selfplay.Result{Time: tt.took}
			if white == 1 {
				r.Time[0], r.Time[1] = r.Time[1], r.Time[0]
			}
			switch {
			case i < tt.stalls[0]:
				r.Stalls[white] = 1
			case i < tt.stalls[0]+tt.stalls[1]:
				r.Stalls[1-white] = 1
			}
			c.Add(&r, [2]int{white, 1 - white})
		}
		got := c.StallWarnings([]string{"a", "b"})
		if len(got) != len(tt.says) || len(got) > 0 && !strings.Contains(got[0], tt.says[0]) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.says)
		}
	}
}

// Of many players, those with too many stalls are named; a player against itself never is.
func TestStallsOfManyPlayers(t *testing.T) {
	var c, alone Tally
	for i := range 3000 {
		r := selfplay.Result{Time: [2]time.Duration{1, 1}}
		white := i % 3
		if i < 30 && white == 1 {
			r.Stalls[0] = 3
		}
		c.Add(&r, [2]int{white, (white + 1) % 3})
		alone.Add(&r, [2]int{})
	}
	if got := c.StallWarnings([]string{"a", "b", "c"}); len(got) != 1 || !strings.HasPrefix(got[0],
		"the machine stood still 30 times in b's time, of 30, 7.7 standard errors") {
		t.Errorf("%q", got)
	}
	if got := alone.StallWarnings([]string{"a"}); len(got) != 0 {
		t.Errorf("a player alone: %q", got)
	}
	if got := new(Tally).StallWarnings(nil); len(got) != 0 {
		t.Errorf("no games: %q", got)
	}
}

// A folder has the logs of a hundred games at most, one a game.
func TestKeepFaultLog(t *testing.T) {
	dir := t.TempDir()
	keep := func(n uint64, log string) {
		t.Helper()
		r := selfplay.Result{Number: n, Termination: selfplay.PlayerFailed, Fault: "white: crashed",
			Players: [2]string{"uci:a", "b"}, FaultLog: log}
		setup.Check(t, KeepFaultLog(dir, &r))
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
