package slopes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/inorder"
)

// A block has a sixteenth of the rows within bounds: many, so that each set of numbers is made once for them, and not
// so many that processes wait for the last one.
const (
	blocks    = 16
	minBlock  = 512
	maxBlock  = 8192
	mostWrong = 100 // positions that may fail; one of fifty may
)

func (m *measurement) blockSize() int { return int(min(maxBlock, max(minBlock, m.total/blocks))) }

// piece is a block with its labels.
type piece struct {
	block
	first   int64 // number of the first row
	rows    []dataset.PositionRow
	without []unevaluated
}

// measureAll measures all rows that the writer does not have.
func (m *measurement) measureAll(w *dataset.Writer[dataset.FeatureRow]) (again bool, err error) {
	index := make([]uint16, len(m.names))
	for i, k := range m.active() {
		index[k] = uint16(i)
	}
	seen := make([]bool, len(m.names))
	errAgain := errors.New("numbers made the program fail")
	err = inorder.Run(m.ctx, m.Workers, m.read, m.measurePieces, func(p *piece) error {
		if len(p.failures) > 0 {
			m.punish(p.failures)
			return errAgain
		}
		m.report.Unevaluated = append(m.report.Unevaluated, p.without...)
		if n := int64(len(m.report.Unevaluated)); n > mostWrong && 50*n > p.first {
			return fmt.Errorf("%s: %d of the first %d positions cannot be evaluated, as %s: %s", m.Path, n,
				p.first+int64(len(p.rows)), p.without[0].FEN, p.without[0].Why)
		}
		for i := range p.rows {
			for _, c := range p.cells[i] {
				seen[c.number] = true
			}
			m.report.Cells += int64(len(p.cells[i]))
			m.report.Rows++
			if err := w.Append(m.featureRow(&p.rows[i], p.base[i], p.cells[i], index)); err != nil {
				return err
			}
		}
		m.report.Bent += p.bent
		m.progress(p.first+int64(len(p.rows)), "slopes")
		return nil
	})
	for _, k := range m.active() {
		if !seen[k] {
			m.report.Flat = append(m.report.Flat, m.names[k])
		}
	}
	if errors.Is(err, errAgain) {
		return true, nil
	}
	return false, err
}

func (m *measurement) progress(done int64, note string) {
	if m.Progress != nil {
		m.Progress(done, m.total, note)
	}
}

// positions are the rows of all data sets, with their weights.
func (m *measurement) positions() iter.Seq2[dataset.PositionRow, error] {
	return func(yield func(dataset.PositionRow, error) bool) {
		for i, src := range m.sources {
			for row, err := range src.All() {
				if m.Weights != nil {
					row.Weight *= float32(m.Weights[i])
				}
				if !yield(row, err) {
					return
				}
			}
		}
	}
}

// read sends all rows, in blocks.
func (m *measurement) read(_ context.Context, send func(*piece) error) error {
	p := &piece{}
	for row, err := range m.positions() {
		if err != nil {
			return err
		}
		if p.rows = append(p.rows, row); len(p.rows) < m.blockSize() {
			continue
		}
		next := p.first + int64(len(p.rows))
		if err := send(p); err != nil {
			return err
		}
		p = &piece{first: next}
	}
	if len(p.rows) == 0 {
		return nil
	}
	return send(p)
}

func (m *measurement) measurePieces(_ context.Context, pieces iter.Seq[*piece]) error {
	program := <-m.idle
	defer func() { m.idle <- program }()
	for p := range pieces {
		if err := m.measurePiece(program, p); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) measurePiece(program *Program, p *piece) error {
	if err := m.place(program, p); err != nil {
		return err
	}
	return p.measure()
}

// place evaluates the rows of a block at the point, without those that the program cannot evaluate.
func (m *measurement) place(program *Program, p *piece) error {
	fens := make([]string, len(p.rows))
	for i := range p.rows {
		fens[i] = FEN(&p.rows[i].Board)
	}
	values, bad, err := program.each(fens)
	if err != nil {
		return err
	}
	for i := len(fens) - 1; i >= 0; i-- {
		if err := bad[i]; err != nil {
			p.without = append(p.without, unevaluated{fens[i], err.Error()})
			fens, p.rows, values = slices.Delete(fens, i, i+1), slices.Delete(p.rows, i, i+1), slices.Delete(values, i, i+1)
		}
	}
	p.block = block{m: m, program: program, fens: fens, base: values, failed: map[int]bool{}}
	for i := range p.rows {
		p.boards = append(p.boards, &p.rows[i].Board)
	}
	return nil
}

func (m *measurement) featureRow(p *dataset.PositionRow, base float64, cells []cell,
	index []uint16) *dataset.FeatureRow {
	f := &dataset.FeatureRow{Phase: 1, Scale: 1, EGScale: 1, Eval: float32(base), Result: p.Result, Score: p.Score,
		Game: p.Game, Opening: p.Opening, Weight: p.Weight}
	offset := base
	slices.SortFunc(cells, func(a, b cell) int { return cmp.Compare(a.number, b.number) })
	for _, c := range cells {
		step := m.coarse[c.number]
		slope := float32(c.slope * step)
		f.Terms, f.Counts = append(f.Terms, index[c.number]), append(f.Counts, slope)
		offset -= float64(slope) * m.point[c.number] / step
	}
	f.Offset = float32(offset)
	return f
}
