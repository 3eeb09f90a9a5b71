package convert

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/internal/source"
)

// gamesBatch is the number of games in a batch.
const gamesBatch = 64

var errUnfinished = errors.New("the game has no result (*)")

// readGames reads all inputs, which hold games.
func (im *importer) readGames(ctx context.Context, send func(*batch[dataset.GameRow]) error) error {
	return im.eachFile(ctx, func(_ Format, name string, r *source.File) error {
		b := &batch[dataset.GameRow]{file: name}
		err := im.readPGN(name, r, func(g *dataset.GameRow, refused *Refusal) error {
			if refused == nil {
				b.rows = append(b.rows, *g)
			} else {
				b.refused = append(b.refused, refused)
			}
			if len(b.rows)+len(b.refused) < gamesBatch {
				return nil
			}
			full := b
			b = &batch[dataset.GameRow]{file: name}
			return send(full)
		})
		if err != nil {
			return err
		}
		return send(b)
	})
}

// taker receives a game, or a refusal.
type taker func(g *dataset.GameRow, refused *Refusal) error

func (im *importer) readPGN(name string, r io.Reader, take taker) error {
	line := 0
	reading := im.Comments
	reading.Workers = im.Workers
	for g, err := range reading.Games(r) {
		var bad *pgn.GameError
		var refused *Refusal
		switch {
		case errors.Is(err, pgn.ErrTagsOnly) && im.Notice != nil && !im.Strict:
			im.Notice(fmt.Sprintf("%s, %v", name, err))
			continue
		case errors.As(err, &bad):
			line = bad.Line
			refused = &Refusal{name, "line", int64(bad.Line), bad.Err}
		case err != nil:
			return errRead(name, int64(line), err)
		default:
			line = g.Line
			if !g.Finished {
				refused = &Refusal{name, "line", int64(g.Line), errUnfinished}
			} else if err := im.open(&g.Row, im.opening(g)); err != nil {
				refused = &Refusal{name, "line", int64(g.Line), err}
			} else {
				im.tally.Add(g)
			}
		}
		if err := take(&g.Row, refused); err != nil {
			return err
		}
	}
	return nil
}

// opening returns how many book moves a game begins with: what was set, or else what its
// comments mark.
func (im *importer) opening(g *pgn.Game) int {
	if im.OpeningPlies > 0 || im.NoBookMarks {
		g.Book = 0
		return im.OpeningPlies
	}
	return g.Book
}

// open sets where the opening of a game ends.
func (im *importer) open(g *dataset.GameRow, plies int) error {
	g.OpeningPlies = uint16(min(plies, len(g.Moves)))
	for i, game := range g.Replay() {
		if i == int(g.OpeningPlies) {
			g.Opening = game.Position().Key()
			return nil
		}
	}
	return g.Check() // the game cannot be replayed: Check says why
}
