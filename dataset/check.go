package dataset

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/assay-chess/assay/dataset/internal/guard"
	"github.com/assay-chess/assay/engine/board"
)

// Check returns an error if the game is not valid: illegal moves, a result that contradicts
// the final position, values out of range.
func (g *GameRow) Check() error {
	game, err := g.checkFields()
	if err != nil {
		return err
	}
	for i, m := range g.Moves {
		if !game.IsLegal(m) {
			return fmt.Errorf("ply %d: %s is not legal in %s", i, moveText(m), game.FEN())
		}
		game.Make(m)
	}
	return g.checkEnd(&game)
}

// CheckPlayed is Check for a row whose moves have just been played, each tested, up to the position end.
func (g *GameRow) CheckPlayed(end *board.Position) error {
	if _, err := g.checkFields(); err != nil {
		return err
	}
	return g.checkEnd(end)
}

// checkFields checks all but the moves, and returns the first position.
func (g *GameRow) checkFields() (board.Position, error) {
	game, err := g.begin()
	if err != nil {
		return game, err
	}
	switch {
	case g.Result < -1 || g.Result > 1:
		return game, fmt.Errorf("result %d is not -1, 0 or 1", g.Result)
	case len(g.Scores) != len(g.Moves):
		return game, fmt.Errorf("%d scores for %d moves", len(g.Scores), len(g.Moves))
	case int(g.OpeningPlies) > len(g.Moves):
		return game, fmt.Errorf("%d opening plies, but %d moves", g.OpeningPlies, len(g.Moves))
	}
	if err := checkTexts(g.Termination, g.White, g.Black); err != nil {
		return game, err
	}
	for i, s := range g.Scores {
		if err := checkScore(s); err != nil {
			return game, fmt.Errorf("ply %d: %w", i, err)
		}
	}
	return game, nil
}

// begin returns the first position.
func (g *GameRow) begin() (board.Position, error) {
	if g.Variant != Standard && g.Variant != Chess960 {
		return board.Position{}, fmt.Errorf("variant %.40q is not %q or %q", g.Variant, Standard, Chess960)
	}
	if len(g.Moves) > MaxPlies {
		return board.Position{}, fmt.Errorf("%d moves are more than %d", len(g.Moves), MaxPlies)
	}
	if g.Start == "" {
		return board.StartPosition(), nil
	}
	start, err := board.ParseFEN(g.Start)
	if err != nil {
		return start, fmt.Errorf("start: %w", err)
	}
	if start.Chess960() && g.Variant == Standard {
		return start, fmt.Errorf("start %s has castling rights that the variant %s does not", g.Start, g.Variant)
	}
	return start, nil
}

// checkEnd compares the result with the end of the game, where the board decides it.
func (g *GameRow) checkEnd(end *board.Position) error {
	if end.CountLegal() > 0 {
		return nil
	}
	want := board.Draw
	if end.InCheck() {
		want = board.WinFor(end.SideToMove().Other())
	}
	if board.GameResult(g.Result) != want {
		return fmt.Errorf("result %d, but the game ends %s in %s", g.Result, want, end.FEN())
	}
	return nil
}

func checkTexts(texts ...string) error {
	for _, s := range texts {
		if len(s) > guard.MaxText || !utf8.ValidString(s) {
			return fmt.Errorf("text of %d bytes is too long or not UTF-8: %.40q", len(s), s)
		}
	}
	return nil
}

// moveText formats a move, which may be invalid.
func moveText(m board.Move) string {
	return fmt.Sprintf("move %d (%s%s)", uint16(m), m.From(), m.To())
}

func checkScore(s int16) error {
	if s == NoScore || s >= -MateScore && s <= MateScore {
		return nil
	}
	return fmt.Errorf("score %d is out of range", s)
}

// Check returns an error if a label is out of range or the Board was not made by package
// board.
func (p *PositionRow) Check() error {
	for c := board.White; c <= board.Black; c++ {
		if p.Board.Pieces(c, board.King).Count() != 1 {
			return errors.New("the board is not a position")
		}
	}
	return checkLabels(p.Score, p.Result, p.Weight)
}

// checkLabels refuses NaN too: every comparison with it is false.
func checkLabels(score int16, result, weight float32) error {
	if !(result >= 0 && result <= 1) {
		return fmt.Errorf("result %v is not between 0 and 1", result)
	}
	if !(weight >= 0 && weight <= 1e9) {
		return fmt.Errorf("weight %v is not between 0 and 1e9", weight)
	}
	return checkScore(score)
}
