// Package wdl fits how often a side wins, draws and loses at an evaluation, in the form that Stockfish uses: the win
// rate is 1/(1+exp((a-x)/b)) of the evaluation x in centipawns, the loss rate the same of -x, and a and b are
// polynomials of the material on the board or of the move number. It does not evaluate positions: the scores come from
// the games.
//
// Start reading at Fit.
//
// No promise of stability.
package wdl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// errFit says that the games do not determine the model.
var errFit = errors.New("the games do not determine how often an evaluation wins")

// By is what a and b depend on: its value at a position, between Low and High, in units of Target.
type By struct {
	Name              string
	Low, High, Target int
	of                func(*board.Position) int
}

// Kinds are what a and b may depend on. Material counts 1, 3, 3, 5 and 9 for pawns to queens.
var Kinds = []By{
	{"material", 17, 78, 58, func(p *board.Position) (n int) {
		for piece, worth := range map[board.PieceType]int{board.Pawn: 1, board.Knight: 3, board.Bishop: 3, board.Rook: 5,
			board.Queen: 9} {
			n += worth * p.ByType(piece).Count()
		}
		return n
	}},
	{"move", 8, 120, 32, (*board.Position).Fullmove},
}

// bin is how many centipawns share a cell.
const bin = 8

// cell is the positions of one score and value.
type cell struct{ score, at float64 }

// seen is a cell of a game, from the view of White.
type seen struct{ cell, result int32 }

// Games are the positions of games.
type Games struct {
	by    By
	most  int
	index map[[2]int]int32
	cells []cell
	games [][]seen
	rows  int64
	left  Left
}

// Left counts what has a wrong label and is left out.
type Left struct {
	Forfeits dataset.Forfeits `json:"forfeits,omitzero"`    // games
	Draws    int64            `json:"rule_draws,omitempty"` // positions that the rules call a draw, of decided games
}

// NewGames returns an empty list. Scores beyond most centipawns are left out.
func NewGames(by By, most int) *Games { return &Games{by: by, most: most, index: map[[2]int]int32{}} }

// Add adds the positions of a game that have a score and whose label is right.
func (g *Games) Add(row *dataset.GameRow) {
	if reason := dataset.Forfeit(row.Termination); reason != "" {
		g.left.Forfeits.Add(reason, 1)
		return
	}
	var list []seen
	for ply, game := range row.Replay() {
		if ply >= len(row.Scores) {
			break
		}
		score := int(row.Scores[ply])
		if score == dataset.NoScore || score > g.most || score < -g.most {
			continue
		}
		if p := (dataset.PositionRow{Board: *game.Position(), Result: dataset.ResultOf(row.Result)}); p.DrawByRule() {
			g.left.Draws++
			continue
		}
		key := [2]int{int(math.Round(float64(score) / bin)), min(max(g.by.of(game.Position()), g.by.Low), g.by.High)}
		i, known := g.index[key]
		if !known {
			i = int32(len(g.cells))
			g.index[key] = i
			g.cells = append(g.cells, cell{float64(key[0]) * bin, float64(key[1]) / float64(g.by.Target)})
		}
		list = append(list, seen{i, int32(row.Result)})
	}
	if len(list) > 0 {
		g.games, g.rows = append(g.games, list), g.rows+int64(len(list))
	}
}

// Model is a fitted model. A and B are ((A[0] m + A[1]) m + A[2]) m + A[3] where m is the value in units of Target.
type Model struct {
	By        string     `json:"by"`
	Target    int        `json:"target"`
	Low       int        `json:"low"` // values beyond these are taken as these
	High      int        `json:"high"`
	A         [4]float64 `json:"a"` // centipawns
	B         [4]float64 `json:"b"`
	ASE       [4]float64 `json:"a_se"` // standard errors, by a bootstrap of games
	BSE       [4]float64 `json:"b_se"`
	Pawn      float64    `json:"pawn"` // the evaluation that wins half of the games at Target, in centipawns
	PawnSE    float64    `json:"pawn_se"`
	Spread    float64    `json:"spread"` // b at Target
	SpreadSE  float64    `json:"spread_se"`
	Draws     float64    `json:"draws"` // share of draws at an evaluation of 0 and Target
	DrawsSE   float64    `json:"draws_se"`
	Loss      float64    `json:"loss"` // cross-entropy of win, draw and loss a position, in nats
	Games     int        `json:"games"`
	Positions int64      `json:"positions"`
	Resamples int        `json:"resamples"` // that could be fitted
	Left
}

