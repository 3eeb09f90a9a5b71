package pgn

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// Half is what shows of a game whether it is a half of a pair: two games from one opening with colors reversed.
type Half struct {
	Round string // up to the first dot; "" if it is unknown
	Start string // as in dataset.GameRow
	Moves []board.Move
	White bool // the player that counts had White
}

// Half returns what pairs the game, for the player that has White or not.
func (g *Game) Half(white bool) Half {
	round, _, _ := strings.Cut(g.Tag("Round"), ".")
	if round == "?" || round == "-" {
		round = ""
	}
	return Half{strings.Clone(round), g.Row.Start, g.Row.Moves, white}
}

// commonPlies is how many first moves two games from the start position of chess have in common at least if they
// have the same opening.
const commonPlies = 2

// Pairs finds the pairs among the games of two players, in any order: first within each round, then among all games
// that are left. Both games begin at the same position; of several that do, those are pairs that have the most first
// moves in common. A pair is two indices, the lower first; pairs are in the order in which they were complete.
func Pairs(games []Half) (pairs [][2]int) {
	order := make([]int, 0, len(games))
	for i := range games {
		if games[i].Round != "" {
			order = append(order, i)
		}
	}
	paired := make([]bool, len(games))
	find := func(order []int, compare func(a, b *Half) int) {
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Or(compare(&games[i], &games[j]), slices.Compare(games[i].Moves, games[j].Moves))
		})
		for len(order) > 0 {
			n := 1
			for n < len(order) && compare(&games[order[0]], &games[order[n]]) == 0 {
				n++
			}
			least := 0
			if games[order[0]].Start == "" {
				least = commonPlies
			}
			p := pairer{games: games, least: least}
			p.pair(order[:n], 0)
			for _, x := range p.pairs {
				paired[x[0]], paired[x[1]] = true, true
			}
			pairs, order = append(pairs, p.pairs...), order[n:]
		}
	}
	byStart := func(a, b *Half) int { return strings.Compare(a.Start, b.Start) }
	find(order, func(a, b *Half) int { return cmp.Or(strings.Compare(a.Round, b.Round), byStart(a, b)) })
	order = order[:0]
	for i, done := range paired {
		if !done {
			order = append(order, i)
		}
	}
	find(order, byStart)
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Compare(a[1], b[1]) })
	return pairs
}

// pairer pairs games from one position.
type pairer struct {
	games []Half
	least int // moves in common
	pairs [][2]int
}

// pair pairs games that are ordered by their moves and have that many in common: those that have more in common first.
// It returns the games that are left, all of one color.
func (p *pairer) pair(order []int, plies int) (left []int) {
	for len(order) > 0 {
		n := 1
		if moves := p.games[order[0]].Moves; len(moves) > plies {
			for n < len(order) && p.games[order[n]].Moves[plies] == moves[plies] {
				n++
			}
			if n > 1 {
				left = append(left, p.pair(order[:n], plies+1)...)
			} else {
				left = append(left, order[0])
			}
		} else {
			left = append(left, order[0]) // it ends here
		}
		order = order[n:]
	}
	if plies < p.least {
		return left
	}
	slices.Sort(left)
	var waiting []int // all of one color
	for _, i := range left {
		if len(waiting) == 0 || p.games[waiting[0]].White == p.games[i].White {
			waiting = append(waiting, i)
			continue
		}
		p.pairs = append(p.pairs, [2]int{waiting[0], i})
		waiting = waiting[1:]
	}
	return waiting
}

// Reading says how to read the scores in comments. What is zero is left to the table of dialects
// and, where that does not know, to the data.
type Reading struct {
	View View `json:"view,omitempty"` // 1 White's, 2 the mover's
	Ply  Ply  `json:"ply,omitempty"`  // 1 before the move, 2 after it

	// TagsOnly leaves the moves alone: the row of a game has players and result, which its tag says, or else the text
	// behind its moves.
	TagsOnly bool `json:"-"`
	Workers  int  `json:"-"` // goroutines that parse; 0: one per core
}

const (
	// enough is how many scores a file needs before it can show how to read them.
	enough = 500
	// sure is by how many standard errors it must show that.
	sure = 3
	// Games are held back until their file has shown how to read them, and no longer than this.
	maxHeldScores = 200_000
	maxHeldGames  = 20_000
	// maxStep is the largest change of a score that counts, in raw units: a blunder is no ten of them.
	maxStep = 300
	// A block is consecutive plies of a game, whose changes are not independent.
	block = 8
)

// mean is a mean of blocks, with its standard error.
type mean struct {
	n, sum, squares float64
	part            float64
}

// of returns the mean in standard errors.
func (m *mean) of() float64 {
	if m.n < 2 {
		return 0
	}
	variance := (m.squares - m.sum*m.sum/m.n) / (m.n - 1)
	return m.sum / math.Sqrt(max(variance, 1e-9)*m.n)
}

func (m *mean) close() {
	m.n++
	m.sum += m.part
	m.squares += m.part * m.part
	m.part = 0
}

// aligner learns from the scores of one dialect how to read them.
//
// A move cannot improve the position for the side that makes it, as a perfect player sees it. So
// from score to score, the side that moved between the two positions loses a little. If scores
// are of the position after the move, that side is the mover of the later score's move; if they
// are of the position before it, it is the other. And consecutive scores agree in sign only if
// their view is the same.
type aligner struct {
	scores int
	next   int // how many scores to have before it decides
	means  [5]mean
	view   View
	ply    Ply
	over   bool
}

