package dataset

// GameRuns infers which rows belong to one game, for rows in game order that name no game.
// A game ends where the ply does not rise, and where the result changes from one of 1, 0.5
// and 0 to another. The zero value is ready to use.
type GameRuns struct {
	Games int64 // seen so far
	ply   uint16
	last  float32
	open  bool
}

// Next takes the next row and reports whether it begins a game.
func (g *GameRuns) Next(p *PositionRow) (begins bool) {
	changed := p.Result != g.last && isOutcome(p.Result) && isOutcome(g.last)
	begins = !g.open || p.Ply <= g.ply || changed
	g.open, g.ply, g.last = true, p.Ply, p.Result
	if begins {
		g.Games++
	}
	return begins
}

// fewRows is the number of rows below which Plausible does not judge.
const fewRows = 100

// Plausible reports whether the given number of rows may be in game order. Rows in random
// order form runs of about two rows.
func (g *GameRuns) Plausible(rows int64) bool {
	return g.Games > 0 && (rows < fewRows || 3*g.Games <= rows)
}

// Break ends the game: the next row begins another.
func (g *GameRuns) Break() { g.open = false }

func isOutcome(result float32) bool { return result == 0 || result == 0.5 || result == 1 }
