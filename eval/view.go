package eval

import "github.com/assay-chess/assay/engine/board"

// view is a position as one side sees it: its own pieces move up the board from rank 1,
// whichever color they have. Terms are written once, for this view, so that mirrored
// positions have mirrored values by construction.
type view struct {
	pawns, knights, bishops, rooks, queens board.Bitboard // own pieces

	theirPawns       board.Bitboard
	occupied         board.Bitboard
	pawnAttacks      board.Bitboard // squares that own pawns attack
	theirPawnAttacks board.Bitboard // squares that their pawns attack

	king, theirKing board.Square
	side            int // 0 for White, 1 for Black

	mobilityArea board.Bitboard // squares that count as mobility
	ring         board.Bitboard // squares around their king
	units        int            // attacks on the ring so far, in units; later the danger
	attackers    int            // pieces other than pawns and king that attack the ring
	hits         int            // attacks on the ring in bytes, by type from knight; in the upper half the attackers
	checks       int            // a bit for each type of piece with a safe check, from knight
	unguarded    int            // squares of the ring that we attack and only their king guards
	pins         int            // pieces of theirs that are pinned to their king
	passed       board.Bitboard // own passed pawns
	outposts     board.Bitboard // squares that an own pawn guards and their pawns cannot attack

	// Squares that own pieces attack: by type, by any, and by two or more.
	attackedBy              [6]board.Bitboard
	attacked, attackedTwice board.Bitboard
}

// addAttacks notes the squares that a piece of a type attacks.
func (v *view) addAttacks(by board.PieceType, attacks board.Bitboard) {
	v.attackedBy[by] |= attacks
	v.attackedTwice |= v.attacked & attacks
	v.attacked |= attacks
}

// pieces returns all pieces of the side, pawns and king included.
func (v *view) pieces() board.Bitboard {
	return v.pawns | v.knights | v.bishops | v.rooks | v.queens | v.king.Bitboard()
}

// points returns the value of the side's pieces by Shannon, without pawns.
func (v *view) points() int {
	return 3*(v.knights|v.bishops).Count() + 5*v.rooks.Count() + 9*v.queens.Count()
}

// opponent is the other side's pieces and the squares they attack, mirrored into the view
// of the side that counts.
type opponent struct {
	pawns, knights, bishops, rooks, queens board.Bitboard
	pieces                                 board.Bitboard // all of them, pawns and king included

	attackedByPawn, attackedByKing, attacked, attackedTwice board.Bitboard

	toMove    int  // 1 if it is the opponent's turn
	pawnsOnly bool // the opponent has king and pawns only
}

// points returns the value of the opponent's pieces by Shannon, without pawns.
func (o *opponent) points() int {
	return 3*(o.knights|o.bishops).Count() + 5*o.rooks.Count() + 9*o.queens.Count()
}

// set fills o from t, the opponent's own view.
func (o *opponent) set(t *view) {
	o.pawns, o.knights, o.bishops = t.pawns.Mirror(), t.knights.Mirror(), t.bishops.Mirror()
	o.rooks, o.queens = t.rooks.Mirror(), t.queens.Mirror()
	o.pieces = t.pieces().Mirror()
	o.attackedByPawn, o.attackedByKing = t.pawnAttacks.Mirror(), t.attackedBy[board.King].Mirror()
	o.attacked, o.attackedTwice = t.attacked.Mirror(), t.attackedTwice.Mirror()
	o.pawnsOnly = t.knights|t.bishops|t.rooks|t.queens == 0
}

// set fills a new view with the position as side c sees it.
func (v *view) set(p *board.Position, c board.Color) {
	v.side = int(c)
	them := c.Other()
	v.pawns, v.theirPawns = p.Pieces(c, board.Pawn), p.Pieces(them, board.Pawn)
	v.knights, v.bishops = p.Pieces(c, board.Knight), p.Pieces(c, board.Bishop)
	v.rooks, v.queens = p.Pieces(c, board.Rook), p.Pieces(c, board.Queen)
	v.occupied = p.Occupied()
	v.king, v.theirKing = p.KingSquare(c).Relative(c), p.KingSquare(them).Relative(c)
	if c == board.Black {
		v.pawns, v.knights, v.bishops = v.pawns.Mirror(), v.knights.Mirror(), v.bishops.Mirror()
		v.rooks, v.queens = v.rooks.Mirror(), v.queens.Mirror()
		v.theirPawns, v.occupied = v.theirPawns.Mirror(), v.occupied.Mirror()
	}
	v.pawnAttacks = board.PawnAttackSet(board.White, v.pawns)
	v.theirPawnAttacks = board.PawnAttackSet(board.Black, v.theirPawns)
}

// Sets of pawns, all in the view of the side that owns p; "their" are the other side's
// pawns.

// up adds to every square the squares ahead of it on its file.
func up(b board.Bitboard) board.Bitboard {
	b |= b << 8
	b |= b << 16
	return b | b<<32
}

// down adds to every square the squares behind it on its file.
func down(b board.Bitboard) board.Bitboard {
	b |= b >> 8
	b |= b >> 16
	return b | b>>32
}

// ahead returns the squares on the ranks ahead of a square.
func ahead(s board.Square) board.Bitboard { return ^board.Bitboard(0) << (s&56 + 8) }

// beside returns the squares next to every square on its rank.
func beside(b board.Bitboard) board.Bitboard { return b.East() | b.West() }

// doubled returns the pawns with a pawn of their own side behind them on the file:
// all but one on every file.
func doubled(p board.Bitboard) board.Bitboard { return p & up(p<<8) }

// isolated returns the pawns without a pawn of their own side on adjacent files.
func isolated(p board.Bitboard) board.Bitboard { return p &^ beside(up(down(p))) }

// backward returns the pawns that are not isolated, have all pawns of adjacent files
// strictly ahead of them and cannot advance without being attacked by a pawn.
func backward(p, isolated, theirPawnAttacks board.Bitboard) board.Bitboard {
	return p & (theirPawnAttacks >> 8) &^ isolated &^ beside(up(p))
}

// passed returns the pawns with no pawn of the other side ahead of them on the same
// or an adjacent file.
func passed(p, their board.Bitboard) board.Bitboard {
	span := down(their >> 8)
	return p &^ span &^ beside(span)
}

// nearestRank returns the rank of the first pawn on the file, 1 for rank 2; 0 if the file
// has no pawn.
func nearestRank(p board.Bitboard, file board.Square) int {
	p &= board.FileA << (file & 7)
	if p == 0 {
		return 0
	}
	return p.First().Rank()
}
