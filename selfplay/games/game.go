// Package games plays the games of package engine/game: one game, series of games kept as a
// data set, and paired matches. It is to other games what selfplay, datagen and match
// are to chess, and shares what these share: seeds, work in order, data sets, and the statistics
// of matches. It has no clocks, engines of others, PGN or machines elsewhere; those are for chess.
//
// Start reading at New and Match.
package games

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/game"
	"github.com/assay-chess/assay/engine/game/alphabeta"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// Game is a game that can be played, whatever its positions and moves are.
type Game struct {
	game.About
	play   func(job) (played, error)
	rows   func(g played, weights []int32) ([][]int32, error)
	boards func(played) ([]string, error)
}

// job is a game to be played.
type job struct {
	Opening uint64     // seed of the first position and the random moves
	Seed    uint64     // of the choice among equal moves
	Weights [2][]int32 // of the first and the second player
	Depth   int        // plies to look ahead
}

// played is a game that was played.
type played struct {
	Opening uint64   // job.Opening
	Key     uint64   // of the position after the random moves
	Plies   int      // number of random moves
	Moves   []string // all of them, as texts
	Result  int      // from the first player's view: 1, 0 or -1
}

// maxPlies ends a game that its rules do not end: it is drawn.
const maxPlies = 1000

// maxOpening is the largest value of an opening under the start weights, for either side.
const maxOpening = 150

// New returns the game with the rules.
func New[P any, M comparable](rules game.Rules[P, M]) *Game {
	t := &table[P, M]{rules: rules, about: rules.About()}
	return &Game{About: t.about, play: t.play, rows: t.rows, boards: t.boards}
}

// startWeights returns the weights that learning begins with.
func startWeights(about *game.About) []int32 {
	w := make([]int32, len(about.Terms))
	for i, t := range about.Terms {
		w[i] = t.Start
	}
	return w
}

// StartFile returns the weights that learning begins with as a weight file.
func (g *Game) StartFile() *models.File {
	f := &models.File{Model: g.Name, K: models.DefaultK}
	for i, t := range g.Terms {
		f.Terms = append(f.Terms, models.TermWeight{Name: t.Name, MG: t.Start, EG: t.Start})
		group, _, _ := strings.Cut(t.Name, ".")
		f.Foreign = append(f.Foreign, eval.Term{Name: t.Name, Group: group, Mirror: i})
	}
	return f
}

// Weights returns the weights of a file in the order of the game's terms.
func (g *Game) Weights(f *models.File) ([]int32, error) {
	if f.Model != g.Name {
		return nil, fmt.Errorf("games: the weights %s are of %s, not of %s", f.ID(), f.Model, g.Name)
	}
	if !slices.EqualFunc(f.Terms, g.Terms, func(w models.TermWeight, t game.Term) bool { return w.Name == t.Name }) {
		return nil, fmt.Errorf("games: the weights %s have other terms than %s: learn them again", f.ID(), g.Name)
	}
	w := make([]int32, len(f.Terms))
	for i, t := range f.Terms {
		w[i] = t.MG
	}
	return w, nil
}

// Check returns an error if the game is described in a way that cannot be played or learned.
func (g *Game) Check() error {
	switch {
	case g.Name == "" || len(g.Terms) == 0:
		return fmt.Errorf("games: the game %q needs a name and terms", g.Name)
	case g.Plies[0] < 0 || g.Plies[1] < g.Plies[0]:
		return fmt.Errorf("games: %s: %d to %d random plies; want the fewest first", g.Name, g.Plies[0], g.Plies[1])
	case g.Depth < 1:
		return fmt.Errorf("games: %s: depth %d; want at least 1", g.Name, g.Depth)
	}
	w := startWeights(&g.About)
	_, err := g.play(job{Weights: [2][]int32{w, w}, Depth: 1})
	return err
}

// table plays by the rules.
type table[P any, M comparable] struct {
	rules game.Rules[P, M]
	about game.About
}

