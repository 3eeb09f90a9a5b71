package selfplay

import (
	"fmt"
	"math"
	"time"
)

// maxStalledGames is the share of games with stalls above which a machine is too busy for clocks.
const maxStalledGames = 0.02

// StallCount counts the stalls of a run's games (see Result.Stalls), by the player whose time ran.
type StallCount struct {
	Games   int64 // counted
	With    int64 // games with stalls
	Players []PlayerStalls
}

// PlayerStalls are those of one player.
type PlayerStalls struct {
	Stalls int64         // while the player's time ran
	Time   time.Duration // that the player took
}

// Add counts a game between the players with these indices, White's first. They may be the same.
func (c *StallCount) Add(r *Result, players [2]int) {
	c.Games++
	if r.Stalls != [2]int{} {
		c.With++
	}
	for side, p := range players {
		for len(c.Players) <= p {
			c.Players = append(c.Players, PlayerStalls{})
		}
		c.Players[p].Stalls += int64(r.Stalls[side])
		c.Players[p].Time += r.Time[side]
	}
}

// Busy reports whether the machine is too busy for clocks.
func (c *StallCount) Busy() bool { return float64(c.With) > maxStalledGames*float64(c.Games) }

// Warnings returns what a reader of the result should know, with the players' names. The machine
// is too busy for clocks if more than 2 % of the games have stalls. A player whose share of the stalls
// is above its share of the time by three standard errors may cause them.
func (c *StallCount) Warnings(names []string) (list []string) {
	var all PlayerStalls
	for _, p := range c.Players {
		all.Stalls += p.Stalls
		all.Time += p.Time
	}
	if c.Busy() {
		list = append(list, fmt.Sprintf("the machine is too busy for clocks: it stood still in %d of %d games", c.With,
			c.Games))
	}
	for i, p := range c.Players {
		n, share := float64(all.Stalls), float64(p.Time)/float64(all.Time)
		if z := (float64(p.Stalls) - n*share) / math.Sqrt(n*share*(1-share)); z > 3 {
			list = append(list, fmt.Sprintf("the machine stood still %d times in %s's time, of %d, %.1f standard errors "+
				"above its share of the time: %s may cause it",
				p.Stalls, names[i], all.Stalls, z, names[i]))
		}
	}
	return list
}
