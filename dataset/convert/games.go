package convert

import (
	"context"
	"errors"
	"io"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/pgn"
)

// gamesBatch is how many games are passed on at once.
const gamesBatch = 64

var errUnfinished = errors.New("the game has no result (*)")

// readGames reads all inputs, which are PGN.
func (im *importer) readGames(ctx context.Context, p *pipe[dataset.GameRow]) error {
	return im.eachFile(func(_ Format, name string, r io.Reader) error {
		b := &batch[dataset.GameRow]{file: name}
		line := 0
		for g, err := range pgn.Read(r) {
			var bad *pgn.GameError
			switch {
			case errors.As(err, &bad):
				line = bad.Line
				b.refuse("line", int64(bad.Line), bad.Err)
			case err != nil:
				return errRead(name, int64(line), err)
			case !g.Finished:
				b.refuse("line", int64(g.Line), errUnfinished)
			default:
				line = g.Line
				if err := im.open(&g.Row); err != nil {
					b.refuse("line", int64(g.Line), err)
					break
				}
				b.rows = append(b.rows, g.Row)
			}
			if len(b.rows)+len(b.refused) >= gamesBatch {
				if err := p.send(ctx, b); err != nil {
					return err
				}
				b = &batch[dataset.GameRow]{file: name}
			}
		}
		return p.send(ctx, b)
	})
}

// open says where play proper begins in a game.
func (im *importer) open(g *dataset.GameRow) error {
	g.OpeningPlies = uint16(min(im.OpeningPlies, len(g.Moves)))
	for i, game := range g.Replay() {
		if i == int(g.OpeningPlies) {
			g.Opening = game.Position().Key()
			return nil
		}
	}
	return g.Check() // it does not replay; so this says why
}
