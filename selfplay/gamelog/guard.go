package gamelog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/selfplay"
)

// Guard counts the games of a run that failed or stalled, and ends it without a verdict if there
// are too many (see selfplay.Tolerance).
type Guard struct {
	selfplay.Tolerance

	Names []string                                // of the players, for the reason
	Who   func(game uint64, side board.Color) int // index of the player with the side
	Slots int                                     // games at once

	Tally Tally // of the games that count

	pairs  int64
	reason string // why there is no verdict
	blamed int    // the player that it is about; -1: none
	busy   bool   // the machine is to blame
}

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
// the stalls of this process, and games were void or most forfeits of the player were for want of time.
func (g *Guard) Blame(load machine.Load) {
	if g.busy || g.reason == "" {
		return
	}
	if g.blamed >= 0 {
		if p := g.Tally.Player(g.blamed); 2*p.Late < p.Forfeits {
			return
		}
	}
	switch {
	case load.Busy():
		g.reason = fmt.Sprintf("%v (%v; about %d games at once fit): %s", selfplay.ErrBusy, load, load.Fit(g.Slots),
			g.reason)
	case g.Tally.busy():
		g.reason = fmt.Sprintf("%v (it stood still in %d of %d games): %s", selfplay.ErrBusy, g.Tally.Stalled,
			g.Tally.Measured, g.reason)
	default:
		return
	}
	g.busy = true
}

// Count counts a pair, or a game that has no partner, and looks if it is time to.
func (g *Guard) Count(pair []selfplay.Result) {
	g.pairs++
	var due []int
	for i := range pair {
		players := [2]int{g.Who(pair[i].Number, board.White), g.Who(pair[i].Number, board.Black)}
		g.Tally.Add(&pair[i], players)
		due = append(due, players[:]...)
	}
	for _, player := range due {
		if g.Look(g.Tally.Player(player).Games) {
			g.lookAt(player)
		}
	}
	if g.Look(2 * g.pairs) {
		g.lookAtVoid()
	}
}

// Warnings names stalls of the runner, and players that seem not to know "go nodes". The players are in the order of
// g.Names.
func (g *Guard) Warnings(limits selfplay.Limits, players ...selfplay.Player) []string {
	list := g.Tally.StallWarnings(g.Names)
	for i, p := range players {
		n := g.Tally.Player(i)
		if text := p.Ignores(limits, float64(n.Nodes)/max(1, n.searches)); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// Conclude is the look at the end.
func (g *Guard) Conclude() {
	for player := range g.Tally.players {
		g.lookAt(player)
	}
	g.lookAtVoid()
}

func (g *Guard) lookAt(player int) {
	n := g.Tally.Player(player)
	if g.reason != "" || !g.Forfeits(n.Forfeits, n.Games) {
		return
	}
	g.blamed = player
	g.reason = fmt.Sprintf("%s forfeited %d of %d games, too many where %.3g %% are tolerated", g.Names[player],
		n.Forfeits, n.Games, 100*g.Share())
	if len(g.Names) == 2 {
		g.reason += fmt.Sprintf("; %s forfeited %d", g.Names[1-player], g.Tally.Player(1-player).Forfeits)
	}
}

func (g *Guard) lookAtVoid() {
	void := g.Tally.Void
	if g.reason == "" && g.Tolerance.Void(void, g.pairs, g.Slots) {
		g.blamed = -1
		g.reason = fmt.Sprintf("%d of %d pairs of games were void, more than 1 %%: the machine is unfit to play games",
			void, void+g.pairs)
	}
}
