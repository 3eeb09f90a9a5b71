package games

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/inorder"
)

// Tally says what a data set of games holds.
type Tally struct {
	Games  int64 `json:"games"`
	First  int64 `json:"first_won"`
	Drawn  int64 `json:"drawn"`
	Second int64 `json:"second_won"`
	Plies  int64 `json:"plies"`
}

// Count counts the games of a data set.
func Count(dir string) (t Tally, err error) {
	err = eachRow(dir, func(row *dataset.MovesRow) error {
		t.Games++
		t.Plies += int64(len(playedOf(row).Moves))
		*[]*int64{&t.Second, &t.Drawn, &t.First}[row.Result+1]++
		return nil
	})
	return t, err
}

// Shown is a game to look at.
type Shown struct {
	Players [2]string `json:"players"` // that move first and second
	Plies   int       `json:"random_plies"`
	Moves   []string  `json:"moves"`
	Boards  []string  `json:"boards"` // before each move, and at the end
	Result  int       `json:"result"` // from the first player's view
}

// Ending says who won.
func (s *Shown) Ending() string {
	return [...]string{"the second player won", "drawn", "the first player won"}[s.Result+1]
}

// Before says what is played in a position of Boards.
func (s *Shown) Before(ply int) string {
	if ply == len(s.Moves) {
		return s.Ending()
	}
	return fmt.Sprintf("%d. %s", ply+1, s.Moves[ply])
}

// Show draws the first decided game of a data set, or if there is none its first game.
func (g *Game) Show(dir string) (*Shown, error) {
	var row *dataset.MovesRow
	err := eachRow(dir, func(r *dataset.MovesRow) error {
		if row == nil || row.Result == 0 && r.Result != 0 {
			row = r
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p := playedOf(row)
	boards, err := g.boards(p)
	return &Shown{[2]string{row.First, row.Second}, p.Plies, p.Moves, boards, p.Result}, err
}

// FeatureSet returns the terms of the game as those of an evaluation.
func (g *Game) FeatureSet() dataset.FeatureSet {
	set := dataset.FeatureSet{Version: 2, Model: g.Name, Float: true,
		Evaluation: dataset.Evaluation{Unit: dataset.DefaultUnit}}
	for _, t := range g.Terms {
		set.Terms = append(set.Terms, dataset.FeatureTerm{Name: t.Name, MG: float64(t.Start), EG: float64(t.Start),
			Kind: dataset.SingleTerm})
	}
	return set
}

// counted are the rows of a game.
type counted struct {
	game dataset.MovesRow
	rows [][]int32
}

// Features writes the counts of the positions of the games that were played, in order. Positions that
// are not quiet are replaced by those where their loud moves end under the weights of A.
func (s *Series) Features(ctx context.Context, to string) error {
	games, err := dataset.OpenMoves(s.Dir)
	if err != nil {
		return err
	}
	parent, err := games.ID()
	if err != nil {
		return err
	}
	w, err := dataset.NewFeatureWriter(to, s.Game.FeatureSet(), dataset.WriterConfig{
		Config: map[string]string{"game": s.Game.Name, "weights": s.A.ID}, Program: s.Program, Parents: []string{parent},
	})
	if errors.Is(err, dataset.ErrComplete) {
		return nil
	}
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Restart(); err != nil {
		return err
	}
	if err := inorder.Each(ctx, s.Workers, func(yield func(*counted, error) bool) {
		for row, err := range games.All() {
			if !yield(&counted{game: row}, err) {
				return
			}
		}
	}, func(c *counted) (err error) {
		c.rows, err = s.Game.rows(playedOf(&c.game), s.A.Weights)
		return err
	}, func(c *counted) error {
		for _, counts := range c.rows {
			row := featureRow(&c.game, counts)
			if err := w.Append(&row); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	_, err = w.Finish(nil)
	return err
}

func featureRow(game *dataset.MovesRow, counts []int32) dataset.FeatureRow {
	row := dataset.FeatureRow{Phase: 1, Scale: 1, EGScale: 1, Eval: dataset.NoEval,
		Result: dataset.ResultOf(game.Result), Score: dataset.NoScore,
		Game: game.Game, Opening: game.Opening, Weight: 1}
	for i, n := range counts {
		if n != 0 {
			row.Terms, row.Counts = append(row.Terms, uint16(i)), append(row.Counts, float32(n))
		}
	}
	return row
}
