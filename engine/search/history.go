package search

import "github.com/assay-chess/assay/engine/board"

const (
	historyMax = 8192
	maxTried   = 64
	maxTaken   = 32
)

// history scores moves by how often they caused cutoffs (Schaeffer 1983), for move
// ordering.
type history struct {
	// quiet is indexed by the side to move and the move's squares.
	quiet [2][64 * 64]int16
	// counter is the quiet move that last refuted a move, by that move's piece and
	// target square (Uiterwijk 1992).
	counter [pieceTos]board.Move
	// after is the continuation history: it scores quiet moves by the piece and target
	// square of the moves one, two and four plies before.
	after [pieceTos][pieceTos]int16
	// captures is indexed by the capturing piece, its target square and its victim.
	captures [pieceTos][8]int16
	none     [pieceTos]int16 // in place of after, where no move came before
}

// pieceTos is the number of pairs of a piece and its target square.
const pieceTos = 12 * 64

func (h *history) clear() { *h = history{} }

// quietHistory holds the parts of the history that score quiet moves in one position.
type quietHistory struct {
	quiet *[64 * 64]int16
	after [3]*[pieceTos]int16
	four  int32 // weight of the last of after, in 1024ths
}

// quietHistory returns the scores of quiet moves in the position at the ply.
func (e *Engine) quietHistory(ply int) (c quietHistory) {
	h := &e.history
	c.quiet = &h.quiet[e.at(ply).pos.SideToMove()&1]
	c.four = int32(e.params.values[fourPlies])
	for i := range c.after {
		c.after[i] = &h.none
		if f := e.at(ply - 1<<i); f.move != board.NullMove {
			c.after[i] = &h.after[pieceTo(f.piece, f.move)]
		}
	}
	return c
}

// score returns the score of a quiet move of the piece.
func (c *quietHistory) score(p board.Piece, m board.Move) int32 {
	to := pieceTo(p, m)
	return int32(c.quiet[m&4095]) + int32(c.after[0][to]) + int32(c.after[1][to]) +
		int32(c.after[2][to])*c.four>>plyBits
}

func (c *quietHistory) update(p board.Piece, m board.Move, bonus int) {
	to := pieceTo(p, m)
	update(&c.quiet[m&4095], bonus)
	for _, h := range c.after {
		update(&h[to], bonus)
	}
}

// update adds a bonus to a value, the less of it the closer the value is to historyMax or
// -historyMax.
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

// credit updates killers, counter-move and history after a quiet move that caused a
// cutoff. The quiet moves tried before it lose.
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
	c := e.quietHistory(ply)
	c.update(f.pos.PieceAt(m.From()), m, bonus)
	for _, t := range tried {
		c.update(f.pos.PieceAt(t.From()), t, -loss)
	}
}

// creditUnrefuted updates the history after the move from the ply, if it is quiet, that no
// reply refuted in a search to the depth.
func (e *Engine) creditUnrefuted(ply, depth int) {
	f := e.at(ply)
	if f.move == board.NullMove || !isQuiet(&f.pos, f.move) {
		return
	}
	bonus, _ := e.params.bonus(depth)
	c := e.quietHistory(ply)
	c.update(f.piece, f.move, bonus*e.params.values[failLowBonus]>>plyBits)
}

// creditCaptures updates the capture history after a move that caused a cutoff, itself a
// capture or not. The captures tried before it lose.
func (e *Engine) creditCaptures(ply int, c candidate, tried []board.Move, depth int) {
	p := &e.at(ply).pos
	bonus, loss := e.params.bonus(depth)
	if !c.quiet {
		update(e.history.capture(p, c.move), bonus)
	}
	for _, t := range tried {
		update(e.history.capture(p, t), -loss)
	}
}

// capture returns the score of a capture or promotion.
func (h *history) capture(p *board.Position, m board.Move) *int16 {
	return &h.captures[pieceTo(p.PieceAt(m.From()), m)][p.PieceAt(m.To()).Type()&7]
}

// bonus returns how much a move gains that caused a cutoff at the depth, and how much the
// moves tried before it lose.
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
