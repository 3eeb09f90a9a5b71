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

// kind is a heuristic of the plausible move generator.
type kind struct {
	positional bool
	comment    string // %s is the piece that it is about
}

// The positional heuristics judge how well a move places pieces. A move with few positional points is marked as
// developmentally poor.
var (
	develops      = &kind{true, "developmental value of the piece, new less old"}
	unblocksOwn   = &kind{true, "for unblocking the %s"}
	blocksOwn     = &kind{true, "for blocking the %s"}
	blocksTheir   = &kind{true, "for blocking the %s"}
	unblocksTheir = &kind{true, "for unblocking the %s"}
	castles       = &kind{true, "for castling"}
	losesCastling = &kind{true, "for giving up the right to castle"}
	kingWanders   = &kind{true, "for moving the king forward with queens on the board"}
	frontOfCenter = &kind{true, "for standing in front of the %s"}
	leavesHome    = &kind{true, "for leaving its home square"}
	centerPawn    = &kind{true, "for advancing a center pawn"}
	shelterPawn   = &kind{true, "for advancing a pawn in front of the king"}
	edgePawn      = &kind{true, "for a move of a rook's pawn in the opening"}
	doublesPawn   = &kind{true, "for doubling a pawn"}
	queenEarly    = &kind{true, "for bringing the queen out early"}
	openFile      = &kind{true, "for a rook on an open file"}
	seventhRank   = &kind{true, "for a rook on the seventh rank"}
	rookBehind    = &kind{true, "for a rook behind a passed pawn"}
)

// The tactical heuristics judge what a move attacks, defends, wins or loses.
var (
	mates         = &kind{false, "for mate"}
	checks        = &kind{false, "for a safe check"}
	captures      = &kind{false, "developmental value of the %s"}
	wins          = &kind{false, "for the material that the capture wins"}
	losesOn       = &kind{false, "for the material that the capture loses"}
	hangs         = &kind{false, "for going en prise"}
	escapes       = &kind{false, "for leaving a square on which it was en prise"}
	guards        = &kind{false, "for the %s, which is no longer en prise"}
	abandons      = &kind{false, "for leaving the %s en prise"}
	threatens     = &kind{false, "for putting the %s en prise"}
	attacksWeak   = &kind{false, "for attacking the %s, which is weak"}
	attacksPinned = &kind{false, "for attacking the %s, which is pinned"}
	attacksGuard  = &kind{false, "for attacking the %s, which defends another piece"}
	passedPawn    = &kind{false, "for advancing a passed pawn"}
	promotes      = &kind{false, "for promoting"}
	forks         = &kind{false, "for attacking several pieces of higher value"}
)

// Deductions in centipawns: 4, 8, 6 and 4 points of 1/128 pawn. They are ours; the paper says
// "a few points" and "various small amounts".
const (
	poorLoss     = 3
	returnLoss   = 6
	twoMovesLoss = 5
	earlyLoss    = 3
	maxDeduction = poorLoss + returnLoss

	earlyMoves = 8
)

// deduction is subtracted from the value of a move that continues with the
// line: for a developmentally poor move, and for a piece that moves again two plies later,
// if it goes back, if one move would have been enough, or if it is among the first eight
// moves of the game.
func deduction(p *board.Position, c *candidate, line []board.Move) (loss int) {
	if c.poor() {
		loss = poorLoss
	}
	if len(line) < 2 || line[1].From() != c.move.To() || p.IsCastling(c.move) {
		return loss
	}
	from, to := c.move.From(), line[1].To()
	switch {
	case to == from:
		loss += returnLoss
	case p.IsLegal(board.NewMove(from, to)):
		loss += twoMovesLoss
	case p.Fullmove() <= earlyMoves:
		loss += earlyLoss
	}
	return loss
}

// widths are the basic widths by level. The last one holds for all deeper levels.
var widths = map[string][]int{
	"tournament": {15, 15, 9, 9, 7},
	"normal":     {6},
}

// picker selects the moves of one position that are searched, by plausibility.
type picker struct {
	list   []candidate
	next   int
	width  int            // basic width
	used   int            // moves counted against the width
	pieces int            // least number of distinct pieces
	moved  board.Bitboard // pieces whose moves have been searched
	top    bool           // first or second level, where all captures are searched
}

// pick returns a picker for a position at the given level, counted from 0.
func pick(list []candidate, basic []int, level int) picker {
	k := picker{list: list, width: basic[min(level, len(basic)-1)], top: level < 2}
	var movable board.Bitboard
	for i := range list {
		if list[i].safe {
			movable |= list[i].move.From().Bitboard()
		}
	}
	k.pieces = min(k.width/2, movable.Count())
	return k
}

// pop returns the next move to search: those within the width, and beyond it safe checks,
// captures at the first two levels, and moves of further pieces until there are enough of
// these. It returns nil after the last.
func (k *picker) pop() *candidate {
	for k.next < len(k.list) {
		c := &k.list[k.next]
		k.next++
		from := c.move.From()
		if k.used < k.width || c.check && c.safe || k.top && c.capture ||
			k.moved.Count() < k.pieces && c.safe && !k.moved.Has(from) {
			k.moved |= from.Bitboard()
			return c
		}
	}
	return nil
}

// tally counts a searched move against the width, unless it leads to being mated.
func (k *picker) tally(value int) {
	if value > -mateBound {
		k.used++
	}
}
