package selfplay

// DefaultMaxOpeningScore is the score, in centipawns, above which an opening is too
// unbalanced to be played.
const DefaultMaxOpeningScore = 150

// maxCheckNodes is enough for a search that sees what eight random plies left en prise.
const maxCheckNodes = 20000

// Check says how candidates for openings are checked: a search of the position must
// return |score| <= MaxScore, or no score. In a Series a MaxScore of 0 or less accepts every
// candidate; in a Setup each zero field stands for its default.
type Check struct {
	Player   Player // who searches
	Nodes    uint64 // of the search; by default 4 times those of a move, at most 20,000
	MaxScore int    // centipawns; by default DefaultMaxOpeningScore
	Seed     uint64 // set by Setup.Series
}

// complete fills in the defaults. Openings of a book are not checked: who chooses the
// book decides about balance.
func (c Check) complete(book bool, player Player, move Limits) Check {
	if book || c.MaxScore < 0 {
		return Check{MaxScore: -1}
	}
	if c.MaxScore == 0 {
		c.MaxScore = DefaultMaxOpeningScore
	}
	if c.Player.Spec.Name == "" {
		c.Player = player
	}
	if c.Nodes == 0 {
		c.Nodes = checkNodes(move)
	}
	return c
}

// checkNodes returns the nodes of the search that checks an opening, by default: 20,000,
// or four times those of a move where that is less. A game of eighty plies then spends
// 5 % of its nodes on each check; at 1,000 nodes a move a check of 20,000 would take a
// quarter.
func checkNodes(move Limits) uint64 {
	if move.Nodes == 0 {
		return maxCheckNodes
	}
	return min(maxCheckNodes, 4*move.Nodes)
}
