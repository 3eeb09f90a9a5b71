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

	area  board.Bitboard // squares that count as mobility
	ring  board.Bitboard // squares around their king
	units int            // attacks on the ring so far, in units
}

// see fills the view with the position as side c sees it.
func (v *view) see(p *board.Position, c board.Color) {
	them := c.Other()
	*v = view{
		pawns:      p.Pieces(c, board.Pawn),
		knights:    p.Pieces(c, board.Knight),
		bishops:    p.Pieces(c, board.Bishop),
		rooks:      p.Pieces(c, board.Rook),
		queens:     p.Pieces(c, board.Queen),
		theirPawns: p.Pieces(them, board.Pawn),
		occupied:   p.Occupied(),
		king:       p.KingSquare(c).Relative(c),
		theirKing:  p.KingSquare(them).Relative(c),
	}
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
