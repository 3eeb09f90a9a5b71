package board

// Make plays a legal move. What a move that is not legal does is undefined: ask
// IsLegal first where it comes from outside.
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

// MakeNull passes the move. The side to move must not be in check.
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

// finishPawnMove does what only pawns do, after the pawn stands on its new square:
// promotion and the capture en passant.
func (p *Position) finishPawnMove(us Color, m Move, ep Square) {
	to := m.To()
	if t := m.Promotion(); t != NoPieceType {
		p.remove(NewPiece(us, Pawn), to)
		p.add(NewPiece(us, t), to)
	} else if to == ep {
		p.remove(NewPiece(us^1, Pawn), to^8)
	}
}

// allowEnPassant records the square behind a pawn that has just gone two squares,
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

// enPassantLegal tells whether the pawn of the side to move can capture en passant
// on s without leaving its king in check. Two men leave one rank at once, so pins
// do not tell.
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

// castle moves king and rook, whose squares may be each other's in Chess960.
func (p *Position) castle(us Color, kingFrom, rookFrom Square) {
	kingTo, rookTo := castlingTargets(kingFrom, rookFrom)
	king, rook := NewPiece(us, King), NewPiece(us, Rook)
	p.remove(king, kingFrom)
	p.remove(rook, rookFrom)
	p.add(king, kingTo)
	p.add(rook, rookTo)
}

// castlingTargets returns where king and rook end up: g and f on the king's side,
// c and d on the queen's, on the king's rank.
func castlingTargets(king, rook Square) (kingTo, rookTo Square) {
	rank := king &^ 7
	if rook > king {
		return rank | 6, rank | 5
	}
	return rank | 2, rank | 3
}

// dropCastling takes away the rights of the rooks that moved or fell, and all of a
// side's when its king moved.
func (p *Position) dropCastling(us Color, lost Bitboard, kingMoved bool) {
	if kingMoved {
		home := Rank1
		if us == Black {
			home = Rank8
		}
		lost |= p.castling & home
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

// hasUnusualCastling tells whether a right stands that standard chess does not
// have: of a king off the e-file or a rook off the corners.
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

func (p *Position) add(piece Piece, s Square) {
	p.put(piece, s)
	p.rekey(piece, zobrist.piece[piece&15][s&63])
}

func (p *Position) remove(piece Piece, s Square) {
	p.byType[piece.Type()] &^= s.Bitboard()
	p.byColor[piece.Color()] &^= s.Bitboard()
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
	if t := piece.Type(); t == Pawn || t == King {
		p.pawnKey ^= k
	}
}
