package tune

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/data"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// Scores of the wrong view end a fit that uses them, and head the report of one that does not.
func TestTuneTestsViews(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	scored := func(p *dataset.PositionRow, mover bool) {
		score := rng.IntN(60) - 30
		for pt, v := range [5]int{100, 300, 300, 500, 900} {
			score += v * (p.Board.Pieces(board.White, board.PieceType(pt)).Count() - p.Board.Pieces(board.Black,
				board.PieceType(pt)).Count())
		}
		if p.Score = int16(score); mover && p.Board.SideToMove() == board.Black {
			p.Score = -p.Score
		}
	}
	dir := t.TempDir()
	right, wrong, out := filepath.Join(dir, "right"), filepath.Join(dir, "wrong"), filepath.Join(dir, "w.json")
	writeWalks(t, right, 60, func(p *dataset.PositionRow) { scored(p, false) })
	writeWalks(t, wrong, 60, func(p *dataset.PositionRow) { scored(p, true) })
	const what = "the scores are from the view of the side to move"
	fit := []string{"--model", "shannon-1950", "--folds", "0", "--out", out}
	text, err := tune(t, append([]string{wrong, "--lambda", "0.3"}, fit...)...)
	if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "--score-view mover") ||
		text != "" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err = tune(t, append([]string{wrong}, fit...)...); err != nil ||
		!strings.Contains(text, "\nwarning: "+wrong+": "+what) || strings.Count(text, what) != 1 {
		t.Errorf("%.200q, %v", text, err)
	}
	if _, err = tune(t, append([]string{right, wrong, "--lambda", "0.3"}, fit...)...); err == nil ||
		!strings.Contains(err.Error(), wrong+": "+what) {
		t.Errorf("beside right ones: %v", err)
	}
	if text, err = tune(t, append([]string{right, "--lambda", "0.3"}, fit...)...); err != nil ||
		strings.Contains(text, "the scores ") {
		t.Errorf("%.200q, %v", text, err)
	}
	stat := func(path string) string {
		text := setup.Must(execute(t.Context(), data.New(), "stat", path))
		return text
	}
	if text := stat(wrong); !strings.HasPrefix(text, "warning: "+what) {
		t.Errorf("stat: %.200q", text)
	}
	if text := stat(right); strings.Contains(text, "warning") {
		t.Errorf("stat: %.200q", text)
	}
}
