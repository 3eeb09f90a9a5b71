package selfplay

import (
	"fmt"
	"math"
	"time"

	"github.com/assay-chess/assay/engine/board"
)

// maxStalledGames is the share of games with stalls above which a machine is too busy for clocks.
const maxStalledGames = 0.02

// StallCount counts the stalls of a run's games (see Result.Stalls), by the player whose time ran.
type StallCount struct {
	Games  int64            // counted
	With   int64            // games with stalls
	Player [2]int64         // stalls while the player's time ran
	Time   [2]time.Duration // that the players took
}

// Add counts a game; white is White's player, 0 or 1.
func (c *StallCount) Add(r *Result, white int) {
	c.Games++
	if r.Stalls != [2]int{} {
		c.With++
	}
	for _, side := range []board.Color{board.White, board.Black} {
		player := (white + int(side)) % 2
		c.Player[player] += int64(r.Stalls[side])
		c.Time[player] += r.Time[side]
	}
}

// Warnings returns what a reader of the result should know, with the players' names. The machine
// is too busy for clocks if more than 2 % of the games have stalls. A player whose share of the stalls
// differs from its share of the time by three standard errors may cause them.
func (c *StallCount) Warnings(names [2]string) (list []string) {
	total := c.Player[0] + c.Player[1]
	if total == 0 {
		return nil
	}
	if float64(c.With) > maxStalledGames*float64(c.Games) {
		list = append(list, fmt.Sprintf("the machine is too busy for clocks: it stood still in %d of %d games (%d times in %s's time, %d in %s's)",
			c.With, c.Games, c.Player[0], names[0], c.Player[1], names[1]))
	}
	if p := c.share(); p > 0 && p < 1 {
		n := float64(total)
		if z := (float64(c.Player[0]) - n*p) / math.Sqrt(n*p*(1-p)); math.Abs(z) > 3 {
			more := 0
			if z < 0 {
				more = 1
			}
			list = append(list, fmt.Sprintf("the machine stood still %d times in %s's time and %d times in %s's, %.1f standard errors from an even share: %s may cause it",
				c.Player[0], names[0], c.Player[1], names[1], math.Abs(z), names[more]))
		}
	}
	return list
}

// share returns player 0's share of the time.
func (c *StallCount) share() float64 {
	return float64(c.Time[0]) / float64(c.Time[0]+c.Time[1])
}
