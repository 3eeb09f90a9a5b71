package tune

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
)

// noiseRows is the number of rows, evenly spread, in which noise is looked for.
const noiseRows = 20_000

// noiseSample collects positions while data are read for another purpose.
type noiseSample struct {
	total  int64 // rows of all sources
	row    int64
	boards []board.Position
}

// watched returns the rows that take wants.
func watched[R any](rows iter.Seq2[R, error], take func(*R) bool) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for r, err := range rows {
			if err == nil && !take(&r) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (s *noiseSample) take(p *board.Position) {
	if s.row%max(1, s.total/noiseRows) == 0 {
		s.boards = append(s.boards, *p)
	}
	s.row++
}

// count runs the quiescence search of assay's own weights on the sample.
func (s *noiseSample) count() (n positions.Noise, err error) {
	file, err := models.Open(models.Default)
	if err != nil {
		return n, err
	}
	model, coefs, err := file.Weights()
	if err != nil {
		return n, err
	}
	newResolver, err := positions.Quiescence(model, coefs)
	if err != nil {
		return n, err
	}
	resolve := newResolver()
	for i := range s.boards {
		n.Add(&s.boards[i], resolve)
	}
	s.boards = nil
	return n, nil
}

// featuresReport is the report in the manifest of features.
type featuresReport struct {
	Noise positions.Noise `json:"noise"` // of the positions that the engine was sent; none if it resolves them
}

// noiseOf returns the noise that the manifest of features reports.
func noiseOf(m *durable.Manifest) (n positions.Noise) {
	var r featuresReport
	if m != nil && json.Unmarshal(m.Report, &r) == nil {
		n = r.Noise
	}
	return n
}

// noiseWarning says what is wrong with the rows of the data sets, and the cure; it is empty
// if they are fit for tuning.
func noiseWarning(n *positions.Noise, paths []string) string {
	if !n.Unfit() {
		return ""
	}
	var words []string
	for _, path := range paths {
		words = append(words, quote.Word(path))
	}
	return fmt.Sprintf("%s of the rows say little about the evaluation: %s are in check, in %s a capture or "+
		"promotion changes it by more than %d centipawns (%d rows looked at); "+
		"make quiet rows: assay data positions %s --preset texel --out quiet",
		ui.Share(n.InCheck+n.Noisy, n.Rows), ui.Share(n.InCheck, n.Rows), ui.Share(n.Noisy, n.Rows),
		positions.NoiseLimit, n.Rows, strings.Join(words, " "))
}
