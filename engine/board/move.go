package board

// Move is a move in 15 bits: from | to<<6 | promotion<<12, with promotion 0 for
// none and 1 to 4 for knight, bishop, rook and queen.
//
// In castling the king captures its own rook, in standard chess as in Chess960. In an
// en-passant capture a pawn moves diagonally to an empty square. A move does not know the
// piece that moves or is captured; the position does.
type Move uint16

// NullMove is the absence of a move; no legal move has its value.
const NullMove Move = 0

// NewMove returns the move from one square to another.
func NewMove(from, to Square) Move { return Move(from) | Move(to)<<6 }

// NewPromotion returns a promotion to a piece of the type, Knight to Queen.
func NewPromotion(from, to Square, t PieceType) Move {
	return Move(from) | Move(to)<<6 | Move(t)<<12
}

// From returns the square that the piece leaves.
func (m Move) From() Square { return Square(m & 63) }

// To returns the target square; for castling, the square of the rook.
func (m Move) To() Square { return Square(m >> 6 & 63) }

// Promotion returns the type to which a pawn promotes, or NoPieceType.
func (m Move) Promotion() PieceType {
	if p := m >> 12; p != 0 {
		return PieceType(p)
	}
	return NoPieceType
}

// String returns from, to and promotion, such as "e7e8q", with castling as king captures
// rook. Position.UCI returns what a GUI expects.
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
