package search

import (
	"fmt"
	"strings"
)

// Parameter is a number of the search that can be set: an option of Engine.SetOption,
// of its Name in any case. Those that count plies or moves by their fractions do so in
// 1024ths.
type Parameter struct {
	Name              string
	Default, Min, Max int
	About             string
}

// ply1024 is one ply, or one move, of a parameter that counts fractions of them.
const (
	ply1024 = 1 << plyBits
	plyBits = 10
)

// parameter is the number of a Parameter.
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
	internalDepth
	quietBase
	quietSlope
	quietWorsening
	quietDepth
	futilityBase
	futilitySlope
	quietSEE
	captureDepth
	captureSEE
	singularDepth
	singularLag
	singularMargin
	lateBase
	lateSlope
	latePV
	lateCut
	lateWorsening
	lateCapture
	lateCheck
	lateThreat
	lateHistory
	deeperMargin
	shallowerMargin
	rootLess
	rootDepth
	rootDeepLess
	firstWindow
	windowGrowth
	deltaMargin
	checkPlies
	bonusSquare
	bonusLinear
	bonusMost
	malus
	captureHistory
	numParameters
)

// parameters is the table of them all. Margins are in centipawns. Within their ranges
// they can be combined as one likes: the search ends and plays legal moves, if badly.
var parameters = [numParameters]Parameter{
	reverseMargin:    {"ReverseMargin", 95, 10, 300, "reverse futility: centipawns above beta, a ply, at which a node fails high unsearched"},
	reverseImproving: {"ReverseImproving", 80, 0, 300, "by how much less where the evaluation improves"},
	reverseDepth:     {"ReverseDepth", 8, 1, 20, "up to which depth"},

	nullDepth:       {"NullDepth", 3, 1, 12, "null move: from which depth"},
	nullEvalBase:    {"NullEvalBase", 100, -200, 400, "by how much the static evaluation has to be above beta at depth 0 ..."},
	nullEvalSlope:   {"NullEvalSlope", 20, 0, 100, "... and how much less a ply"},
	nullBase:        {"NullBase", 3476, 1024, 6144, "by how much less the pass is searched at depth 0, 1024ths of a ply ..."},
	nullSlope:       {"NullSlope", 342, 0, 700, "... and more a ply of depth"},
	nullEvalStep:    {"NullEvalStep", 200, 50, 800, "how many centipawns above beta make one ply more of it ..."},
	nullEvalMost:    {"NullEvalMost", 3, 0, 8, "... up to so many plies"},
	nullVerifyDepth: {"NullVerifyDepth", 12, 4, 40, "from which depth a search without passing verifies"},

	internalDepth: {"InternalDepth", 4, 2, 20, "from which depth a node without a hash move loses a ply"},

	quietBase:      {"QuietBase", 3072, 0, 12288, "late move pruning: quiet moves come after at most so many moves at depth 0, 1024ths ..."},
	quietSlope:     {"QuietSlope", 1903, 100, 4096, "... and so many more a depth squared"},
	quietWorsening: {"QuietWorsening", 512, 100, 1024, "of which so many 1024ths where the evaluation does not improve"},
	quietDepth:     {"QuietDepth", 6, 1, 15, "up to which depth, reduced, futility and exchanges prune quiet moves"},
	futilityBase:   {"FutilityBase", 74, 0, 500, "futility: centipawns that a quiet move may gain at depth 0 ..."},
	futilitySlope:  {"FutilitySlope", 80, 10, 300, "... and more a ply"},
	quietSEE:       {"QuietSEE", 25, 0, 150, "centipawns that a quiet move may lose by exchanges, a depth squared"},
	captureDepth:   {"CaptureDepth", 6, 1, 15, "up to which depth exchanges prune captures"},
	captureSEE:     {"CaptureSEE", 103, 10, 400, "centipawns that a capture may lose by exchanges, a ply"},

	singularDepth:  {"SingularDepth", 7, 4, 20, "from which depth hash moves are tried for being the only good ones"},
	singularLag:    {"SingularLag", 3, 1, 6, "how many plies shallower the hash move's search may have been"},
	singularMargin: {"SingularMargin", 2048, 0, 10240, "by how much the others have to be worse, 1024ths of a centipawn a ply"},

	lateBase:      {"LateBase", 997, 0, 2048, "late move reductions: by how much late moves are searched less, 1024ths of a ply ..."},
	lateSlope:     {"LateSlope", 2832, 800, 4000, "... and more by the binary logarithms of depth and number, 10000ths of a ply"},
	latePV:        {"LatePV", 1024, 0, 4096, "how much less in a node of the principal variation, 1024ths of a ply"},
	lateCut:       {"LateCut", 1024, 0, 4096, "how much more in a node expected to fail high"},
	lateWorsening: {"LateWorsening", 1024, 0, 4096, "how much more where the evaluation does not improve"},
	lateCapture:   {"LateCapture", 1024, 0, 4096, "how much more where the hash move captures"},
	lateCheck:     {"LateCheck", 1024, 0, 4096, "how much less for a check"},
	lateThreat:    {"LateThreat", 1024, 0, 4096, "how much less where a pass would be mated"},
	lateHistory:   {"LateHistory", 1539, 0, 4096, "how much less for a quiet move that one history thinks the best of"},

	deeperMargin:    {"DeeperMargin", 40, 10, 300, "by how much a reduced move has to beat the best to be searched a ply deeper"},
	shallowerMargin: {"ShallowerMargin", 8, 0, 100, "by how much less than it has to, to be searched a ply shallower"},

	rootLess:     {"RootLess", 1024, 0, 4096, "by how much less moves of the root are reduced, 1024ths of a ply"},
	rootDepth:    {"RootDepth", 11, 4, 40, "from which depth there is time for root moves whose point lies deep"},
	rootDeepLess: {"RootDeepLess", 5120, 0, 8192, "by how much less still they are reduced there"},

	firstWindow:  {"FirstWindow", 18, 5, 200, "aspiration: half width of an iteration's first window"},
	windowGrowth: {"WindowGrowth", 512, 256, 4096, "by how many 1024ths of itself it grows"},

	deltaMargin: {"DeltaMargin", 180, 0, 600, "quiescence: what a capture may gain in position beside the man it takes"},
	checkPlies:  {"CheckPlies", 1, 0, 3, "for how many plies quiescence plays quiet checks too"},

	bonusSquare:    {"BonusSquare", 16, 0, 64, "history: what a refutation counts, a depth squared ..."},
	bonusLinear:    {"BonusLinear", 32, 0, 400, "... and a ply"},
	bonusMost:      {"BonusMost", 1600, 100, 4000, "... but not more"},
	malus:          {"Malus", 1024, 0, 2048, "how much of it moves lose that were tried in vain, 1024ths"},
	captureHistory: {"CaptureHistory", 1024, 0, 8192, "what history counts in the order of captures, 1024ths; a pawn taken counts 1600"},
}

