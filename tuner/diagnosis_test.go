package tuner

import (
	"bufio"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
	"github.com/klauspost/compress/zstd"
)

// TestGroupGains compares the predicted gains with fits in which the group is
// frozen: near the optimum the quadratic is good.
func TestGroupGains(t *testing.T) {
	syn := synthetic.Games{Games: 2000, Rows: 10, Terms: 8, PerRow: 4, K: 0.006, Seed: 31}
	s := syn.Store(t)
	start := syn.Truth()
	terms := syn.List(objective.NewTapered(8))
	for i := range terms {
		// Near the truth, so that a quadratic holds; the last group is right already.
		terms[i].MG, terms[i].EG = math.Round(start.MG[i])-8, math.Round(start.EG[i])+6
		terms[i].Group = "near"
		if i >= 6 {
			terms[i].MG, terms[i].EG, terms[i].Group = math.Round(start.MG[i]), math.Round(start.EG[i]), "right"
		}
	}
	c := NewConfig()
	c.K, c.KeepScale, c.Design = syn.K, true, 1
	c.Prior = map[string]float64{"near": math.Inf(1), "right": math.Inf(1)}
	full := setup.Must(Fit(context.Background(), s, terms, c))
	if len(full.Groups) != 2 {
		t.Fatalf("groups %+v", full.Groups)
	}
	for _, g := range full.Groups {
		c.Freeze = []string{g.Name}
		held := setup.Must(Fit(context.Background(), s, terms, c))
		want := float64(held.Fit.Train - full.Fit.Train)
		if math.Abs(g.Gain-want) > 0.05*want+1e-9 {
			t.Errorf("%s: gain %v, freezing it costs %v", g.Name, g.Gain, want)
		}
		if g.Name == "near" && g.Net < 0.5*g.Gain || g.Name == "right" && g.Net > g.Gain/2 {
			t.Errorf("%s: net gain %v of %v", g.Name, g.Net, g.Gain)
		}
	}
}

// TestCalibration: predictions of a fit to data that follow the model are right
// in every bin, within their errors; the start's loss is the larger.
func TestCalibration(t *testing.T) {
	syn := synthetic.Games{Games: 3000, Rows: 20, Terms: 6, PerRow: 3, K: 0.006, Seed: 33}
	c := NewConfig()
	c.K, c.KeepScale, c.Valid = syn.K, true, 0.3
	c.Prior = map[string]float64{"pieces": math.Inf(1)}
	r := setup.Must(Fit(context.Background(), syn.Store(t), syn.List(objective.NewTapered(6)), c))
	x := r.Calibration
	if !x.HeldOut || x.Rows != int64(r.RowsValid) || len(x.ByScore) != 10 || len(x.ByPhase) != 5 {
		t.Fatalf("%+v", x)
	}
	chi, n, loss := 0.0, 0, 0.0
	for i, b := range append(x.ByScore, x.ByPhase...) {
		if b.Rows == 0 {
			continue
		}
		d := (b.Actual - b.Predicted) / b.SE
		chi += d * d
		n++
		if math.Abs(d) > 4.5 || i < 10 && (b.Predicted < b.Lo || b.Predicted > b.Hi) {
			t.Errorf("bin %+v", b)
		}
		if i >= 10 {
			loss += b.Loss * float64(b.Rows) / float64(x.Rows)
			if b.Loss >= b.Start {
				t.Errorf("phase %v to %v: loss %v -> %v", b.Lo, b.Hi, b.Start, b.Loss)
			}
		}
	}
	if math.Abs(loss-float64(r.Fit.Valid)) > 1e-12 {
		t.Errorf("losses of the phases come to %v, validation loss is %v", loss, r.Fit.Valid)
	}
	if chi < float64(n)/5 || chi > 3*float64(n) {
		t.Errorf("chi-square %.1f of %d bins", chi, n)
	}
}

// freeRows are games of eight terms, and of three more: "rare" occurs in one row of 500
// and always wins, "sum" is the sum of the first two, "lost" tells a lost game by its
// middlegame and its endgame together: neither half alone is one-sided.
func freeRows(t *testing.T, seed uint64) (*rows.Store, []rows.Term) {
	syn := synthetic.Games{Games: 400, Rows: quickOr(5, 15), Terms: 8, PerRow: 4, K: 0.006, Seed: seed}
	r, b, n := rand.New(rand.NewPCG(seed, 1)), rows.NewBuilder(11), 0
	s := syn.Store(t)
	err := s.EachRow(context.Background(), func(chunk, row int, entries []rows.Entry) {
		c := s.Chunks[chunk]
		x := rows.Row{Phase: c.Phase, Scale: 1, Weight: 1, Score: rows.NoScore, Result: c.Result[row],
			Game: uint64(c.Game[row]) + 1}
		sum := float32(0)
		for _, e := range entries {
			x.Entries = append(x.Entries, e)
			if e.Term < 2 {
				sum += e.Count
			}
		}
		if n++; n%500 == 0 {
			x.Entries = append(x.Entries, rows.Entry{Term: 8, Count: 2*x.Result - 1})
		}
		if sum != 0 {
			x.Entries = append(x.Entries, rows.Entry{Term: 9, Count: sum})
		}
		if n%50 == 0 && c.Phase != 12 { // won where phase and count agree
			count := 2*x.Result - 1
			if c.Phase < 12 {
				count = -count
			}
			x.Entries = append(x.Entries, rows.Entry{Term: 10, Count: count * float32(1+r.IntN(2))})
		}
		setup.Check(t, b.Add(&x))
	})
	setup.Check(t, err)
	terms := syn.List(objective.NewTapered(8))
	for i, name := range []string{"rare", "sum", "lost"} {
		terms = append(terms, rows.Term{Name: name, Group: "pieces", Tapered: true, Mirror: 8 + i})
	}
	return synthetic.Finish(t, b), terms
}

