package eval

import "github.com/assay-chess/assay/engine/board"

// ShannonRestless is g(P) of Shannon 1950, section 6, which his strategy of type B
// asks before it stops a variation: whether any man "is attacked by a piece of lower
// value, or by more pieces than defences, or if any check exists". Attacks and
// defences are direct ones, pinned men's too; kings are not counted as attacked, and
// a check exists if the side to move is in one (ours). It is no term: a search asks.
func ShannonRestless(p *board.Position) bool {
	if p.InCheck() {
		return true
	}
	for b := p.Occupied() &^ p.ByType(board.King); b != 0; {
		sq := b.PopFirst()
		man := p.PieceAt(sq)
		touching := p.AttackersTo(sq, p.Occupied())
		attackers := touching & p.ByColor(man.Color().Other())
		if attackers.Count() > (touching &^ attackers).Count() {
			return true
		}
		for attackers != 0 {
			if shannonWorth[p.PieceAt(attackers.PopFirst()).Type()] < shannonWorth[man.Type()] {
				return true
			}
		}
	}
	return false
}
