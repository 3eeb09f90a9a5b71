//go:build experiment

package replay

// Experiments replay all games of Mac Hack.
func init() { macHackGames = []int{0, 1, 2, 3} }
