package search

import "strings"

// parameterInfo describes a number of the search that can be set as an option. Parameters
// that count fractions of plies or moves are in 1024ths.
type parameterInfo struct {
	name                string
	preset, least, most int // default and range
	about               string
}

// ply1024 is one ply, or one move, in parameters that count fractions.
const (
	ply1024 = 1 << plyBits
	plyBits = 10
)

// parameter is an index into parameters.
type parameter int

const (
	reverseMargin parameter = iota
	reverseImproving
	reverseDepth
	nullDepth
	nullEvalBase
	nullEvalSlope
	nullBase
	nullSlope
	nullEvalStep
	nullEvalMost
	nullVerifyDepth
	probDepth
	probMargin
	internalDepth
	internalLag
	quietBase
	quietSlope
	quietWorsening
	quietDepth
	futilityBase
	futilitySlope
	quietSEE
	pruneHistory
	captureDepth
	captureSEE
	captureMargin
	captureSlope
	singularDepth
	singularLag
	singularMargin
	doubleMargin
	lateBase
	lateSlope
	latePV
	lateCut
	lateWorsening
	lateCapture
	lateNoisy
	lateCheck
	lateThreat
	lateHistory
	deeperMargin
	shallowerMargin
	rootLess
	firstWindow
	windowGrowth
	deltaMargin
	checkPlies
	bonusSquare
	bonusLinear
	bonusMost
	malus
	captureHistory
	failLowBonus
	evalHistory
	fourPlies
	checkBonus
	correctPawns
	correctPieces
	correctMoves
	correctRate
	numParameters
)

