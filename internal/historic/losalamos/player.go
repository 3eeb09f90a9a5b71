package losalamos

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// Player is losalamos-1956, the program on eight squares by eight. It implements
// engine.Player and historic.Explainer.
type Player struct {
	historic.Base
	plies int
}

// New returns the player, which looks two moves of each side ahead. Its option is Plies.
func New() *Player {
	p := &Player{plies: Depth}
	p.Settings = []historic.Option{historic.Number("Plies", &p.plies, 1, maxDepth)}
	return p
}

// Search implements engine.Player. It searches one ply deep, then two, and so on to its own
// depth, so that a limit finds a move ready.
func (p *Player) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	root := *game.Position()
	budget := historic.NewBudget(ctx, root.SideToMove(), lim)
	list := historic.RootMoves(root.LegalMoves(nil), lim)
	if len(list) == 0 {
		return budget.Finish(engine.Result{}), nil
	}
	r := engine.Unscored(list[0])
	for depth := 1; depth <= budget.Depth(p.plies); depth++ {
		s := rooted(list, depth, budget.Spend)
		v := s.value(&root, 0, 0, -2*mate, 2*mate)
		if s.over {
			break
		}
		r.Move, r.PV, r.Score, r.Depth = s.line[0][0], slices.Clone(s.line[0]), engine.Score(score(v)), depth
		budget.Report(r, depth)
		if budget.Enough() {
			break
		}
	}
	return budget.Finish(r), nil
}

// rooted returns a search of the moves in the list at the root.
func rooted(list []board.Move, depth int, spend func() bool) *search[board.Position, board.Move, *board.Position] {
	return &search[board.Position, board.Move, *board.Position]{material: large, root: list, depth: depth, spend: spend}
}

// score converts a value to centipawns or a mate score.
func score(v int) int {
	switch {
	case v > mate-maxDepth-1:
		return engine.MateScore - (mate - v)
	case v < maxDepth+1-mate:
		return -engine.MateScore + (mate + v)
	}
	return v * 100 / pawn
}

// Explain has every move with its value in pawns and its line, the best first.
func (p *Player) Explain(root *board.Position) (string, error) {
	type entry struct {
		move  board.Move
		value int
		line  []board.Move
	}
	var entries []entry
	view := rooted(nil, 0, nil)
	for _, m := range root.LegalMoves(nil) {
		s := rooted([]board.Move{m}, p.plies, func() bool { return true })
		v := s.value(root, 0, 0, -2*mate, 2*mate)
		entries = append(entries, entry{m, v, slices.Clone(s.line[0])})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return b.value - a.value })
	var b strings.Builder
	fmt.Fprintf(&b, "%d moves, each searched %d plies deep.\n"+
		"Value in pawns = material at the end of the line + 0.1 x mobility of the positions on it:\n", len(entries), p.plies)
	for _, e := range entries {
		at, text := *root, ""
		mobility := 0
		for _, m := range e.line {
			text += " " + at.SAN(m)
			at.Make(m)
			mobility += view.forWhite(&at, at.CountLegal())
		}
		// From the view of the side to move at the root.
		material, mobility := view.forWhite(root, view.material(&at)), view.forWhite(root, mobility)
		fmt.Fprintf(&b, "%8.1f = %3d %+6.1f  %s\n", float64(e.value)/pawn, material, float64(mobility)/pawn, text[1:])
	}
	return b.String(), nil
}

// publicGame is the third game of MANIAC I, in which it beat a beginner as White. The
// score is public (chessprogramming wiki, MANIAC I); it is not in the paper that
// describes the program.
const publicGame = `
	d2d3 b5b4 e1f3 d5d4 b2b3 e5e4 f3e1 a5a4 b3a4 b6a4 d1d2 a4c3 b1c3 b4c3 d2d1 f5f4
	a2a3 a6b6 a3a4 b6a6 a4a5 d6d5 c1a3 c6b5 a3a2 d5e5 a1b1 a6a5 b1b5 a5a2 b5b1 a2a5
	f2f3 a5a4 f3e4 c5c4 e1f3 e5d6 e4e5 d6d5 e5f6q e6c5 f6d4 d5c6 f3e5`

// PublicGame returns the moves of MANIAC's third game.
func PublicGame() []string { return strings.Fields(publicGame) }

// Game is a game on six squares by six, with the draws by repetition and by fifty moves.
type Game struct {
	pos        Position
	seen       map[Position]int // how often each position occurred before
	quietPlies int              // plies since the last capture or pawn move
}

// NewGame returns a game that starts from a position.
func NewGame(p Position) *Game { return &Game{pos: p, seen: map[Position]int{}} }

// Position returns the current position. The caller must not change it.
func (g *Game) Position() *Position { return &g.pos }

// Push plays a legal move.
func (g *Game) Push(m Move) {
	g.seen[g.pos]++
	g.quietPlies++
	if g.pos.at[m.To] != board.NoPiece || g.pos.at[m.From].Type() == board.Pawn {
		g.quietPlies = 0 // earlier positions cannot occur again
	}
	g.pos.Make(m)
}

// Outcome says in one sentence how the game has ended, or returns "" while it goes on.
func (g *Game) Outcome() string {
	p := &g.pos
	switch over := len(p.LegalMoves(nil)) == 0; {
	case over && p.InCheck():
		return "Checkmate: " + p.SideToMove().Other().String() + " wins."
	case over:
		return "Stalemate: draw."
	case g.seen[*p] >= 2:
		return "Threefold repetition: draw."
	case g.quietPlies >= 100:
		return "Fifty moves without a capture or a pawn move: draw."
	}
	return ""
}

// Replay plays through MANIAC's game, and calls each with its moves and what this program finds in
// the same positions.
func Replay(ctx context.Context, each func(played Move, c Choice)) error {
	p := Start()
	for i, text := range PublicGame() {
		m, err := p.Parse(text)
		if err != nil {
			return err
		}
		if i%2 == 0 {
			c, ok := Choose(&p, Depth, func() bool { return ctx.Err() != nil })
			if !ok {
				break
			}
			each(m, c)
		}
		p.Make(m)
	}
	return ctx.Err()
}
