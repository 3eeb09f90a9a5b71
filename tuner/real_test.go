package tuner

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// scoredPositions reads up to n quiet positions of a file of scored games.
func scoredPositions(tb testing.TB, path string, n int) []dataset.PositionRow {
	tb.Helper()
	var out []dataset.PositionRow
	eachScored(tb, path, func(r *dataset.PositionRow, quiet bool) bool {
		if quiet {
			out = append(out, *r)
		}
		return len(out) < n
	})
	return out
}

// eachScored calls f with the positions of a file of scored games, until it says no. Quiet
// ones are those that the data commands would leave (no check, best move no capture). Games are
// kept apart where the ply falls.
func eachScored(tb testing.TB, path string, f func(r *dataset.PositionRow, quiet bool) bool) {
	tb.Helper()
	game, last := uint64(1), -1
	eachLine(tb, path, func(line string) bool {
		c := strings.Split(line, "\t")
		ply, _ := strconv.Atoi(c[3])
		if ply < last {
			game++
		}
		last = ply
		p := setup.Must(board.ParseFEN(c[0]))
		score, _ := strconv.Atoi(c[1])
		result, _ := strconv.Atoi(c[2])
		return f(&dataset.PositionRow{
			Board: p, Ply: uint16(ply), Score: int16(max(-30000, min(30000, score))),
			Result: dataset.ResultOf(int8(result)), Game: game, Weight: 1,
		}, c[4] != "1" && !p.InCheck())
	})
}

// eachLine calls f with the lines of a compressed file, until it says no.
func eachLine(tb testing.TB, path string, f func(line string) bool) {
	tb.Helper()
	file := setup.Must(os.Open(path))
	defer file.Close()
	z := setup.Must(zstd.NewReader(file))
	defer z.Close()
	for lines := bufio.NewScanner(z); lines.Scan() && f(lines.Text()); {
	}
}

func scoredStore(tb testing.TB, model string, positions []dataset.PositionRow, workers int) (*rows.Store, []rows.Term) {
	tb.Helper()
	m := setup.Must(eval.Lookup(model))
	s := setup.Must(rows.Build{Workers: workers}.Positions(context.Background(), m, []rows.Source{sliceSource(positions)}))
	terms := setup.Must(rows.TermsOf(m, m.Start))
	return s, terms
}

// TestRealGames fits nine terms to a sample of real games. All pieces start with the value of
// a pawn. TestManyRealGames, with -tags experiment, fits the assay model to more games.
func TestRealGames(t *testing.T) {
	s, terms := scoredStore(t, "shannon-1950", scoredPositions(t, "../dataset/testdata/scored.tsv.zst", 1<<30), 2)
	for i := range board.King {
		terms[i].MG, terms[i].EG = 100, 100
	}
	c := NewConfig()
	c.Lambda, c.PriorFactor = 0.3, 5
	r := learnsChess(t, s, terms, c)
	pawns := func(t board.PieceType) float64 { return r.Terms[t].FitMG / r.Terms[board.Pawn].FitMG }
	if knight, rook, queen := pawns(board.Knight), pawns(board.Rook), pawns(board.Queen); knight < 2 ||
		rook < 1.2*knight ||
		queen < 1.5*rook {
		t.Errorf("in pawns: knight %.1f, rook %.1f, queen %.1f", knight, rook, queen)
	}
}

// learnsChess fits terms to real games: the fit must learn facts of chess.
func learnsChess(t *testing.T, s *rows.Store, terms []rows.Term, c Config) *Result {
	t.Helper()
	started := time.Now()
	r := setup.Must(Fit(context.Background(), s, terms, c))
	t.Logf("%d rows of %d games, %.1f entries and %.0f bytes a row, fitted in %v", s.Rows(), s.Games(),
		float64(s.Entries())/float64(s.Rows()), float64(s.Bytes())/float64(s.Rows()), time.Since(started))
	t.Logf("K %.5f, D %.2f = %.2f x %.2f, %d parameters, %.1f effective, rescale %.3f", r.K, r.Design, r.Clustering,
		r.Dispersion, r.Parameters, r.Effective, r.Rescale)
	t.Logf("start %.5f fit %.5f rounded %.5f; %+v", r.Start, r.Fit, r.Rounded, outline(r.Outcome))
	for _, b := range r.Tables {
		t.Logf("table %s: material %d, mean %.1f %.1f", b.Name, b.Material, b.MeanMG, b.MeanEG)
	}
	t.Logf("%s", strings.Join(r.Warnings, "\n"))
	if r.Fit.Valid > r.Start.Valid-0.01 {
		t.Errorf("held-out loss %.4f after the fit, %.4f before", r.Fit.Valid, r.Start.Valid)
	}
	if r.Rounded.Train-r.Fit.Train > 1e-4 {
		t.Errorf("rounding cost %g", r.Rounded.Train-r.Fit.Train)
	}
	if math.Abs(float64(r.Design)-10) > 9 {
		t.Errorf("design effect %.2f", r.Design)
	}
	return r
}

func outline(o optimize.Outcome) string {
	return fmt.Sprintf("%d steps, %d passes, %d curvatures, gap %.1e", o.Iterations, o.Passes, o.Curvatures, o.Gap)
}
