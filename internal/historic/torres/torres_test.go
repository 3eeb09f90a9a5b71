package torres

import (
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/setup"
)

func TestConform(t *testing.T) {
	enginetest.Conform(t, func() engine.Player { return New() }, enginetest.Weak)
}

// solver plays every defense against the automaton.
type solver struct {
	known map[[3]board.Square]int
	// open holds the positions of the current line; a repetition is a draw.
	open map[[3]board.Square]bool
}

// longest returns the number of the automaton's moves to mate against the best defense, or 0
// if a defense draws.
func (s *solver) longest(p board.Position) int {
	key := placement(p)
	if n, ok := s.known[key]; ok {
		return n
	}
	if s.open[key] {
		return 0
	}
	s.open[key] = true
	defer delete(s.open, key)
	n := s.afterMove(p)
	s.known[key] = n
	return n
}

func (s *solver) afterMove(p board.Position) int {
	m, rule := answer(&p)
	if rule == 0 {
		return 0
	}
	p.Make(m)
	replies := p.LegalMoves(nil)
	if len(replies) == 0 {
		if p.InCheck() {
			return 1
		}
		return 0
	}
	most := 0
	for _, r := range replies {
		after := p
		after.Make(r)
		n := s.longest(after)
		if n == 0 {
			return 0
		}
		most = max(most, n+1)
	}
	return most
}

// placement returns the squares of the three pieces.
func placement(p board.Position) [3]board.Square {
	us := p.SideToMove()
	return [3]board.Square{p.KingSquare(us), p.ByType(board.Rook).First(), p.KingSquare(us.Other())}
}

// Every defense from every square on which the enemy king can start, for White and, upside
// down, for Black.
func TestStarts(t *testing.T) {
	for _, flip := range []bool{false, true} {
		starts, won, most := 0, 0, 0
		var lost []string
		for sq := board.A1; sq < 48; sq++ {
			fen := place(sq)
			p, err := board.ParseFEN(fen)
			if err != nil {
				continue // the enemy king would be in check
			}
			if flip {
				p = p.Mirror()
			}
			starts++
			s := solver{known: map[[3]board.Square]int{}, open: map[[3]board.Square]bool{}}
			if n := s.longest(p); n > 0 {
				won++
				most = max(most, n)
			} else {
				lost = append(lost, sq.String())
			}
		}
		if starts != 42 || won != 41 || most != 67 || strings.Join(lost, " ") != "c6" {
			t.Errorf("%d of %d starts won in at most %d moves, not from %v; want 41 of 42 in 67, not from c6", won, starts,
				most, lost)
		}
	}
}

// place returns the FEN of Ka8, Rb8 against a king on the square.
func place(sq board.Square) string {
	var b strings.Builder
	b.WriteString("KR6/8")
	for rank := 5; rank >= 0; rank-- {
		b.WriteByte('/')
		if sq.Rank() != rank {
			b.WriteByte('8')
			continue
		}
		if f := sq.File(); f > 0 {
			b.WriteByte('0' + byte(f))
		}
		b.WriteByte('k')
		if f := sq.File(); f < 7 {
			b.WriteByte('7' - byte(f))
		}
	}
	return b.String() + " w - - 0 1"
}

// A position for each rule, and for the defect.
func TestRules(t *testing.T) {
	for _, test := range []struct {
		fen, move string
		rule      ruleNo
	}{
		{"KR6/8/2k5/8/8/8/8/8 w - - 0 1", "Rh8", 1},
		{"K6R/8/5k2/8/8/8/8/8 w - - 0 1", "Ra8", 0}, // its own king is in the way
		{"1K5R/8/5k2/8/8/8/8/8 w - - 0 1", "", 0},
		{"KR6/8/4k3/8/8/8/8/8 w - - 0 1", "Rb7", 2},
		{"K7/1R6/8/4k3/8/8/8/8 w - - 0 1", "Rb6", 2},
		{"K7/8/1R6/4k3/8/8/8/8 w - - 0 1", "Ka7", 3},
		{"8/K7/1R6/3k4/8/8/8/8 w - - 0 1", "Ra6", 4},
		{"8/3K4/1R6/3k4/8/8/8/8 w - - 0 1", "Rb5+", 5},
		{"8/K7/1R6/4k3/8/8/8/8 w - - 0 1", "Kb7", 6},
		{"8/8/8/8/4K3/1r6/k7/8 b - - 0 1", "Kb2", 6}, // the same upside down
		{"KRR5/8/8/4k3/8/8/8/8 w - - 0 1", "", 0},
		{"KR6/8/4k3/8/8/8/8/7n w - - 0 1", "", 0},
		{board.StartFEN, "", 0},
	} {
		p := setup.Must(board.ParseFEN(test.fen))
		m, rule := answer(&p)
		if rule != test.rule || rule != 0 && p.SAN(m) != test.move {
			t.Errorf("%s: rule %d, %v; want rule %d, %s", test.fen, rule, m, test.rule, test.move)
		}
		if text, err := New().Explain(&p); err != nil || !strings.HasSuffix(text, ".\n") &&
			!strings.HasSuffix(text, test.move+"\n") {
			t.Errorf("%s: explanation %q, error %v", test.fen, text, err)
		}
	}
}
