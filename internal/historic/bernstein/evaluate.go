package bernstein

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// sum holds the four factors of one side.
type sum struct {
	Material int // hundredths of a pawn
	Moves    int // legal moves, a promotion once; for the side not to move, as if it were to move
	Area     int // completely controlled squares
	King     int // completely controlled squares around its own king
}

// sums returns the factors of both sides.
func (p *Player) sums(pos *board.Position) (s [2]sum) {
	us := pos.SideToMove()
	passed := *pos
	passed.MakeNull() // if the opponent is in check, capturing its king counts as a move
	s[us].Moves, s[us.Other()].Moves = available(pos), available(&passed)
	attacks := [2]board.Bitboard{attackedBy(pos, board.White, true), attackedBy(pos, board.Black, true)}
	for c := range s {
		side := board.Color(c)
		other := side.Other()
		for t, v := range p.values {
			s[c].Material += v * pos.Pieces(side, board.PieceType(t)).Count()
		}
		s[c].Area = (attacks[c] &^ attacks[other]).Count()
		ring := attacks[c]
		if !p.kingGuards {
			ring = attackedBy(pos, side, false)
		}
		s[c].King = (board.KingAttacks(pos.KingSquare(side)) & ring &^ attacks[other]).Count()
	}
	return s
}

// available returns the number of moves that the program can choose from: it promotes to a
// queen only, so each promotion counts once.
func available(pos *board.Position) int {
	us := pos.SideToMove()
	seventh := board.Rank7
	if us == board.Black {
		seventh = board.Rank2
	}
	if pos.Pieces(us, board.Pawn)&seventh == 0 {
		return pos.CountLegal()
	}
	n := 0
	for _, m := range pos.LegalMoves(make([]board.Move, 0, 64)) {
		if historic.ToQueen(m) {
			n++
		}
	}
	return n
}

// attackedBy returns the squares that a side's pieces attack, its king included or not.
func attackedBy(pos *board.Position, c board.Color, king bool) board.Bitboard {
	b := board.PawnAttackSet(c, pos.Pieces(c, board.Pawn))
	pieces := pos.ByColor(c) &^ pos.ByType(board.Pawn)
	if !king {
		pieces &^= pos.ByType(board.King)
	}
	for pieces != 0 {
		sq := pieces.PopFirst()
		b |= board.Attacks(pos.PieceAt(sq).Type(), sq, pos.Occupied())
	}
	return b
}

// total returns the weighted sum of the factors, times 100.
func (p *Player) total(s sum) int {
	return p.factor*s.Material + 100*(s.Moves+s.Area+s.King)
}

// value returns the ratio of the machine's sum to the opponent's.
func (p *Player) value(pos *board.Position, machine board.Color) float64 {
	s := p.sums(pos)
	return float64(max(1, p.total(s[machine]))) / float64(max(1, p.total(s[machine.Other()])))
}

// Explain has the factors of both sides, the eight questions with the moves that they
// propose, and every plausible move with its value and its line. A star marks the chosen
// move.
func (p *Player) Explain(pos *board.Position) (string, error) {
	var b strings.Builder
	us := pos.SideToMove()
	s := p.sums(pos)
	b.WriteString("         material  moves  area  king    sum\n")
	for _, c := range []board.Color{us, us.Other()} {
		fmt.Fprintf(&b, "  %-6s %8.1f  %5d  %4d  %4d  %5.1f\n", c, float64(s[c].Material)/100, s[c].Moves, s[c].Area,
			s[c].King, float64(p.total(s[c]))/100)
	}
	fmt.Fprintf(&b, "ratio for %s %.4f (material counts %d times)\n\n", us, p.value(pos, us), p.factor)
	legal := pos.LegalMoves(nil)
	if len(legal) == 0 {
		b.WriteString("there is no legal move\n")
	} else {
		p.explainQuestions(&b, pos, legal)
		p.explainMoves(&b, pos, legal)
	}
	return b.String(), nil
}

func (p *Player) explainQuestions(b *strings.Builder, pos *board.Position, legal []board.Move) {
	_, asked := plausible(pos, legal, p.width)
	s := newSituation(pos, legal)
	for i, q := range questions {
		text := "(not asked)"
		if i < asked {
			var answers []string
			for _, m := range q.ask(s) {
				answers = append(answers, pos.SAN(m))
			}
			text = cmp.Or(strings.Join(answers, " "), "no")
		}
		fmt.Fprintf(b, "%-33s %s\n", q.text, text)
	}
}

func (p *Player) explainMoves(b *strings.Builder, pos *board.Position, legal []board.Move) {
	t := &tree{player: p, machine: pos.SideToMove(), plies: p.plies}
	t.Budget = historic.NewBudget(context.Background(), t.machine, engine.Limits{})
	list := t.plausibleAt(pos, legal)
	best := -1.0
	var rows []string
	chosen := 0
	for i, m := range list { // one at a time, so that all values are exact
		child, _ := t.Play(pos, m)
		value, line, _ := historic.Minimax(t, &child, 1, false, nil, nil)
		if value > best {
			best, chosen = value, i
		}
		rows = append(rows, fmt.Sprintf("%-8s %8.4f  %s", pos.SAN(m), value,
			historic.Line(pos, append([]board.Move{m}, line...))))
	}
	fmt.Fprintf(b, "\nplausible moves, %d plies deep\n", p.plies)
	for i, row := range rows {
		mark := " "
		if i == chosen {
			mark = "*"
		}
		fmt.Fprintf(b, "%s %s\n", mark, row)
	}
}
