package selfplay

import (
	"context"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// mute plays like the player inside and gives no scores.
type mute struct{ engine.Player }

func (m mute) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	r, err := m.Player.Search(ctx, game, lim)
	r.Score = engine.NoScore
	return r, err
}

// A search without a score is recorded as such, from either side's view, and no rule of
// scores ends the game.
func TestGamesWithoutScores(t *testing.T) {
	job := &Job{Start: "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1", Limits: anyLimits, Plies: 30,
		Rule: Adjudication{WinScore: 500, WinPlies: 2, DrawScore: 10, DrawPlies: 2}}
	for _, silent := range [][2]bool{{true, true}, {true, false}, {false, true}} {
		list := players(t, "a", "b")
		for side := range list {
			if silent[side] {
				list[side] = mute{list[side]}
			}
		}
		r, err := Play(t.Context(), job, list)
		if err != nil {
			t.Fatal(err)
		}
		if r.Termination == AdjudicatedWin || r.Termination == AdjudicatedDraw {
			t.Errorf("silent %v: ended by %s after %d plies", silent, r.Termination, len(r.Moves))
		}
		for side, n := range r.Unscored() {
			if silent[side] != (n == 15) {
				t.Errorf("silent %v: %d searches of %s without a score", silent, n, board.Color(side))
			}
		}
		for i, s := range r.Scores { // Black moves first
			if none := s == engine.NoScore; none != silent[1-i%2] {
				t.Errorf("silent %v: ply %d has the score %d", silent, i, s)
			}
		}
	}
}

// An opening whose check has no score is accepted, and counted.
func TestOpeningsCheckedWithoutScores(t *testing.T) {
	s := testSeries(2, 1, shortOpenings{plies: 6}, 10)
	s.Runner = &Local{Workers: 2, Open: func(spec engine.Spec) (engine.Player, error) {
		p, err := toy.Open(spec)
		if spec.Name == "c" {
			p = mute{p}
		}
		return p, err
	}}
	games := 0
	s.Deliver = func(uint64, []Result) error { games++; return nil }
	report, err := s.Run(t.Context())
	if err != nil || games != 10 || report.Unscored < 10 || report.Lopsided != 0 {
		t.Errorf("%d games, %+v, %v; want 10 games, and every check without a score", games, report, err)
	}
}
