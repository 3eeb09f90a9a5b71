package positions

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/dedup"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/inorder"
)

// Config configures Extract and Refine.
type Config struct {
	Filter  Filter
	Program string // version of the program, for the manifest
	// NewResolver returns a resolver for one goroutine. It is not used with ResolveKeep
	// unless Filter.MaxNoise is set. See Quiescence.
	NewResolver func() resolver
	// NewPlayer opens a player for one goroutine. It searches positions for new scores, within
	// the limits, if Filter.Relabel is set. See Searcher.
	NewPlayer func() (engine.Player, error)
	Limits    engine.Limits
	Workers   int              // goroutines; 0: one per core
	Progress  dataset.Progress // of games, or of rows of positions; nil for none

	// Views, if not nil, takes the rows, to test their scores, and Games the games.
	Views, Games *dataset.Views

	limit int // number of position keys in memory; 0: dedup.Limit. It does not change the rows
}

// Extract writes the positions of games, in the order of the games, as a data set in dir.
// The bytes do not depend on the number of workers; an interrupted data set is resumed. The
// counts are also stored as the manifest's report. The error is dataset.ErrComplete
// (wrapped) if dir is complete already; the counts are then those in its report.
//
// Memory is bounded: after about twelve million different positions, further keys are
// compared on disk, in dir. A game that occurs twice is an error (dataset.ErrDuplicate).
func Extract(ctx context.Context, sources []*dataset.Reader[dataset.GameRow], dir string, c Config) (
	*durable.Manifest, Counts, error) {
	return extractFrom(ctx, sources, dir, c,
		func(_ *Filter, s []*dataset.Reader[dataset.GameRow], send func(*extractJob) error) error {
			return readGames(c.Games, s, send)
		})
}

// provenance is what the manifest says about the origin of the rows.
type provenance struct {
	Filter
	// Unfinished says how many rows of a parent were used that was not complete, by its id: those
	// from 0 on.
	Unfinished map[string]int64 `json:"unfinished,omitempty"`
}

// ErrNoMoves is returned by Refine for Filter.QuietMove.
var ErrNoMoves = errors.New("dataset: positions do not record the move that was played")

// Refine is Extract for positions: it writes those that pass the filter. If the filter has
// MaxPerGame, the positions of a game must follow each other.
func Refine(ctx context.Context, sources []*dataset.Reader[dataset.PositionRow], dir string, c Config) (
	*durable.Manifest, Counts, error) {
	if c.Filter.QuietMove {
		return nil, Counts{}, ErrNoMoves
	}
	return extractFrom(ctx, sources, dir, c, readGroups)
}

// extractFrom implements Extract and Refine; read sends the jobs.
func extractFrom[R any](ctx context.Context, sources []*dataset.Reader[R], dir string, c Config,
	read func(*Filter, []*dataset.Reader[R], func(*extractJob) error) error) (*durable.Manifest, Counts, error) {
	if err := c.Filter.Check(); err != nil {
		return nil, Counts{}, err
	}
	config, total, err := identify(sources, &c)
	if err != nil {
		return nil, Counts{}, err
	}
	w, err := dataset.NewPositionWriter(dir, config)
	if errors.Is(err, dataset.ErrComplete) {
		var counts Counts
		m, e := durable.LoadReport(dir, &counts)
		if e != nil {
			return nil, counts, fmt.Errorf("dataset: %w", e)
		}
		return m, counts, err
	}
	if err != nil {
		return nil, Counts{}, err
	}
	defer w.Close()
	e := &extraction{Config: c, writer: w, skip: w.Rows(), total: total, identity: config,
		read: func(send func(*extractJob) error) error { return read(&c.Filter, sources, send) }}
	safe := w.Rows
	if c.Filter.Relabel != "" { // another goroutine writes the rows
		safe = func() int64 { return e.skip }
	}
	e.dedup = newDeduplicator(dir, c.limit, &e.Filter, &e.counts, safe)
	if err := e.dedup.remove(); err != nil { // what a killed process left
		return nil, Counts{}, err
	}
	defer e.dedup.remove()
	err = e.run(ctx)
	if errors.Is(err, dataset.ErrDuplicate) || errors.Is(err, dataset.ErrUngrouped) {
		return nil, e.counts, errors.Join(err, w.Discard())
	}
	if err != nil {
		return nil, e.counts, err
	}
	m, err := w.Finish(e.counts)
	if err == nil {
		err = e.forgetScores()
	}
	return m, e.counts, err
}

// identify returns what the manifest says about the origin of the rows, and the number of rows of
// the sources.
func identify[R any](sources []*dataset.Reader[R], c *Config) (config dataset.WriterConfig, total int64, err error) {
	from := provenance{Filter: c.Filter, Unfinished: map[string]int64{}}
	config = dataset.WriterConfig{Config: &from, Seed: c.Filter.Seed, Program: c.Program}
	seen := map[string]string{}
	for _, s := range sources {
		id, err := s.ID()
		if err != nil {
			return config, 0, err
		}
		if first, twice := seen[id]; twice {
			return config, 0, fmt.Errorf("dataset: %s and %s: %w", first, s.Path(), dataset.ErrDuplicate)
		}
		seen[id] = s.Path()
		if m := s.Manifest(); m != nil && !m.Complete {
			from.Unfinished[id] = s.Len()
		}
		config.Parents = append(config.Parents, id)
		total += s.Len()
	}
	return config, total, nil
}

