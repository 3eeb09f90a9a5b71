package board

// seeValues are Shannon's piece values in centipawns. The king's is higher than all
// others together, so that it never captures a defended piece.
var seeValues = [7]int{Pawn: 100, Knight: 300, Bishop: 300, Rook: 500, Queen: 900, King: 20000}

// SEE is the static exchange evaluation of a legal move: the material, in centipawns, that
// the side to move gains if both sides then capture on the target square, least valuable
// piece first, as long as that pays. Sliders behind other pieces take part. Pins are
// ignored.
func (p *Position) SEE(m Move) int {
	if p.IsCastling(m) {
		return 0
	}
	var gain [32]int
	x := p.newExchange(m)
	gain[0] = x.first
	n := 0
	for n < len(gain)-1 {
		value := x.atRisk
		if !x.next() {
			break
		}
		n++
		gain[n] = value - gain[n-1]
	}
	for ; n > 0; n-- {
		gain[n-1] = min(gain[n-1], -gain[n])
	}
	return gain[0]
}

// SEEAtLeast reports whether SEE(m) is at least the threshold, in centipawns.
func (p *Position) SEEAtLeast(m Move, threshold int) bool {
	if p.IsCastling(m) {
		return threshold <= 0
	}
	x := p.newExchange(m)
	balance := x.first - threshold
	if balance < 0 {
		return false
	}
	balance -= x.atRisk
	// balance is what the side that captured last keeps above the threshold if it loses
	// the capturing piece. If it is ahead even then, it has won the exchange.
	for balance < 0 && x.next() {
		balance = -balance - 1 - x.atRisk
	}
	return x.side != p.stm
}

// exchange is a series of captures on one square.
type exchange struct {
	p        *Position
	to       Square
	occupied Bitboard
	side     Color // whose capture is next
	first    int   // gain of the first move
	atRisk   int   // value of the piece now on the square
}

func (p *Position) newExchange(m Move) exchange {
	from, to := m.From(), m.To()
	x := exchange{p: p, to: to, side: p.stm ^ 1, occupied: p.Occupied()&^from.Bitboard() | to.Bitboard()}
	x.first = seeValues[p.squares[to].Type()]
	x.atRisk = seeValues[p.squares[from].Type()]
	if p.IsEnPassant(m) {
		x.first = seeValues[Pawn]
		x.occupied &^= (to ^ 8).Bitboard()
	}
	if t := m.Promotion(); t != NoPieceType {
		x.first += seeValues[t] - seeValues[Pawn]
		x.atRisk = seeValues[t]
	}
	return x
}

// next captures with the side's least valuable piece. It returns false if there is none. A
// king captures only if the other side cannot recapture. Attackers are looked for type by
// type, because most exchanges end before the sliders take part.
func (x *exchange) next() bool {
	p, to := x.p, x.to&63
	own := p.byColor[x.side&1] & x.occupied
	t, pieces := Pawn, pawnAttacks[x.side&1^1][to]&p.byType[Pawn]&own
	if pieces == 0 {
		t, pieces = Knight, knightAttacks[to]&p.byType[Knight]&own
	}
	if pieces == 0 {
		t, pieces = Bishop, bishopRays[to]&p.byType[Bishop]&own
		if pieces != 0 {
			pieces &= BishopAttacks(to, x.occupied)
		}
	}
	if pieces == 0 {
		t, pieces = Rook, rookRays[to]&p.byType[Rook]&own
		if pieces != 0 {
			pieces &= RookAttacks(to, x.occupied)
		}
	}
	if pieces == 0 {
		t, pieces = Queen, (bishopRays[to]|rookRays[to])&p.byType[Queen]&own
		if pieces != 0 {
			pieces &= QueenAttacks(to, x.occupied)
		}
	}
	if pieces == 0 {
		t, pieces = King, kingAttacks[to]&p.byType[King]&own
		if pieces == 0 || p.AttackersTo(to, x.occupied)&x.occupied&p.byColor[x.side&1^1] != 0 {
			return false
		}
	}
	x.occupied &^= pieces & -pieces
	x.atRisk = seeValues[t]
	x.side ^= 1
	return true
}
