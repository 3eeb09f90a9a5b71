//go:build experiment

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
	"github.com/assay-chess/assay/tuner/optimize"
	"github.com/assay-chess/assay/tuner/rows"
)

// realPositions reads up to n positions of the shared set of scored games:
// quiet ones, as the data commands would leave them (no check, best move no
// capture). Games are kept apart where the ply falls.
func realPositions(tb testing.TB, n int) []dataset.PositionRow {
	tb.Helper()
	f, err := os.Open("../../shared/data/sf-scored-435k.tsv.zst")
	if err != nil {
		tb.Skipf("the shared data are not here: %v", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	defer z.Close()
	var out []dataset.PositionRow
	lines, game, last := bufio.NewScanner(z), uint64(1), -1
	for lines.Scan() && len(out) < n {
		c := strings.Split(lines.Text(), "\t")
		ply, _ := strconv.Atoi(c[3])
		if ply < last {
			game++
		}
		last = ply
		p, err := board.ParseFEN(c[0])
		if err != nil {
			tb.Fatal(err)
		}
		if c[4] == "1" || p.InCheck() {
			continue
		}
		score, _ := strconv.Atoi(c[1])
		result, _ := strconv.Atoi(c[2])
		out = append(out, dataset.PositionRow{
			Board: p, Ply: uint16(ply), Score: int16(max(-30000, min(30000, score))),
			Result: dataset.ResultOf(int8(result)), Game: game, Weight: 1,
		})
	}
	return out
}

func realStore(tb testing.TB, model string, n, workers int) (*rows.Store, []rows.Term) {
	tb.Helper()
	m, err := eval.Lookup(model)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := rows.BuildStore(context.Background(), m, []rows.Source{sliceSource(realPositions(tb, n))}, workers, nil)
	if err != nil {
		tb.Fatal(err)
	}
	terms, err := rows.TermsOf(m, m.Start)
	if err != nil {
		tb.Fatal(err)
	}
	return s, terms
}

// TestRealGames fits the assay model to real games: the fit must learn what is
// known of chess.
func TestRealGames(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds long")
	}
	started := time.Now()
	s, terms := realStore(t, "assay", 60000, 2)
	built := time.Since(started)
	started = time.Now()
	c := NewConfig()
	r, err := Fit(context.Background(), s, terms, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rows of %d games, %.1f entries and %.0f bytes a row, built in %v, fitted in %v", s.Rows(), s.Games(), float64(s.Entries())/float64(s.Rows()), float64(s.Bytes())/float64(s.Rows()), built, time.Since(started))
	t.Logf("K %.5f, D %.2f = %.2f x %.2f, %d parameters, %.1f effective, rescale %.3f", r.K, r.Design, r.Clustering, r.Dispersion, r.Parameters, r.Effective, r.Rescale)
	t.Logf("start %.5f fit %.5f rounded %.5f; %+v", r.Start, r.Fit, r.Rounded, outline(r.Outcome))
	for _, p := range r.Pieces {
		t.Logf("%v: %.0f -> %.0f ± %.1f (mg %.0f, eg %.0f), %.2f ± %.2f pawns", p.Piece, p.Start, p.Value, p.SE, p.MG, p.EG, p.Pawns, p.SEPawns)
	}
	for _, b := range r.Tables {
		t.Logf("table %s: material %d, mean %.1f %.1f", b.Name, b.Material, b.MeanMG, b.MeanEG)
	}
	t.Logf("%s", strings.Join(r.Warnings, "\n"))
	if r.Fit.Valid > r.Start.Valid-0.01 {
		t.Errorf("held-out loss %.4f after the fit, %.4f before", r.Fit.Valid, r.Start.Valid)
	}
	for i, p := range r.Pieces {
		if i > 0 && p.Value < r.Pieces[i-1].Value-30 || p.SE <= 0 {
			t.Errorf("%v is worth %.0f ± %.1f", p.Piece, p.Value, p.SE)
		}
	}
	if r.Rounded.Train-r.Fit.Train > 1e-4 {
		t.Errorf("rounding cost %g", r.Rounded.Train-r.Fit.Train)
	}
	if len(r.Tables) < 9 {
		t.Errorf("%d tables found, want 5 of squares and 4 of mobility at least", len(r.Tables))
	}
	if math.Abs(float64(r.Design)-10) > 9 {
		t.Errorf("design effect %.2f", r.Design)
	}
}

func outline(o optimize.Outcome) string {
	return fmt.Sprintf("%d steps, %d passes, %d curvatures, gap %.1e", o.Iterations, o.Passes, o.Curvatures, o.Gap)
}
