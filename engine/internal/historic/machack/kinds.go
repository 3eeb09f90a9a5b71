package machack

// kind is a heuristic of the plausible move generator.
type kind uint8

// The heuristics. Positional ones judge how well a move places pieces, tactical ones what it
// attacks, defends, wins or loses. A move with few positional points is marked as
// developmentally poor.
const (
	develops kind = iota // positional
	unblocksOwn
	blocksOwn
	blocksTheir
	unblocksTheir
	castles
	losesCastling
	kingWanders
	frontOfCenter
	leavesHome
	centerPawn
	shelterPawn
	edgePawn
	doublesPawn
	queenEarly
	openFile
	seventhRank
	rookBehind

	mates // tactical
	checks
	captures
	wins
	losesOn
	hangs
	escapes
	guards
	abandons
	threatens
	attacksWeak
	attacksPinned
	attacksGuard
	passedPawn
	promotes
	forks
	kinds
)

// comments describe the heuristics. %s is the piece that one is about.
var comments = [kinds]string{
	develops:      "developmental value of the piece, new less old",
	unblocksOwn:   "for unblocking the %s",
	blocksOwn:     "for blocking the %s",
	blocksTheir:   "for blocking the %s",
	unblocksTheir: "for unblocking the %s",
	castles:       "for castling",
	losesCastling: "for giving up the right to castle",
	kingWanders:   "for moving the king forward with queens on the board",
	frontOfCenter: "for standing in front of the %s",
	leavesHome:    "for leaving its home square",
	centerPawn:    "for advancing a center pawn",
	shelterPawn:   "for advancing a pawn in front of the king",
	edgePawn:      "for a move of a rook's pawn in the opening",
	doublesPawn:   "for doubling a pawn",
	queenEarly:    "for bringing the queen out early",
	openFile:      "for a rook on an open file",
	seventhRank:   "for a rook on the seventh rank",
	rookBehind:    "for a rook behind a passed pawn",

	mates:         "for mate",
	checks:        "for a safe check",
	captures:      "developmental value of the %s",
	wins:          "for the material that the capture wins",
	losesOn:       "for the material that the capture loses",
	hangs:         "for going en prise",
	escapes:       "for leaving a square on which it was en prise",
	guards:        "for the %s, which is no longer en prise",
	abandons:      "for leaving the %s en prise",
	threatens:     "for putting the %s en prise",
	attacksWeak:   "for attacking the %s, which is weak",
	attacksPinned: "for attacking the %s, which is pinned",
	attacksGuard:  "for attacking the %s, which defends another piece",
	passedPawn:    "for advancing a passed pawn",
	promotes:      "for promoting",
	forks:         "for attacking several pieces of higher value",
}

// positional reports whether a heuristic is positional.
func (k kind) positional() bool { return k < mates }
