package machack

import "github.com/assay-chess/assay/engine/board"

// habits applies general principles: castling, center pawns, rooks on open files.
func (j *judgment) habits() {
	opening := j.p.Fullmove() <= openingMoves
	rank := j.to.RelativeRank(j.us)
	switch j.kind {
	case board.Pawn:
		j.pawnHabits(opening, rank)
	case board.Knight, board.Bishop:
		if j.from.RelativeRank(j.us) == 0 && homeSquares.Has(j.from) && rank > 0 {
			j.add(leavesHome, homeBonus, j.from)
		}
	case board.Rook:
		j.rookHabits(rank)
	case board.Queen:
		if opening && j.from.RelativeRank(j.us) == 0 && rank > 0 && !j.c.capture {
			j.add(queenEarly, queenLoss, j.to)
		}
	case board.King:
		if j.castling {
			j.add(castles, castleBonus, j.to)
			return
		}
		if j.queens && rank > j.from.RelativeRank(j.us) {
			j.add(kingWanders, wanderLoss, j.to)
		}
	}
	own := j.p.ByColor(j.us)
	if j.p.Castling()&own != 0 && j.child.Castling()&own != j.p.Castling()&own {
		j.add(losesCastling, castleLoss, j.from)
	}
	j.frontOfPawn(rank)
}

// homeSquares are the home squares of knights and bishops of both sides.
const homeSquares = (board.FileB | board.FileC | board.FileF | board.FileG) & (board.Rank1 | board.Rank8)

const centerFiles = board.FileD | board.FileE

// frontOfPawn: "it is bad to move pieces in front of center pawns on their original
// squares, thereby tending to block your own center".
func (j *judgment) frontOfPawn(rank int) {
	if rank != 2 || j.kind == board.Pawn || !centerFiles.Has(j.to) {
		return
	}
	behind := j.to ^ board.Square(24) // rank 3 to rank 2, rank 6 to rank 7
	if j.p.Pieces(j.us, board.Pawn).Has(behind) {
		j.add(frontOfCenter, frontLoss, behind)
	}
}

func (j *judgment) pawnHabits(opening bool, rank int) {
	pawns := j.p.Pieces(j.us, board.Pawn)
	file := board.FileA << board.Square(j.to.File())
	switch {
	case centerFiles.Has(j.to) && rank <= 4:
		j.add(centerPawn, centerBonus*(rank-1)/2, j.to)
	case opening && (board.FileA | board.FileH).Has(j.to) && !j.c.capture:
		j.add(edgePawn, edgeLoss, j.to)
	}
	if king := j.p.KingSquare(j.us); j.queens && !j.c.capture && king.RelativeRank(j.us) == 0 &&
		!centerFiles.Has(king) && distance(j.from, king) == 1 {
		j.add(shelterPawn, shelterLoss, j.to)
	}
	if j.c.capture && pawns&file != 0 {
		j.add(doublesPawn, doubleLoss, j.to)
	}
	if j.passed.Has(j.from) {
		j.add(passedPawn, passedBonus*rank, j.to)
	}
}

func (j *judgment) rookHabits(rank int) {
	file := board.FileA << board.Square(j.to.File())
	if j.from.File() != j.to.File() {
		switch pawns := j.p.ByType(board.Pawn) & file; {
		case pawns == 0:
			j.add(openFile, openBonus, j.to)
		case pawns&j.p.ByColor(j.us) == 0:
			j.add(openFile, openBonus/2, j.to)
		}
		if ahead := fill(j.to.Bitboard(), j.us); ahead&j.passed != 0 {
			j.add(rookBehind, behindBonus, j.to)
		}
	}
	if rank == 6 && j.from.RelativeRank(j.us) != 6 {
		j.add(seventhRank, seventhBonus, j.to)
	}
}