// The means of an aligner: whether consecutive scores agree, and the gains of the mover between them, if they
// are from White's view or from the mover's; and these with scores of both sides of the same size.
const (
	agree = iota
	gainWhite
	gainMover
	fairWhite
	fairMover
)

func (a *aligner) add(g *Game) {
	pairs, scale := 0, scales(g)
	for k, r := range g.raw {
		if r == none {
			continue
		}
		a.scores++
		if k == 0 || g.raw[k-1] == none {
			continue
		}
		was, is := clip(g.raw[k-1], g.Dialect), clip(r, g.Dialect)
		fairWas, fairIs := scale[1-k%2]*was, scale[k%2]*is
		side := 1.0
		if g.white != (k%2 == 0) {
			side = -1
		}
		for i, x := range [...]float64{was * is, clampStep(side * (is - was)), clampStep(is + was),
			clampStep(side * (fairIs - fairWas)), clampStep(fairIs + fairWas)} {
			a.means[i].part += x
		}
		if pairs++; pairs%block == 0 {
			for i := range a.means {
				a.means[i].close()
			}
		}
	}
	for i := range a.means {
		a.means[i].part = 0 // less than a block
	}
}

func clampStep(x float64) float64 { return max(-maxStep, min(maxStep, x)) }

// scales returns factors for the scores behind even and odd moves of a game that give both the same
// mean size: two engines may differ in what a pawn is worth.
func scales(g *Game) (factor [2]float64) {
	var sum, n [2]float64
	for k, r := range g.raw {
		if r != none {
			sum[k%2] += math.Abs(clip(r, g.Dialect))
			n[k%2]++
		}
	}
	for i := range factor {
		own, other := sum[i]/max(n[i], 1), sum[1-i]/max(n[1-i], 1)
		factor[i] = 1
		if own > 0 && other > 0 {
			factor[i] = max(.5, min(2, math.Sqrt(other/own)))
		}
	}
	return factor
}

// clip returns a score in raw pawns, within limits.
func clip(r raw, d *dialect) float64 {
	x := float64(r)
	if d.Centipawns && r > -maxRaw && r < maxRaw {
		x /= 100
	}
	return max(-2*maxStep, min(2*maxStep, x))
}

// decide looks whether the data show how to read the scores.
func (a *aligner) decide() {
	if a.over || a.scores < a.next {
		return
	}
	a.next = 2 * a.scores
	switch z := a.means[agree].of(); {
	case a.view != 0:
	case z > sure:
		a.view = White
	case z < -sure:
		a.view = Mover
	}
	if a.view != 0 && a.ply == 0 {
		z, fair := a.means[gainWhite].of(), a.means[fairWhite].of()
		if a.view == Mover {
			z, fair = a.means[gainMover].of(), a.means[fairMover].of()
		}
		// Where the winner's engine thinks less of a pawn than the loser's, each seems to lose.
		switch {
		case z > sure && fair > sure-1:
			a.ply = Before
		case z < -sure && fair < 1-sure:
			a.ply = After
		}
	}
	a.over = a.view != 0 && a.ply != 0
}

// reader yields games in order, once it is known how to read their scores.
type reader struct {
	Reading
	aligners map[*dialect]*aligner
	queue    []held
}

// take adds a game, and reports whether those that are held can go.
func (r *reader) take(g *Game, err error) (ready bool) {
	r.queue = append(r.queue, held{g, err})
	if d := g.Dialect; d != nil && d.unsure && r.Ply == 0 {
		a := r.aligners[d]
		if a == nil {
			a = &aligner{view: r.View, ply: d.Ply, next: enough}
			r.aligners[d] = a
		}
		if !a.over {
			a.add(g)
			a.decide()
		}
	}
	scores := 0
	for _, a := range r.aligners {
		if !a.over {
			scores += a.scores
		}
	}
	if scores > maxHeldScores || len(r.queue) > maxHeldGames {
		for _, a := range r.aligners {
			a.over = true // an unknown score remains unknown
		}
		return true
	}
	return scores == 0
}

// flush yields the games that are held.
func (r *reader) flush(yield func(*Game, error) bool) bool {
	for _, h := range r.queue {
		var v View
		var p Ply
		if d := h.g.Dialect; d != nil {
			v, p = d.View, d.Ply
			a := r.aligners[d]
			switch {
			case r.View != 0 || r.Ply != 0:
				h.g.why = "as set"
			case a != nil && a.view != 0:
				h.g.why = "as the scores show"
			case d.unsure:
				h.g.why = "assumed: no tag says it"
			}
			if a != nil {
				v, p = cmp.Or(a.view, v), a.ply
			}
			v, p = cmp.Or(r.View, v), cmp.Or(r.Ply, p)
		}
		h.g.settle(v, p)
		if !yield(h.g, h.err) {
			return false
		}
	}
	clear(r.queue)
	r.queue = r.queue[:0]
	return true
}

// Games is Read, with scores read as r says. Where only the data can say, games come once they
// have, which is after some dozens of games.
func (r Reading) Games(in io.Reader) iter.Seq2[*Game, error] {
	s := newSplitter(in, chunkSize)
	s.only = r.TagsOnly
	return r.games(s)
}

func (r Reading) games(s *splitter) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		held := &reader{Reading: r, aligners: map[*dialect]*aligner{}}
		for g, err := range s.read(r.Workers) {
			var bad *GameError
			if err != nil && !errors.As(err, &bad) {
				if held.flush(yield) {
					yield(g, err)
				}
				return
			}
			if held.take(g, err) && !held.flush(yield) {
				return
			}
		}
		held.flush(yield)
	}
}
