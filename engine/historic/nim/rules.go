package nim

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/assay-chess/assay/engine/game"
)

// Learned is nim for programs that learn it, see package game: four heaps of up to seven, as on
// Nimrod, of which a move takes from one; the last match wins. Its terms are the residues: of the
// binary columns, whether each holds an odd number of ones. Shannon's f(P) of nim has two values, by
// whether all columns are even, and greedy play by it is perfect.
type Learned struct{}

// The heaps of Learned.
const (
	learnedHeaps = 4
	learnedHeap  = 7
	residues     = learnedHeap + 1
)

// Heaps is a position of Learned.
type Heaps struct {
	N      [learnedHeaps]uint8
	Second bool // whether the second player is to move
}

// Take is a move of Learned: it leaves that many matches in a heap.
type Take struct{ Heap, Left uint8 }

// residue returns 4, 2 and 1 for each of the columns with an odd number of ones, added up.
func (h *Heaps) residue() int {
	sum := uint8(0)
	for _, n := range h.N {
		sum ^= n
	}
	return int(sum)
}

// About implements game.Rules. Nothing is known at the start.
func (Learned) About() game.About {
	a := game.About{Name: "nim", Title: "Nim on Nimrod's heaps", Players: [2]string{"First", "Second"}, Depth: 1}
	for r := range residues {
		a.Terms = append(a.Terms, game.Term{Name: fmt.Sprintf("residue.%d", r),
			About: fmt.Sprintf("to move where the columns 4, 2, 1 are odd as in %03b", r)})
	}
	return a
}

// Start implements game.Rules: heaps of one to seven matches.
func (Learned) Start(rng *rand.Rand) (h Heaps) {
	for i := range h.N {
		h.N[i] = uint8(1 + rng.IntN(learnedHeap))
	}
	return h
}

// Moves implements game.Rules.
func (Learned) Moves(h *Heaps, buf []Take) []Take {
	for i, n := range h.N {
		for left := range n {
			buf = append(buf, Take{uint8(i), left})
		}
	}
	return buf
}

// Make implements game.Rules.
func (Learned) Make(h *Heaps, m Take) {
	h.N[m.Heap] = m.Left
	h.Second = !h.Second
}

// SecondToMove implements game.Rules.
func (Learned) SecondToMove(h *Heaps) bool { return h.Second }

// Over implements game.Rules: the player who took the last match has won.
func (Learned) Over(h *Heaps, moves int) (result int, over bool) {
	if h.Second {
		return 1, moves == 0
	}
	return -1, moves == 0
}

// Loud implements game.Rules.
func (Learned) Loud(*Heaps, Take) int { return 0 }

// Count implements game.Rules.
func (Learned) Count(h *Heaps, counts []int32) {
	counts[h.residue()] = 1
	if h.Second {
		counts[h.residue()] = -1
	}
}

// MoveText implements game.Rules.
func (Learned) MoveText(_ *Heaps, m Take) string { return fmt.Sprintf("%c%d", 'A'+m.Heap, m.Left) }

// BoardText implements game.Rules.
func (Learned) BoardText(h *Heaps) string {
	var b strings.Builder
	for i, n := range h.N {
		fmt.Fprintf(&b, "%c %s\n", 'A'+i, strings.Repeat("|", int(n)))
	}
	return b.String()
}
