package ladder

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/internal/source"
)

// Games are games of any program or person, by the tags of PGN files.
type Games struct {
	Names      []string // of the players, in the order of their first games
	Finished   int64
	Unfinished int64 // the result is *, or there is none
	Alone      int64 // both players have one name
	index      map[string]int
	counts     map[pairing]*[2][3]int64 // by who has White, and White's result
}

// single is what two players have played game by game. The prior is its share of the virtual draws.
type single struct {
	pairing
	counts [2][3]int64
	prior  float64
}

// Anchor is a rating that is known, with its standard error.
type Anchor struct {
	Name       string
	Elo, Error float64
}

// Read counts the games of a PGN file, which may be packed. A game that cannot be read, or whose result or player is
// unknown, is an error: without it the ratings would be biased.
func (g *Games) Read(ctx context.Context, path string) error {
	f, err := source.Open(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	before := g.Finished
	for game, err := range (pgn.Reading{TagsOnly: true}).Games(f) {
		if err == nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			err = g.add(game)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if g.Finished == before {
		return fmt.Errorf("%s has no finished game between two players", path)
	}
	return nil
}

func (g *Games) add(game *pgn.Game) error {
	row := &game.Row
	switch {
	case row.White == "" || row.Black == "":
		return fmt.Errorf("line %d: a game needs the tags White and Black", game.Line)
	case row.White == row.Black:
		g.Alone++
		return nil
	case !game.Finished:
		g.Unfinished++
		return nil
	}
	w, b := g.player(row.White), g.player(row.Black)
	p, side := pairing{w, b}, 0
	if w > b {
		p, side = pairing{b, w}, 1
	}
	if g.counts[p] == nil {
		g.counts[p] = new([2][3]int64)
	}
	g.counts[p][side][row.Result+1]++
	g.Finished++
	return nil
}

func (g *Games) player(name string) int {
	if g.index == nil {
		g.index, g.counts = map[string]int{}, map[pairing]*[2][3]int64{}
	}
	i, known := g.index[name]
	if !known {
		i = len(g.Names)
		g.index[name], g.Names = i, append(g.Names, name)
	}
	return i
}

// scored is what the first player of a pairing has scored.
func scored(counts *[2][3]int64) (x Score) {
	for k := range 3 {
		x.add(k-1, counts[0][k])
		x.add(1-k, counts[1][k])
	}
	return x
}

func (x Score) turned() Score { return Score{x.Losses, x.Draws, x.Wins} }

func (x Score) plus(y Score) Score {
	return Score{x.Wins + y.Wins, x.Draws + y.Draws, x.Losses + y.Losses}
}

// Rate rates the players. Without anchors the mean of all is 0. Games count as independent, and each player has one
// virtual draw, shared among its opponents, so that a score of 100 % has a finite rating.
func (g *Games) Rate(anchors []Anchor) (*Result, error) {
	n := len(g.Names)
	total, t := make([]Score, n), newCrosstable(n)
	for p, counts := range g.counts {
		t.singles = append(t.singles, single{pairing: p, counts: *counts})
		score := scored(counts)
		total[p.first], total[p.second] = total[p.first].plus(score), total[p.second].plus(score.turned())
	}
	slices.SortFunc(t.singles, func(a, b single) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.second, b.second))
	})
	for i := range t.singles {
		s := &t.singles[i]
		games := float64(scored(&s.counts).Games())
		s.prior = games/float64(2*total[s.first].Games()) + games/float64(2*total[s.second].Games())
	}
	fit, err := t.fit(-1, 0)
	if err != nil {
		return nil, err
	}
	elo, cov := fit.anchored(anchors, g.index)
	return g.result(t, fit, elo, cov, total, anchors), nil
}

// anchored returns the ratings and their covariance, given that some are known up to their errors.
func (f *fit) anchored(anchors []Anchor, index map[string]int) ([]float64, *mat.SymDense) {
	const loose = 1e7 // variance of what all ratings have in common, before the anchors
	elo, cov := make([]float64, f.n), mat.NewSymDense(f.n, nil)
	sums, all := make([]float64, f.n), 0.0
	for i := range f.n {
		elo[i] = f.rating(i)
		for j := range f.n {
			sums[i] += f.cov.At(i, j) / float64(f.n)
		}
		all += sums[i] / float64(f.n)
	}
	if len(anchors) > 0 {
		floats.AddConst(anchors[0].Elo-elo[index[anchors[0].Name]], elo) // so that loose does not pull
	}
	square := f.scale() * f.scale()
	for i := range f.n {
		for j := i; j < f.n; j++ { // of the differences to the mean
			cov.SetSym(i, j, square*(f.cov.At(i, j)-sums[i]-sums[j]+all))
			if len(anchors) > 0 {
				cov.SetSym(i, j, cov.At(i, j)+loose)
			}
		}
	}
	for _, a := range anchors {
		k := index[a.Name]
		column := mat.NewVecDense(f.n, nil)
		for i := range f.n {
			column.SetVec(i, cov.At(i, k))
		}
		gain := 1 / (column.AtVec(k) + a.Error*a.Error)
		off := gain * (a.Elo - elo[k])
		for i := range f.n {
			elo[i] += column.AtVec(i) * off
		}
		cov.SymRankOne(cov, -gain, column)
		for i := range f.n {
			if a.Error == 0 { // up to rounding, it is so already
				cov.SetSym(i, k, 0)
			}
		}
	}
	return elo, cov
}

func (g *Games) result(t *crosstable, fit *fit, elo []float64, cov *mat.SymDense, total []Score,
	anchors []Anchor) *Result {
	r := &Result{Games: g.Finished, Draws: fit.draws(), Groups: g.groups(t)}
	var names []string
	for _, a := range anchors {
		name := fmt.Sprintf("%s = %g", a.Name, a.Elo)
		if a.Error > 0 {
			name += fmt.Sprintf(" ± %g", a.Error)
		}
		names = append(names, name)
	}
	r.Anchor = strings.Join(names, ", ")
	r.rank(fit, elo, func(i int) Rating {
		return Rating{Name: g.Names[i], ID: g.Names[i], Score: total[i],
			Strength: strength(elo[i], math.Sqrt(max(0, cov.At(i, i))), total[i])}
	}, g.against, func(i, j int) float64 {
		v := cov.At(i, i) + cov.At(j, j) - 2*cov.At(i, j)
		if v <= 0 { // both are known
			return 0.5 + 0.5*float64(cmp.Compare(elo[i], elo[j]))
		}
		return math.Erfc((elo[j]-elo[i])/math.Sqrt(2*v)) / 2
	})
	return r
}

// against returns the score of player i against player j.
func (g *Games) against(i, j int) Score {
	if i > j {
		return g.against(j, i).turned()
	}
	if counts := g.counts[pairing{i, j}]; counts != nil {
		return scored(counts)
	}
	return Score{}
}

// groups returns the players by groups that never met, the largest first; nil if there is one.
func (g *Games) groups(t *crosstable) (list [][]string) {
	root := make([]int, t.n)
	for i := range root {
		root[i] = i
	}
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, s := range t.singles {
		root[find(s.first)] = find(s.second)
	}
	members := map[int][]string{}
	for i, name := range g.Names {
		members[find(i)] = append(members[find(i)], name)
	}
	if len(members) < 2 {
		return nil
	}
	for _, m := range members {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b []string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0]))
	})
	return list
}
