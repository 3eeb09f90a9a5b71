package selfplay

import (
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/syzygy"
)

// TestTablebasesEndGames plays from positions that the tables know: the first move ends the game, also one that is
// played on, with a result that is no forfeit and that Verify accepts of jobs with tables alone.
func TestTablebasesEndGames(t *testing.T) {
	tables, err := syzygy.NewJudge("../engine/syzygy/testdata", true, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	for start, want := range map[string]board.GameResult{
		"8/8/8/8/8/3k4/8/KQ6 b - - 0 1":    board.WhiteWins,
		"kq6/8/3K4/8/8/8/8/8 w - - 0 1":    board.BlackWins,
		"8/8/8/8/3k4/8/4P3/4K3 w - - 0 1":  board.Draw,
		"8/8/8/8/8/3k4/8/KR6 b - - 90 100": board.Draw, // too late by the 50-move rule
	} {
		job := Job{Start: start, Rule: Adjudication{WinScore: 1, WinPlies: 1, PlayOn: 1, Tables: tables}}
		r := play(t, job, "a", "b")
		if r.Result != want || r.Termination != tablebase || len(r.Moves) != 1 {
			t.Errorf("%s: %v by %s after %d plies, want %v by the tables after one", start, r.Result, r.Termination,
				len(r.Moves), want)
		}
		if _, forfeited := r.Forfeited(); forfeited {
			t.Errorf("%s: counted as a forfeit", start)
		}
		if err := r.Verify(&job); err != nil {
			t.Error(err)
		}
		job.Rule.Tables = nil
		if r.Verify(&job) == nil {
			t.Errorf("%s: a job without tables accepts their result", start)
		}
	}
}
