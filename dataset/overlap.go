package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/assay-chess/assay/engine/board"
)

// Overlap is what two data sets have in common. Training data that contain the
// positions, openings or games of validation data make the validation look too good.
type Overlap struct {
	Positions Common `json:"positions"` // first four FEN fields; of games, before each move and at the end
	Openings  Common `json:"openings"`
	Games     Common `json:"games"`
	// RowsA and RowsB are rows whose position, or one of whose positions for games, is in
	// the other data set too.
	RowsA int64 `json:"rows_a"`
	RowsB int64 `json:"rows_b"`
}

// Common counts different things of two data sets A and B.
type Common struct {
	A    int64 `json:"a"`
	B    int64 `json:"b"`
	Both int64 `json:"both"`
}

// Compare counts what two data sets of games, positions or features have in common.
// Features have no positions. Keys of positions, 16 bytes each, wait in a temporary folder to
// be compared; memory holds the names of games and openings, and a bit a row.
func Compare(ctx context.Context, a, b string, progress Progress) (o *Overlap, err error) {
	dir, err := os.MkdirTemp("", "assay-keys-")
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var sets [2]identities
	for i, path := range []string{a, b} {
		sets[i].spill, err = newSpill(filepath.Join(dir, strconv.Itoa(i)))
		defer sets[i].spill.close()
		if err != nil {
			return nil, fmt.Errorf("dataset: %w", err)
		}
		if err := sets[i].gather(ctx, path, progress); err != nil {
			return nil, err
		}
	}
	one, two := &sets[0], &sets[1]
	o = &Overlap{Openings: one.openings.common(&two.openings), Games: one.games.common(&two.games)}
	if o.Positions, err = one.common(ctx, two); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	o.RowsA, o.RowsB = one.shared.count(), two.shared.count()
	return o, nil
}

// identities are what the rows of a data set can share with others.
type identities struct {
	openings, games keySet
	spill           *spill // keys of positions
	rows            int64
	shared          bitset // rows one of whose positions is in the other data set too
}

// name begins a row: it notes its game and opening, where it has them.
func (s *identities) name(game, opening uint64) {
	s.rows++
	if game != 0 {
		s.games.add(game)
	}
	if opening != 0 {
		s.openings.add(opening)
	}
}

// position notes a position of the row.
func (s *identities) position(p *board.Position) error {
	if err := s.spill.add(p.Key(), s.rows-1); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

func (s *identities) gather(ctx context.Context, path string, progress Progress) error {
	format, err := Detect(path)
	if err != nil {
		return err
	}
	switch format {
	case GamesFormat:
		return eachRow(ctx, path, OpenGames, progress, func(g *GameRow) error {
			s.name(g.Game, g.Opening)
			for _, game := range g.Replay() {
				if err := s.position(game.Position()); err != nil {
					return err
				}
			}
			return nil
		})
	case PositionsFormat:
		return eachRow(ctx, path, OpenPositions, progress, func(p *PositionRow) error {
			s.name(p.Game, p.Opening)
			return s.position(&p.Board)
		})
	default:
		return eachRow(ctx, path, openFeatures, progress, func(f *FeatureRow) error {
			s.name(f.Game, f.Opening)
			return nil
		})
	}
}

// common counts the positions of both, and marks the rows that share one.
func (s *identities) common(ctx context.Context, o *identities) (c Common, err error) {
	s.shared.grow(s.rows)
	o.shared.grow(o.rows)
	var a, b []spillEntry
	for part := range spillParts {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		if a, err = s.spill.sorted(part, a[:0]); err != nil {
			return c, err
		}
		if b, err = o.spill.sorted(part, b[:0]); err != nil {
			return c, err
		}
		for i, j := 0, 0; i < len(a) || j < len(b); {
			m, n := run(a[i:]), run(b[j:])
			switch {
			case n == 0 || m > 0 && a[i].key < b[j].key:
				n = 0
			case m == 0 || a[i].key > b[j].key:
				m = 0
			default:
				c.Both++
				s.shared.setAll(a[i : i+m])
				o.shared.setAll(b[j : j+n])
			}
			c.A, c.B = c.A+int64(min(m, 1)), c.B+int64(min(n, 1))
			i, j = i+m, j+n
		}
	}
	return c, nil
}

// run returns how many entries at the beginning have one key.
func run(entries []spillEntry) (n int) {
	for n < len(entries) && entries[n].key == entries[0].key {
		n++
	}
	return n
}

// eachRow visits the rows of a data set, as far as it goes.
func eachRow[R any](ctx context.Context, path string, open opener[R], progress Progress, visit func(*R) error) error {
	r, err := open(path, Partial())
	if err != nil {
		return err
	}
	return each(ctx, r, progress, path, visit)
}
