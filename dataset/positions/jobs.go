package positions

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/dedup"
)

// How many games, or rows of positions, are a piece of work.
const (
	jobGames = 64
	jobRows  = 4096
)

// extractJob is a run of games, or of positions by game, on its way to becoming rows.
type extractJob struct {
	games  []dataset.GameRow
	groups [][]dataset.PositionRow
	size   int64 // rows of the source
	rows   []candidate
	counts Counts
}

// readGames sends the games of the sources.
func readGames(_ context.Context, e *extraction, sources []*dataset.Reader[dataset.GameRow], send func(*extractJob) error) error {
	job := &extractJob{}
	var ids, moves dedup.KeySet
	seed := maphash.MakeSeed()
	for _, s := range sources {
		for game, err := range s.All() {
			if err != nil {
				return err
			}
			if !ids.Add(game.Game) {
				return fmt.Errorf("dataset: %s: game %016x: %w", s.Path(), game.Game, dataset.ErrTwice)
			}
			if !moves.Add(dedup.GameKey(seed, game.Start, game.Moves)) {
				job.counts.SameMoves++
			}
			if job.games = append(job.games, game); len(job.games) < jobGames {
				continue
			}
			job.size = int64(len(job.games))
			if err := send(job); err != nil {
				return err
			}
			job = &extractJob{}
		}
	}
	job.size = int64(len(job.games))
	return send(job)
}

// readGroups sends the positions of the sources, those of a game together.
func readGroups(_ context.Context, e *extraction, sources []*dataset.Reader[dataset.PositionRow], send func(*extractJob) error) error {
	job := &extractJob{}
	var games dedup.KeySet
	var group []dataset.PositionRow
	flush := func() error {
		if len(group) == 0 {
			return nil
		}
		job.groups, job.size = append(job.groups, group), job.size+int64(len(group))
		group = nil
		if job.size < jobRows {
			return nil
		}
		full := job
		job = &extractJob{}
		return send(full)
	}
	for _, s := range sources {
		row := int64(-1)
		for p, err := range s.All() {
			if err != nil {
				return err
			}
			row++
			if len(group) == 0 || group[0].Game != p.Game || p.Game == 0 && len(group) >= jobRows {
				if err := flush(); err != nil {
					return err
				}
				if err := e.begin(&games, p.Game); err != nil {
					return fmt.Errorf("dataset: %s, row %d: %w", s.Path(), row, err)
				}
			}
			group = append(group, p)
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return send(job)
}

// begin notes that a game's rows begin, which must not have ended before if they are to
// be counted.
func (e *extraction) begin(games *dedup.KeySet, game uint64) error {
	switch {
	case e.Filter.MaxPerGame == 0:
		return nil
	case game == 0:
		return fmt.Errorf("%w: it has no game", dataset.ErrUngrouped)
	case !games.Add(game):
		return fmt.Errorf("%w: its game has other rows further up", dataset.ErrUngrouped)
	}
	return nil
}

// work makes rows of jobs.
func (e *extraction) work(_ context.Context, jobs iter.Seq[*extractJob]) error {
	var resolve Resolver
	if e.Filter.Resolve != ResolveKeep {
		resolve = e.NewResolver()
	}
	for job := range jobs {
		most := 0
		for i := range job.games {
			most += len(job.games[i].Moves)
		}
		for _, group := range job.groups {
			most += len(group)
		}
		job.rows = make([]candidate, 0, most)
		for i := range job.games {
			job.rows = e.Filter.candidates(job.rows, &job.games[i], resolve, &job.counts)
		}
		for _, group := range job.groups {
			job.rows = e.Filter.refine(job.rows, group, resolve, &job.counts)
		}
		job.games, job.groups = nil, nil
	}
	return nil
}
