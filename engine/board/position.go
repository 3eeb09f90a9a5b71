package board

// Position is a chess position: placement, side to move, castling rights, en passant and
// the two counters, without the history that repetition needs (see Game). It is a
// comparable value without pointers: copy it to keep it, and change it with Make.
//
// The zero Position is not valid. StartPosition, ParseFEN and Sets.Position return valid
// positions, and legal moves keep them valid.
type Position struct {
	byType   [6]Bitboard
	byColor  [2]Bitboard
	key      uint64
	pawnKey  uint64
	material uint64   // number of pieces by color and type, five bits each
	checkers Bitboard // enemy pieces that give check to the side to move
	castling Bitboard // rooks that keep their right
	squares  [64]Piece
	fullmove uint16
	halfmove uint16
	stm      Color
	ep       Square
	chess960 bool
}

// SideToMove returns the side to move.
func (p *Position) SideToMove() Color { return p.stm }

// Pieces returns the squares of the side's pieces of the type.
func (p *Position) Pieces(c Color, t PieceType) Bitboard { return p.byType[t] & p.byColor[c&1] }

// ByType returns the squares of both sides' pieces of the type.
func (p *Position) ByType(t PieceType) Bitboard { return p.byType[t] }

// ByColor returns the squares of all pieces of the side.
func (p *Position) ByColor(c Color) Bitboard { return p.byColor[c&1] }

// Occupied returns the squares of all pieces.
func (p *Position) Occupied() Bitboard { return p.byColor[White] | p.byColor[Black] }

// PieceAt returns the piece on the square, or NoPiece.
func (p *Position) PieceAt(s Square) Piece { return p.squares[s&63] }

// KingSquare returns the square of the side's king.
func (p *Position) KingSquare(c Color) Square { return (p.byType[King] & p.byColor[c&1]).First() }

// Castling returns the squares of the rooks that keep the right to castle.
func (p *Position) Castling() Bitboard { return p.castling }

// EnPassant returns the target square of a legal en-passant capture, or NoSquare.
func (p *Position) EnPassant() Square { return p.ep }

// Halfmove returns the number of plies since the last capture or pawn move.
func (p *Position) Halfmove() int { return int(p.halfmove) }

// Fullmove returns the move number. It starts at 1 and increases after Black's moves.
func (p *Position) Fullmove() int { return int(p.fullmove) }

// Ply returns the number of plies before this position, by its move number.
func (p *Position) Ply() int { return 2*(int(p.fullmove)-1) + int(p.stm) }

// Key returns the Zobrist key of placement, side to move, castling rights and the
// legal en-passant square: the first four fields of a FEN.
func (p *Position) Key() uint64 { return p.key }

// LikelyKey returns the key of the position after the move. It is wrong for moves that
// castle, promote, capture en passant, end a castling right or allow an en-passant capture.
// It is meant for prefetching, where a wrong key only costs time.
func (p *Position) LikelyKey(m Move) uint64 {
	from, to := m.From(), m.To()
	piece := p.squares[from&63]
	key := p.key ^ zobrist.black ^ zobrist.piece[piece&15][from&63] ^ zobrist.piece[piece&15][to&63]
	key ^= zobrist.piece[p.squares[to&63]&15][to&63] // zero for an empty square
	if p.ep != NoSquare {
		key ^= zobrist.ep[p.ep.File()&7]
	}
	return key
}

// PawnKey returns the Zobrist key of the pawns and the kings' squares alone.
func (p *Position) PawnKey() uint64 { return p.pawnKey }

// MaterialKey returns a number that is equal where the numbers of pieces of each color and
// type are, and only there.
func (p *Position) MaterialKey() uint64 { return p.material }

// InCheck reports whether the side to move is in check.
func (p *Position) InCheck() bool { return p.checkers != 0 }

// Chess960 reports whether there are castling rights that standard chess does not have, so
// that moves and FENs need Chess960's notation. It depends on the rights alone: equal
// positions are equal values, however they arose.
func (p *Position) Chess960() bool { return p.chess960 }

// AttackersTo returns the squares of the pieces of both sides that attack s, given the
// occupied squares.
func (p *Position) AttackersTo(s Square, occupied Bitboard) Bitboard {
	return PawnAttacks(White, s)&p.byType[Pawn]&p.byColor[Black] |
		PawnAttacks(Black, s)&p.byType[Pawn]&p.byColor[White] |
		KnightAttacks(s)&p.byType[Knight] |
		KingAttacks(s)&p.byType[King] |
		BishopAttacks(s, occupied)&(p.byType[Bishop]|p.byType[Queen]) |
		RookAttacks(s, occupied)&(p.byType[Rook]|p.byType[Queen])
}

