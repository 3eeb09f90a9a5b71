//go:build experiment

package tuner

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/cores"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

var (
	fitSizes   = flag.String("sizes", "1000,2000,5000,20000,40000", "numbers of parameters of TestManyParameters")
	fitMethods = flag.String("methods", "dense,lbfgs,adam", "methods of TestManyParameters")
	fitDesign  = flag.Float64("design", 10, "design effect of TestManyParameters; 0 estimates it, which takes longer")
	fitSteps   = flag.Int("adam", 500, "epochs of Adam in TestManyParameters")
	fitRows    = flag.Int("rows", 1<<30, "most positions of TestManyParameters")
)

// kingSquares is an evaluation with very many terms: five material values, and a value for
// each square of a piece in each of some buckets of squares of its own king; beyond 64 buckets, of
// the other king. All have a middlegame and an endgame value.
type kingSquares struct{ buckets int }

const (
	squaresOfPieces = 4*64 + 48 // a pawn has six ranks
	material        = int(board.King)
)

// withParameters returns the evaluation with at least that number of parameters.
func withParameters(tb testing.TB, number string) kingSquares {
	size, err := strconv.Atoi(number)
	if err != nil {
		tb.Fatal(err)
	}
	return kingSquares{(size + 2*squaresOfPieces - 1) / (2 * squaresOfPieces)}
}

func (k kingSquares) terms() []rows.Term {
	var out []rows.Term
	add := func(name, group string, value float64) {
		out = append(out, rows.Term{Name: name, Group: group, Tapered: true, Mirror: len(out), MG: value, EG: value})
	}
	for t, v := range []float64{100, 300, 300, 500, 900} {
		add(board.PieceType(t).String(), eval.GroupMaterial, v)
	}
	for b := range k.buckets {
		for t := range board.King {
			for s := range board.Square(64) {
				if t != board.Pawn || s >= 8 && s < 56 {
					add(fmt.Sprintf("k%d.%v.%v", b, t, s), eval.GroupPieceSquare, 0)
				}
			}
		}
	}
	return out
}

// row writes the entries of a position. counts is scratch memory, by term.
func (k kingSquares) row(p *board.Position, counts []int8, entries []rows.Entry) []rows.Entry {
	entries = entries[:0]
	add := func(t int, n int8) {
		if counts[t] == 0 {
			entries = append(entries, rows.Entry{Term: uint16(t)})
		}
		counts[t] += n
	}
	for c, n := range [2]int8{1, -1} {
		c := board.Color(c)
		own, other := int(p.KingSquare(c).Relative(c)), int(p.KingSquare(c.Other()).Relative(c))
		for t := range board.King {
			for of := p.Pieces(c, t); of != 0; {
				s := int(of.PopFirst().Relative(c))
				if t == board.Pawn {
					s -= 8
				} else {
					s += 48 + 64*int(t-1)
				}
				add(int(t), n)
				add(material+own*min(k.buckets, 64)/64*squaresOfPieces+s, n)
				if more := k.buckets - 64; more > 0 {
					add(material+(64+other*more/64)*squaresOfPieces+s, n)
				}
			}
		}
	}
	slices.SortFunc(entries, func(a, b rows.Entry) int { return cmp.Compare(a.Term, b.Term) })
	entries = slices.CompactFunc(entries, func(a, b rows.Entry) bool { return a.Term == b.Term })
	kept := entries[:0]
	for _, e := range entries {
		if e.Count = float32(counts[e.Term]); e.Count != 0 {
			kept = append(kept, e)
		}
		counts[e.Term] = 0
	}
	return kept
}

// store returns the rows of the shared positions: of scored games first, then of single
// positions of people's games.
func (k kingSquares) store(tb testing.TB, most int) *rows.Store {
	n := len(k.terms())
	b := rows.NewBuilder(n)
	counts, entries := make([]int8, n), []rows.Entry(nil)
	add := func(p *board.Position, result float32, game uint64) (more bool) {
		entries = k.row(p, counts, entries)
		if err := b.Add(&rows.Row{Entries: entries, Phase: eval.Phase(p), Scale: 1, Weight: 1, Result: result,
			Score: rows.NoScore, Game: game}); err != nil {
			tb.Fatal(err)
		}
		most--
		return most > 0
	}
	eachScored(tb, "../../shared/data/sf-scored-435k.tsv.zst", func(r *dataset.PositionRow, _ bool) bool {
		return add(&r.Board, r.Result, r.Game)
	})
	if most <= 0 {
		return synthetic.Finish(tb, b)
	}
	eachLine(tb, "../../shared/data/lichess-64k.book.zst", func(line string) bool {
		fen, result, _ := strings.Cut(line, " [")
		p, err := board.ParseFEN(fen)
		if err != nil {
			tb.Fatal(err)
		}
		var y float32
		if _, err := fmt.Sscanf(result, "%f]", &y); err != nil {
			tb.Fatal(err)
		}
		return add(&p, y, 0)
	})
	return synthetic.Finish(tb, b)
}

