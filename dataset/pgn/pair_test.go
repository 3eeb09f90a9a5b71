package pgn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

// All pairs of a match are found, in any order of its games, whatever its rounds say, by first position or first moves.
func TestPairsInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	play := func(from []board.Move, most int) []board.Move {
		p := board.StartPosition()
		for _, m := range from {
			p.Make(m)
		}
		moves := slices.Clone(from)
		for range most {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			moves = append(moves, legal[rng.IntN(len(legal))])
			p.Make(moves[len(moves)-1])
		}
		return moves
	}
	rounds := map[string]func(pair, game int) string{
		"none":          func(int, int) string { return "" },
		"one a pair":    func(pair, _ int) string { return strconv.Itoa(pair) },
		"one a game":    func(pair, game int) string { return strconv.Itoa(2*pair + game) },
		"one for all":   func(int, int) string { return "1" },
		"of two rounds": func(pair, _ int) string { return strconv.Itoa(pair % 2) },
	}
	for name, round := range rounds {
		for _, fen := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, FEN %v", name, fen), func(t *testing.T) {
				var games []Half
				var openings []int
				const n, alone = 100, 5
				for pair := range n {
					opening := play(nil, 4+rng.IntN(12))
					for game := range 2 {
						h := Half{round(pair, game), "", play(opening, rng.IntN(40)), game == 0}
						if fen {
							h.Start, h.Moves = fmt.Sprint(opening), h.Moves[len(opening):]
						}
						if game == 1 && pair < alone {
							continue // it was not finished
						}
						games, openings = append(games, h), append(openings, pair)
					}
				}
				rng.Shuffle(len(games), func(i, j int) {
					games[i], games[j] = games[j], games[i]
					openings[i], openings[j] = openings[j], openings[i]
				})
				right, before := 0, -1
				for _, p := range Pairs(games) {
					if games[p[0]].White == games[p[1]].White || p[0] >= p[1] || p[1] <= before {
						t.Errorf("the pair %v behind %d", p, before)
					}
					before = p[1]
					if openings[p[0]] == openings[p[1]] {
						right++
					} else if openings[p[0]] >= alone || openings[p[1]] >= alone {
						t.Errorf("games of the openings %d and %d are a pair", openings[p[0]], openings[p[1]])
					}
				}
				if right != n-alone {
					t.Errorf("%d pairs of %d", right, n-alone)
				}
			})
		}
	}
}
