// Package toy is a chess player for the tests of what drives players: quick,
// deterministic, seeded, and weak. It is no player for anything else; those are in
// engine/search and internal/historic.
//
// Start reading at Open.
package toy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// Player looks one ply ahead at material and breaks ties by a hash of position, name
// and seed. It never looks at its limits.
type Player struct {
	name   string
	seed   uint64
	margin int // added to its own scores, centipawns
	faults map[int]string
	closed bool
}

var _ engine.Player = (*Player)(nil)

// Open returns the player of the spec NAME[:margin=CENTIPAWNS][:illegal=PLY][:error=PLY].
// Margin makes it optimistic; illegal and error make it play a wrong move or fail
// after that many plies.
func Open(spec engine.Spec) (engine.Player, error) {
	p := &Player{name: spec.Name, faults: map[int]string{}}
	for _, o := range spec.Options {
		n, err := strconv.Atoi(o.Value)
		if err != nil {
			return nil, fmt.Errorf("toy: %s: %w", spec, err)
		}
		switch o.Name {
		case "margin":
			p.margin = n
		case "illegal", "error":
			p.faults[n] = o.Name
		default:
			return nil, fmt.Errorf("toy: %s: unknown option %s", spec, o.Name)
		}
	}
	return p, nil
}

// Spec parses a specification that a test knows to be right.
func Spec(text string) engine.Spec {
	spec, err := engine.ParseSpec(text)
	if err != nil {
		panic(err)
	}
	return spec
}

// Specs is Spec for the players of a game.
func Specs(white, black string) [2]engine.Spec { return [2]engine.Spec{Spec(white), Spec(black)} }

// NewGame implements engine.Player.
func (p *Player) NewGame(seed uint64) error {
	if p.closed {
		return errors.New("toy: new game after close")
	}
	p.seed = seed
	return nil
}

// Search implements engine.Player.
func (p *Player) Search(ctx context.Context, game *board.Game, _ engine.Limits) (engine.Result, error) {
	if err := ctx.Err(); err != nil {
		return engine.Result{}, err
	}
	if game.Position().CountLegal() == 0 {
		return engine.Result{}, nil
	}
	switch p.faults[len(game.Moves())] {
	case "illegal":
		return engine.Result{Move: board.NewMove(board.A1, board.H8)}, nil
	case "error":
		return engine.Result{}, errors.New("toy: told to fail")
	}
	best, score, tie := board.NullMove, -1<<30, uint64(0)
	moves := game.Position().LegalMoves(nil)
	for _, m := range moves {
		next := *game.Position()
		next.Make(m)
		s, t := -material(&next), p.hash(next.Key())
		if next.CountLegal() == 0 && next.InCheck() {
			s = engine.MateScore - 1
		}
		if s > score || s == score && t > tie {
			best, score, tie = m, s, t
		}
	}
	return engine.Result{Move: best, Score: engine.Score(score + p.margin), Depth: 1, Nodes: uint64(len(moves)),
		PV: []board.Move{best}}, nil
}

// SetOption implements engine.Player; it has no options.
func (p *Player) SetOption(name, _ string) error { return fmt.Errorf("toy: no option %s", name) }

// Close implements engine.Player.
func (p *Player) Close() error {
	if p.closed {
		return errors.New("toy: closed twice")
	}
	p.closed = true
	return nil
}

func (p *Player) hash(key uint64) uint64 {
	h := key ^ p.seed
	for _, c := range []byte(p.name) {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// material is the balance from the view of the side to move, in centipawns.
func material(p *board.Position) int {
	values := [...]int{board.Pawn: 100, board.Knight: 300, board.Bishop: 300, board.Rook: 500, board.Queen: 900}
	us, total := p.SideToMove(), 0
	for t, v := range values {
		kind := board.PieceType(t)
		total += v * (p.Pieces(us, kind).Count() - p.Pieces(us.Other(), kind).Count())
	}
	return total
}

// wild is a toy that plays any move with a probability: the first digit of its name in
// tenths.
type wild struct {
	engine.Player
	share float64
	rng   *rand.Rand
}

// OpenWild opens a wild toy.
func OpenWild(spec engine.Spec) (engine.Player, error) {
	p, err := Open(spec)
	return &wild{Player: p, share: float64(spec.Name[0]-'0') / 10}, err
}

func (w *wild) NewGame(seed uint64) error {
	w.rng = rand.New(rand.NewPCG(seed, 9))
	return w.Player.NewGame(seed)
}

func (w *wild) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	r, err := w.Player.Search(ctx, g, lim)
	if moves := g.Position().LegalMoves(nil); len(moves) > 0 && w.rng.Float64() < w.share {
		r.Move = moves[w.rng.IntN(len(moves))]
	}
	return r, err
}
