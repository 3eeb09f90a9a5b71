package bernstein

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Explain writes the factors of both sides, the eight questions with the moves that they
// propose, and every plausible move with its value and its line. A star marks the chosen
// move.
func (p *Player) Explain(w io.Writer, pos *board.Position) error {
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
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Player) explainQuestions(b *strings.Builder, pos *board.Position, legal []board.Move) {
	list := plausible(pos, legal, p.width)
	s, asked := newSituation(pos, legal), true
	for i, q := range questions {
		var answers []string
		if asked {
			for _, m := range q.ask(s) {
				answers = append(answers, pos.SAN(m))
			}
		}
		text := strings.Join(answers, " ")
		switch {
		case !asked:
			text = "(not asked)"
		case text == "":
			text = "no"
		}
		fmt.Fprintf(b, "%-33s %s\n", q.text, text)
		enough := len(list) >= p.width && list[len(list)-1].Question <= i
		asked = asked && !enough && !(q.last && len(answers) > 0)
	}
}

func (p *Player) explainMoves(b *strings.Builder, pos *board.Position, legal []board.Move) {
	t := &tree{player: p, machine: pos.SideToMove(), plies: p.plies}
	t.budget = historic.NewBudget(context.Background(), t.machine, engine.Limits{})
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
