package search

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

const (
	// maxPly bounds the length of a line, and so the depth of an iteration.
	maxPly = 120
	// maxHistory bounds how many earlier positions of the game are looked at for
	// repetitions. Only those since the last capture or pawn move count, and the
	// fifty-move rule ends a game before there are more.
	maxHistory = 128
	// guard is the number of frames before the root's, so that a node may look back
	// without asking where it is.
	guard = 4
	// maxList is the room for a node's moves: bad captures, then all legal moves.
	maxList = board.MaxMoves + 80
)

const (
	infinite = engine.MateScore + 1
	// mateBound is below every mate score and above all others.
	mateBound = engine.MateScore - maxPly - 1
	// noEval stands for the static evaluation of a position in check.
	noEval = engine.NoScore
)

// frame is what the search knows at one ply of the current line.
type frame struct {
	pos        board.Position
	move       board.Move  // the move being searched from here
	piece      board.Piece // the man that makes it
	killers    [2]board.Move
	eval       int        // static evaluation from the mover's view, or noEval
	threat     bool       // after a pass the side to move is mated
	excluded   board.Move // not searched here, to see how good the others are
	reversible int        // plies back to the last position that cannot be repeated

	moves  [maxList]board.Move
	ranked [maxList]ranked      // the moves not yet handed out, with their scores
	tried  [maxTried]board.Move // quiet moves searched before the current one
	taken  [maxTaken]board.Move // captures and promotions, likewise

	pv    [maxPly + 2]board.Move
	pvLen int
}

// at returns the frame at the ply; the root's is 0.
func (e *Engine) at(ply int) *frame { return &e.frames[ply+guard] }

// takePV makes the frame's principal variation its move and then the child's.
func (f *frame) takePV(child *frame) {
	f.pv[0] = f.move
	n := copy(f.pv[1:], child.pv[:child.pvLen])
	f.pvLen = n + 1
}

// makeMove plays m from the frame into the next one.
func (e *Engine) makeMove(ply int, m board.Move) {
	f, child := e.at(ply), e.at(ply+1)
	f.move = m
	f.piece = f.pos.PieceAt(m.From())
	child.pos = f.pos
	child.pos.Make(m)
	child.reversible = f.reversible + 1
	if child.pos.Halfmove() == 0 {
		child.reversible = 0
	}
	e.keys[e.base+ply+1] = child.pos.Key()
}

// makeNull passes the move. Positions before it cannot be repeated by moves alone.
func (e *Engine) makeNull(ply int) {
	f, child := e.at(ply), e.at(ply+1)
	f.move = board.NullMove
	child.pos = f.pos
	child.pos.MakeNull()
	child.reversible = 0
	e.keys[e.base+ply+1] = child.pos.Key()
}

// isDraw tells whether the rules make the position at the ply a draw. A position
// repeated once since the root counts as one already: whoever could avoid the
// repetition then would avoid it now.
func (e *Engine) isDraw(ply int) bool {
	f := e.at(ply)
	if f.pos.Halfmove() >= 100 {
		return !f.pos.InCheck() || f.pos.CountLegal() > 0
	}
	return f.reversible >= 4 && e.repeats(ply, f) || f.pos.InsufficientMaterial()
}

func (e *Engine) repeats(ply int, f *frame) bool {
	key := f.pos.Key()
	here := e.base + ply
	seen := false
	for back := 4; back <= f.reversible; back += 2 {
		if e.keys[here-back] != key {
			continue
		}
		if back <= ply || seen {
			return true
		}
		seen = true
	}
	return false
}

// evaluate returns the static evaluation from the view of the side to move.
func (e *Engine) evaluate(p *board.Position) int {
	v := e.ev.Evaluate(p)
	if p.SideToMove() == board.Black {
		return -v
	}
	return v
}
