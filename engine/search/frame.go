package search

import (
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

const (
	// maxPly bounds the length of a line, and so the depth of an iteration.
	maxPly = 120
	// maxHistory bounds how many earlier positions of the game can be repeated. Only
	// those since the last capture or pawn move can, and the fifty-move rule ends a game
	// before there are more.
	maxHistory = 128
	// guard is the number of frames before the root's, so that a node can look back
	// without a bounds check.
	guard = 4
	// maxList is the capacity of a node's move list: bad captures, then all legal moves.
	maxList = board.MaxMoves + 80
)

const (
	infinite = engine.MateScore + 1
	// mateBound is below every mate score and above all others.
	mateBound = engine.MateScore - maxPly - 1
	// noEval is the static evaluation of a position in check.
	noEval = engine.NoScore
)

// frame is the state of the search at one ply of the current line.
type frame struct {
	pos        board.Position
	targets    board.Targets // of pos, from where its moves are wanted
	move       board.Move    // the move being searched from here
	piece      board.Piece   // the piece that makes it
	killers    [2]board.Move
	raw        int        // static evaluation, side to move's view, or noEval
	eval       int        // the same with its correction
	doubles    int        // moves before that were extended by two plies
	threat     bool       // after a null move the side to move is mated
	excluded   board.Move // not searched, to see how good the other moves are
	reversible int        // plies back to the last irreversible move

	moves  [maxList]board.Move
	ranked [maxList]ranked      // the moves not yet picked, with their scores
	tried  [maxTried]board.Move // quiet moves searched before the current one
	taken  [maxTaken]board.Move // captures and promotions searched before it

	pv    [maxPly + 2]board.Move
	pvLen int
}

// at returns the frame at the ply; the root's is 0.
func (e *Engine) at(ply int) *frame { return &e.frames[ply+guard] }

// takePV sets the frame's principal variation to its move and the child's variation.
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

// makeNull makes a null move. Positions before it cannot be repeated.
func (e *Engine) makeNull(ply int) {
	f, child := e.at(ply), e.at(ply+1)
	f.move = board.NullMove
	child.pos = f.pos
	child.pos.MakeNull()
	child.reversible = 0
	e.keys[e.base+ply+1] = child.pos.Key()
}

// isDraw reports whether the position at the ply is a draw by the rules. One repetition
// within the search counts as a draw: a side that can avoid it would have done so before.
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

// evaluate returns the static evaluation from the side to move's view.
func (e *Engine) evaluate(p *board.Position) int {
	v := e.ev.Evaluate(p)
	if p.SideToMove() == board.Black {
		return -v
	}
	return v
}