// parameters describes all parameters. Margins are in centipawns. Any combination of
// values is safe: the search ends and plays legal moves, though perhaps bad ones.
var parameters = [numParameters]parameterInfo{
	reverseMargin: {"ReverseMargin", 88, 10, 300,
		"reverse futility: margin above beta per ply, from which a node fails high without a search"},
	reverseImproving: {"ReverseImproving", 55, 0, 300, "how much smaller the margin is if the evaluation improves"},
	reverseDepth:     {"ReverseDepth", 11, 1, 20, "maximum depth"},

	nullDepth:       {"NullDepth", 3, 1, 12, "null move: minimum depth"},
	nullEvalBase:    {"NullEvalBase", 60, -200, 400, "how far the static evaluation must be above beta at depth 0 ..."},
	nullEvalSlope:   {"NullEvalSlope", 20, 0, 100, "... and how much less per ply of depth"},
	nullBase:        {"NullBase", 3535, 1024, 6144, "reduction of the null move at depth 0, in 1024ths of a ply ..."},
	nullSlope:       {"NullSlope", 291, 0, 700, "... and more per ply of depth"},
	nullEvalStep:    {"NullEvalStep", 164, 50, 800, "centipawns above beta that add one ply of reduction ..."},
	nullEvalMost:    {"NullEvalMost", 3, 0, 8, "... up to this many plies"},
	nullVerifyDepth: {"NullVerifyDepth", 12, 4, 40, "minimum depth of a verification search"},

	probDepth:  {"ProbDepth", 5, 4, 20, "ProbCut: minimum depth"},
	probMargin: {"ProbMargin", 59, 50, 500, "by how much a capture must exceed beta in a shallow search"},

	internalDepth: {"InternalDepth", 4, 2, 20, "internal iterative reduction: minimum depth"},
	internalLag: {"InternalLag", 4, 1, 120,
		"also where the table's entry is of a search more than this many plies shallower"},

	quietBase: {"QuietBase", 5805, 0, 12288,
		"late move pruning: number of moves at depth 0 after which quiet moves are pruned, in 1024ths ..."},
	quietSlope: {"QuietSlope", 1300, 100, 4096, "... and more per depth squared"},
	quietWorsening: {"QuietWorsening", 512, 100, 1024,
		"factor of that number if the evaluation does not improve, in 1024ths"},
	quietDepth:    {"QuietDepth", 5, 1, 15, "maximum reduced depth at which futility and exchanges prune quiet moves"},
	futilityBase:  {"FutilityBase", 86, 0, 500, "futility: margin of a quiet move at depth 0 ..."},
	futilitySlope: {"FutilitySlope", 64, 10, 300, "... and more per ply"},
	quietSEE:      {"QuietSEE", 25, 0, 150, "material that a quiet move may lose by exchanges, per depth squared"},
	pruneHistory:  {"PruneHistory", 2048, 256, 16384, "history below zero at which such a move is pruned, per ply"},
	captureDepth:  {"CaptureDepth", 6, 1, 15, "maximum depth at which futility and exchanges prune captures"},
	captureSEE:    {"CaptureSEE", 125, 10, 400, "material that a capture may lose by exchanges, per ply"},
	captureMargin: {"CaptureMargin", 150, 0, 500, "futility: margin of a capture at depth 0, beside its victim ..."},
	captureSlope:  {"CaptureSlope", 130, 10, 400, "... and more per ply"},

	singularDepth: {"SingularDepth", 5, 4, 20, "singular extension: minimum depth"},
	singularLag:   {"SingularLag", 3, 1, 6, "how many plies shallower the hash move's search may have been"},
	singularMargin: {"SingularMargin", 2002, 0, 10240,
		"how much worse all other moves must be, in 1024ths of a centipawn per ply"},
	doubleMargin: {"DoubleMargin", 20, 0, 500, "how much worse still, in centipawns, for an extension by two plies"},

	lateBase: {"LateBase", 600, 0, 2048, "late move reduction: constant, in 1024ths of a ply ..."},
	lateSlope: {"LateSlope", 3852, 800, 7000,
		"... and factor of log2(depth) * log2(move number), in 10000ths of a ply"},
	latePV:        {"LatePV", 1255, 0, 4096, "less in nodes of the principal variation, in 1024ths of a ply"},
	lateCut:       {"LateCut", 1217, 0, 4096, "more in nodes expected to fail high"},
	lateWorsening: {"LateWorsening", 945, 0, 4096, "more if the evaluation does not improve"},
	lateCapture:   {"LateCapture", 620, 0, 4096, "more if the hash move is a capture"},
	lateNoisy:     {"LateNoisy", 1024, 0, 8192, "less for a capture that loses no material"},
	lateCheck:     {"LateCheck", 593, 0, 4096, "less for a check"},
	lateThreat:    {"LateThreat", 1024, 0, 4096, "less if a null move would be mated"},
	lateHistory:   {"LateHistory", 1000, 0, 4096, "less for a quiet move with the best score in one history"},

	deeperMargin: {"DeeperMargin", 31, 10, 300,
		"re-search a ply deeper if a reduced move beats the best score by this margin"},
	shallowerMargin: {"ShallowerMargin", 13, 0, 100,
		"re-search a ply shallower if it beats the best score by less than this margin"},

	rootLess: {"RootLess", 1024, 0, 4096, "how much less root moves are reduced, in 1024ths of a ply"},

	firstWindow:  {"FirstWindow", 10, 5, 200, "aspiration: half the width of the first window"},
	windowGrowth: {"WindowGrowth", 512, 256, 4096, "growth of the window, in 1024ths of its width"},

	deltaMargin: {"DeltaMargin", 200, 0, 600, "delta pruning: what a capture may gain beside the captured piece"},
	checkPlies:  {"CheckPlies", 1, 0, 3, "plies of quiescence that search quiet checks"},

	bonusSquare: {"BonusSquare", 16, 0, 64, "history: bonus of a cutoff per depth squared ..."},
	bonusLinear: {"BonusLinear", 222, 0, 400, "... and per ply of depth"},
	bonusMost:   {"BonusMost", 2000, 100, 4000, "... up to this maximum"},
	malus:       {"Malus", 1410, 0, 2048, "what the moves tried before lose, in 1024ths of the bonus"},
	captureHistory: {"CaptureHistory", 851, 0, 8192,
		"weight of history in the order of captures, in 1024ths; a captured pawn counts 1600"},
	failLowBonus: {"FailLowBonus", 778, 0, 4096,
		"what a quiet move gains that no reply refuted, in 1024ths of the bonus"},
	evalHistory: {"EvalHistory", 32, 0, 1000,
		"what a quiet move gains per centipawn by which it raises the static evaluation"},
	fourPlies: {"FourPlies", 881, 0, 2048, "weight of the history after the move four plies before, in 1024ths"},
	checkBonus: {"CheckBonus", 8192, 0, 32768,
		"order of quiet moves: what a check counts more; 8192 is the best score in one history"},

	correctPawns: {"CorrectPawns", 109, 0, 300,
		"correction of the static evaluation: centipawns at most by positions with the same pawns ..."},
	correctPieces: {"CorrectPieces", 91, 0, 300, "... with the same pieces of a side ..."},
	correctMoves:  {"CorrectMoves", 121, 0, 300, "... and after the same move"},
	correctRate:   {"CorrectRate", 600, 100, 16384, "how fast it is learned, in 1024ths"},
}

// IsParameter reports whether the name, in any case, is one of the search's parameters:
// options that ShowParameters lists.
func IsParameter(name string) bool { return findParameter(name) < numParameters }

// findParameter returns the parameter with the name, or numParameters.
func findParameter(name string) parameter {
	for i := range parameters {
		if strings.EqualFold(parameters[i].name, name) {
			return parameter(i)
		}
	}
	return numParameters
}

// params holds the parameters' values and the tables computed from them.
type params struct {
	values [numParameters]int
	// reductions holds the basic reductions of late moves by depth and number, in 1024ths
	// of a ply.
	reductions [64][64]int16
}

func (p *params) reset() {
	for i := range parameters {
		p.values[i] = parameters[i].preset
	}
	p.fillReductions()
}
