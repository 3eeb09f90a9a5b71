package board

// Color is the color of a piece or of the side to move.
type Color uint8

// The two sides.
const (
	White Color = iota
	Black
)

// Other returns the other color.
func (c Color) Other() Color { return c ^ 1 }

// String returns "white" or "black".
func (c Color) String() string {
	if c == White {
		return "white"
	}
	return "black"
}

// PieceType is the type of a piece, without its color.
type PieceType uint8

// The piece types.
const (
	Pawn PieceType = iota
	Knight
	Bishop
	Rook
	Queen
	King
	NoPieceType
)

const pieceLetters = "PNBRQK"

// Letter returns the upper-case English letter of the type: P N B R Q K.
func (t PieceType) Letter() byte { return pieceLetters[t] }

// String returns the English name of the type.
func (t PieceType) String() string {
	return [...]string{"pawn", "knight", "bishop", "rook", "queen", "king", "none"}[t]
}

// Piece is a piece type with a color: type + 8*color.
type Piece uint8

// NoPiece marks an empty square.
const NoPiece = Piece(NoPieceType)

// NewPiece returns the piece of the color and type.
func NewPiece(c Color, t PieceType) Piece { return Piece(c)<<3 | Piece(t) }

// Color returns the piece's color. It is White for NoPiece.
func (p Piece) Color() Color { return Color(p >> 3) }

// Type returns the piece's type, NoPieceType for NoPiece.
func (p Piece) Type() PieceType { return PieceType(p & 7) }

// Letter returns the FEN letter: upper case for White, lower case for Black.
func (p Piece) Letter() byte {
	l := p.Type().Letter()
	if p.Color() == Black {
		l += 'a' - 'A'
	}
	return l
}

// Square is a square of the board: 0 is a1, 1 is b1, 63 is h8.
type Square uint8

// The corner squares, and the value for "no square".
const (
	A1       Square = 0
	H1       Square = 7
	A8       Square = 56
	H8       Square = 63
	NoSquare Square = 64
)

// NewSquare returns the square of a file and a rank, both from 0 to 7.
func NewSquare(file, rank int) Square { return Square(rank<<3 | file) }

// File returns the file, 0 (a) to 7 (h).
func (s Square) File() int { return int(s & 7) }

// Rank returns the rank, 0 (the first) to 7 (the eighth).
func (s Square) Rank() int { return int(s >> 3) }

// RelativeRank returns the rank counted from the side's own first rank, 0 to 7.
func (s Square) RelativeRank(c Color) int { return int(s.Relative(c) >> 3) }

// Relative returns the square from the side's view: itself for White, with its rank
// mirrored for Black.
func (s Square) Relative(c Color) Square { return s ^ Square(c)*56 }

// Flip returns the square with its rank mirrored: a1 becomes a8.
func (s Square) Flip() Square { return s ^ 56 }

// Bitboard returns the set of this square alone.
func (s Square) Bitboard() Bitboard { return 1 << (s & 63) }

// String returns the square's name, such as "e4", and "-" for NoSquare.
func (s Square) String() string {
	if s >= NoSquare {
		return "-"
	}
	return string([]byte{'a' + byte(s&7), '1' + byte(s>>3)})
}

// ParseSquare parses a square's name, such as "e4".
func ParseSquare(s string) (Square, bool) {
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return NoSquare, false
	}
	return NewSquare(int(s[0]-'a'), int(s[1]-'1')), true
}

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
