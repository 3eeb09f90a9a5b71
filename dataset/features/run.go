// Package features makes a data set of features from the output of an engine that has a trace: how often its
// evaluation counts each term, position by position.
//
// The engine is a command. It prints a header line with its terms, then answers each FEN on standard input with a
// line of JSON. dataset/FORMAT.md describes the protocol under "Features from a trace".
//
// Start reading at Run.
//
// No promise of stability.
package features

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/inorder"
)

// Config configures Run.
type Config struct {
	Command []string      // the engine and its arguments
	Procs   int           // number of processes; 0: one per core
	Timeout time.Duration // for one answer; 0: a minute
	// Tolerance is how far value and eval may differ, in centipawns; 0 is dataset.DefaultTolerance.
	Tolerance float64
	Program   string // version of the program, for the manifest
	Progress  func(done, total int64, note string)
	// Notice is called with what a person should know, such as a banner that was skipped;
	// nil for none.
	Notice func(text string)
	// Watch is called with each position, in order, and the number of all. Report returns the manifest's report.
	// Both may be nil.
	Watch  func(p *board.Position, total int64)
	Report func() (any, error)
}

// askBlock is the number of positions that are sent to an engine at once.
const askBlock = 512

// identity is the configuration in the manifest.
type identity struct {
	Operation string   `json:"operation"`
	Command   []string `json:"command"`      // see fingerprint
	Model     string   `json:"model"`        // from the header
	Terms     string   `json:"terms_sha256"` // of the terms as JSON
	Float     bool     `json:"float"`

	Evaluation *dataset.Evaluation `json:"evaluation"`
}

// Run has the engine print the features of all positions of data sets, and writes them in
// the order of the positions as a data set in dir. The bytes do not depend on the number of
// processes; an interrupted data set is resumed. A malformed record (ErrProtocol), or one
// whose terms do not add up to its eval (dataset.ErrDrift), is an error that names the row.
// The error is dataset.ErrComplete (wrapped) if dir is complete already.
func Run(ctx context.Context, paths []string, dir string, c Config) (*durable.Manifest, error) {
	r := &run{Config: c}
	if r.Timeout <= 0 {
		r.Timeout = time.Minute
	}
	var parents []string
	for _, path := range paths {
		src, err := dataset.OpenPositions(path)
		if err != nil {
			return nil, err
		}
		id, err := src.ID()
		if err != nil {
			return nil, err
		}
		if slices.Contains(parents, id) {
			return nil, fmt.Errorf("dataset: %s: %w", path, dataset.ErrDuplicate)
		}
		r.sources, parents, r.total = append(r.sources, src), append(parents, id), r.total+src.Len()
	}
	prints, err := fingerprint(c.Command)
	if err != nil {
		return nil, err
	}
	first, err := start(ctx, c.Command, r.Timeout)
	if err != nil {
		return nil, r.blame(err)
	}
	set := first.records.header.set()
	if c.Tolerance > 0 {
		set.Tolerance = c.Tolerance
	}
	if n := len(first.skipped); n > 0 && c.Notice != nil {
		c.Notice(fmt.Sprintf("skipped %d lines before the engine's header, the first is %.80q", n, first.skipped[0]))
	}
	terms, _ := json.Marshal(set.Terms) // it came from JSON
	w, err := dataset.NewFeatureWriter(dir, set, dataset.WriterConfig{
		Config: identity{Operation: "features", Command: prints, Model: set.Model, Terms: durable.SumBytes(terms),
			Float: set.Float, Evaluation: &set.Evaluation}, Program: c.Program, Parents: parents,
	})
	if err != nil {
		return nil, errors.Join(err, first.end(nil))
	}
	defer w.Close()
	r.writer, r.set, r.skip = w, set, w.Rows()
	if err := r.run(ctx, first); err != nil {
		return nil, err
	}
	var report any
	if c.Report != nil {
		if report, err = c.Report(); err != nil {
			return nil, err
		}
	}
	return w.Finish(report)
}

