package machack

// kind is a heuristic of the plausible move generator.
type kind uint8

// The heuristics. Positional ones say how well a move places men, tactical ones what it
// does now; a move whose positional points are bad is marked developmentally poor.
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

// why says what a heuristic sees; %s is the man that it is about.
var why = [kinds]string{
	develops:      "developmental value of the man, new less old",
	unblocksOwn:   "for unblocking the %s",
	blocksOwn:     "for blocking the %s",
	blocksTheir:   "for blocking the %s",
	unblocksTheir: "for unblocking the %s",
	castles:       "for castling",
	losesCastling: "for giving up castling",
	kingWanders:   "for a king leaving its wing with queens on the board",
	frontOfCenter: "for standing in front of the %s",
	leavesHome:    "for leaving its home square",
	centerPawn:    "for advancing a centre pawn",
	shelterPawn:   "for advancing a pawn before the king",
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
	losesOn:       "for the material that the capture gives",
	hangs:         "for going en prise",
	escapes:       "for leaving a square on which it was en prise",
	guards:        "for the %s, en prise no longer",
	abandons:      "for leaving the %s en prise",
	threatens:     "for putting the %s en prise",
	attacksWeak:   "for attacking the %s, which is weak",
	attacksPinned: "for attacking the %s, which is pinned",
	attacksGuard:  "for attacking the %s, which guards another man",
	passedPawn:    "for advancing a passed pawn",
	promotes:      "for promoting",
	forks:         "for attacking several men worth more than itself",
}

// positional reports whether a heuristic is about where men stand.
func (k kind) positional() bool { return k < mates }
