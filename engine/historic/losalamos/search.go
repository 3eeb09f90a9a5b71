package losalamos

import "github.com/assay-chess/assay/engine/board"

// Values are in tenths of a pawn: a move of mobility is one.
const (
	pawn = 10
	mate = 1000 * pawn // less one for each ply to it
	deep = 64          // no search goes beyond
)

// worth holds the values of men, in pawns.
var worth = [...]int{board.Pawn: 1, board.Knight: 3, board.Bishop: 3, board.Rook: 5, board.Queen: 9, board.King: 0}

// world is what the search asks of a kind of chess.
type world[P, M any] interface {
	moves(p *P, buf []M) []M // the legal ones
	count(p *P) int          // how many there are
	play(p *P, m M)
	white(p *P) bool // whether White is to move
	inCheck(p *P) bool
	material(p *P) int // White's less Black's, in pawns
}

// search looks ahead a fixed number of plies on either board.
type search[P, M any] struct {
	world[P, M]
	depth int
	spend func() bool // before a move is made: false when the search has to stop
	over  bool        // it has stopped: values are void
	buf   [deep + 1][]M
	line  [deep + 1][]M // best line from each ply on
}

// value returns the value, for the side to move, of the best line through p, which is
// ply plies from the root. sum is the mobility of the positions on the way, White's less
// Black's, p not yet counted.
func (s *search[P, M]) value(p *P, ply, sum, alpha, beta int) int {
	s.line[ply] = s.line[ply][:0]
	if ply == s.depth {
		return s.leaf(p, ply, sum)
	}
	moves := s.moves(p, s.buf[ply][:0])
	s.buf[ply] = moves
	if len(moves) == 0 {
		return s.final(p, ply)
	}
	if ply > 0 { // the root is the same for all moves
		sum += s.forWhite(p, len(moves))
	}
	best := -2 * mate
	for _, m := range moves {
		if !s.spend() {
			s.over = true
			return 0
		}
		after := *p
		s.play(&after, m)
		v := -s.value(&after, ply+1, sum, -beta, -max(alpha, best))
		if s.over {
			return 0
		}
		if v > best {
			best = v
			s.line[ply] = append(append(s.line[ply][:0], m), s.line[ply+1]...)
			if best >= beta {
				break
			}
		}
	}
	return best
}

// leaf is material, plus the mobility of all positions of the line.
func (s *search[P, M]) leaf(p *P, ply, sum int) int {
	n := s.count(p)
	if n == 0 {
		return s.final(p, ply)
	}
	return s.forWhite(p, pawn*s.material(p)+sum) + n
}

// final is the value of a position without moves.
func (s *search[P, M]) final(p *P, ply int) int {
	if s.inCheck(p) {
		return ply - mate
	}
	return 0
}

// forWhite changes the view between the side to move and White.
func (s *search[P, M]) forWhite(p *P, v int) int {
	if s.white(p) {
		return v
	}
	return -v
}

// small is the world of six by six.
type small struct{}

func (small) moves(p *Position, buf []Move) []Move { return p.Moves(buf) }
func (small) play(p *Position, m Move)             { p.Make(m) }
func (small) white(p *Position) bool               { return !p.black }
func (small) inCheck(p *Position) bool             { return p.InCheck() }

func (small) count(p *Position) int {
	var buf [64]Move
	return len(p.Moves(buf[:0]))
}

func (small) material(p *Position) (sum int) {
	for s, piece := range p.at {
		if !Square(s).onBoard() || piece == board.NoPiece {
			continue
		}
		if piece.Color() == board.White {
			sum += worth[piece.Type()]
		} else {
			sum -= worth[piece.Type()]
		}
	}
	return sum
}

// large is the world of eight by eight.
type large struct{}

func (large) moves(p *board.Position, buf []board.Move) []board.Move { return p.LegalMoves(buf) }
func (large) count(p *board.Position) int                            { return p.CountLegal() }
func (large) play(p *board.Position, m board.Move)                   { p.Make(m) }
func (large) white(p *board.Position) bool                           { return p.SideToMove() == board.White }
func (large) inCheck(p *board.Position) bool                         { return p.InCheck() }

func (large) material(p *board.Position) (sum int) {
	for t, w := range worth {
		sum += w * (p.Pieces(board.White, board.PieceType(t)).Count() - p.Pieces(board.Black, board.PieceType(t)).Count())
	}
	return sum
}

// Depth is how many plies MANIAC looked ahead: two moves of each side.
const Depth = 4

// Choice is what the program finds on six by six.
type Choice struct {
	Move  Move
	Value int    // in tenths of a pawn, for the side to move
	Line  []Move // the best line, from Move on
	Moves int    // moves made in the search
}

// Choose looks ahead, 1 to 64 plies. ok is false where there is no legal move, or where
// stop, which may be nil and is asked now and then, has ended the search.
func Choose(p *Position, depth int, stop func() bool) (c Choice, ok bool) {
	s := search[Position, Move]{world: small{}, depth: min(depth, deep)}
	s.spend = func() bool {
		c.Moves++
		return c.Moves%1024 != 0 || stop == nil || !stop()
	}
	c.Value = s.value(p, 0, 0, -2*mate, 2*mate)
	if len(s.line[0]) == 0 || s.over {
		return c, false
	}
	c.Move, c.Line = s.line[0][0], s.line[0]
	return c, true
}