// fitCost is what a process of TestManyParameters reports.
type fitCost struct {
	Parameters, Rows        int
	Steps, Passes           int
	Loading, Solving, After float64 // seconds of processor time
	Peak, Before            int64   // bytes resident: the most, and before the fit
	Estimate                int64   // of what a fit with matrices needs beside the rows
	Train, Gap, D, Rest     float64
	Converged               bool
}

const costMark = "COST "

// TestOneFit is one process of TestManyParameters.
func TestOneFit(t *testing.T) {
	if strings.Contains(*fitSizes, ",") || strings.Contains(*fitMethods, ",") {
		t.Skip("run by TestManyParameters")
	}
	k := withParameters(t, *fitSizes)
	s := k.store(t, *fitRows)
	x := fitCost{Rows: s.Rows(), Loading: cpuSeconds()}
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Log(err)
	}
	x.Before = peak()
	c := NewConfig()
	c.Memory, c.Design, c.Method = 1, *fitDesign, *fitMethods
	switch c.Method {
	case "dense":
		c.Method, c.Memory = "gauss-newton", math.MaxInt64
	case "adam":
		c.Iterations = *fitSteps
	}
	c.Progress = func(_, _ int64, note string) {
		if strings.HasPrefix(note, "estimating") && *fitDesign != 0 {
			x.Solving = cpuSeconds() - x.Loading
		}
		t.Logf("%.1f s: %s; peak %d MiB", cpuSeconds()-x.Loading, note, peak()>>20)
	}
	r, err := (&fitting{s: s, terms: k.terms(), c: c}).run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if x.Solving == 0 {
		x.Solving = cpuSeconds() - x.Loading
	}
	x.After = cpuSeconds() - x.Loading - x.Solving
	x.Estimate = matrixBytes(r.Parameters, s.Terms())
	x.Peak = peak()
	x.Parameters, x.Steps, x.Passes = r.Parameters, r.Steps, r.Outcome.Passes
	x.Train, x.Gap, x.D, x.Rest, x.Converged = float64(r.Fit.Train), float64(r.Gap), r.Design, r.Effective, r.Converged
	for i := 0; i < 12; i++ {
		v := &r.Terms[i]
		t.Logf("%s %.6f ± %.6f %.6f ± %.6f", v.Name, v.FitMG, v.SEMG, v.FitEG, v.SEEG)
	}
	t.Logf("%v", r.Warnings)
	out, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s%s\n", costMark, out)
}

// tooLarge reports whether matrices of that many parameters do not fit into half of the memory
// of this machine, and says so.
func tooLarge(t *testing.T, size string) bool {
	n := len(withParameters(t, size).terms())
	need, have := matrixBytes(2*n, n), cores.Memory()
	if have == 0 || need <= have/2 {
		return false
	}
	t.Logf("| %d | dense | not run: it takes %d MiB, and this machine has %d |", 2*n, need>>20, have>>20)
	return true
}

// TestManyParameters states processor time and peak memory of fits with very many
// parameters to half a million positions, each in a process of its own, by method: dense is
// the one with matrices, and left out where these need more than half of the machine's memory.
//
//	go test -tags experiment -run TestManyParameters -timeout 60m -v ./tuner
//
// -sizes, -methods and -rows choose a part of it.
func TestManyParameters(t *testing.T) {
	for size := range strings.SplitSeq(*fitSizes, ",") {
		for method := range strings.SplitSeq(*fitMethods, ",") {
			if method == "dense" && tooLarge(t, size) {
				continue
			}
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOneFit$", "-test.v", "-sizes="+size,
				"-methods="+method,
				fmt.Sprintf("-rows=%d", *fitRows), fmt.Sprintf("-design=%g", *fitDesign), fmt.Sprintf("-adam=%d", *fitSteps))
			out, err := c.CombinedOutput()
			_, line, ok := strings.Cut(string(out), costMark)
			var x fitCost
			if !ok || json.NewDecoder(strings.NewReader(line)).Decode(&x) != nil {
				t.Errorf("%s parameters, %s: %v\n%s", size, method, err, out)
				continue
			}
			const mb = 1 << 20
			if used := x.Peak - x.Before; method == "dense" && math.Abs(float64(used-x.Estimate)) > 0.2*float64(used) {
				t.Errorf("%d parameters: estimate %d MiB, real %d MiB", x.Parameters, x.Estimate/mb, used/mb)
			}
			t.Logf("| %d | %s | %d | %.1f | %.1f | %d | %d | %d | %.9f | %.1e |", x.Parameters, method, x.Steps, x.Solving,
				x.After, x.Peak/mb, (x.Peak-x.Before)/mb, x.Estimate/mb, x.Train, x.Gap)
		}
	}
}