func poly(c []float64, x float64) float64 { return ((c[0]*x+c[1])*x+c[2])*x + c[3] }

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Fit fits the model by maximum likelihood, and its errors by resampling whole games, as often as asked, from the
// seed: positions of one game are not independent. Samples that cannot be fitted are left out, unless they are most.
func (g *Games) Fit(ctx context.Context, resamples int, seed uint64) (*Model, error) {
	decided := slices.ContainsFunc(g.games, func(list []seen) bool { return list[0].result != 0 })
	switch {
	case len(g.games) == 0:
		return nil, fmt.Errorf("%w: no position of them has a score", errFit)
	case !decided:
		return nil, fmt.Errorf("%w: all were drawn", errFit)
	}
	best, loss, err := g.fit(slices.Repeat([]float64{1}, len(g.games)), []float64{0, 0, 0, 100, 0, 0, 0, 200})
	if err != nil {
		return nil, err
	}
	m := &Model{By: g.by.Name, Target: g.by.Target, Low: g.by.Low, High: g.by.High, Loss: loss, Games: len(g.games),
		Positions: g.rows, Left: g.left}
	m.A, m.B = [4]float64(best[:4]), [4]float64(best[4:])
	m.Pawn, m.Spread, m.Draws = derived(best)
	samples := make([][]float64, resamples)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range samples {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			drawn := make([]float64, len(g.games))
			for range drawn {
				drawn[random.IntN(len(drawn))]++
			}
			if c, _, err := g.fit(drawn, best); err == nil {
				pawn, spread, draws := derived(c)
				samples[i] = append(c, pawn, spread, draws)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	samples = slices.DeleteFunc(samples, func(fitted []float64) bool { return fitted == nil })
	if m.Resamples = len(samples); m.Resamples <= resamples/2 {
		return nil, fmt.Errorf("%w: only %d of %d fits to games drawn at random succeed", errFit, m.Resamples, resamples)
	}
	for k, into := range []*float64{&m.ASE[0], &m.ASE[1], &m.ASE[2], &m.ASE[3], &m.BSE[0], &m.BSE[1], &m.BSE[2], &m.BSE[3],
		&m.PawnSE, &m.SpreadSE, &m.DrawsSE} {
		column := make([]float64, len(samples))
		for i := range samples {
			column[i] = samples[i][k]
		}
		*into = stat.StdDev(column, nil)
	}
	return m, nil
}

func derived(c []float64) (pawn, spread, draws float64) {
	pawn, spread = poly(c[:4], 1), poly(c[4:], 1)
	return pawn, spread, 1 - 2*logistic(-pawn/spread)
}

// fit returns the most likely coefficients of weighted games, and the loss.
func (g *Games) fit(weights, start []float64) ([]float64, float64, error) {
	counts, total := make([][3]float64, len(g.cells)), 0.0
	for i, list := range g.games {
		for _, s := range list {
			counts[s.cell][s.result+1] += weights[i]
		}
		total += weights[i] * float64(len(list))
	}
	problem := optimize.Problem{
		Func: func(c []float64) float64 { return g.loss(counts, total, c, nil, nil) },
		Grad: func(gradient, c []float64) { g.loss(counts, total, c, gradient, nil) },
		Hess: func(information *mat.SymDense, c []float64) { g.loss(counts, total, c, nil, information) },
	}
	settings := &optimize.Settings{GradientThreshold: 1e-9, MajorIterations: 200,
		Converger: &optimize.FunctionConverge{Absolute: 1e-10, Iterations: 1}}
	r, err := optimize.Minimize(problem, start, settings, &optimize.Newton{Linesearcher: &optimize.Backtracking{}})
	if r == nil || math.IsNaN(r.F) || math.IsInf(r.F, 0) || (err != nil && r.MajorIterations < 2) {
		return nil, 0, fmt.Errorf("%w: %v", errFit, err)
	}
	if pawn, spread, _ := derived(r.X); !(pawn > 0 && spread > 0) {
		return nil, 0, fmt.Errorf("%w: half are won at %.0f centipawns, with a spread of %.0f", errFit, pawn, spread)
	}
	return r.X, r.F, nil
}

// loss returns the cross-entropy a position, and fills in its gradient and its expected second derivatives, which
// are never negative, if they are not nil.
func (g *Games) loss(counts [][3]float64, total float64, c, gradient []float64, information *mat.SymDense) float64 {
	sum := 0.0
	clear(gradient)
	var info [8][8]float64
	for i, n := range counts {
		all := n[0] + n[1] + n[2]
		if all == 0 {
			continue
		}
		x := g.cells[i].at
		a, b := poly(c[:4], x), poly(c[4:], x)
		if a <= 0 || b <= 0 { // not a model
			return math.Inf(1)
		}
		u, v := (g.cells[i].score-a)/b, (-g.cells[i].score-a)/b
		w, l := logistic(u), logistic(v)
		p := [3]float64{l, -math.Expm1(u+v) * logistic(-u) * logistic(-v), w} // exact where a draw is rare
		dw, dl := w*(1-w)/b, l*(1-l)/b
		byA, byB := [3]float64{-dl, dw + dl, -dw}, [3]float64{-v * dl, u*dw + v*dl, -u * dw}
		var gA, gB, aa, ab, bb float64
		for k := range p {
			q := max(p[k], 1e-300)
			sum -= n[k] * math.Log(q)
			gA, gB = gA-n[k]*byA[k]/q, gB-n[k]*byB[k]/q
			aa, ab, bb = aa+all*byA[k]*byA[k]/q, ab+all*byA[k]*byB[k]/q, bb+all*byB[k]*byB[k]/q
		}
		powers := [4]float64{x * x * x, x * x, x, 1}
		for j, e := range powers {
			if gradient != nil {
				gradient[j], gradient[4+j] = gradient[j]+gA*e/total, gradient[4+j]+gB*e/total
			}
			for k, f := range powers {
				info[j][k] += aa * e * f / total
				info[j][4+k] += ab * e * f / total
				info[4+j][4+k] += bb * e * f / total
			}
		}
	}
	if information != nil {
		for j := range info {
			for k := j; k < len(info); k++ {
				information.SetSym(j, k, info[j][k])
			}
		}
	}
	return sum / total
}
