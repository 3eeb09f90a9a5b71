package selfplay

// Seed returns the seed of one piece of work: a chain of splitmix64 (Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) over the
// run's seed, the generation, a tag for the stage and the number within it. Equal
// arguments give equal seeds on every machine; a stage of its own is enough for
// games that never replay those of another.
func Seed(seed, generation uint64, stage string, number uint64) uint64 {
	h := splitmix(seed)
	h = splitmix(h ^ generation)
	h = splitmix(h ^ uint64(len(stage)))
	for i := range len(stage) {
		h = splitmix(h ^ uint64(stage[i]))
	}
	return splitmix(h ^ number)
}

// splitmix is one step of splitmix64 from the state x: a bijection that mixes well.
func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// chance draws a number in [0, 1) from the seed of a game, for the decision that
// the tag stands for.
func chance(seed uint64, tag string) float64 {
	return float64(Seed(seed, 0, tag, 0)>>11) / (1 << 53)
}
