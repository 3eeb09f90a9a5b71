package pgn

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// Half is what shows of a game whether it is a half of a pair: two games from one opening with colors reversed.
type Half struct {
	Round string // up to the first dot; "" if it is unknown
	Start string // as in dataset.GameRow
	Moves []board.Move
	White bool // the player that counts had White
}

// Half returns what pairs the game, for the player that has White or not.
func (g *Game) Half(white bool) Half {
	round, _, _ := strings.Cut(g.Tag("Round"), ".")
	if round == "?" || round == "-" {
		round = ""
	}
	return Half{strings.Clone(round), g.Row.Start, g.Row.Moves, white}
}

// commonPlies is how many first moves two games from the start position of chess have in common at least if they
// have the same opening.
const commonPlies = 2

// Pairs finds the pairs among the games of two players, in any order: first within each round, then among all games
// that are left. Both games begin at the same position; of several that do, those are pairs that have the most first
// moves in common. A pair is two indices, the lower first; pairs are in the order in which they were complete.
func Pairs(games []Half) (pairs [][2]int) {
	order := make([]int, 0, len(games))
	for i := range games {
		if games[i].Round != "" {
			order = append(order, i)
		}
	}
	paired := make([]bool, len(games))
	find := func(order []int, compare func(a, b *Half) int) {
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Or(compare(&games[i], &games[j]), slices.Compare(games[i].Moves, games[j].Moves))
		})
		for len(order) > 0 {
			n := 1
			for n < len(order) && compare(&games[order[0]], &games[order[n]]) == 0 {
				n++
			}
			least := 0
			if games[order[0]].Start == "" {
				least = commonPlies
			}
			p := pairer{games: games, least: least}
			p.pair(order[:n], 0)
			for _, x := range p.pairs {
				paired[x[0]], paired[x[1]] = true, true
			}
			pairs, order = append(pairs, p.pairs...), order[n:]
		}
	}
	byStart := func(a, b *Half) int { return strings.Compare(a.Start, b.Start) }
	find(order, func(a, b *Half) int { return cmp.Or(strings.Compare(a.Round, b.Round), byStart(a, b)) })
	order = order[:0]
	for i, done := range paired {
		if !done {
			order = append(order, i)
		}
	}
	find(order, byStart)
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Compare(a[1], b[1]) })
	return pairs
}

// pairer pairs games from one position.
type pairer struct {
	games []Half
	least int // moves in common
	pairs [][2]int
}

// pair pairs games that are ordered by their moves and have that many in common: those that have more in common first.
// It returns the games that are left, all of one color.
func (p *pairer) pair(order []int, plies int) (left []int) {
	for len(order) > 0 {
		n := 1
		if moves := p.games[order[0]].Moves; len(moves) > plies {
			for n < len(order) && p.games[order[n]].Moves[plies] == moves[plies] {
				n++
			}
			if n > 1 {
				left = append(left, p.pair(order[:n], plies+1)...)
			} else {
				left = append(left, order[0])
			}
		} else {
			left = append(left, order[0]) // it ends here
		}
		order = order[n:]
	}
	if plies < p.least {
		return left
	}
	slices.Sort(left)
	var waiting []int // all of one color
	for _, i := range left {
		if len(waiting) == 0 || p.games[waiting[0]].White == p.games[i].White {
			waiting = append(waiting, i)
			continue
		}
		p.pairs = append(p.pairs, [2]int{waiting[0], i})
		waiting = waiting[1:]
	}
	return waiting
}
