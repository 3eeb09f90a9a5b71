package slopes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/assay-chess/assay/dataset"
)

// Moved is what other numbers do to the values of a data set's positions: root mean squares in centipawns.
type Moved struct {
	Actual float64 // change of the value
	Wrong  float64 // difference from what the slopes predict
}

// Compare evaluates positions of a data set that Measure made of the same Config with the numbers at, and says how
// well their slopes predict it. It takes up to most positions, evenly, and leaves out those that are decided. Up to a
// tenth of the others, 100 at most, may make the program fail: they are left out, too.
func Compare(ctx context.Context, c Config, at []float64, most int64) (Moved, error) {
	m := &measurement{Config: c, ctx: ctx, tries: map[int]int{}}
	if _, _, err := m.open(); err != nil {
		return Moved{}, err
	}
	data, set, err := dataset.OpenFeatures(c.Out)
	if err != nil {
		return Moved{}, err
	}
	program, err := Start(ctx, c.Command)
	if err != nil {
		return Moved{}, err
	}
	defer program.Close()
	return m.compare(program, data, &set, at, max(1, data.Len()/most))
}

func (m *measurement) compare(program *Program, data *dataset.Reader[dataset.FeatureRow], set *dataset.FeatureSet,
	at []float64, every int64) (moved Moved, err error) {
	values := map[string]float64{}
	for k, name := range program.names {
		values[name] = at[k]
	}
	terms := make([]float64, len(set.Terms))
	for i, t := range set.Terms {
		terms[i] = values[t.Name] / t.Number(1)
	}
	var report Report
	if err := json.Unmarshal(data.Manifest().Report, &report); err != nil {
		return moved, fmt.Errorf("%s: report: %w", data.Path(), err)
	}
	without := map[string]bool{}
	for _, u := range report.Unevaluated {
		without[u.FEN] = true
	}
	var fens []string
	var base, predicted []float64
	next, stop := iter.Pull2(data.All())
	defer stop()
	n := int64(0)
	for row, err := range m.positions() {
		if err != nil {
			return moved, err
		}
		fen := FEN(&row.Board)
		if without[fen] {
			continue
		}
		f, err, ok := next()
		if !ok {
			err = errors.Join(err, fmt.Errorf("%s: fewer rows than positions", m.Out))
		}
		if err != nil {
			return moved, err
		}
		if n++; n%every != 0 || set.Centipawns(math.Abs(float64(f.Eval))) >= 100*decided {
			continue
		}
		p := float64(f.Offset)
		for i, t := range f.Terms {
			p += float64(f.Counts[i]) * terms[t]
		}
		fens, base, predicted = append(fens, fen), append(base, float64(f.Eval)), append(predicted, p)
	}
	program.setPoint(at)
	now, bad, err := program.each(fens)
	if err != nil {
		return moved, err
	}
	var actual, wrong []float64
	for i, v := range now {
		switch why := bad[i]; {
		case why == nil:
			actual, wrong = append(actual, v-base[i]), append(wrong, v-predicted[i])
		case 10*len(bad) > len(fens):
			return moved, &failure{FEN: fens[i], Err: why}
		}
	}
	return Moved{set.Centipawns(rms(actual)), set.Centipawns(rms(wrong))}, nil
}
