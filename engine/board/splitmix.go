package board

// SplitMix64Gamma is what the state of splitmix64 grows by in each step.
const SplitMix64Gamma = 0x9e3779b97f4a7c15

// SplitMix64 returns the number that splitmix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014) gives in the state x. The next state is
// x + SplitMix64Gamma. The function is a bijection, and every bit of x influences every
// bit of the result, so it is also a good hash of a number. It is here because position
// keys come from it and every package may import board.
func SplitMix64(x uint64) uint64 {
	x += SplitMix64Gamma
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
