package turing

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Ways to measure the material of a dead position.
const (
	ratio      = "ratio"
	difference = "difference"
)

// Player is turing-1951. It implements engine.Player and historic.Explainer.
type Player struct {
	historic.Base
	values  [5]int // pawn to queen, hundredths of a pawn
	measure string
	full    int // plies in which every move is considerable
	plies   int // where the analysis ends
}

// New returns the machine with the piece values of the text. Its options are the piece values
// in hundredths of a pawn, Measure (W/B or W-B), Full (plies in which every move is
// considerable) and Plies (where the analysis ends).
func New() *Player {
	p := &Player{values: [5]int{100, 300, 350, 500, 1000}, measure: ratio, full: 2, plies: 16}
	p.Settings = append(historic.PieceValues(&p.values, 1),
		historic.Choice("Measure", &p.measure, ratio, difference),
		historic.Number("Full", &p.full, 1, 6),
		historic.Number("Plies", &p.plies, 1, 64))
	return p
}

// Search implements engine.Player. The score is the value converted to centipawns: the
// material balance that gives the same ratio, or the difference itself.
func (p *Player) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	pos := game.Position()
	budget := historic.NewBudget(ctx, pos.SideToMove(), lim)
	moves := historic.RootMoves(pos.LegalMoves(nil), lim)
	if len(moves) == 0 {
		return budget.Finish(engine.Result{}), nil
	}
	result := engine.Unscored(moves[0])
	// The analysis of one ply provides a move if the limits stop the full one.
	for _, plies := range []int{1, p.plies} {
		plies = budget.Depth(plies)
		a := &analysis{player: p, machine: pos.SideToMove(), plies: plies, full: p.full, budget: budget}
		all := a.choices(pos, moves)
		if len(all) < len(moves) && plies > 1 || len(all) == 0 {
			break
		}
		c := pick(pos, all)
		result.Move, result.PV, result.Score, result.Depth = c.move, c.line, engine.Score(p.score(pos, c)), min(plies, p.full)
		budget.Report(result, plies)
		if budget.Enough() || plies < p.plies && budget.Depth(p.plies) == plies {
			break
		}
	}
	return budget.Finish(result), nil
}

// choice is a move with its value and the expected line.
type choice struct {
	move  board.Move
	value float64
	line  []board.Move
}

// choices returns the moves with their values. Values below the best may be upper bounds. If
// the budget ends, only the finished moves are returned.
func (a *analysis) choices(pos *board.Position, moves []board.Move) (all []choice) {
	top := node{*pos, board.NoSquare}
	var best *float64
	for _, m := range moves {
		child, ok := a.Play(&top, m)
		if !ok {
			break
		}
		v, line, ok := historic.Minimax(a, &child, 1, false, best, nil)
		if !ok {
			break
		}
		if best == nil || v > *best {
			best = &v
		}
		all = append(all, choice{move: m, value: v, line: append([]board.Move{m}, line...)})
	}
	return all
}

// greatest returns the choices with the greatest value.
func greatest(all []choice) []choice {
	best := slices.MaxFunc(all, func(x, y choice) int { return cmp.Compare(x.value, y.value) })
	return slices.DeleteFunc(slices.Clone(all), func(c choice) bool { return c.value < best.value })
}

// pick applies the rule for play: the greatest value, then the greatest position-play value,
// then the first move.
func pick(pos *board.Position, all []choice) choice {
	chosen, most := choice{}, math.MinInt
	for _, c := range greatest(all) {
		if pp := after(pos, c.move); pp > most {
			chosen, most = c, pp
		}
	}
	return chosen
}

// score converts a value to centipawns. A ratio v becomes total * (v-1)/(v+1), where total
// is the material of both sides.
func (p *Player) score(pos *board.Position, c choice) int {
	switch v := c.value; {
	case v > checkmate-100:
		return engine.MateScore - len(c.line)
	case p.measure == ratio && v < 1.0/(checkmate-100) || p.measure == difference && v < 100-checkmate:
		return len(c.line) - engine.MateScore
	case p.measure == difference:
		return clamp(100 * v)
	default:
		us := pos.SideToMove()
		total := p.material(pos, us) + p.material(pos, us.Other())
		return clamp(float64(total) * (v - 1) / (v + 1))
	}
}

func clamp(x float64) int {
	return int(math.Round(max(-engine.MaxScore, min(x, engine.MaxScore))))
}