func freeConfig(loss objective.Loss) Config {
	c := NewConfig()
	c.Loss, c.K, c.KeepScale, c.Valid = loss, 0.006, true, 0
	c.Prior = map[string]float64{"pieces": math.Inf(1)}
	return c
}

// TestFreeFit: without priors, terms that always win end at the limit and are named; on
// the others the fit is as good as thousands of steps of Adam, within a few steps, with
// collinear terms too.
func TestFreeFit(t *testing.T) {
	ctx := context.Background()
	for _, loss := range []objective.Loss{objective.CrossEntropy, objective.MSE} {
		for seed := range uint64(quickOr(1, 3)) {
			s, terms := freeRows(t, 50+seed)
			r := setup.Must(Fit(ctx, s, terms, freeConfig(loss)))
			t.Logf("%v: %+v, no finite optimum: %v", loss, r.Fit, r.Unbounded)
			if !r.Converged || r.Steps > 40 {
				t.Errorf("%v: converged %v after %d steps", loss, r.Converged, r.Steps)
			}
			// One half of "lost" at the limit is enough to leave the other an optimum.
			u := r.Unbounded
			if !slices.Equal(u[:2], []string{"rare mg", "rare eg"}) || len(u) < 3 || !strings.HasPrefix(u[2], "lost") {
				t.Errorf("%v: no finite optimum: %v", loss, u)
			}
			if x := r.Terms; x[8].MG != 2000 || x[8].EG != 2000 || max(x[10].MG, -x[10].EG) != 2000 {
				t.Errorf("%v: rare %v, lost %v", loss, fitOf(x[8]), fitOf(x[10]))
			}
			if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "no finite optimum") ||
				!strings.Contains(text, "rare mg") {
				t.Errorf("%v: warnings %q", loss, text)
			}
			checkFinite(t, r)

			c := freeConfig(loss)
			c.Method, c.Iterations, c.Gap, c.Design = "adam", quickOr(4000, 10000), 1e-300, r.Design
			c.Freeze = []string{"rare", "lost"}
			for _, i := range []int{8, 10} {
				terms[i].MG, terms[i].EG = r.Terms[i].FitMG, r.Terms[i].FitEG
			}
			long := setup.Must(Fit(ctx, s, terms, c))
			if r.Fit.Train > long.Fit.Train+1e-9 {
				t.Errorf("%v: loss %.12f, Adam finds %.12f", loss, r.Fit.Train, long.Fit.Train)
			}
		}
	}
}

// TestNoStepIsAnError: from the optimum no step is needed, but where none is found and the
// gap is too large the fit fails.
func TestNoStepIsAnError(t *testing.T) {
	s, terms := freeRows(t, 60)
	c := freeConfig(objective.CrossEntropy)
	for try := 0; ; try++ {
		r, err := Fit(context.Background(), s, terms, c)
		if c.Gap > 0 && errors.Is(err, errNoStep) {
			return
		}
		if err != nil || c.Gap == 0 && !r.Converged {
			t.Fatalf("from the optimum: %v", err)
		}
		if try == 20 {
			t.Fatal("steps without end")
		}
		for i := range terms {
			terms[i].MG, terms[i].EG = r.Terms[i].FitMG, r.Terms[i].FitEG
		}
		if c.Design = r.Design; try > 0 {
			c.Gap = 1e-300 // which rounding does not reach
		}
	}
}

// TestGradient compares value and gradient of the fused sparse pass with the definition, and the definition's gradient
// with differences of its value.
func TestGradient(t *testing.T) {
	for _, loss := range []objective.Loss{objective.CrossEntropy, objective.MSE} {
		o, data := testProblem(t, loss)
		theta := testTheta(o.Params.N)
		got := make([]float64, o.Params.N)
		value := setup.Must(o.Gradient(context.Background(), theta, got))
		wantValue, want := defined(o, data, theta)
		if math.Abs(value-wantValue) > 1e-9*math.Abs(wantValue) {
			t.Errorf("%v: value %v, want %v", loss, value, wantValue)
		}
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-9*(1+math.Abs(want[j])) {
				t.Errorf("%v: g[%d] = %v, want %v", loss, j, got[j], want[j])
			}
			at := func(step float64) float64 {
				x := slices.Clone(theta)
				x[j] += step
				v, _ := defined(o, data, x)
				return v
			}
			if d := (at(1e-3) - at(-1e-3)) / 2e-3; math.Abs(d-want[j]) > 1e-8+1e-6*math.Abs(want[j]) {
				t.Errorf("%v: g[%d] = %v, differences say %v", loss, j, want[j], d)
			}
		}
	}
}

