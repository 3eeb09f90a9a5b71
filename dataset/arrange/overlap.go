package arrange

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/dedup"
	"github.com/assay-chess/assay/engine/board"
)

// Overlap is what two data sets have in common. If training data contain positions,
// openings or games of the validation data, the validation error is too small.
type Overlap struct {
	Positions Common `json:"positions"` // equal in the first four FEN fields; of games: before each move and at the end
	Openings  Common `json:"openings"`
	Games     Common `json:"games"`
	// RowsA and RowsB count the rows whose position (for games: one of whose positions) is
	// also in the other data set.
	RowsA int64 `json:"rows_a"`
	RowsB int64 `json:"rows_b"`
}

// Common counts the distinct items in A, in B and in both.
type Common struct {
	A    int64 `json:"a"`
	B    int64 `json:"b"`
	Both int64 `json:"both"`
}

// Compare counts what two data sets of games, positions or features have in common.
// Features have no positions. The keys of positions, 16 bytes each, are compared in a
// temporary folder; memory holds the ids of games and openings, and one bit per row.
func Compare(ctx context.Context, a, b string, progress dataset.Progress) (o *Overlap, err error) {
	dir, err := os.MkdirTemp("", "assay-keys-")
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var sets [2]identities
	for i, path := range []string{a, b} {
		sets[i].spill, err = dedup.NewSpill(filepath.Join(dir, strconv.Itoa(i)))
		defer sets[i].spill.Close()
		if err != nil {
			return nil, fmt.Errorf("dataset: %w", err)
		}
		if err := sets[i].gather(ctx, path, progress); err != nil {
			return nil, err
		}
	}
	one, two := &sets[0], &sets[1]
	o = &Overlap{Openings: common(&one.openings, &two.openings), Games: common(&one.games, &two.games)}
	var sharedA, sharedB dedup.RowSet // rows with a position that is in the other data set
	sharedA.Grow(one.rows)
	sharedB.Grow(two.rows)
	p := &o.Positions
	if p.A, p.B, p.Both, err = dedup.Common(ctx, one.spill, two.spill, &sharedA, &sharedB); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	o.RowsA, o.RowsB = sharedA.Len(), sharedB.Len()
	return o, nil
}

func common(a, b *dedup.KeySet) Common {
	return Common{A: int64(a.Len()), B: int64(b.Len()), Both: a.Common(b)}
}

// identities are the positions, openings and games of a data set.
type identities struct {
	openings, games dedup.KeySet
	spill           *dedup.Spill // keys of positions
	rows            int64
}

// name begins a row: it notes its game and opening, if it has them.
func (s *identities) name(game, opening uint64) {
	s.rows++
	if game != 0 {
		s.games.Add(game)
	}
	if opening != 0 {
		s.openings.Add(opening)
	}
}

// position notes a position of the row.
func (s *identities) position(p *board.Position) error {
	if err := s.spill.Add(p.Key(), s.rows-1); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

func (s *identities) gather(ctx context.Context, path string, progress dataset.Progress) error {
	format, err := dataset.Detect(path)
	if err != nil {
		return err
	}
	switch format {
	case dataset.GamesFormat:
		return eachRow(ctx, path, dataset.OpenGames, progress, func(g *dataset.GameRow) error {
			s.name(g.Game, g.Opening)
			for _, game := range g.Replay() {
				if err := s.position(game.Position()); err != nil {
					return err
				}
			}
			return nil
		})
	case dataset.PositionsFormat:
		return eachRow(ctx, path, dataset.OpenPositions, progress, func(p *dataset.PositionRow) error {
			s.name(p.Game, p.Opening)
			return s.position(&p.Board)
		})
	default:
		return eachRow(ctx, path, openFeatures, progress, func(f *dataset.FeatureRow) error {
			s.name(f.Game, f.Opening)
			return nil
		})
	}
}

// eachRow visits the rows of a data set, which may be incomplete.
func eachRow[R any](ctx context.Context, path string, open opener[R], progress dataset.Progress,
	visit func(*R) error) error {
	r, err := open(path, dataset.Partial())
	if err != nil {
		return err
	}
	return dataset.Each(ctx, r, progress, path, visit)
}
