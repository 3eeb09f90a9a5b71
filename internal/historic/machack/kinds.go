package machack

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