type run struct {
	Config
	sources []*dataset.Reader[dataset.PositionRow]
	total   int64
	skip    int64 // rows that an earlier process wrote
	writer  *dataset.Writer[dataset.FeatureRow]
	set     dataset.FeatureSet
}

// block is a number of positions and their features.
type block struct {
	examples []*example
	features []dataset.FeatureRow
}

// run answers all blocks. One of the workers takes over the process that runs already.
func (r *run) run(ctx context.Context, running *process) error {
	first := make(chan *process, 1)
	first <- running
	done := r.skip
	return inorder.Run(ctx, r.Procs, r.read, func(ctx context.Context, blocks iter.Seq[*block]) error {
		var p *process
		select {
		case p = <-first:
		default:
		}
		return r.serve(ctx, p, blocks)
	}, func(b *block) error {
		for i := range b.features {
			if err := r.writer.Append(&b.features[i]); err != nil {
				return err
			}
		}
		if done += int64(len(b.features)); r.Progress != nil {
			r.Progress(done, r.total, "positions")
		}
		return nil
	})
}

// read sends the positions that are not done yet, in blocks.
func (r *run) read(_ context.Context, send func(*block) error) error {
	n, b := int64(0), &block{}
	for _, src := range r.sources {
		row := int64(0)
		for p, err := range src.All() {
			if err != nil {
				return err
			}
			row++
			if r.Watch != nil {
				r.Watch(&p.Board, r.total)
			}
			if n++; n <= r.skip {
				continue
			}
			b.examples = append(b.examples, &example{p, src.Path(), row})
			if len(b.examples) < askBlock {
				continue
			}
			if err := send(b); err != nil {
				return err
			}
			b = &block{}
		}
	}
	if len(b.examples) == 0 {
		return nil
	}
	return send(b)
}

// serve has one process answer blocks. The process is started with the first block.
func (r *run) serve(ctx context.Context, p *process, blocks iter.Seq[*block]) (err error) {
	defer func() {
		if p == nil {
			return
		}
		if e := p.end(err); e != nil && ctx.Err() == nil {
			err = r.blame(e)
		}
	}()
	if p != nil { // it was started before this context existed
		defer context.AfterFunc(ctx, func() { p.kill(nil) })()
	}
	for b := range blocks {
		if p == nil {
			if p, err = start(ctx, r.Command, r.Timeout); err != nil {
				return r.blame(err)
			}
			set := p.records.header.set()
			if r.set.SameTerms(&set) != nil {
				return fmt.Errorf("%w: it was started twice and gave two headers", ErrProtocol)
			}
		}
		if err := r.ask(ctx, p, b); err != nil {
			return err
		}
	}
	return nil
}

// ask sends a block to a process and stores the answers, with the labels of their positions.
func (r *run) ask(ctx context.Context, p *process, b *block) error {
	err := p.ask(b.examples, func(x *example, f *dataset.FeatureRow) error {
		f.Result, f.Score, f.Game, f.Opening, f.Weight = x.Result, x.Score, x.Game, x.Opening, x.Weight
		b.features = append(b.features, *f)
		return r.set.CheckRow(f)
	})
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	b.examples = nil
	return err
}

// blame adds the name of the engine to an error.
func (r *run) blame(err error) error {
	return fmt.Errorf("features: %s: %w", r.Command[0], err)
}

// fingerprint identifies a command in the manifest: its words, where files are replaced by
// a hash of their content.
func fingerprint(command []string) ([]string, error) {
	var prints []string
	for i, word := range command {
		path := word
		if i == 0 {
			var err error
			if path, err = exec.LookPath(word); err != nil {
				return nil, fmt.Errorf("features: %w", err)
			}
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			prints = append(prints, word)
			continue
		}
		sum, err := durable.SumFile(path)
		if err != nil {
			return nil, fmt.Errorf("features: %w", err)
		}
		prints = append(prints, "sha256:"+sum)
	}
	return prints, nil
}
