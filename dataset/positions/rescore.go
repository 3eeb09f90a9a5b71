package positions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/inorder"
)

// scoreBlock is the number of positions in a job, and in a line of the journal.
const scoreBlock = 256

// scoresName is the journal of scores whose rows are not in a shard yet: the searches for
// one shard can take hours.
const scoresName = ".scores.jsonl"

type rescoreJob struct {
	first int64 // number of the first row
	rows  []dataset.PositionRow
	lines [][]board.Move // principal variation of each, if Filter.PV is set
	known bool           // the scores come from the journal
}

// scoresLine is a line of the journal. The first line has only Config: a hash of the
// configuration.
type scoresLine struct {
	Config string  `json:"config,omitempty"`
	First  int64   `json:"first"`
	Scores []int16 `json:"scores,omitempty"`

	Lines [][]board.Move `json:"lines,omitempty"`
}

// scores is the journal, with the scores that it held when it was opened.
type scores struct {
	config  string
	journal *durable.Journal
	known   map[int64]scoresLine
	shards  int64 // rows in shards when the journal began
	from    int64 // the first row that is scored, or taken from the journal
}

// rescore is run for rows that get new scores.
func (e *extraction) rescore(ctx context.Context) error {
	s, err := e.openScores()
	if err != nil {
		return err
	}
	defer s.journal.Close()
	if e.Filter.PV > 0 {
		if err := e.openVariations(); err != nil {
			return err
		}
	}
	if e.variations != nil {
		defer e.variations.Close()
	}
	err = inorder.Run(ctx, e.Workers, func(ctx context.Context, send func(*rescoreJob) error) error {
		job := &rescoreJob{first: s.from}
		err := e.filter(ctx, func(r *dataset.PositionRow) error {
			if e.row++; e.row <= s.from {
				return nil
			}
			if job.rows = append(job.rows, *r); len(job.rows) < scoreBlock {
				return nil
			}
			full := job
			job = &rescoreJob{first: e.row}
			return send(s.recall(full))
		})
		if err != nil || len(job.rows) == 0 {
			return err
		}
		return send(s.recall(job))
	}, e.search, func(job *rescoreJob) error { return e.scored(s, job) })
	if err == nil && e.variations != nil {
		_, err = e.variations.Finish(nil)
	}
	return err
}

func (e *extraction) search(ctx context.Context, jobs iter.Seq[*rescoreJob]) error {
	p, err := e.NewPlayer()
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer p.Close()
	for job := range jobs {
		if job.known {
			continue
		}
		scored := false
		for i := range job.rows {
			r := &job.rows[i]
			var line []board.Move
			if r.Score, line, err = e.scoreOf(ctx, p, &r.Board); err != nil {
				return fmt.Errorf("dataset: %s: %w", r.Board.FEN(), err)
			}
			if e.Filter.PV > 0 {
				job.lines = append(job.lines, line[:min(len(line), e.Filter.PV)])
			}
			scored = scored || r.Score != dataset.NoScore
		}
		if !scored && (job.first == 0 || len(job.rows) == scoreBlock) { // a short last block may have none
			return fmt.Errorf("dataset: %w: not of any of %d, such as %s", ErrNoScores, len(job.rows), job.rows[0].Board.FEN())
		}
	}
	return nil
}

// ErrNoScores means that a player reports no score for any position of a block.
var ErrNoScores = errors.New("the player reports no score of positions")

// scoreOf returns the player's score of a position from White's view, or NoScore if the
// search reports none, and the principal variation. Each search is a game of its own, so that the score does not depend
// on the positions before.
func (e *extraction) scoreOf(ctx context.Context, player engine.Player, p *board.Position) (
	int16, []board.Move, error) {
	var score engine.Score
	var line []board.Move
	if p.CountLegal() > 0 {
		if err := player.NewGame(0); err != nil {
			return 0, nil, err
		}
		r, err := player.Search(ctx, board.NewGame(*p), e.Limits)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, nil, err
		}
		score, line = r.Score, r.PV
	} else if p.InCheck() {
		score = -dataset.MateScore
	}
	return score.White(p.SideToMove()), line, nil
}

