package play

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// termEffect is what a change by c_end is worth in a typical position, in centipawns. In
// simulated runs of 1,600 games that start 30 Elo below the optimum, nine such parameters find
// almost half of it; with 25, and bounds five c_end away, a third. RESULTS.md has real runs.
const termEffect = 40

const (
	// largeShare: a large weight changes by this share of itself, if that is more.
	largeShare = 0.1
	// cEndsToBound is the distance from the start to min and to max, in c_end.
	cEndsToBound = 4
)

// sampleText holds one position of each of 300 games that shannon-1950 played against
// itself at 1,000 nodes a move (seed 1).
//
//go:embed sample.fen
var sampleText string

// TermParameters returns the terms of a model as parameters, with the weights as start values. The
// parameters have the names by which players take them as options: that of the term where both
// of its weights are equal, else one with eval.OnlyMG and one with eval.OnlyEG. Terms that depend
// on the root of a search are left out.
//
// c_end is termEffect by the term's typical count, which is the root mean square of White's
// count minus Black's in a sample of positions, where it is not 0 (1 if it always is); or a
// tenth of the weight, if that is more. min and max are four c_end below and above the
// start, and positive material stays so. r_end is left 0, for the default of the run.
func TermParameters(m *eval.Model, w []eval.Coef) ([]FileParameter, error) {
	if err := m.Check(w); err != nil {
		return nil, err
	}
	typical, err := typicalCounts(m)
	if err != nil {
		return nil, err
	}
	var list []FileParameter
	for i := range m.Terms {
		t := &m.Terms[i]
		if t.Rooted {
			continue
		}
		if w[i].MG == w[i].EG {
			list = append(list, termParameter(t, t.Name, w[i].MG, typical[i]))
			continue
		}
		list = append(list, termParameter(t, t.Name+eval.OnlyMG, w[i].MG, typical[i]),
			termParameter(t, t.Name+eval.OnlyEG, w[i].EG, typical[i]))
	}
	return list, nil
}

func termParameter(t *eval.Term, name string, weight int32, typical float64) FileParameter {
	start := float64(weight)
	cEnd := max(termEffect/typical, largeShare*math.Abs(start), 0.5)
	cEnd = math.Round(cEnd*10) / 10
	lo, hi := math.Floor(start-cEndsToBound*cEnd), math.Ceil(start+cEndsToBound*cEnd)
	if t.Group == eval.GroupMaterial && weight > 0 {
		lo = max(lo, 0)
	}
	lo, hi = max(lo, -eval.MaxCoef), min(hi, eval.MaxCoef)
	return FileParameter{Name: name, Start: &start, Min: &lo, Max: &hi, CEnd: cEnd}
}

// sample returns the positions of sampleText.
var sample = sync.OnceValues(func() ([]board.Position, error) {
	var list []board.Position
	for fen := range strings.Lines(sampleText) {
		p, err := board.ParseFEN(strings.TrimSpace(fen))
		if err != nil {
			return nil, fmt.Errorf("sample of positions: %w", err)
		}
		list = append(list, p)
	}
	return list, nil
})

// typicalCounts returns the root mean square of each term's count where it occurs in the
// sample, 1 where it never does.
func typicalCounts(m *eval.Model) ([]float64, error) {
	positions, err := sample()
	if err != nil {
		return nil, err
	}
	squares, rows := make([]int64, len(m.Terms)), make([]int64, len(m.Terms))
	var f eval.Features
	for i := range positions {
		m.Features(&positions[i], &f)
		for _, e := range f.Entries {
			squares[e.Term] += int64(e.Count)*int64(e.Count) + int64(e.Black)*int64(e.Black)
			rows[e.Term]++
		}
	}
	typical := make([]float64, len(m.Terms))
	for i := range typical {
		typical[i] = 1
		if rows[i] > 0 {
			typical[i] = math.Sqrt(float64(squares[i]) / float64(rows[i]))
		}
	}
	return typical, nil
}
