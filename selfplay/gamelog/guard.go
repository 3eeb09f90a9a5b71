package gamelog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/cores"
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

	games, forfeits, late []int64   // by player; late: forfeits for want of time
	nodes, searches       []float64 // by player, of the games whose nodes are known
	pairs, void           int64
	reason                string // why there is no verdict
	blamed                int    // the player that it is about; -1: none
	busy                  bool   // the machine is to blame
}

// noAnswer is in the fault of a foreign engine that did not answer (uci.ErrTimeout).
const noAnswer = "no answer in time"

// Void returns how many times a pair was void.
func (g *Guard) Void() int64 { return g.void }

// Reason says in words why there is no verdict; empty: there is one.
func (g *Guard) Reason() string { return g.reason }

// Err returns an error that wraps selfplay.ErrNoVerdict, or nil if there is a verdict.
func (g *Guard) Err() error {
	if g.reason == "" {
		return nil
	}
	return fmt.Errorf("%w: %w", selfplay.ErrNoVerdict, g.Cause())
}

// Cause returns the reason as an error; it wraps selfplay.ErrBusy if the machine is to blame.
func (g *Guard) Cause() error {
	if g.busy {
		return fmt.Errorf("%w%s", selfplay.ErrBusy, strings.TrimPrefix(g.reason, selfplay.ErrBusy.Error()))
	}
	return errors.New(g.reason)
}

// Blame begins the reason with the machine if that was busier than its cores, by the load or by
// the stalls of this process, and most forfeits of the player were for want of time.
func (g *Guard) Blame(load cores.Load) {
	if g.busy || g.reason == "" || g.blamed < 0 || 2*g.late[g.blamed] < g.forfeits[g.blamed] {
		return
	}
	switch {
	case load.Busy():
		g.reason = fmt.Sprintf("%v (%v): %s", selfplay.ErrBusy, load, g.reason)
	case g.Stalls.Busy():
		g.reason = fmt.Sprintf("%v (it stood still in %d of %d games): %s", selfplay.ErrBusy, g.Stalls.With, g.Stalls.Games,
			g.reason)
	default:
		return
	}
	g.busy = true
}

// Count counts a pair, or a game that has no partner, and looks if it is time to.
func (g *Guard) Count(pair []selfplay.Result) {
	if g.games == nil {
		n := len(g.Players)
		g.games, g.forfeits, g.late = make([]int64, n), make([]int64, n), make([]int64, n)
		g.nodes, g.searches = make([]float64, n), make([]float64, n)
	}
	g.pairs++
	var due []int
	for i := range pair {
		white, black := g.Who(pair[i].Number, board.White), g.Who(pair[i].Number, board.Black)
		g.Stalls.Add(&pair[i], [2]int{white, black})
		for side, player := range [2]int{white, black} {
			if n := pair[i].Nodes[side]; n > 0 {
				g.nodes[player] += float64(n)
				g.searches[player] += float64(len(pair[i].Moves)-pair[i].Opening) / 2
			}
		}
		g.games[white]++
		if white != black { // in SPSA a player meets itself
			g.games[black]++
		}
		if loser, yes := pair[i].Forfeited(); yes {
			g.forfeits[g.Who(pair[i].Number, loser)]++
			if pair[i].Termination == selfplay.TimeForfeit || strings.Contains(pair[i].Fault, noAnswer) {
				g.late[g.Who(pair[i].Number, loser)]++
			}
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

// Warnings names stalls of the runner, and players that seem not to know "go nodes". The players are in the order of
// g.Players.
func (g *Guard) Warnings(limits selfplay.Limits, players ...selfplay.Entrant) []string {
	list := g.Stalls.Warnings(g.Players)
	for i, p := range players {
		if g.games == nil || g.searches[i] == 0 {
			continue
		}
		if text := p.Ignores(limits, g.nodes[i]/g.searches[i]); text != "" {
			list = append(list, text)
		}
	}
	return list
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
	g.blamed = player
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
		g.blamed = -1
		g.reason = fmt.Sprintf("%d of %d pairs of games were void, more than 1 %%: the machine is unfit to play games",
			g.void, g.void+g.pairs)
	}
}
