package eval

import "testing"

// TestAssayContact checks the terms that need both sides, on positions made for them.
// Counts are White's and Black's; terms that are not listed are not checked.
func TestAssayContact(t *testing.T) {
	m, _ := Lookup("assay")
	for _, test := range []struct {
		name, fen string
		want      map[string][2]int
	}{
		{"unopposed", "4k3/p1p5/8/8/8/8/P4PP1/4K3 w - - 0 1", map[string][2]int{
			"isolated.unopposed": {0, 1}, "backward.unopposed": {0, 0},
		}},
		{"backward and unopposed", "4k3/8/4p3/2p5/2P1P3/3P4/8/4K3 w - - 0 1", map[string][2]int{
			"backward.unopposed": {1, 0}, "isolated.unopposed": {0, 0},
		}},
		{"outposts", "4k3/p7/8/3N1B2/4P3/8/8/4K3 w - - 0 1", map[string][2]int{
			"outpost.knight": {1, 0}, "outpost.bishop": {1, 0}, "outpost.in-reach": {0, 0},
		}},
		{"outpost a pawn can attack", "4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", map[string][2]int{
			"outpost.knight": {0, 0},
		}},
		{"outpost in reach", "4k3/8/8/8/4P3/2N5/8/4K3 w - - 0 1", map[string][2]int{
			"outpost.in-reach": {1, 0},
		}},
		{"passed pawn, blocked", "8/8/3k4/3P4/3K4/8/8/8 w - - 0 1", map[string][2]int{
			"passed.blocked.rank5": {1, 0}, "passed.own-king.rank5.2": {1, 0}, "passed.their-king.rank5.0": {1, 0},
			"passed.free.rank5": {0, 0}, "passed.can-step.rank5": {0, 0},
		}},
		{"passed pawn, free", "7k/8/8/1P6/8/8/8/1R5K w - - 0 1", map[string][2]int{
			"passed.free.rank5": {1, 0}, "passed.can-step.rank5": {1, 0}, "passed.their-king.rank5.5": {1, 0},
			"passed.rook-behind.own": {1, 0}, "passed.rook-behind.their": {0, 0},
		}},
		{"passed pawn, watched", "7k/r7/8/1P6/8/8/8/1r5K w - - 0 1", map[string][2]int{
			"passed.free.rank5": {0, 0}, "passed.can-step.rank5": {1, 0}, "passed.rook-behind.their": {1, 0},
		}},
		{"black passed pawn", "7k/8/8/8/p7/8/8/7K w - - 0 1", map[string][2]int{
			"passed.free.rank5": {0, 1}, "passed.own-king.rank5.5": {0, 1},
		}},
		{"safe checks", "7k/8/8/8/8/2N5/8/QB2R2K w - - 0 1", map[string][2]int{
			"check.queen": {1, 0}, "check.rook": {1, 0}, "check.bishop": {0, 0}, "check.knight": {0, 0},
		}},
		{"check that can be taken", "3r3k/8/8/8/8/8/8/4R2K w - - 0 1", map[string][2]int{
			"check.rook": {0, 0},
		}},
		{"pin", "4k3/4n3/8/8/8/8/4R3/4K3 w - - 0 1", map[string][2]int{"pin": {1, 0}}},
		{"no pin", "4k3/4n3/4p3/8/8/8/4R3/4K3 w - - 0 1", map[string][2]int{"pin": {0, 0}}},
		{"ring", "6k1/8/8/8/8/8/8/1K3R1Q w - - 0 1", map[string][2]int{
			"king-ring.attackers.2": {1, 0},
		}},
		{"threats", "4k3/8/8/2n1r3/3P4/8/1q6/2N1K3 w - - 0 1", map[string][2]int{
			"threat.pawn.knight": {1, 0}, "threat.pawn.rook": {1, 0}, "threat.pawn.queen": {0, 0},
		}},
		{"threats of pieces", "r3k3/1n6/8/8/4B3/8/8/1R2K3 w - - 0 1", map[string][2]int{
			"threat.minor.knight": {1, 0}, "threat.rook.knight": {1, 0}, "hanging.piece": {1, 0},
		}},
		{"guarded by a pawn", "4k3/2p5/1n6/8/8/8/8/1R2K3 w - - 0 1", map[string][2]int{
			"threat.rook.knight": {0, 0}, "hanging.piece": {0, 0},
		}},
		{"pawn push that attacks nothing", "4k3/8/3n4/8/8/4P3/8/4K3 w - - 0 1", map[string][2]int{
			"threat.pawn-step": {0, 0},
		}},
		{"king attacks", "4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", map[string][2]int{
			"threat.king": {1, 0}, "hanging.pawn": {1, 0},
		}},
		// Three moves to promotion: the king on e5 catches the pawn if it moves first.
		{"unstoppable", "8/8/8/P3k3/8/8/8/7K w - - 0 1", map[string][2]int{"passed.unstoppable": {1, 0}}},
		{"stoppable", "8/8/8/P3k3/8/8/8/7K b - - 0 1", map[string][2]int{"passed.unstoppable": {0, 0}}},
		{"a piece could stop it", "8/8/8/P6k/8/8/8/n6K w - - 0 1", map[string][2]int{"passed.unstoppable": {0, 0}}},
		{"bare flank", "6k1/pp6/8/8/8/8/PP6/K7 w - - 0 1", map[string][2]int{"king.bare-flank": {1, 0}}},
		{"products of numbers of pieces", "4k3/pp6/8/8/8/8/8/RR2K1N1 w - - 0 1", map[string][2]int{
			"against.rook-pawn": {4, 0}, "against.knight-pawn": {2, 0}, "against.rook-knight": {0, 0},
		}},
		// One attacker of three squares, all unguarded, and a safe check: (9 + 3 + 9 + 10) / 2.
		{"danger", "6k1/8/8/8/8/8/8/5R1K w - - 0 1", map[string][2]int{
			"king-ring.attackers.1": {1, 0}, "king-ring.weak.3": {1, 0}, "check.rook": {1, 0}, "king-danger.3": {1, 0},
		}},
		{"mop-up", "k7/8/1K6/8/8/8/8/7R w - - 0 1", map[string][2]int{
			"mop-up.edge.0": {1, 0}, "mop-up.kings.2": {1, 0},
		}},
		{"not enough material to mate", "k7/8/1K6/8/8/8/8/6B1 w - - 0 1", map[string][2]int{
			"mop-up.edge.0": {0, 0},
		}},
	} {
		p := mustParse(t, test.fen)
		counts := m.Counts(&p)
		for name, want := range test.want {
			index, ok := m.Term(name)
			if !ok {
				t.Errorf("no term %q", name)
				continue
			}
			if got := [2]int{counts[index].White, counts[index].Black}; got != want {
				t.Errorf("%s: %s is %v, want %v", test.name, name, got, want)
			}
		}
	}
}