// scored writes the rows of a job, once their scores are safe.
func (e *extraction) scored(s *scores, job *rescoreJob) error {
	if !job.known {
		line := scoresLine{First: job.first, Lines: job.lines}
		for i := range job.rows {
			line.Scores = append(line.Scores, job.rows[i].Score)
		}
		err := s.journal.Append(line)
		if err == nil {
			err = s.journal.Sync()
		}
		if err != nil {
			return fmt.Errorf("dataset: %w (%d rows are safely on disk)", err, e.writer.Rows())
		}
	}
	for i := range job.rows {
		e.look(&job.rows[i])
		if job.first+int64(i) < e.skip { // only its variation is wanted
			continue
		}
		if err := e.writer.Append(&job.rows[i]); err != nil {
			return err
		}
	}
	if e.Filter.PV > 0 {
		if err := e.vary(job); err != nil {
			return err
		}
	}
	if e.Progress != nil {
		total := int64(0) // unknown: the number of rows that pass the filter
		if e.Filter.All {
			total = e.total
		}
		e.Progress(job.first+int64(len(job.rows)), total, "positions searched")
	}
	if e.writer.Rows() == s.shards || e.Filter.PV > 0 {
		return nil
	}
	s.shards = e.writer.Rows() // rows in a shard are no longer needed in the journal
	if err := s.restart(); err != nil {
		return fmt.Errorf("dataset: %w (%d rows are safely on disk)", err, e.writer.Rows())
	}
	return nil
}

// ErrOtherScores means that the folder holds scores of a run of another configuration whose
// rows are not in a shard yet.
var ErrOtherScores = errors.New("scores of another configuration")

// openScores opens the journal of an interrupted process. One of another configuration that
// holds no scores does not bind the folder; a damaged one is replaced by an empty one.
func (e *extraction) openScores() (*scores, error) {
	doc, err := json.Marshal(e.identity)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	path := filepath.Join(e.writer.Dir(), scoresName)
	s := &scores{config: durable.SumBytes(doc), known: map[int64]scoresLine{}, shards: e.writer.Rows()}
	if s.from = s.shards; e.Filter.PV > 0 {
		s.from = 0 // shards do not tell how many rows their variations have
	}
	ours, others := false, 0
	s.journal, err = durable.OpenJournal(path, func(text []byte) error {
		var line scoresLine
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		switch {
		case line.Config != "":
			ours = line.Config == s.config
		case ours && line.First >= s.from:
			s.known[line.First] = line
		case !ours:
			others += len(line.Scores)
		}
		return nil
	})
	if errors.Is(err, durable.ErrDamaged) {
		clear(s.known)
		ours, others = false, 0
		if err = durable.RemovePending(path); err == nil {
			s.journal, err = durable.OpenJournal(path, nil)
		}
	}
	if err == nil && !ours {
		if others > 0 {
			s.journal.Close()
			return nil, fmt.Errorf("dataset: %s has %w, of %d positions", path, ErrOtherScores, others)
		}
		err = s.restart()
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return s, nil
}

// restart drops the scores of the journal.
func (s *scores) restart() error { return s.journal.Replace([]any{scoresLine{Config: s.config}}) }

// recall sets the scores of a job from the journal, if it has them.
func (s *scores) recall(job *rescoreJob) *rescoreJob {
	if line := s.known[job.first]; len(line.Scores) == len(job.rows) {
		for i := range job.rows {
			job.rows[i].Score = line.Scores[i]
		}
		job.lines, job.known = line.Lines, true
	}
	return job
}

// forgetScores removes the journal once the data set is complete.
func (e *extraction) forgetScores() error {
	if err := durable.RemovePending(filepath.Join(e.writer.Dir(), scoresName)); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// Quiescence returns a value for Config.NewResolver: resolvers that replace a position by
// the leaf of its quiescence search. Weights has one coefficient per term of the model.
// Each resolver serves one goroutine.
//
// The weights only choose which captures are played. The leaf's own score is not used as a
// label: a tuner would only learn its start weights back.
func Quiescence(m *eval.Model, weights []eval.Coef) (func() resolver, error) {
	if _, err := m.NewEvaluator(weights); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return func() resolver {
		ev, err := m.NewEvaluator(weights)
		if err != nil {
			panic(err) // it was made from the same weights before
		}
		leaves := search.NewLeafSearch(ev)
		return func(p *board.Position) resolved {
			leaf, score := leaves.Leaf(p)
			r := resolved{Leaf: leaf, Score: score, Changed: leaf != *p}
			if r.Changed {
				r.Noise = max(score, ev.Evaluate(p)) - min(score, ev.Evaluate(p))
			}
			return r
		}
	}, nil
}

// hashMB is the size of a Searcher's transposition table, in megabytes. The table is
// cleared for each position. Its size influences the scores.
const hashMB = 1

// Searcher returns a value for Config.NewPlayer: engines with the weights. Within a limit of
// nodes their scores are the same on every machine.
func Searcher(m *eval.Model, weights []eval.Coef) func() (engine.Player, error) {
	return func() (engine.Player, error) {
		ev, err := m.NewEvaluator(weights)
		if err != nil {
			return nil, err
		}
		return search.New(ev, hashMB), nil
	}
}