// Parameters returns the parameters of the search in the order of its stations.
func Parameters() []Parameter { return parameters[:] }

// IsParameter tells whether a name is a parameter's.
func IsParameter(name string) bool { return find(name) < numParameters }

// find returns the number of the parameter of a name, numParameters if there is none.
func find(name string) parameter {
	for i := range parameters {
		if strings.EqualFold(parameters[i].Name, name) {
			return parameter(i)
		}
	}
	return numParameters
}

// option returns the parameter as UCI declares it.
func (p *Parameter) option() string {
	return fmt.Sprintf("option name %s type spin default %d min %d max %d", p.Name, p.Default, p.Min, p.Max)
}

// params are the values that a search goes by, and what follows from them.
type params struct {
	values [numParameters]int
	// reductions holds by how much late moves are searched less, in 1024ths of a ply,
	// by depth and number.
	reductions [64][64]int16
}

// reset gives all parameters their defaults.
func (p *params) reset() {
	for i := range parameters {
		p.values[i] = parameters[i].Default
	}
	p.derive()
}

// set gives a parameter the value that a text names, if it lies within its range.
func (p *params) set(i parameter, text string) error {
	about := &parameters[i]
	n, err := number(about.Name, text, about.Min, about.Max)
	if err != nil {
		return err
	}
	p.values[i] = n
	p.derive()
	return nil
}

// derive computes what follows from the values.
func (p *params) derive() { p.fillReductions(p.values[lateBase], p.values[lateSlope]) }
