package search

import "github.com/assay-chess/assay/engine/board"

const (
	historyMax = 8192
	maxTried   = 64
)

// history remembers which quiet moves refuted others (Schaeffer 1983), for the order
// in which moves are tried.
type history struct {
	// quiet is indexed by the mover and the move's squares.
	quiet [2][64 * 64]int16
	// counter is the quiet move that last refuted a move, by the man that made it
	// and its square (Uiterwijk 1992).
	counter [16 * 64]board.Move
}

func (h *history) clear() { *h = history{} }

// of returns the score of a quiet move.
func (h *history) of(c board.Color, m board.Move) int32 {
	return int32(h.quiet[c&1][m&4095])
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
	return int(p&15)<<6 | int(m.To()&63)
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
	bonus := min(16*depth*depth+32*depth, 1600)
	us := f.pos.SideToMove() & 1
	update(&e.history.quiet[us][m&4095], bonus)
	for _, t := range tried {
		update(&e.history.quiet[us][t&4095], -bonus)
	}
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
