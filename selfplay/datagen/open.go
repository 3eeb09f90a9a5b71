package datagen

import (
	"encoding/json"
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Open opens a data set of games, complete or not. Of a run in progress or interrupted it has the
// games 0 to n-1, in shards or in the journal, whatever order they finished in; those after the
// first that is missing are left out.
func Open(dir string) (*dataset.Reader[dataset.GameRow], error) {
	r, err := dataset.OpenGames(dir, dataset.Unfinished())
	if err != nil || r.Manifest() == nil || r.Manifest().Complete {
		return r, err
	}
	games, err := gamelog.ReadPending(dir, uint64(r.Len()))
	if err != nil {
		return nil, err
	}
	var id identity
	if err := json.Unmarshal(r.Manifest().Config, &id); err != nil || len(id.Players) == 0 {
		clear(games) // another program's run played them
	}
	rows, err := newRowMaker(id, r.Manifest().Config)
	if err != nil {
		return nil, err
	}
	var more []dataset.GameRow
	for _, g := range gapless(games, uint64(r.Len())) {
		row, err := rows.row(&g)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", dir, durable.ErrDamaged, err)
		}
		more = append(more, *row)
	}
	if err := r.Extend(more); err != nil {
		return nil, err
	}
	if r.Len() == 0 {
		return nil, fmt.Errorf("%s: %w: no game is finished yet", dir, dataset.ErrIncomplete)
	}
	return r, nil
}

// gapless returns the games from the first number on, up to one that is missing.
func gapless(games map[uint64]selfplay.Result, first uint64) (list []selfplay.Result) {
	for {
		g, ok := games[first+uint64(len(list))]
		if !ok {
			return list
		}
		list = append(list, g)
	}
}

// rowMaker makes rows of games, from what the manifest says about all of them.
type rowMaker struct {
	runID   string
	nodes   uint64
	players []string
}

// newRowMaker returns the maker for the identity, and for its JSON.
func newRowMaker(id identity, doc any) (rowMaker, error) {
	runID, err := gamelog.RunID(doc)
	return rowMaker{runID, id.Limits.Nodes, id.Players}, err
}

func (m rowMaker) row(r *selfplay.Result) (*dataset.GameRow, error) {
	row, err := gamelog.Row(r, m.runID)
	if err != nil {
		return nil, err
	}
	row.Nodes = uint32(m.nodes)
	sides := sidesOf(r.Number, len(m.players))
	row.White, row.Black = m.players[sides[0]], m.players[sides[1]]
	return row, nil
}
