package board

// Move is a move in 15 bits: from | to<<6 | promotion<<12, with promotion 0 for
// none and 1 to 4 for knight, bishop, rook and queen.
//
// Castling is the king taking its own rook, in standard chess as in Chess960. En
// passant is a pawn moving diagonally to an empty square. What is captured, and by
// what, only the position knows.
type Move uint16

// NullMove is the absence of a move; no legal move has its value.
const NullMove Move = 0

// NewMove returns the move from one square to another.
func NewMove(from, to Square) Move { return Move(from) | Move(to)<<6 }

// NewPromotion returns a pawn's move to the last rank that makes it a piece of the
// kind, Knight to Queen.
func NewPromotion(from, to Square, t PieceType) Move {
	return Move(from) | Move(to)<<6 | Move(t)<<12
}

// From returns the square the man leaves.
func (m Move) From() Square { return Square(m & 63) }

// To returns the square the man goes to; for castling, the square of the rook.
func (m Move) To() Square { return Square(m >> 6 & 63) }

// Promotion returns the kind a pawn becomes, NoPieceType if it stays a pawn.
func (m Move) Promotion() PieceType {
	if p := m >> 12; p != 0 {
		return PieceType(p)
	}
	return NoPieceType
}

// String returns the move in the raw form from-to-promotion, such as "e7e8q", with
// castling as king takes rook. Position.UCI prints what a GUI expects.
func (m Move) String() string {
	if m == NullMove {
		return "0000"
	}
	s := m.From().String() + m.To().String()
	if p := m.Promotion(); p < King {
		s += string(p.Letter() + 'a' - 'A')
	}
	return s
}
