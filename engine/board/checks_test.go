package board

import (
	"slices"
	"testing"
)

// TestChecks compares what Checks says of every legal move, and which quiet moves
// QuietChecks lists, with the positions after them.
func TestChecks(t *testing.T) {
	t.Parallel()
	given := 0
	eachPosition(t, 6, 1500, func(p *Position) {
		checks := p.Checks()
		var quiet []Move
		for _, m := range p.LegalMoves(nil) {
			if p.IsCastling(m) || p.IsEnPassant(m) {
				continue
			}
			next := *p
			next.Make(m)
			if m.Promotion() != NoPieceType {
				continue // a piece that promotes may look through the square it left
			}
			if got := checks.Given(p, m); got != next.InCheck() {
				t.Fatalf("%s, %s: Given() = %v", p, p.UCI(m), got)
			}
			if next.InCheck() && !p.IsCapture(m) {
				quiet = append(quiet, m)
				given++
			}
		}
		targets := p.Targets()
		got := targets.QuietChecks(p, nil, &checks)
		slices.Sort(got)
		slices.Sort(quiet)
		if !slices.Equal(got, quiet) {
			t.Fatalf("%s: QuietChecks() = %v, want %v", p, got, quiet)
		}
	})
	if given < 500 {
		t.Errorf("only %d quiet checks seen", given)
	}
}
