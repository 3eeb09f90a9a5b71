package machack

import "github.com/assay-chess/assay/engine/board"

// Points of the heuristics that have a fixed number. They are ours.
const (
	mateBonus      = 10000
	checkBonus     = 8
	castleBonus    = 30
	castleLoss     = -20
	wanderLoss     = -10
	frontLoss      = -15
	homeBonus      = 6
	centerBonus    = 8
	shelterLoss    = -8
	edgeLoss       = -4
	doubleLoss     = -5
	queenLoss      = -8
	openBonus      = 6
	seventhBonus   = 6
	behindBonus    = 6
	weakBonus      = 4
	pinBonus       = 5
	guardBonus     = 3
	forkBonus      = 12
	passedBonus    = 3 // for each rank
	openingMoves   = 10
	winsPart       = 4 // a piece's points are divided by this to get plausibility points
	losesPart      = 8
	guardsPart     = 10
	threatensPart  = 16
	promotionsPart = 4
)

// judgment is the state while one move is judged.
type judgment struct {
	*generator
	c          *candidate
	child      board.Position
	from, to   board.Square // of the moving piece; of the king in castling
	kind       board.PieceType
	castling   bool
	victim     board.Square // NoSquare if there is none
	victimKind board.PieceType
}

// judge computes the plausibility of a candidate.
func (g *generator) judge(c *candidate) {
	p := g.p
	j := judgment{generator: g, c: c, child: *p, from: c.move.From(), to: c.move.To(), victim: board.NoSquare}
	j.castling = p.IsCastling(c.move)
	j.kind = p.PieceAt(j.from).Type()
	if p.IsCapture(c.move) {
		c.capture = true
		j.victim = j.to
		if p.IsEnPassant(c.move) {
			j.victim ^= 8
		}
		j.victimKind = p.PieceAt(j.victim).Type()
	}
	j.child.Make(c.move)
	if j.castling {
		j.to = j.child.KingSquare(g.us)
	}
	c.safe = !enPrise(&j.child, j.to)
	c.check = j.child.InCheck()
	j.add(develops, g.development(&j.child, j.to)-g.development(p, j.from), j.to)
	j.lines()
	j.habits()
	j.material()
	j.threats()
	j.targets()
}

// add adds the points of a heuristic.
func (j *judgment) add(k *kind, points int, at board.Square) {
	if points == 0 {
		return
	}
	if k.positional {
		j.c.position += points
	} else {
		j.c.tactics += points
	}
	if j.trace {
		j.c.factors = append(j.c.factors, factor{kind: k, points: points, at: at})
	}
}

// lines finds the bishops, rooks and queens of both sides that the move blocks or unblocks.
func (j *judgment) lines() {
	before, after := j.p.Occupied(), j.child.Occupied()
	pieces := sliders(j.p) &^ j.from.Bitboard()
	if j.castling {
		pieces &^= j.c.move.To().Bitboard()
	}
	if j.victim != board.NoSquare {
		pieces &^= j.victim.Bitboard()
	}
	for pieces != 0 {
		sq := pieces.PopFirst()
		piece := j.p.PieceAt(sq)
		old, now := board.Attacks(piece.Type(), sq, before), board.Attacks(piece.Type(), sq, after)
		if old == now {
			continue
		}
		c := piece.Color()
		gained := now &^ old
		if c == j.us {
			gained &^= j.to.Bitboard() // it cannot move there: the moving piece is in the way
		}
		gain := j.bearing(&j.child, c, gained) - j.bearing(j.p, c, old&^now)
		k, points := [...]*kind{unblocksOwn, blocksOwn}, gain
		if c != j.us {
			k, points = [...]*kind{unblocksTheir, blocksTheir}, -gain
		}
		if gain < 0 {
			k[0] = k[1]
		}
		j.add(k[0], points, sq)
		if n := len(j.c.factors); n > 0 && gain > 0 { // only with trace
			j.c.factors[n-1].now = gained
		}
	}
}

// material judges what the move captures, and whether the moving piece is safe on its new
// square.
func (j *judgment) material() {
	if j.c.check {
		if j.child.CountLegal() == 0 {
			j.add(mates, mateBonus, j.to)
		} else if j.c.safe {
			j.add(checks, checkBonus, j.to)
		}
	}
	stake := 0
	if !j.c.safe {
		stake = points[j.kind]
	}
	switch {
	case j.victim != board.NoSquare:
		j.add(captures, j.development(j.p, j.victim), j.victim)
		if gain := points[j.victimKind] - stake; gain > 0 {
			j.add(wins, gain/winsPart, j.to)
		} else {
			j.add(losesOn, gain/losesPart, j.to)
		}
	case stake > 0:
		j.add(hangs, -stake/losesPart, j.to)
	}
	if j.c.safe && j.hanging[j.us].Has(j.from) {
		j.add(escapes, points[j.kind]/losesPart, j.from)
	}
	if made := j.c.move.Promotion(); made != board.NoPieceType && j.c.safe {
		j.add(promotes, (points[made]-points[board.Pawn])/promotionsPart, j.to)
	}
}

// threats finds the other pieces that the move puts en prise or saves.
func (j *judgment) threats() {
	ours := allEnPrise(&j.child, j.us) &^ j.to.Bitboard()
	was := j.hanging[j.us] &^ j.from.Bitboard()
	for pieces := ours &^ was; pieces != 0; {
		sq := pieces.PopFirst()
		j.add(abandons, -points[j.child.PieceAt(sq).Type()]/guardsPart, sq)
	}
	for pieces := was &^ ours; pieces != 0; {
		sq := pieces.PopFirst()
		j.add(guards, points[j.p.PieceAt(sq).Type()]/guardsPart, sq)
	}
	them := j.us.Other()
	for pieces := allEnPrise(&j.child, them) &^ j.hanging[them]; pieces != 0; {
		sq := pieces.PopFirst()
		j.add(threatens, points[j.child.PieceAt(sq).Type()]/threatensPart, sq)
	}
}

// targets judges the pieces that the moving piece newly attacks.
func (j *judgment) targets() {
	them := j.us.Other()
	attacked := attacksOf(&j.child, j.to) & j.child.ByColor(them)
	fresh := attacked &^ attacksOf(j.p, j.from)
	for pieces := fresh & j.weak; pieces != 0; {
		j.add(attacksWeak, weakBonus, pieces.PopFirst())
	}
	for pieces := fresh & j.pinned; pieces != 0; {
		j.add(attacksPinned, pinBonus, pieces.PopFirst())
	}
	higher := 0
	for pieces := fresh; pieces != 0; {
		sq := pieces.PopFirst()
		kind := j.child.PieceAt(sq).Type()
		if points[kind] > points[j.kind] {
			higher++
		}
		if kind != board.King && j.onlyGuard(sq) {
			j.add(attacksGuard, guardBonus, sq)
		}
	}
	if higher > 1 && j.c.safe {
		j.add(forks, forkBonus, j.to)
	}
}

// onlyGuard reports whether the enemy piece on sq is the only defender of another piece that
// is attacked.
func (j *judgment) onlyGuard(sq board.Square) bool {
	them := j.us.Other()
	for wards := attacksOf(&j.child, sq) & j.child.ByColor(them) &^ j.child.ByType(board.King); wards != 0; {
		touching := j.child.AttackersTo(wards.PopFirst(), j.child.Occupied())
		if touching&j.child.ByColor(j.us) != 0 && touching&j.child.ByColor(them) == sq.Bitboard() {
			return true
		}
	}
	return false
}
