package nim

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The examples of the chapter: positions with their cases, and moves.
func TestExamples(t *testing.T) {
	for _, test := range []struct {
		heaps []int
		k     int
		sums  [5]int
		kind  Case
		safe  bool
		left  []int
	}{
		{[]int{7, 4, 3, 2}, 1, [5]int{0, 0, 2, 3, 2}, caseA, false, []int{7, 4, 3, 0}},
		{[]int{7, 4, 3, 2}, 2, [5]int{0, 0, 2, 3, 2}, caseA, false, nil},
		{[]int{7, 4, 3, 2}, 3, [5]int{0, 0, 2, 3, 2}, caseA, false, nil},
		{[]int{5, 7, 3, 1}, 1, [5]int{0, 0, 2, 2, 4}, caseA, true, nil},
		{[]int{5, 7, 3, 1}, 3, [5]int{0, 0, 2, 2, 4}, caseB, false, nil},
		{[]int{7, 4, 5, 2}, 2, [5]int{0, 0, 3, 2, 2}, caseA, false, []int{5, 4, 5, 1}},
		{[]int{0, 4, 2, 1}, 2, [5]int{0, 0, 1, 1, 1}, caseB, false, []int{0, 0, 0, 1}},
		{[]int{0, 0, 2, 0}, 2, [5]int{0, 0, 0, 1, 0}, caseB, false, []int{0, 0, 1, 0}}, // after taking "B and D"
	} {
		r := Rules{K: test.k}
		if got := Sums(test.heaps); got != test.sums {
			t.Errorf("%v: sums %v, want %v", test.heaps, got, test.sums)
		}
		if got := r.Case(test.heaps); got != test.kind {
			t.Errorf("%v, k=%d: case %c, want %c", test.heaps, test.k, got, test.kind)
		}
		if got := r.Safe(test.heaps); got != test.safe {
			t.Errorf("%v, k=%d: safe is %v", test.heaps, test.k, got)
		}
		left, found := r.Move(test.heaps, rand.New(rand.NewPCG(1, 2)))
		if found == test.safe || test.left != nil && !slices.Equal(left, test.left) {
			t.Errorf("%v, k=%d: leaves %v (found: %v), want %v", test.heaps, test.k, left, found, test.left)
		}
	}
}

// forEach calls f with every position of four heaps up to seven, smaller sums first.
func forEach(f func(heaps [4]int)) {
	for sum := range 29 {
		for a := range 8 {
			for b := range 8 {
				for c := range 8 {
					if d := sum - a - b - c; d >= 0 && d < 8 {
						f([4]int{a, b, c, d})
					}
				}
			}
		}
	}
}

// forMoves calls f with every position that a move leads to, until f returns true.
func forMoves(heaps [4]int, i, k int, moved bool, f func([4]int) bool) bool {
	if i == 4 {
		return moved && f(heaps)
	}
	if forMoves(heaps, i+1, k, moved, f) {
		return true
	}
	for k > 0 && heaps[i] > 0 {
		heaps[i]--
		if forMoves(heaps, i+1, k-1, true, f) {
			return true
		}
	}
	return false
}

// Every position of four heaps up to seven, Nimrod's limits, against the definition of the
// game: a position is safe to leave if every move from it leads to one that is not.
func TestBruteForce(t *testing.T) {
	for _, lastWins := range []bool{false, true} {
		for k := 1; k <= 3; k++ {
			r := Rules{K: k, LastWins: lastWins}
			safe := map[[4]int]bool{}
			rng := rand.New(rand.NewPCG(1, 2))
			forEach(func(heaps [4]int) {
				empty := heaps == [4]int{}
				if empty {
					safe[heaps] = lastWins // the player that leaves it took the last match
				} else {
					safe[heaps] = !forMoves(heaps, 0, k, false, func(h [4]int) bool { return safe[h] })
				}
				if got := r.Safe(heaps[:]); got != safe[heaps] && !empty {
					t.Errorf("%v, %+v: safe is %v, brute force says %v", heaps, r, got, safe[heaps])
				}
				left, found := r.Move(heaps[:], rng)
				if empty {
					if left != nil {
						t.Errorf("a move from empty heaps: %v", left)
					}
					return
				}
				next := [4]int(left)
				if found != !safe[heaps] || found && !safe[next] {
					t.Errorf("%v, %+v: leaves %v (found: %v)", heaps, r, left, found)
				}
				if !forMoves(heaps, 0, k, false, func(h [4]int) bool { return h == next }) {
					t.Errorf("%v, %+v: %v is not a legal move", heaps, r, left)
				}
			})
			if len(safe) != 8*8*8*8 {
				t.Fatalf("%d positions", len(safe))
			}
		}
	}
}

// Games of eight heaps of up to thirty-one against a random player: once the machine can
// leave a safe position it can do so until it wins.
func TestLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		r := Rules{K: 1 + rng.IntN(7), LastWins: rng.IntN(2) == 0}
		heaps := make([]int, 8)
		for i := range heaps {
			heaps[i] = rng.IntN(MaxHeap + 1)
		}
		machine, winning := true, false
		for r.Case(heaps) != caseD {
			left := r.random(heaps, rng)
			if machine {
				var found bool
				if left, found = r.Move(heaps, rng); winning && !found {
					t.Fatalf("%+v: no safe position can be left from %v", r, heaps)
				}
				winning = true
				if !found {
					winning = false
				}
			}
			changed := 0
			for i := range heaps {
				if left[i] > heaps[i] || left[i] < 0 {
					t.Fatalf("%v is left from %v", left, heaps)
				}
				if left[i] < heaps[i] {
					changed++
				}
			}
			if changed < 1 || changed > r.K {
				t.Fatalf("%+v: %v is left from %v", r, left, heaps)
			}
			heaps, machine = left, !machine
		}
		// If it is not the machine's turn, the machine took the last match.
		if won := machine != r.LastWins; winning && !won {
			t.Fatalf("%+v: the machine lost a won game", r)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		heaps []int
		k     int
		want  string
	}{
		{[]int{7, 4, 3, 2}, 1, ""},
		{[]int{7, 4, 3, 2}, 4, "fewer than all"},
		{[]int{7, 4, 3, 2}, 0, "at least 1"},
		{[]int{7}, 1, "2 to 8"},
		{make([]int, 9), 1, "2 to 8"},
		{[]int{32, 1}, 1, "0 to 31"},
		{[]int{3, -1}, 1, "heap 2 has -1"},
	} {
		err := Rules{K: test.k}.Check(test.heaps)
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v, k=%d: %v, want %q", test.heaps, test.k, err, test.want)
		}
	}
	if Sums(nil) != ([5]int{}) {
		t.Error("the sums of no heaps are not 0")
	}
}
