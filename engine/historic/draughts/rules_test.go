package draughts

import (
	"math/bits"
	"testing"

	"github.com/assay-chess/assay/engine/game/gametest"
)

// turned returns the position with colors exchanged and the board turned around.
func (p State) turned() State {
	p.B, p.W, p.K = bits.Reverse32(p.W), bits.Reverse32(p.B), bits.Reverse32(p.K)
	p.White = !p.White
	return p
}

func TestRulesConform(t *testing.T) { gametest.Conform(t, Rules{}, State.turned) }

func TestCountsOfRules(t *testing.T) {
	rules := Rules{}
	// Black: men on 0 and 9, a king on 31, White: a man on 20.
	p := State{Position: Position{B: 1 | 1<<9 | 1<<31, W: 1 << 20, K: 1 << 31}}
	var c [terms]int32
	rules.Count(&p, c[:])
	// Advancement: rows 0 and 2 are -2 and 0 beyond the third, White's man is on its third.
	want := [terms]int32{man: 1, king: 1, advancement: -2, backRank: 1, centre: 1, tempo: 1}
	for i := range want {
		if i != mobility && c[i] != want[i] {
			t.Errorf("%s: %d, want %d", rules.About().Terms[i].Name, c[i], want[i])
		}
	}
	black, white := 0, 0
	black = len(p.Moves(nil))
	p.White = true
	white = len(p.Moves(nil))
	if c[mobility] != int32(black-white) {
		t.Errorf("mobility: %d, want %d - %d", c[mobility], black, white)
	}
}
