package search

import "github.com/assay-chess/assay/engine/board"

const (
	historyMax = 8192
	maxTried   = 64
	maxTaken   = 32
)

// history remembers which moves refuted others (Schaeffer 1983), for the order in
// which moves are tried.
type history struct {
	// quiet is indexed by the mover and the move's squares.
	quiet [2][64 * 64]int16
	// counter is the quiet move that last refuted a move, by the man that made it
	// and its square (Uiterwijk 1992).
	counter [pieceTos]board.Move
	// after scores quiet moves by what was played one and two plies before them:
	// the men that moved and their squares.
	after [pieceTos][pieceTos]int16
	// captures is indexed by the man that takes, its target square and its victim.
	captures [pieceTos][8]int16
	none     [pieceTos]int16 // stands for what follows no move
}

// pieceTos is the number of pairs of a man and the square it moves to.
const pieceTos = 12 * 64

func (h *history) clear() { *h = history{} }

// record is where quiet moves are scored: who moves, after which two moves.
type record struct {
	quiet *[64 * 64]int16
	after [2]*[pieceTos]int16
}

// record returns that of the position at the ply.
func (e *Engine) record(ply int) (c record) {
	h := &e.history
	c.quiet = &h.quiet[e.at(ply).pos.SideToMove()&1]
	for i := range c.after {
		c.after[i] = &h.none
		if f := e.at(ply - 1 - i); f.move != board.NullMove {
			c.after[i] = &h.after[pieceTo(f.piece, f.move)]
		}
	}
	return c
}

// of returns the score of a quiet move by a man.
func (c *record) of(p board.Piece, m board.Move) int32 {
	to := pieceTo(p, m)
	return int32(c.quiet[m&4095]) + int32(c.after[0][to]) + int32(c.after[1][to])
}

func (c *record) update(p board.Piece, m board.Move, bonus int) {
	to := pieceTo(p, m)
	update(&c.quiet[m&4095], bonus)
	update(&c.after[0][to], bonus)
	update(&c.after[1][to], bonus)
}

// update moves a value towards +-historyMax; the nearer it is, the less it moves.
func update(h *int16, bonus int) {
	*h += int16(bonus - int(*h)*abs(bonus)/historyMax)
}

// counterTo returns the quiet move that last refuted the frame's move.
func (h *history) counterTo(f *frame) board.Move {
	if f.move == board.NullMove {
		return board.NullMove
	}
	return h.counter[pieceTo(f.piece, f.move)]
}

func pieceTo(p board.Piece, m board.Move) int {
	return (int(p.Type())+6*int(p.Color()))<<6 | int(m.To())
}

// credit learns from a quiet move that refuted the one before, after the quiet moves
// tried had failed to.
func (e *Engine) credit(ply int, m board.Move, tried []board.Move, depth int) {
	f, before := e.at(ply), e.at(ply-1)
	if f.killers[0] != m {
		f.killers[1] = f.killers[0]
		f.killers[0] = m
	}
	if before.move != board.NullMove {
		e.history.counter[pieceTo(before.piece, before.move)] = m
	}
	bonus, loss := e.params.bonus(depth)
	c := e.record(ply)
	c.update(f.pos.PieceAt(m.From()), m, bonus)
	for _, t := range tried {
		c.update(f.pos.PieceAt(t.From()), t, -loss)
	}
}

// creditCaptures learns from a move that refuted the one before, itself a capture or
// not, after the captures tried had failed to.
func (e *Engine) creditCaptures(ply int, m board.Move, quiet bool, tried []board.Move, depth int) {
	p := &e.at(ply).pos
	bonus, loss := e.params.bonus(depth)
	if !quiet {
		update(e.history.capture(p, m), bonus)
	}
	for _, t := range tried {
		update(e.history.capture(p, t), -loss)
	}
}

// capture is where a capture or promotion is scored.
func (h *history) capture(p *board.Position, m board.Move) *int16 {
	return &h.captures[pieceTo(p.PieceAt(m.From()), m)][p.PieceAt(m.To()).Type()&7]
}

// bonus says how much a refutation found at the depth counts for the move, and against
// those tried before it.
func (p *params) bonus(depth int) (bonus, loss int) {
	v := &p.values
	bonus = min(v[bonusSquare]*depth*depth+v[bonusLinear]*depth, v[bonusMost])
	return bonus, bonus * v[malus] >> plyBits
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
