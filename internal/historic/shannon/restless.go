package shannon

import "github.com/assay-chess/assay/engine/board"

// worth holds the piece values of the paper in pawns, by board.PieceType.
var worth = [6]int{1, 3, 3, 5, 9, 200}

// restless is g(P) of Shannon 1950, section 6, by which his type B strategy decides
// whether to stop a variation: it reports whether any piece "is attacked by a piece of
// lower value, or by more pieces than defences, or if any check exists". Only direct
// attacks and defences count, by pinned pieces too. Our own readings: a king does
// not count as attacked, and a check exists if the side to move is in check.
func restless(p *board.Position) bool {
	if p.InCheck() {
		return true
	}
	for b := p.Occupied() &^ p.ByType(board.King); b != 0; {
		sq := b.PopFirst()
		piece := p.PieceAt(sq)
		touching := p.AttackersTo(sq, p.Occupied())
		attackers := touching & p.ByColor(piece.Color().Other())
		if attackers.Count() > (touching &^ attackers).Count() {
			return true
		}
		for attackers != 0 {
			if worth[p.PieceAt(attackers.PopFirst()).Type()] < worth[piece.Type()] {
				return true
			}
		}
	}
	return false
}
