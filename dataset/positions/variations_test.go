package positions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// varied is a block of the positions before each move of a game, with the variations of a search.
func varied(t *testing.T, first int64, score int16, moves string, lines ...string) *rescoreJob {
	job := &rescoreJob{first: first}
	p := board.StartPosition()
	for i, text := range strings.Fields(moves) {
		job.rows = append(job.rows, dataset.PositionRow{Board: p, Ply: uint16(i), Score: score, Game: 7, Weight: 1})
		at := p
		var line []board.Move
		if i < len(lines) {
			for _, text := range strings.Fields(lines[i]) {
				m, err := at.ParseUCI(text)
				if err != nil {
					m = setup.Must(p.ParseUCI("a2a3")) // not legal there
				} else {
					at.Make(m)
				}
				line = append(line, m)
			}
		}
		job.lines = append(job.lines, line)
		p.Make(setup.Must(p.ParseUCI(text)))
	}
	return job
}

// Positions along variations have the labels of their row. Those of other rows, checks, mates and what follows an
// illegal move are left out. A process that was killed anywhere leaves what the next one needs.
func TestVariations(t *testing.T) {
	jobs := func() []*rescoreJob {
		return []*rescoreJob{
			varied(t, 0, 30, "e2e4 e7e5 g1f3", "e2e4 e7e5 d2d4", "e7e5 d2d4", "f1b5 c7c6 b5c4"),
			varied(t, 3, -40, "f2f3 e7e5 g2g4", "", "e7e6 g2g4 d8h4", "b1c3 a2a3 a7a6"),
			varied(t, 6, dataset.MateScore, "d2d4", "d2d4 d7d5"),
			varied(t, 7, -50, "e2e4 d7d5", "d2d4", "d7d6 f1b5 c8d7"),
		}
	}
	want := []string{
		"rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2, ply 3, score 30",
		"rnbqkbnr/pppp1ppp/8/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 2, ply 3, score 30",
		"rnbqkbnr/pp1p1ppp/2p5/1B2p3/4P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 3, ply 4, score 30",
		"rnbqkbnr/pp1p1ppp/2p5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 3, ply 5, score 30",
		"rnbqkbnr/pppp1ppp/4p3/8/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2, ply 2, score -40",
		"rnbqkbnr/pppp1ppp/4p3/8/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2, ply 3, score -40",
		"rnbqkbnr/pppp1ppp/8/4p3/8/2N2P2/PPPPP1PP/R1BQKBNR b KQkq - 1 2, ply 3, score -40",
		"rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1, ply 1, score -50",
		"rnbqkbnr/ppp1pppp/3p4/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2, ply 2, score -50",
		"rn1qkbnr/pppbpppp/3p4/1B6/4P3/8/PPPP1PPP/RNBQK1NR w KQkq - 2 3, ply 4, score -50",
	}
	for killed := range len(jobs()) + 1 {
		dir := t.TempDir()
		for run, process := range [][]*rescoreJob{jobs()[:killed], jobs()} {
			e := scorer(t, dir, "a", 4)
			e.Filter.PV = 4
			e.variations.writer = setup.Must(dataset.NewPositionWriter(variationsDir(dir), dataset.WriterConfig{},
				dataset.ShardRows(3, 3)))
			e.variations.skip = e.variations.writer.Rows()
			s := setup.Must(e.openScores())
			for i, job := range process {
				again := run == 1 && i < killed
				if setup.Check(t, e.scored(s, s.recall(job))); job.known != again {
					t.Errorf("killed after %d blocks: block %d is known: %v", killed, i, job.known)
				}
			}
			if run == 1 {
				_, err := e.writer.Finish(nil)
				setup.Check(t, errors.Join(e.variations.finish(), err))
			}
			e.variations.close()
			setup.Check(t, errors.Join(e.writer.Close(), s.journal.Close()))
		}
		var got []string
		for row, err := range setup.Must(dataset.OpenPositions(variationsDir(dir))).All() {
			setup.Check(t, err)
			got = append(got, fmt.Sprintf("%s, ply %d, score %d", row.Board.FEN(), row.Ply, row.Score))
		}
		if !slices.Equal(got, want) {
			t.Errorf("killed after %d blocks:\n%s", killed, strings.Join(got, "\n"))
		}
		if n := setup.Must(dataset.OpenPositions(dir)).Len(); n != 9 {
			t.Errorf("killed after %d blocks: %d rows", killed, n)
		}
	}
}
