package positions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/internal/inorder"
	"github.com/assay-chess/assay/engine/board"
)

// A Rescorer searches a position, and returns its score: centipawns, White's view.
type Rescorer func(ctx context.Context, p *board.Position) (int16, error)

// scoreBlock is how many positions are searched by one goroutine at once, and written to
// the journal as one line.
const scoreBlock = 256

// scoresName is the journal of scores whose rows are not in a shard yet: a shard of
// positions can be hours of searching.
const scoresName = ".scores.jsonl"

// rescoreJob is a run of rows to be scored.
type rescoreJob struct {
	first int64 // number of the first row
	rows  []dataset.PositionRow
	known bool // the scores come from the journal
}

// scoresLine is a line of the journal: the first says what the scores are of.
type scoresLine struct {
	Config string  `json:"config,omitempty"`
	First  int64   `json:"first"`
	Scores []int16 `json:"scores,omitempty"`
}

// scores is the journal, and what was in it.
type scores struct {
	path    string
	config  string
	journal *durable.Journal
	known   map[int64][]int16
	shards  int64 // rows in shards when the journal began
}

// rescore is run with the rows' scores searched anew.
func (e *extraction) rescore(ctx context.Context, read func(context.Context, func(*extractJob) error) error) error {
	s, err := e.openScores()
	if err != nil {
		return err
	}
	defer func() { s.journal.Close() }()
	return inorder.Run(ctx, inorder.Workers(e.Workers), func(ctx context.Context, send func(*rescoreJob) error) error {
		job := &rescoreJob{first: e.skip}
		err := e.filter(ctx, read, func(r *dataset.PositionRow) error {
			if e.row++; e.row <= e.skip {
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
}

// search scores jobs.
func (e *extraction) search(ctx context.Context, jobs iter.Seq[*rescoreJob]) error {
	score := e.NewRescorer()
	for job := range jobs {
		if job.known {
			continue
		}
		for i := range job.rows {
			n, err := score(ctx, &job.rows[i].Board)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			job.rows[i].Score = n
		}
	}
	return nil
}

// scored writes the rows of a job, once their scores are safe.
func (e *extraction) scored(s *scores, job *rescoreJob) error {
	if !job.known {
		line := scoresLine{First: job.first}
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
		if err := e.writer.Append(&job.rows[i]); err != nil {
			return err
		}
	}
	if e.Progress != nil {
		total := int64(0) // how many pass the filter is not known
		if e.Filter.All {
			total = e.total
		}
		e.Progress(job.first+int64(len(job.rows)), total, "positions searched")
	}
	if e.writer.Rows() == s.shards {
		return nil
	}
	s.shards = e.writer.Rows() // what the shard has, the journal need not have
	s.journal.Close()
	if err := s.restart(); err != nil {
		return fmt.Errorf("dataset: %w (%d rows are safely on disk)", err, e.writer.Rows())
	}
	return nil
}

// openScores takes up the journal of an interrupted run; one of another configuration,
// or a damaged one, is begun anew: it only saves time.
func (e *extraction) openScores() (*scores, error) {
	doc, err := json.Marshal(e.identity)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	sum := sha256.Sum256(doc)
	s := &scores{path: filepath.Join(e.writer.Dir(), scoresName), config: hex.EncodeToString(sum[:]),
		known: map[int64][]int16{}, shards: e.writer.Rows()}
	ours := false
	s.journal, err = durable.OpenJournal(s.path, func(text []byte) error {
		var line scoresLine
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		switch {
		case line.Config != "":
			ours = line.Config == s.config
		case ours && line.First >= s.shards:
			s.known[line.First] = line.Scores
		}
		return nil
	})
	if err == nil && ours {
		return s, nil
	}
	clear(s.known)
	if err == nil {
		s.journal.Close()
	}
	if err := s.restart(); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return s, nil
}

// restart begins the journal anew.
func (s *scores) restart() (err error) {
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s.journal, err = durable.OpenJournal(s.path, nil); err != nil {
		return err
	}
	return s.journal.Append(scoresLine{Config: s.config})
}

// recall gives a job the scores that the journal has for it.
func (s *scores) recall(job *rescoreJob) *rescoreJob {
	if list := s.known[job.first]; len(list) == len(job.rows) {
		for i := range job.rows {
			job.rows[i].Score = list[i]
		}
		job.known = true
	}
	return job
}

// forgetScores removes the journal of a data set that is complete.
func (e *extraction) forgetScores() error {
	err := os.Remove(filepath.Join(e.writer.Dir(), scoresName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}
