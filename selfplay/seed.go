package selfplay

import "github.com/assay-chess/assay/engine/board"

// Seed returns the seed of one piece of work: a chain of board.SplitMix64 over the run's
// seed, the generation, a tag for the stage and the number within it. Equal arguments
// give equal seeds on every machine; a stage of its own is enough for games that never
// replay those of another.
func Seed(seed, generation uint64, stage string, number uint64) uint64 {
	h := board.SplitMix64(seed)
	h = board.SplitMix64(h ^ generation)
	h = board.SplitMix64(h ^ uint64(len(stage)))
	for i := range len(stage) {
		h = board.SplitMix64(h ^ uint64(stage[i]))
	}
	return board.SplitMix64(h ^ number)
}

// chance returns a number in [0, 1) that follows from the seed of a game and the tag of
// the decision.
func chance(seed uint64, tag string) float64 {
	return float64(Seed(seed, 0, tag, 0)>>11) / (1 << 53)
}
