package board

// CountLegal returns the number of legal moves without listing them.
func (p *Position) CountLegal() int {
	t := p.Targets()
	n := 0
	if to := t.mask &^ t.own; to != 0 {
		for knights := p.byType[Knight] & t.own &^ t.pinned; knights != 0; {
			n += (KnightAttacks(knights.PopFirst()) & to).Count()
		}
		queens := p.byType[Queen]
		for pieces := (p.byType[Bishop] | queens) & t.own; pieces != 0; {
			from := pieces.PopFirst()
			n += t.unpin(from, BishopAttacks(from, t.occupied)&to).Count()
		}
		for pieces := (p.byType[Rook] | queens) & t.own; pieces != 0; {
			from := pieces.PopFirst()
			n += t.unpin(from, RookAttacks(from, t.occupied)&to).Count()
		}
		n += p.countPawnMoves(&t)
	}
	return n + p.countKingMoves(&t)
}

func (p *Position) countKingMoves(t *Targets) int {
	n := 0
	if to := KingAttacks(t.king) &^ t.own; to != 0 {
		n = p.safe(to).Count()
	}
	for rooks := p.castlingRooks(t); rooks != 0; {
		if p.castlingSafe(t, rooks.PopFirst()) {
			n++
		}
	}
	return n
}

func (p *Position) countPawnMoves(t *Targets) int {
	pawns := p.byType[Pawn] & t.own
	n := p.countFreePawns(t, pawns&^t.pinned, t.mask)
	for pieces := pawns & t.pinned; pieces != 0; {
		from := pieces.PopFirst()
		n += p.countFreePawns(t, from.Bitboard(), t.mask&lineThrough(t.king, from))
	}
	if p.ep != NoSquare {
		for pieces := PawnAttacks(t.us^1, p.ep) & pawns; pieces != 0; {
			if p.enPassantLegal(pieces.PopFirst(), p.ep) {
				n++
			}
		}
	}
	return n
}

// countFreePawns counts the moves of unpinned pawns to squares of the mask. A promotion
// counts four times.
func (p *Position) countFreePawns(t *Targets, pawns, mask Bitboard) int {
	single, double, west, east := p.pawnTargets(t, pawns)
	single &= mask
	west &= mask
	east &= mask
	n := single.Count() + (double & mask).Count() + west.Count() + east.Count()
	const last = Rank1 | Rank8
	if (single|west|east)&last != 0 {
		n += 3 * ((single & last).Count() + (west & last).Count() + (east & last).Count())
	}
	return n
}

// Perft returns the number of leaves of the tree of legal moves at the depth in plies. It
// counts the moves of the last ply without making them.
func Perft(p *Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	if depth == 1 {
		return uint64(p.CountLegal())
	}
	var array [MaxMoves]Move
	var child Position // inside the loop it would be allocated on the heap
	n := uint64(0)
	for _, m := range p.LegalMoves(array[:0]) {
		child = *p
		child.Make(m)
		n += Perft(&child, depth-1)
	}
	return n
}

// MaxMoves is higher than the number of legal moves in any legal position (218).
const MaxMoves = 256
