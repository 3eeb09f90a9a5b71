package machack

import "github.com/assay-chess/assay/engine/board"

// points are the piece values in 1/128 pawn: table 2 of the paper.
var points = [...]int{board.Pawn: 128, board.Knight: 416, board.Bishop: 448, board.Rook: 640, board.Queen: 1248,
	board.King: 1536, board.NoPieceType: 0}

// enPrise reports whether the piece on sq is en prise: attacked, and either undefended,
// attacked more often than defended, or attacked by a piece of less value. A king never is.
func enPrise(p *board.Position, sq board.Square) bool {
	piece := p.PieceAt(sq)
	return exposed(p, sq, piece.Type(), piece.Color(), p.Occupied(), 0)
}

// exposed reports whether a piece of the given kind and side would be en prise on sq, with
// the board occupied as given and without the pieces on the squares gone.
func exposed(p *board.Position, sq board.Square, kind board.PieceType, c board.Color, occupied,
	gone board.Bitboard) bool {
	if kind == board.King {
		return false
	}
	touching := p.AttackersTo(sq, occupied) &^ gone
	attackers := touching & p.ByColor(c.Other())
	if attackers == 0 {
		return false
	}
	for less := board.Pawn; less < kind; less++ { // points rise with the type
		if attackers&p.ByType(less) != 0 {
			return true
		}
	}
	return attackers.Count() > (touching & p.ByColor(c)).Count()
}

// allEnPrise returns the pieces of the side that are en prise.
func allEnPrise(p *board.Position, c board.Color) (set board.Bitboard) {
	for pieces := p.ByColor(c) &^ p.ByType(board.King); pieces != 0; {
		if sq := pieces.PopFirst(); enPrise(p, sq) {
			set |= sq.Bitboard()
		}
	}
	return set
}

// pinned reports whether moving the piece on sq would uncover an attack on its king, or on
// another piece that would then be en prise.
func pinned(p *board.Position, sq board.Square) bool {
	c := p.PieceAt(sq).Color()
	occupied := p.Occupied()
	without := occupied &^ sq.Bitboard()
	for snipers := sliders(p) & p.ByColor(c.Other()); snipers != 0; {
		from := snipers.PopFirst()
		kind := p.PieceAt(from).Type()
		before := board.Attacks(kind, from, occupied)
		if !before.Has(sq) {
			continue
		}
		for seen := board.Attacks(kind, from, without) &^ before & p.ByColor(c); seen != 0; {
			behind := seen.PopFirst()
			piece := p.PieceAt(behind).Type()
			if piece == board.King || exposed(p, behind, piece, c, without, sq.Bitboard()) {
				return true
			}
		}
	}
	return false
}

func sliders(p *board.Position) board.Bitboard {
	return p.ByType(board.Bishop) | p.ByType(board.Rook) | p.ByType(board.Queen)
}

// trapped reports whether the piece on sq would be en prise after each of its moves. It
// ignores the side to move and checks.
func trapped(p *board.Position, sq board.Square) bool {
	piece := p.PieceAt(sq)
	c, kind := piece.Color(), piece.Type()
	for targets := reach(p, sq) &^ p.ByColor(c); targets != 0; {
		to := targets.PopFirst()
		occupied := p.Occupied()&^sq.Bitboard() | to.Bitboard()
		if !exposed(p, to, kind, c, occupied, sq.Bitboard()|to.Bitboard()) {
			return false
		}
	}
	return true
}

// reach returns the squares to which the piece on sq could move, and the squares of own pieces
// that it defends.
func reach(p *board.Position, sq board.Square) board.Bitboard {
	piece := p.PieceAt(sq)
	if piece.Type() != board.Pawn {
		return board.Attacks(piece.Type(), sq, p.Occupied())
	}
	c := piece.Color()
	ahead := sq.Bitboard().Forward(c) &^ p.Occupied()
	if sq.RelativeRank(c) == 1 {
		ahead |= ahead.Forward(c) &^ p.Occupied()
	}
	return ahead | board.PawnAttacks(c, sq)&p.ByColor(c.Other())
}

// feedover reports whether one of the paper's three conditions holds: the position is too
// unsettled for a static value, and its plausible moves must be searched.
func feedover(p *board.Position) bool {
	us := p.SideToMove()
	ours := allEnPrise(p, us)
	if ours == 0 {
		return false
	}
	if ours.Many() || p.InCheck() {
		return true
	}
	stuck := func(sq board.Square) bool { return trapped(p, sq) || pinned(p, sq) }
	if stuck(ours.First()) {
		return true
	}
	theirs := allEnPrise(p, us.Other())
	return theirs != 0 && !theirs.Many() && stuck(theirs.First())
}
