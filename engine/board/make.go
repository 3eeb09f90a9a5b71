package board

// Make makes a legal move. The result of an illegal move is undefined: check moves from
// outside with IsLegal first.
func (p *Position) Make(m Move) {
	us := p.stm
	from, to := m.From(), m.To()
	piece := p.squares[from]
	captured := p.squares[to]

	if p.ep != NoSquare {
		p.key ^= zobrist.ep[p.ep.File()]
	}
	ep := p.ep
	p.ep = NoSquare
	p.halfmove++
	p.fullmove += uint16(us)
	p.key ^= zobrist.black

	switch {
	case captured != NoPiece && captured.Color() == us:
		p.castle(us, from, to)
	default:
		if captured != NoPiece {
			p.remove(captured, to)
			p.halfmove = 0
		}
		p.move(piece, from, to)
		if piece.Type() == Pawn {
			p.halfmove = 0
			p.finishPawnMove(us, m, ep)
		}
	}
	if lost := p.castling & (from.Bitboard() | to.Bitboard()); lost != 0 || piece.Type() == King {
		p.dropCastling(us, lost, piece.Type() == King)
	}
	p.stm = us ^ 1
	p.updateCheckers()
	if piece.Type() == Pawn && from^to == 16 {
		p.allowEnPassant(from ^ 24)
	}
}

// MakeNull makes a null move: it passes. The side to move must not be in check.
func (p *Position) MakeNull() {
	if p.ep != NoSquare {
		p.key ^= zobrist.ep[p.ep.File()]
		p.ep = NoSquare
	}
	p.halfmove++
	p.fullmove += uint16(p.stm)
	p.key ^= zobrist.black
	p.stm ^= 1
	p.updateCheckers()
}

// finishPawnMove promotes a pawn that has moved, or removes the pawn that it has captured
// en passant.
func (p *Position) finishPawnMove(us Color, m Move, ep Square) {
	to := m.To()
	if t := m.Promotion(); t != NoPieceType {
		p.remove(NewPiece(us, Pawn), to)
		p.put(NewPiece(us, t), to)
	} else if to == ep {
		p.remove(NewPiece(us^1, Pawn), to^8)
	}
}

// allowEnPassant sets the en-passant square behind a pawn that has just moved two squares,
// if the side to move can legally capture there.
func (p *Position) allowEnPassant(s Square) {
	capturers := PawnAttacks(p.stm^1, s) & p.Pieces(p.stm, Pawn)
	for capturers != 0 {
		if p.enPassantLegal(capturers.PopFirst(), s) {
			p.ep = s
			p.key ^= zobrist.ep[s.File()]
			return
		}
	}
}

// enPassantLegal reports whether a pawn of the side to move can capture en passant on s
// without leaving its king in check. Two pieces leave one rank at once, so the pinned set
// is not enough.
func (p *Position) enPassantLegal(from, s Square) bool {
	us := p.stm
	victim := (s ^ 8).Bitboard()
	if p.checkers&^victim&(p.byType[Knight]|p.byType[Pawn]) != 0 {
		return false
	}
	occupied := p.Occupied()&^from.Bitboard()&^victim | s.Bitboard()
	king := p.KingSquare(us)
	them := p.byColor[us^1]
	queens := p.byType[Queen]
	return BishopAttacks(king, occupied)&(p.byType[Bishop]|queens)&them == 0 &&
		RookAttacks(king, occupied)&(p.byType[Rook]|queens)&them == 0
}

// castle moves king and rook. In Chess960 they may swap squares.
func (p *Position) castle(us Color, kingFrom, rookFrom Square) {
	kingTo, rookTo := castlingTargets(kingFrom, rookFrom)
	king, rook := NewPiece(us, King), NewPiece(us, Rook)
	p.remove(king, kingFrom)
	p.remove(rook, rookFrom)
	p.put(king, kingTo)
	p.put(rook, rookTo)
}

// castlingTargets returns the target squares of king and rook on the king's rank: on the g
// and f file on the king's side, on the c and d file on the queen's side.
func castlingTargets(king, rook Square) (kingTo, rookTo Square) {
	rank := king &^ 7
	if rook > king {
		return rank | 6, rank | 5
	}
	return rank | 2, rank | 3
}

// dropCastling removes the rights of rooks that have moved or been captured, and both
// rights of a side whose king has moved.
func (p *Position) dropCastling(us Color, lost Bitboard, kingMoved bool) {
	if kingMoved {
		lost |= p.castling & (Rank1 << A1.Relative(us))
	}
	if lost == 0 {
		return
	}
	p.castling &^= lost
	for lost != 0 {
		p.key ^= zobrist.castling[lost.PopFirst()]
	}
	if p.chess960 {
		p.chess960 = p.hasUnusualCastling()
	}
}

// hasUnusualCastling reports whether there is a right that standard chess does not have: of
// a king not on the e-file or a rook not in a corner.
func (p *Position) hasUnusualCastling() bool {
	for rooks := p.castling; rooks != 0; {
		rook := rooks.PopFirst()
		king := p.KingSquare(p.squares[rook].Color())
		if king.File() != 4 || (FileA|FileH)&rook.Bitboard() == 0 {
			return true
		}
	}
	return false
}

func (p *Position) remove(piece Piece, s Square) {
	p.byType[piece.Type()] &^= s.Bitboard()
	p.byColor[piece.Color()] &^= s.Bitboard()
	p.material -= materialUnits[piece&15]
	p.squares[s&63] = NoPiece
	p.rekey(piece, zobrist.piece[piece&15][s&63])
}

func (p *Position) move(piece Piece, from, to Square) {
	both := from.Bitboard() | to.Bitboard()
	p.byType[piece.Type()] ^= both
	p.byColor[piece.Color()] ^= both
	p.squares[from&63] = NoPiece
	p.squares[to&63] = piece
	p.rekey(piece, zobrist.piece[piece&15][from&63]^zobrist.piece[piece&15][to&63])
}

func (p *Position) rekey(piece Piece, k uint64) {
	p.key ^= k
	p.pawnKey ^= k & pawnKeyMask[piece&15]
}

// pawnKeyMask has ones for the pieces that count in Position.pawnKey.
var pawnKeyMask = [16]uint64{Pawn: ^uint64(0), King: ^uint64(0), 8: ^uint64(0), 8 + King: ^uint64(0)} // Black's: 8 more
