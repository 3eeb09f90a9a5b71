package games

import (
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/engine/game"
)

// steady is a game whose positions all have one value, for the first player.
type steady struct{ value int32 }

func (s steady) About() game.About {
	return game.About{Name: "steady", Players: [2]string{"a", "b"},
		Terms: []game.Term{{Name: "x", Start: 1}}, Plies: [2]int{2, 2}, Depth: 1}
}
func (s steady) Start(*rand.Rand) int          { return 0 }
func (s steady) Moves(_ *int, buf []int) []int { return append(buf, 1) }
func (s steady) Make(p *int, _ int)            { *p++ }
func (s steady) SecondToMove(p *int) bool      { return *p%2 == 1 }
func (s steady) Over(*int, int) (int, bool)    { return 0, false }
func (s steady) Loud(*int, int) int            { return 0 }
func (s steady) Count(_ *int, counts []int32)  { counts[0] = s.value }
func (s steady) MoveText(*int, int) string     { return "m" }
func (s steady) BoardText(*int) string         { return "" }

// An opening may be worth maxOpening to either side, and not more.
func TestOpeningIsEven(t *testing.T) {
	for value, good := range map[int32]bool{0: true, maxOpening: true, -maxOpening: true,
		maxOpening + 1: false, -maxOpening - 1: false} {
		s := steady{value}
		x := &table[int, int]{rules: s, about: s.About()}
		if _, _, moves, err := x.opening(1); (err == nil) != good || good && len(moves) != 2 {
			t.Errorf("an opening worth %d: %q, %v", value, moves, err)
		}
	}
}