// play plays a game.
func (t *table[P, M]) play(j job) (played, error) {
	out := played{Opening: j.Opening}
	_, p, moves, err := t.opening(j.Opening)
	if err != nil {
		return out, err
	}
	out.Moves, out.Plies, out.Key = moves, len(moves), t.key(&p)
	rng := rand.New(rand.NewPCG(j.Seed, 1))
	var players [2]*alphabeta.Search[P, M]
	for i, w := range j.Weights {
		players[i] = alphabeta.New(t.rules, w, j.Depth)
	}
	for len(out.Moves) < maxPlies {
		mover := 0
		if t.rules.SecondToMove(&p) {
			mover = 1
		}
		m, _, ok := players[mover].Choose(&p, rng)
		if !ok {
			out.Result, err = t.result(&p)
			return out, err
		}
		out.Moves = append(out.Moves, t.rules.MoveText(&p, m))
		t.rules.Make(&p, m)
	}
	return out, nil
}

func (t *table[P, M]) result(p *P) (int, error) {
	result, over := t.rules.Over(p, len(t.rules.Moves(p, nil)))
	if !over || result < -1 || result > 1 {
		return 0, fmt.Errorf("games: %s: no move is left, but Over says %d, %v:\n%s",
			t.about.Name, result, over, t.rules.BoardText(p))
	}
	return result, nil
}

// opening returns the position that follows from a seed: random moves, until the start
// weights see no side far ahead.
func (t *table[P, M]) opening(seed uint64) (start, p P, moves []string, err error) {
	judge := alphabeta.New(t.rules, startWeights(&t.about), 2)
	const tries = 1000
	for try := range uint64(tries) {
		rng := rand.New(rand.NewPCG(seed, try))
		start, moves = t.rules.Start(rng), nil
		p = start
		plies := t.about.Plies[0] + rng.IntN(t.about.Plies[1]-t.about.Plies[0]+1)
		for range plies {
			legal := t.rules.Moves(&p, nil)
			if _, over := t.rules.Over(&p, len(legal)); over || len(legal) == 0 {
				break
			}
			m := legal[rng.IntN(len(legal))]
			moves = append(moves, t.rules.MoveText(&p, m))
			t.rules.Make(&p, m)
		}
		if _, value, ok := judge.Choose(&p, rng); ok && value <= maxOpening && value >= -maxOpening {
			return start, p, moves, nil
		}
	}
	return start, p, nil, fmt.Errorf("games: %s: %d tries of %d to %d random plies made no opening that is even and "+
		"goes on",
		t.about.Name, tries, t.about.Plies[0], t.about.Plies[1])
}

func (t *table[P, M]) key(p *P) uint64 {
	h := fnv.New64a()
	h.Write([]byte(t.rules.BoardText(p)))
	if t.rules.SecondToMove(p) {
		h.Write([]byte{1})
	}
	return max(1, h.Sum64())
}

// replay calls visit with the positions of a game, before each move and at the end.
func (t *table[P, M]) replay(g played, visit func(ply int, p *P)) error {
	p, _, _, err := t.opening(g.Opening)
	if err != nil {
		return err
	}
	for ply, text := range g.Moves {
		visit(ply, &p)
		legal := t.rules.Moves(&p, nil)
		at := slices.IndexFunc(legal, func(m M) bool { return t.rules.MoveText(&p, m) == text })
		if at < 0 {
			return fmt.Errorf("games: %s: ply %d: %q is not legal; the game was played by other rules:\n%s",
				t.about.Name, ply, text, t.rules.BoardText(&p))
		}
		t.rules.Make(&p, legal[at])
	}
	visit(len(g.Moves), &p)
	return nil
}

// rows returns the counts of the positions that players searched. One that is not quiet is
// replaced by that where its loud moves end under the weights. Equal counts are one row, so that a
// game that moves to and fro adds none.
func (t *table[P, M]) rows(g played, weights []int32) (list [][]int32, err error) {
	search := alphabeta.New(t.rules, weights, 1)
	seen := map[string]bool{}
	err = t.replay(g, func(ply int, p *P) {
		if ply < g.Plies || ply == len(g.Moves) {
			return
		}
		leaf, quiet := search.Quiet(*p)
		if !quiet {
			return
		}
		counts := make([]int32, len(t.about.Terms))
		t.rules.Count(&leaf, counts)
		if key := fmt.Sprint(counts); !seen[key] {
			seen[key] = true
			list = append(list, counts)
		}
	})
	return list, err
}

// boards draws the positions of a game.
func (t *table[P, M]) boards(g played) (list []string, err error) {
	err = t.replay(g, func(_ int, p *P) { list = append(list, t.rules.BoardText(p)) })
	return list, err
}
