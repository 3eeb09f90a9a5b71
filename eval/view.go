package eval

import "github.com/assay-chess/assay/engine/board"

// view is a position as one side sees it: its own men move up the board from rank 1,
// whichever colour they have. Terms are written once, for this view, so that
// mirrored positions have mirrored values by construction.
type view struct {
	pawns, knights, bishops, rooks, queens board.Bitboard // own men

	theirPawns  board.Bitboard
	occupied    board.Bitboard
	attacks     board.Bitboard // squares that own pawns attack
	theirAttack board.Bitboard // squares that their pawns attack

	king, theirKing board.Square

	area      board.Bitboard // squares that count as mobility
	ring      board.Bitboard // squares around their king
	units     int            // attacks on the ring so far, in units; later the danger
	attackers int            // men other than pawns and king that attack the ring
	passed    board.Bitboard // own passed pawns
	outposts  board.Bitboard // squares that a pawn guards and their pawns cannot attack

	// Squares that own men attack: by kind, by any, and by two or more.
	by         [6]board.Bitboard
	all, twice board.Bitboard
}

// reach notes the squares that a man of a kind attacks.
func (v *view) reach(kind board.PieceType, attacks board.Bitboard) {
	v.by[kind] |= attacks
	v.twice |= v.all & attacks
	v.all |= attacks
}

// men returns all men of the side.
func (v *view) men() board.Bitboard {
	return v.pawns | v.knights | v.bishops | v.rooks | v.queens | v.king.Bitboard()
}

// front is what a side meets: the other side's men and the squares they attack, as
// the side itself sees the board.
type front struct {
	pawns, knights, bishops, rooks, queens, men board.Bitboard

	byPawn, byKing, all, twice board.Bitboard

	toMove int  // 1 if it is the other side's turn
	alone  bool // the other side has king and pawns only
}

// face fills the front with what the other side, whose view is t, shows.
func (f *front) face(t *view) {
	f.pawns, f.knights, f.bishops = t.pawns.Mirror(), t.knights.Mirror(), t.bishops.Mirror()
	f.rooks, f.queens = t.rooks.Mirror(), t.queens.Mirror()
	f.men = t.men().Mirror()
	f.byPawn, f.byKing = t.attacks.Mirror(), t.by[board.King].Mirror()
	f.all, f.twice = t.all.Mirror(), t.twice.Mirror()
	f.alone = t.knights|t.bishops|t.rooks|t.queens == 0
}

// see fills a new view with the position as side c sees it.
func (v *view) see(p *board.Position, c board.Color) {
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
	v.attacks = board.PawnAttackSet(board.White, v.pawns)
	v.theirAttack = board.PawnAttackSet(board.Black, v.theirPawns)
}

// Sets of pawns, all from the view of the side that owns p. "their" are the other
// side's pawns.

// up adds to every square those ahead of it, down those behind it.
func up(b board.Bitboard) board.Bitboard {
	b |= b << 8
	b |= b << 16
	return b | b<<32
}

func down(b board.Bitboard) board.Bitboard {
	b |= b >> 8
	b |= b >> 16
	return b | b>>32
}

// ahead returns the squares on the ranks ahead of a square.
func ahead(s board.Square) board.Bitboard { return ^board.Bitboard(0) << (s&56 + 8) }

// beside returns the neighbours of every square on its rank.
func beside(b board.Bitboard) board.Bitboard { return b.East() | b.West() }

// doubled returns the pawns with a pawn of their own side behind them on the file:
// all but one on every file.
func doubled(p board.Bitboard) board.Bitboard { return p & up(p<<8) }

// isolated returns the pawns without a pawn of their own side on adjacent files.
func isolated(p board.Bitboard) board.Bitboard { return p &^ beside(up(down(p))) }

// backward returns the pawns that are not isolated, have all pawns of adjacent files
// strictly ahead of them and cannot advance without being attacked by a pawn.
func backward(p, isolated, theirAttack board.Bitboard) board.Bitboard {
	return p & (theirAttack >> 8) &^ isolated &^ beside(up(p))
}

// passed returns the pawns with no pawn of the other side ahead of them on the same
// or an adjacent file.
func passed(p, their board.Bitboard) board.Bitboard {
	span := down(their >> 8)
	return p &^ span &^ beside(span)
}

// nearestRank returns the rank, 1 for the second, of the first pawn on the file; 0
// if it has none.
func nearestRank(p board.Bitboard, file board.Square) int {
	p &= board.FileA << (file & 7)
	if p == 0 {
		return 0
	}
	return p.First().Rank()
}
