package positions

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/dedup"
)

// Size of a job: games, or rows of positions.
const (
	jobGames = 64
	jobRows  = 4096
)

// extractJob is a number of games, or of positions by game, and the rows they become.
type extractJob struct {
	games  []dataset.GameRow
	groups [][]dataset.PositionRow
	size   int64 // rows of the source
	rows   []candidate
	counts Counts
}

// readGames sends the games of the sources as jobs.
func readGames(views *dataset.Views, sources []*dataset.Reader[dataset.GameRow], send func(*extractJob) error) error {
	job := &extractJob{}
	var ids, moves dedup.KeySet
	seed := maphash.MakeSeed()
	for _, s := range sources {
		for game, err := range s.All() {
			if err != nil {
				return err
			}
			if views != nil {
				views.Game(&game)
			}
			if !ids.Add(game.Game) {
				return fmt.Errorf("dataset: %s: game %016x: %w", s.Path(), game.Game, dataset.ErrTwice)
			}
			if !moves.Add(dedup.GameKey(seed, game.Start, game.Moves)) {
				job.counts.SameMoves++
			}
			job.games = append(job.games, game)
			if job.size++; job.size < jobGames {
				continue
			}
			if err := send(job); err != nil {
				return err
			}
			job = &extractJob{}
		}
	}
	return send(job)
}

// readGroups sends the positions of the sources as jobs, grouped by game.
func readGroups(f *Filter, sources []*dataset.Reader[dataset.PositionRow], send func(*extractJob) error) error {
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
		row := int64(0)
		for p, err := range s.All() {
			if err != nil {
				return err
			}
			row++
			if len(group) == 0 || group[0].Game != p.Game || p.Game == 0 && len(group) >= jobRows {
				if err := flush(); err != nil {
					return err
				}
				if err := f.begin(&games, p.Game); err != nil {
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

// begin notes that the rows of a game begin. With MaxPerGame, a game that occurred before
// is an error: its rows do not follow each other.
func (f *Filter) begin(games *dedup.KeySet, game uint64) error {
	switch {
	case f.MaxPerGame == 0:
		return nil
	case game == 0:
		return fmt.Errorf("%w: it names no game", dataset.ErrUngrouped)
	case !games.Add(game):
		return fmt.Errorf("%w: its game has earlier rows that are not next to it", dataset.ErrUngrouped)
	}
	return nil
}

// work turns the games or positions of jobs into candidates.
func (e *extraction) work(_ context.Context, jobs iter.Seq[*extractJob]) error {
	var resolve resolver
	if e.Filter.resolves() {
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
