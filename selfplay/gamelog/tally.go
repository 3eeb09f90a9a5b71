package gamelog

import (
	"fmt"
	"math"
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// Tally counts games.
type Tally struct {
	Results      [3]int64 // lost, drawn and won by White
	Plies        int64    // searched
	Terminations map[string]int64
	Void         int64 // how many times a pair was void
	Measured     int64 // games whose nodes, times and stalls are known: data sets do not have them
	Stalled      int64 // games with stalls (see selfplay.Result.Stalls)

	players []PlayerTally
}

// PlayerTally counts the games of one player.
type PlayerTally struct {
	Games    int64 // one where the player meets itself
	Forfeits int64 // games lost by its own fault
	Late     int64 // of these, for want of time
	Unscored int64 // searches without a score
	Nodes    uint64
	Time     time.Duration
	Stalls   int64   // of the runner, while the player's time ran
	searches float64 // in games with nodes
}

// Games returns the number of games.
func (t *Tally) Games() int64 { return t.Results[0] + t.Results[1] + t.Results[2] }

// Player returns the counts of the player with the index.
func (t *Tally) Player(i int) PlayerTally {
	if i < len(t.players) {
		return t.players[i]
	}
	return PlayerTally{}
}

// Add counts a game between the players with these indices, White's first. They may be the same.
func (t *Tally) Add(r *selfplay.Result, players [2]int) {
	if t.Terminations == nil {
		t.Terminations = map[string]int64{}
	}
	for len(t.players) <= max(players[0], players[1]) {
		t.players = append(t.players, PlayerTally{})
	}
	t.Results[r.Result+1]++
	t.Plies += int64(len(r.Moves) - r.Opening)
	t.Terminations[string(r.Termination)]++
	if r.Time != [2]time.Duration{} {
		t.Measured++
	}
	if r.Stalls != [2]int{} {
		t.Stalled++
	}
	unscored := r.Unscored()
	for side, i := range players {
		p := &t.players[i]
		if side == 0 || i != players[0] {
			p.Games++
		}
		p.Unscored += unscored[side]
		p.Nodes += r.Nodes[side]
		p.Time += r.Time[side]
		p.Stalls += int64(r.Stalls[side])
		if r.Nodes[side] > 0 {
			p.searches += float64(len(r.Moves)-r.Opening) / 2
		}
	}
	if loser, yes := r.Forfeited(); yes {
		p := &t.players[players[loser]]
		p.Forfeits++
		if r.Late {
			p.Late++
		}
	}
}

// maxStalledGames is the share of games with stalls above which a machine is too busy for clocks.
const maxStalledGames = 0.02

// busy reports whether the machine is too busy for clocks.
func (t *Tally) busy() bool { return float64(t.Stalled) > maxStalledGames*float64(t.Measured) }

// StallWarnings returns what a reader of the result should know, with the players' names. The machine
// is too busy for clocks if more than 2 % of the games have stalls. A player whose share of the stalls
// is above its share of the time by three standard errors may cause them.
func (t *Tally) StallWarnings(names []string) (list []string) {
	var all PlayerTally
	for _, p := range t.players {
		all.Stalls += p.Stalls
		all.Time += p.Time
	}
	if t.busy() {
		list = append(list, fmt.Sprintf("the machine is too busy for clocks: it stood still in %d of %d games", t.Stalled,
			t.Measured))
	}
	for i, p := range t.players {
		n, share := float64(all.Stalls), float64(p.Time)/float64(all.Time)
		if z := (float64(p.Stalls) - n*share) / math.Sqrt(n*share*(1-share)); z > 3 {
			list = append(list, fmt.Sprintf("the machine stood still %d times in %s's time, of %d, %.1f standard errors "+
				"above its share of the time: %s may cause it",
				p.Stalls, names[i], all.Stalls, z, names[i]))
		}
	}
	return list
}
