//go:build experiment

package historic

// Experiments replay all games of Mac Hack.
func init() { macHackGames = []int{0, 1, 2, 3} }
