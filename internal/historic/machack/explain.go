package machack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Explain has what the paper's debugging aids printed: the static value term by term, the
// plausibility of all moves with a comment for each factor, the main variation of each new
// best move, and the statistics of the search. It fails if the game is over.
func (p *Player) Explain(root *board.Position) (string, error) {
	var b strings.Builder
	moves := root.LegalMoves(nil)
	if len(moves) == 0 {
		return "", fmt.Errorf("%s: the game is over, no move can be explained", root.FEN())
	}
	p.explainStatic(&b, root)
	explainMoves(&b, root, moves)
	p.explainSearch(&b, root, moves)
	return b.String(), nil
}

func (p *Player) explainStatic(b *strings.Builder, root *board.Position) {
	p.ev.SetRoot(root)
	fmt.Fprintf(b, "Static value S = %+.2f pawns for White, by %s\n", float64(p.ev.Evaluate(root))/100,
		p.Weights.Model.Name)
	for i, c := range p.Weights.Model.Counts(root) {
		if c.White != c.Black {
			fmt.Fprintf(b, "  %-22s White %3d, Black %3d, each %+.2f\n", p.Weights.Model.Terms[i].Name, c.White, c.Black,
				float64(p.Weights.Coefs[i].MG)/100)
		}
	}
}

// explainMoves lists the moves with their plausibilities.
func explainMoves(b *strings.Builder, root *board.Position, moves []board.Move) {
	g := generator{trace: true}
	b.WriteString("\nPlausibility of the moves\n")
	for i, c := range g.list(root, moves, nil) {
		fmt.Fprintf(b, "%3d. %-7s %4d points", i+1, root.SAN(c.move), c.plausibility())
		if c.poor() {
			b.WriteString(", developmentally poor")
		}
		b.WriteByte('\n')
		for _, f := range c.factors {
			fmt.Fprintf(b, "      %+5d %s\n", f.points, f.comment(root))
		}
	}
}

// comment describes the factor: "for unblocking the white bishop on c1 so that it now attacks
// b2, a3".
func (f *factor) comment(root *board.Position) string {
	text := f.kind.comment
	if strings.Contains(text, "%s") {
		piece := root.PieceAt(f.at)
		text = fmt.Sprintf(text, fmt.Sprintf("%v %v on %v", piece.Color(), piece.Type(), f.at))
	}
	if f.now != 0 {
		var squares []string
		for b := f.now; b != 0; {
			squares = append(squares, b.PopFirst().String())
		}
		text += " so that it now attacks " + strings.Join(squares, ", ")
	}
	return text
}

// explainSearch searches to the depth of the program and reports the result of each move.
func (p *Player) explainSearch(b *strings.Builder, root *board.Position, moves []board.Move) {
	budget := historic.NewBudget(context.Background(), root.SideToMove(), engine.Limits{})
	s := p.newSearch(root, nil, moves, budget)
	fmt.Fprintf(b, "\nSearch of %d plies, widths %v\n", p.plies, widths[p.width])
	s.tried = func(c *candidate, value int, better bool) {
		if !better {
			fmt.Fprintf(b, "  %-7s is not better\n", root.SAN(c.move))
			return
		}
		fmt.Fprintf(b, "  %-7s %s by %s\n", root.SAN(c.move), pawns(value), historic.Line(root, s.plies[0].line))
	}
	line, score, _ := s.iterate(root, p.plies)
	fmt.Fprintf(b, "Chosen: %s, %s\n", root.SAN(line[0]), pawns(score))
	fmt.Fprintf(b, "%d moves made in %v: %d plausible move generations, %d feedovers, "+
		"%d static evaluations, %d values from the hash table, %d secondary searches\n",
		budget.Nodes(), budget.Elapsed().Round(time.Millisecond), s.stats.Generations, s.stats.Feedovers,
		s.stats.Evaluations, s.stats.Hits, s.stats.Secondary)
}

// pawns formats a value, from the view of the side to move, in pawns or as a mate.
func pawns(v int) string {
	switch {
	case v >= mateBound:
		return fmt.Sprintf("mate in %d", (engine.MateScore-v+1)/2)
	case v <= -mateBound:
		return fmt.Sprintf("mated in %d", (engine.MateScore+v)/2)
	}
	return fmt.Sprintf("%+.2f", float64(v)/100)
}

// Reason implements historic.Reasoner: the value of the chosen move and its place in the list
// of the plausible move generator, and the same of the printed one. The value of that is of a
// search of this move alone: a search of all finds only whether it is better.
func (p *Player) Reason(ctx context.Context, game *board.Game, printed board.Move) (historic.Reason, error) {
	pos := *game.Position()
	chosen, err := p.Search(ctx, game, engine.Limits{})
	if err != nil || ctx.Err() != nil {
		return historic.Reason{}, errors.Join(err, ctx.Err())
	}
	var g generator
	list := g.list(&pos, pos.LegalMoves(nil), nil)
	r := historic.Reason{Move: chosen.Move, Why: "from the book"}
	if chosen.Depth > 0 {
		r.Why = fmt.Sprintf("%s; plausibility %s", pawns(int(chosen.Score)), place(list, chosen.Move))
	}
	if chosen.Move == printed {
		return r, nil
	}
	alone, err := p.Search(ctx, game, engine.Limits{SearchMoves: []board.Move{printed}})
	if err != nil || ctx.Err() != nil {
		return historic.Reason{}, errors.Join(err, ctx.Err())
	}
	r.Printed = fmt.Sprintf("%s: %s alone; plausibility %s", pos.SAN(printed), pawns(int(alone.Score)),
		place(list, printed))
	return r, nil
}

// place returns a move's place in the generator's list: "2 of 31".
func place(list []candidate, m board.Move) string {
	at := slices.IndexFunc(list, func(c candidate) bool { return c.move == m })
	return fmt.Sprintf("%d of %d", at+1, len(list))
}