// extraction is the state of one Extract or Refine. Workers turn jobs into rows that pass
// the filter (candidates). The deduplicator takes these in order and drops some. The rest
// is written in order, after workers have scored it again if Filter.Relabel is set.
type extraction struct {
	Config
	identity dataset.WriterConfig
	writer   *dataset.Writer[dataset.PositionRow]
	skip     int64                                    // rows that an earlier process wrote
	row      int64                                    // rows that passed the filter
	total    int64                                    // rows of the sources
	read     func(send func(*extractJob) error) error // of the sources
	dedup    *deduplicator
	counts   Counts

	variations *dataset.Writer[dataset.PositionRow] // with Filter.PV; nil if they are complete
	varied     int64                                // of these, rows that an earlier process wrote
}

func (e *extraction) run(ctx context.Context) (err error) {
	if e.Filter.Relabel == "" {
		err = e.filter(ctx, func(r *dataset.PositionRow) error {
			e.look(r)
			if e.row++; e.row <= e.skip {
				return nil
			}
			return e.writer.Append(r)
		})
	} else {
		err = e.rescore(ctx)
	}
	if err == nil && e.row < e.skip {
		return fmt.Errorf("dataset: %s has %d rows, but the games give %d: %w",
			e.writer.Dir(), e.skip, e.row, errGamesChanged)
	}
	return err
}

func (e *extraction) look(r *dataset.PositionRow) {
	if e.Views != nil {
		e.Views.Position(r)
	}
}

// filter runs the jobs, and emits, in order, the rows that the deduplicator keeps.
func (e *extraction) filter(ctx context.Context, emit func(*dataset.PositionRow) error) error {
	progress := e.Progress
	if progress == nil || e.Filter.Relabel != "" { // the search reports its own
		progress = func(int64, int64, string) {}
	}
	done := int64(0)
	read := func(_ context.Context, send func(*extractJob) error) error { return e.read(send) }
	err := inorder.Run(ctx, e.Workers, read, e.work, func(job *extractJob) error {
		e.counts.add(&job.counts)
		for i := range job.rows {
			if err := e.dedup.add(&job.rows[i], emit); err != nil {
				return err
			}
		}
		done += job.size
		progress(done, e.total, fmt.Sprintf("%d positions", e.counts.Kept+e.dedup.waiting))
		return nil
	})
	if err != nil {
		return err
	}
	return e.dedup.finish(ctx, emit, func(n, of int64, _ string) {
		progress(e.total, e.total, fmt.Sprintf("%d of %d positions compared", n, of))
	})
}

var errGamesChanged = errors.New("it was made from other games")

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
	for _, s := range sources {
		for game, err := range s.All() {
			if err != nil {
				return err
			}
			if views != nil {
				views.Game(&game)
			}
			if !ids.Add(game.Game) {
				return fmt.Errorf("dataset: %s: game %016x: %w", s.Path(), game.Game, dataset.ErrDuplicate)
			}
			if !moves.Add(dedup.GameKey(game.Start, game.Moves)) {
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

// NoiseLimit is the noise in centipawns above which a position counts as noisy: the
// quiescence search differs from the evaluation by more.
const NoiseLimit = 50

// Noise counts rows whose static evaluation says little about the result: those in check,
// and those in which a capture or promotion is about to change it.
type Noise struct {
	Rows    int64 `json:"rows"` // looked at
	InCheck int64 `json:"in_check"`
	Noisy   int64 `json:"noisy"` // not in check, and resolved.Noise above NoiseLimit
}

// Add counts a position.
func (n *Noise) Add(p *board.Position, resolve resolver) {
	n.Rows++
	if p.InCheck() {
		n.InCheck++
	} else if resolve(p).Noise > NoiseLimit {
		n.Noisy++
	}
}

// Plus returns the sum of two counts.
func (n Noise) Plus(o Noise) Noise {
	return Noise{n.Rows + o.Rows, n.InCheck + o.InCheck, n.Noisy + o.Noisy}
}

// maxNoisy is the share of rows in check or noisy above which data are unfit for tuning.
const maxNoisy = 0.05

// Unfit reports whether more than maxNoisy of the rows are in check or noisy.
func (n *Noise) Unfit() bool { return float64(n.InCheck+n.Noisy) > maxNoisy*float64(n.Rows) }

// variationsDir is the folder of the positions that Filter.PV adds to the data set in dir: those along the principal
// variation of the search of each row, with the row's game, result and new score. They are a data set of their own, so
// that a fit can weigh them or leave them out. Positions in check, and positions of the rows beside them, are left out.
func variationsDir(dir string) string { return filepath.Clean(dir) + "-pv" }

func (e *extraction) openVariations() (err error) {
	e.variations, err = dataset.NewPositionWriter(variationsDir(e.writer.Dir()), e.identity)
	if errors.Is(err, dataset.ErrComplete) {
		return nil
	}
	if err == nil {
		e.varied = e.variations.Rows()
	}
	return err
}

// vary writes the positions along the variations of a block, each position once.
func (e *extraction) vary(job *rescoreJob) error {
	seen := make(map[uint64]bool, 2*len(job.rows))
	for i := range job.rows {
		seen[job.rows[i].Board.Key()] = true
	}
	for i := range job.lines {
		r := job.rows[i]
		if r.Score > dataset.MaxScore || r.Score < -dataset.MaxScore { // a mate, or none
			continue
		}
		for _, m := range job.lines[i] {
			if !r.Board.IsLegal(m) {
				break
			}
			r.Board.Make(m)
			r.Ply++
			if seen[r.Board.Key()] || r.Board.InCheck() || r.Board.CountLegal() == 0 || r.DrawByRule() {
				continue
			}
			seen[r.Board.Key()] = true
			e.counts.Variations++
			e.Filter.correct(&r)
			if e.variations != nil && e.counts.Variations > e.varied {
				if err := e.variations.Append(&r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
