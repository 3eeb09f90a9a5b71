package gamelog

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
)

// Guard counts the games of a run that failed or stalled, and ends it without a verdict if there
// are too many (see selfplay.Tolerance).
type Guard struct {
	selfplay.Tolerance

	Players []string                                // names, for the reason
	Who     func(game uint64, side board.Color) int // index of the player with the side
	Slots   int                                     // games at once

	// Stalls counts those of the games that count, by player.
	Stalls selfplay.StallCount

	games, forfeits []int64 // by player
	pairs, void     int64
	reason          string // why there is no verdict
}

// Void returns how many times a pair was void.
func (g *Guard) Void() int64 { return g.void }

// Reason says in words why there is no verdict; empty: there is one.
func (g *Guard) Reason() string { return g.reason }

// Err returns an error that wraps selfplay.ErrNoVerdict, or nil if there is a verdict.
func (g *Guard) Err() error {
	if g.reason == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", selfplay.ErrNoVerdict, g.reason)
}

// Count counts a pair, or a game that has no partner, and looks if it is time to.
func (g *Guard) Count(pair []selfplay.Result) {
	if g.games == nil {
		g.games, g.forfeits = make([]int64, len(g.Players)), make([]int64, len(g.Players))
	}
	g.pairs++
	var due []int
	for i := range pair {
		white, black := g.Who(pair[i].Number, board.White), g.Who(pair[i].Number, board.Black)
		g.Stalls.Add(&pair[i], [2]int{white, black})
		g.games[white]++
		if white != black { // in SPSA a player meets itself
			g.games[black]++
		}
		if loser, yes := pair[i].Forfeited(); yes {
			g.forfeits[g.Who(pair[i].Number, loser)]++
		}
		due = append(due, white, black)
	}
	for _, player := range due {
		if g.Look(g.games[player]) {
			g.lookAt(player)
		}
	}
	if g.Look(2 * g.pairs) {
		g.lookAtVoid()
	}
}

// Conclude is the look at the end.
func (g *Guard) Conclude() {
	for player := range g.games {
		g.lookAt(player)
	}
	g.lookAtVoid()
}

func (g *Guard) lookAt(player int) {
	if g.reason != "" || !g.Forfeits(g.forfeits[player], g.games[player]) {
		return
	}
	g.reason = fmt.Sprintf("%s forfeited %d of %d games, too many where %.3g %% are tolerated", g.Players[player],
		g.forfeits[player], g.games[player], 100*g.Share())
	var others []string
	for i, name := range g.Players {
		if i != player && len(g.Players) == 2 {
			others = append(others, fmt.Sprintf("%s forfeited %d", name, g.forfeits[i]))
		}
	}
	if len(others) > 0 {
		g.reason += "; " + strings.Join(others, ", ")
	}
}

func (g *Guard) lookAtVoid() {
	if g.reason == "" && g.Tolerance.Void(g.void, g.pairs, g.Slots) {
		g.reason = fmt.Sprintf("%d of %d pairs of games were void, more than 1 %%: the machine is unfit to play games", g.void, g.void+g.pairs)
	}
}
