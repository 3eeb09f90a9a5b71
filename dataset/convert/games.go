package convert

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/source"
)

// gamesBatch is the number of games in a batch.
const gamesBatch = 64

var errUnfinished = errors.New("the game has no result (*)")

func (im *importer) readGames(ctx context.Context, send func(*batch[dataset.GameRow]) error) error {
	reading := im.Comments
	reading.Workers = im.Workers
	return im.eachFile(ctx, func(_ Format, name string, r *source.File) error {
		b, line := &batch[dataset.GameRow]{file: name}, 0
		for g, err := range reading.Games(r) {
			var bad *pgn.GameError
			switch {
			case errors.Is(err, pgn.ErrTagsOnly) && im.Notice != nil && !im.Strict:
				im.Notice("warning", fmt.Sprintf("%s, %v", name, err))
				continue
			case errors.As(err, &bad):
				line, err = bad.Line, bad.Err
			case err != nil:
				return errRead(name, int64(line), err)
			case !g.Finished:
				line, err = g.Line, errUnfinished
			default:
				line, err = g.Line, im.open(&g.Row, im.opening(g))
			}
			if err != nil {
				b.refuse("line", int64(line), err)
			} else {
				im.tally.Add(g)
				b.rows = append(b.rows, g.Row)
			}
			if len(b.rows)+len(b.refused) == gamesBatch {
				if err := send(b); err != nil {
					return err
				}
				b = &batch[dataset.GameRow]{file: name}
			}
		}
		return send(b)
	})
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

// batch is a part of a file, and the rows it becomes.
type batch[R any] struct {
	file    string
	begins  bool // the file
	rows    []R
	refused []*Refusal
	foreign int64 // scores stored as missing: mates, or beyond dataset.MateScore
	err     error // error about the whole file
	parse   func(*batch[R])
}

// refuse notes a row that cannot be read.
func (b *batch[R]) refuse(unit string, number int64, err error) {
	b.refused = append(b.refused, &Refusal{b.file, unit, number, err})
}

// collector writes the rows of batches in order.
type collector[R any] struct {
	*importer
	writer *dataset.Writer[R]
	skip   int64 // rows that an earlier process wrote
	take   func(*batch[R], *R)
	full   bool // writing failed, not reading
}

// hopeless is the number of refused rows, without a good one before, after which an import
// fails: the format is probably wrong.
const hopeless = 1000

// add writes the rows of a batch and reports the refused ones.
func (c *collector[R]) add(b *batch[R]) error {
	if b.begins {
		c.runs.Break()
	}
	for _, r := range b.refused {
		c.counts.Refused++
		if c.Strict {
			return fmt.Errorf("convert: %w", r)
		}
		if c.Refused != nil {
			c.Refused(r)
		}
		if c.counts.Rows == 0 && len(b.rows) == 0 && c.counts.Refused == hopeless {
			return fmt.Errorf("convert: %s: %w: the first %d were refused", quote.Text(b.file), ErrNothing, hopeless)
		}
	}
	if b.err != nil {
		return fmt.Errorf("convert: %s: %w", quote.Text(b.file), b.err)
	}
	c.counts.ForeignScores += b.foreign
	for i := range b.rows {
		c.take(b, &b.rows[i])
		if c.counts.Rows++; c.counts.Rows <= c.skip {
			continue
		}
		if err := c.writer.Append(&b.rows[i]); err != nil {
			c.full = true
			return err
		}
	}
	return nil
}

// errRead wraps an error of reading a file, which ends the import.
func errRead(file string, line int64, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("convert: reading %s after line %d: %w", quote.Text(file), line, err)
}