// defined is the objective with its gradient, row by row. Each row is a game of its own.
func defined(o *objective.Penalized, data []rows.Row, theta []float64) (value float64, g []float64) {
	p, q := o.Problem, o.Params
	w, by := objective.NewTapered(p.Store.Terms()), objective.NewTapered(p.Store.Terms())
	q.Expand(theta, w)
	for i, c := range p.Store.Chunks {
		for j, n := range c.Game {
			r, omega := &data[n], float64(p.Omega[i][j])/o.Design
			loss, slope, _ := p.Loss.At(p.K, synthetic.Evaluate(r, w), float64(p.Target[i][j]))
			value += omega * loss
			mg, eg := r.Factors()
			for _, e := range r.Entries {
				v := omega * slope * float64(r.Scale) * float64(e.Count)
				by.MG[e.Term] += v * mg
				by.EG[e.Term] += v * eg
			}
		}
	}
	g = make([]float64, q.N)
	q.Fold(by, g)
	for j, x := range theta {
		d := x - q.Center[j]
		value += q.Precision(j) * d * d / 2
		g[j] += q.Precision(j) * d
	}
	return value, g
}

// scoredPositions reads up to n positions of a file of scored games, those that the data commands would leave (no
// check, best move no capture). Games are kept apart where the ply falls.
func scoredPositions(tb testing.TB, path string, n int) (out []dataset.PositionRow) {
	tb.Helper()
	file := setup.Must(os.Open(path))
	defer file.Close()
	z := setup.Must(zstd.NewReader(file))
	defer z.Close()
	game, last := uint64(1), -1
	for lines := bufio.NewScanner(z); len(out) < n && lines.Scan(); {
		c := strings.Split(lines.Text(), "\t")
		ply, _ := strconv.Atoi(c[3])
		if ply < last {
			game++
		}
		last = ply
		p := setup.Must(board.ParseFEN(c[0]))
		if c[4] == "1" || p.InCheck() {
			continue
		}
		score, _ := strconv.Atoi(c[1])
		result, _ := strconv.Atoi(c[2])
		out = append(out, dataset.PositionRow{Board: p, Ply: uint16(ply), Score: int16(max(-30000, min(30000, score))),
			Result: dataset.ResultOf(int8(result)), Game: game, Weight: 1})
	}
	return out
}

func scoredStore(tb testing.TB, model string, positions []dataset.PositionRow, workers int) (*rows.Store, []rows.Term) {
	tb.Helper()
	m := setup.Must(eval.Lookup(model))
	s := setup.Must(rows.Build{Workers: workers}.Positions(context.Background(), m, []rows.Source{sliceSource(positions)}))
	terms := setup.Must(rows.TermsOf(m, m.Start))
	return s, terms
}

// TestRealGames fits nine terms to a sample of real games, and must learn facts of chess. All pieces start with the
// value of a pawn.
func TestRealGames(t *testing.T) {
	s, terms := scoredStore(t, "shannon-1950", scoredPositions(t, "../dataset/testdata/scored.tsv.zst", 1<<30), 2)
	for i := range board.King {
		terms[i].MG, terms[i].EG = 100, 100
	}
	c := NewConfig()
	c.Lambda, c.PriorFactor = 0.3, 5
	r := setup.Must(Fit(t.Context(), s, terms, c))
	t.Logf("%d rows of %d games: %d steps; %q", s.Rows(), s.Games(), r.Steps, r.Warnings)
	if r.Fit.Valid > r.Start.Valid-0.01 {
		t.Errorf("held-out loss %.4f after the fit, %.4f before", r.Fit.Valid, r.Start.Valid)
	}
	if r.Rounded.Train-r.Fit.Train > 1e-4 {
		t.Errorf("rounding cost %g", r.Rounded.Train-r.Fit.Train)
	}
	if math.Abs(float64(r.Design)-10) > 9 {
		t.Errorf("design effect %.2f", r.Design)
	}
	pawns := func(t board.PieceType) float64 { return r.Terms[t].FitMG / r.Terms[board.Pawn].FitMG }
	if knight, rook, queen := pawns(board.Knight), pawns(board.Rook), pawns(board.Queen); knight < 2 ||
		rook < 1.2*knight || queen < 1.5*rook {
		t.Errorf("in pawns: knight %.1f, rook %.1f, queen %.1f", knight, rook, queen)
	}
}
