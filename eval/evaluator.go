package eval

import "github.com/assay-chess/assay/engine/board"

// Evaluator judges positions with one model and fixed weights.
type Evaluator interface {
	// Evaluate returns the value of the position in centipawns from White's view,
	// |value| <= MaxScore. It is a function of the position and the weights alone,
	// the same integer on every machine. An Evaluator serves one goroutine at a time.
	Evaluate(p *board.Position) int
}

// NewEvaluator returns an evaluator of the model with the given weights, one for
// each term. The weights are copied.
func (m *Model) NewEvaluator(w []Coef) (Evaluator, error) {
	if err := m.Check(w); err != nil {
		return nil, err
	}
	e := &evaluator{score: m.score}
	for i, c := range w {
		e.weights[i] = pack(c)
	}
	return e, nil
}

type evaluator struct {
	score   func(*board.Position, scorer) scorer
	weights weights
}

func (e *evaluator) Evaluate(p *board.Position) int {
	mg, eg := unpack(e.score(p, scorer{w: &e.weights}).sum)
	phase := int64(Phase(p))
	return value(mg*phase+eg*(MaxPhase-phase), 1, 1)
}

// value makes centipawns of a sum: the one division, toward zero, and the bound.
func value(sum, scaleNum, scaleDen int64) int {
	v := sum * scaleNum / (MaxPhase * scaleDen)
	return int(max(-MaxScore, min(v, MaxScore)))
}