// safe returns the squares among these that the king of the side to move could enter: the other
// side does not attack them when the king is removed from the board.
func (p *Position) safe(squares Bitboard) Bitboard {
	us := p.stm
	them := p.byColor[us^1]
	squares &^= PawnAttackSet(us^1, p.byType[Pawn]&them) | KingAttacks(p.KingSquare(us^1))
	for pieces := p.byType[Knight] & them; pieces != 0; {
		squares &^= KnightAttacks(pieces.PopFirst())
	}
	occupied := p.Occupied() &^ (p.byType[King] & p.byColor[us])
	queens := p.byType[Queen]
	bishops, rooks := (p.byType[Bishop]|queens)&them, (p.byType[Rook]|queens)&them
	for left := squares; left != 0; {
		s := left.PopFirst()
		if bishopRays[s&63]&bishops != 0 && BishopAttacks(s, occupied)&bishops != 0 ||
			rookRays[s&63]&rooks != 0 && RookAttacks(s, occupied)&rooks != 0 {
			squares &^= s.Bitboard()
		}
	}
	return squares
}

// shields returns the pieces of both sides that alone stand between a king and a slider of the side.
func (p *Position) shields(king Square, by Color) (shields Bitboard) {
	queens := p.byType[Queen]
	snipers := (bishopRays[king&63]&(p.byType[Bishop]|queens) | rookRays[king&63]&(p.byType[Rook]|queens)) & p.byColor[by]
	occupied := p.Occupied()
	for snipers != 0 {
		shield := Between(king, snipers.PopFirst()) & occupied
		if shield != 0 && !shield.Many() {
			shields |= shield
		}
	}
	return shields
}

// InsufficientMaterial reports whether neither side can mate by any series of legal moves:
// with bare kings, one minor piece, or only bishops, all on squares of one color.
func (p *Position) InsufficientMaterial() bool {
	if p.byType[Pawn]|p.byType[Rook]|p.byType[Queen] != 0 {
		return false
	}
	minors := p.byType[Knight] | p.byType[Bishop]
	if !minors.Many() {
		return true
	}
	bishops := p.byType[Bishop]
	return p.byType[Knight] == 0 && (bishops&DarkSquares == 0 || bishops&LightSquares == 0)
}

// Mirror returns the position with colors swapped and ranks mirrored: the same position
// from the other side's view.
func (p *Position) Mirror() Position {
	m := Position{
		castling: p.castling.Mirror(),
		fullmove: p.fullmove,
		halfmove: p.halfmove,
		stm:      p.stm.Other(),
		ep:       NoSquare,
		chess960: p.chess960,
		squares:  noSquares,
	}
	if p.ep != NoSquare {
		m.ep = p.ep.Flip()
	}
	for occupied := p.Occupied(); occupied != 0; {
		s := occupied.PopFirst()
		m.put(p.squares[s]^8, s.Flip())
	}
	m.refresh()
	return m
}

// noSquares has no piece.
var noSquares = newNoSquares()

func newNoSquares() (squares [64]Piece) {
	for s := range squares {
		squares[s] = NoPiece
	}
	return squares
}

// put places a piece on an empty square. It does not update checkers; refresh does.
func (p *Position) put(piece Piece, s Square) {
	p.byType[piece.Type()] |= s.Bitboard()
	p.byColor[piece.Color()] |= s.Bitboard()
	p.material += materialUnits[piece&15]
	p.squares[s&63] = piece
	p.rekey(piece, zobrist.piece[piece&15][s&63])
}

// materialUnits has what each piece adds to Position.material.
var materialUnits = newMaterialUnits()

func newMaterialUnits() (units [16]uint64) {
	for t := Pawn; t <= King; t++ {
		units[NewPiece(White, t)], units[NewPiece(Black, t)] = 1<<(5*t), 1<<(5*(t+King+1))
	}
	return units
}

// refresh completes the keys of a position whose pieces were put, and computes checkers.
func (p *Position) refresh() {
	for rooks := p.castling; rooks != 0; {
		p.key ^= zobrist.castling[rooks.PopFirst()]
	}
	if p.ep != NoSquare {
		p.key ^= zobrist.ep[p.ep.File()]
	}
	if p.stm == Black {
		p.key ^= zobrist.black
	}
	p.updateCheckers()
}

func (p *Position) updateCheckers() {
	king := p.KingSquare(p.stm)
	them := p.byColor[p.stm^1]
	queens := p.byType[Queen]
	p.checkers = (PawnAttacks(p.stm, king)&p.byType[Pawn] | KnightAttacks(king)&p.byType[Knight] |
		BishopAttacks(king, p.Occupied())&(p.byType[Bishop]|queens) |
		RookAttacks(king, p.Occupied())&(p.byType[Rook]|queens)) & them
}
