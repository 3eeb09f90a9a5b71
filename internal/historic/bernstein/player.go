package bernstein

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Player is bernstein-1957. It implements engine.Player and historic.Explainer.
type Player struct {
	historic.Base
	values     [5]int // pawn to queen, hundredths of a pawn
	factor     int
	width      int
	plies      int
	cut        bool
	kingGuards bool
}

// New returns the program with the piece values of the papers. Its options are Factor (of
// material), the piece values in hundredths of a pawn, Width (number of plausible moves),
// Plies, Cut (search only moves that do not lower the value at once) and KingGuards (the
// king controls the squares around it).
func New() *Player {
	p := &Player{values: [5]int{100, 300, 300, 500, 900}, factor: 20, width: 7, plies: 4, kingGuards: true}
	p.Settings = slices.Concat([]historic.Option{historic.Number("Factor", &p.factor, 0, 1000)},
		historic.PieceValues(&p.values, 0),
		[]historic.Option{
			historic.Number("Width", &p.width, 1, board.MaxMoves),
			historic.Number("Plies", &p.plies, 1, 20),
			historic.Switch("Cut", &p.cut),
			historic.Switch("KingGuards", &p.kingGuards),
		})
	return p
}

// Search implements engine.Player. The score is the material balance, in centipawns, that
// gives the same ratio.
func (p *Player) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	pos := game.Position()
	t := &tree{player: p, machine: pos.SideToMove(), Budget: historic.NewBudget(ctx, pos.SideToMove(), lim)}
	t.root = t.plausibleAt(pos, historic.RootMoves(pos.LegalMoves(nil), lim))
	if len(t.root) == 0 {
		return t.Finish(engine.Result{}), nil
	}
	result := engine.Unscored(t.root[0])
	// The search of one ply provides a move if the limits stop the full one.
	for _, plies := range []int{1, p.plies} {
		t.plies = t.Depth(plies)
		if t.plies <= result.Depth {
			break
		}
		value, line, ok := historic.Minimax(t, pos, 0, true, nil, nil)
		if !ok {
			break
		}
		result.Move, result.PV, result.Score, result.Depth = line[0], line, engine.Score(p.score(pos, value, len(line))),
			t.plies
		t.Report(result, t.plies)
		if t.Enough() {
			break
		}
	}
	return t.Finish(result), nil
}

// win is the value of a mate, less the plies to it. Being mated is its inverse.
const win = 1e6

// score converts a ratio v to centipawns: total * (v-1)/(v+1), where total is the sum of both
// sides in units of material.
func (p *Player) score(pos *board.Position, value float64, plies int) int {
	switch {
	case value > win/2:
		return engine.MateScore - plies
	case value < 2/win:
		return plies - engine.MateScore
	}
	s := p.sums(pos)
	total := float64(p.total(s[0])+p.total(s[1])) / float64(max(1, p.factor))
	return int(math.Round(max(-engine.MaxScore, min(total*(value-1)/(value+1), engine.MaxScore))))
}

// tree is the program's search tree. It implements historic.Tree.
type tree struct {
	*historic.Budget
	player  *Player
	machine board.Color
	plies   int
	root    []board.Move
}

// Expand returns the plausible moves, or the ratio at the last ply.
func (t *tree) Expand(pos *board.Position, ply int) (moves []board.Move, value float64, standPat bool) {
	if ply == 0 {
		return t.root, 0, false
	}
	legal := pos.LegalMoves(make([]board.Move, 0, 48))
	switch {
	case len(legal) == 0 && !pos.InCheck():
		return nil, 1, true
	case len(legal) == 0 && pos.SideToMove() == t.machine:
		return nil, 1 / (win - float64(ply)), true
	case len(legal) == 0:
		return nil, win - float64(ply), true
	case ply >= t.plies:
		return nil, t.player.value(pos, t.machine), true
	}
	return t.plausibleAt(pos, legal), 0, false
}

func (t *tree) plausibleAt(pos *board.Position, legal []board.Move) []board.Move {
	moves, _ := plausible(pos, legal, t.player.width)
	if t.player.cut {
		return t.cut(pos, moves)
	}
	return moves
}

// cut returns the moves that do not lower the value for the side to move at once, or else the
// two that lower it least.
func (t *tree) cut(pos *board.Position, moves []board.Move) []board.Move {
	us := pos.SideToMove()
	current := t.player.value(pos, us)
	values := map[board.Move]float64{}
	for _, m := range moves {
		child, ok := t.Play(pos, m)
		if !ok {
			break
		}
		values[m] = t.player.value(&child, us)
	}
	if len(values) == 0 { // the budget has ended
		return moves
	}
	kept := historic.Filter(moves, func(m board.Move) bool { return values[m] >= current })
	if len(kept) > 0 {
		return kept
	}
	best := slices.Clone(moves[:len(values)])
	slices.SortStableFunc(best, func(a, b board.Move) int { return cmp.Compare(values[b], values[a]) })
	return best[:min(2, len(best))]
}

// Better compares ratios.
func (t *tree) Better(a, b float64) bool { return a > b }
