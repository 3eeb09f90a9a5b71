package shannon

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// explainNodes limits the search of an explanation. It needs the exact value of every move
// and so takes longer than the search for the best.
const explainNodes = 2_000_000

// Explain has f(P) term by term, g(P), and for every move of T7's list its h(P,M), its
// minimax value and its variation.
func (p *Player) Explain(pos *board.Position) (string, error) {
	var b strings.Builder
	p.explainTerms(&b, pos)
	g := 0
	if restless(pos) {
		g = 1
	}
	fmt.Fprintf(&b, "\ng(P) = %d (1: a piece hangs or the king is in check, so that type B searches on)\n\n", g)
	p.explainMoves(&b, pos)
	return b.String(), nil
}

func (p *Player) explainTerms(b *strings.Builder, pos *board.Position) {
	p.ev.SetRoot(pos)
	fmt.Fprintf(b, "f(P) = %+.2f pawns for White, by %s", float64(p.ev.Evaluate(pos))/100, p.Weights.Model.Name)
	if p.style != 100 {
		fmt.Fprintf(b, ", positional terms at %d %%", p.style)
	}
	b.WriteString("\n  term           White Black  coefficient\n")
	for i, c := range p.Weights.Model.Counts(pos) {
		if c.White == 0 && c.Black == 0 {
			continue
		}
		w := p.Weights.Coefs[i]
		fmt.Fprintf(b, "  %-14s %5d %5d  %+.2f", p.Weights.Model.Terms[i].Name, c.White, c.Black, float64(w.MG)/100)
		if w.EG != w.MG {
			fmt.Fprintf(b, " to %+.2f in the endgame", float64(w.EG)/100)
		}
		b.WriteByte('\n')
	}
}

func (p *Player) explainMoves(b *strings.Builder, pos *board.Position) {
	s := p.newSearch(context.Background(), pos, engine.Limits{Nodes: explainNodes, HardNodes: true})
	if len(s.list) == 0 {
		b.WriteString("there is no legal move\n")
		return
	}
	scores, done := s.exact()
	chosen := s.choose(scores)
	fmt.Fprintf(b, "%s for %s; * marks the first of the best moves\n", done, pos.SideToMove())
	b.WriteString("  move      h   value  variation\n")
	danger := threatened(pos)
	for i, m := range s.list {
		mark, r := " ", scores[i]
		if i == chosen {
			mark = "*"
		}
		fmt.Fprintf(b, "%s %-8s  %d  %+6.2f  %s\n", mark, pos.SAN(m), h(pos, m, danger), float64(r.score)/100,
			historic.Line(pos, r.line))
	}
}

// exact returns the exact scores of all moves in the deepest iteration that the budget
// allows, and a description of that iteration.
func (s *search) exact() (scores map[int]scored, done string) {
	scores, done = s.pass(iteration{1, 1}, 0, 2*infinite), "one ply deep"
	for _, it := range s.iterations() {
		deeper := s.pass(it, 0, 2*infinite)
		if s.budget.Stopped() {
			break
		}
		scores, done = deeper, fmt.Sprintf("%d plies deep", it.full)
		if it.cap > it.full {
			done += fmt.Sprintf(", forceful moves up to %d", it.cap)
		}
	}
	return scores, done
}
