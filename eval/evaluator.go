package eval

import (
	"slices"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// NewEvaluator returns an evaluator of the model with the given weights, one for
// each term. The weights are copied. Its values are |value| <= MaxScore, a function of the position and the weights
// alone (and of the root, for a model with terms that depend on it), the same integers on every machine. It serves
// one goroutine at a time.
func (m *Model) NewEvaluator(w []Coef) (engine.RootedEvaluator, error) {
	if err := m.Check(w); err != nil {
		return nil, err
	}
	if m.Nonlinear != nil {
		e := &bentEvaluator{score: m.score, value: m.Nonlinear.value}
		e.weights.bent = new(bentTable)
		for i, c := range w {
			e.weights.packed[m.slot(i)] = pack(c)
		}
		return e, nil
	}
	if m.score == nil {
		return &counter{m, slices.Clone(w), Features{scratch: new(trace)}}, nil
	}
	e := &evaluator{score: m.score, scale: m.scale}
	for i, c := range w {
		e.weights.packed[i] = pack(c)
	}
	return e, nil
}

type evaluator struct {
	score   func(*board.Position, scorer) scorer
	scale   func(*board.Position, int) int // nil: none
	weights weights
}

func (e *evaluator) SetRoot(*board.Position) {}

func (e *evaluator) Evaluate(p *board.Position) int {
	mg, eg := unpack(e.score(p, scorer{w: &e.weights}).sum)
	phase, scale := Phase(p), scaleWhole
	if e.scale != nil {
		scale = e.scale(p, phase)
	}
	return value(mg*int64(phase)+eg*int64(MaxPhase-phase), int64(scale), scaleWhole)
}

// counter evaluates with a small model, by the features of a position.
type counter struct {
	model    *Model
	weights  []Coef
	features Features
}

func (c *counter) SetRoot(p *board.Position) { c.features.scratch.root.set(p) }

func (c *counter) Evaluate(p *board.Position) int {
	c.model.Features(p, &c.features)
	return c.features.Value(c.weights)
}

// value converts a sum to centipawns: the one division, toward zero, and the bound.
func value(sum, scaleNum, scaleDen int64) int {
	v := sum * scaleNum / (MaxPhase * scaleDen)
	return bounded(v)
}

// Weights are a model with weights, one for each term, for a player that shows and changes them. They never change
// themselves.
type Weights struct {
	Model *Model
	Coefs []Coef
}

// Set returns the weights with one of them set, as Model.SetWeight does.
func (w Weights) Set(name, value string) (Weights, bool, error) {
	next, ok, err := w.Model.SetWeight(w.Coefs, name, value)
	return Weights{w.Model, next}, ok, err
}

// Evaluator returns the evaluation, in which all terms but material count by that many percent of their weights.
func (w Weights) Evaluator(percent int) (engine.RootedEvaluator, error) {
	scaled := slices.Clone(w.Coefs)
	for i := range min(len(scaled), len(w.Model.Terms)) {
		if w.Model.Terms[i].Group != GroupMaterial {
			scaled[i].MG = scaled[i].MG * int32(percent) / 100
			scaled[i].EG = scaled[i].EG * int32(percent) / 100
		}
	}
	return w.Model.NewEvaluator(scaled)
}

// pawnEntries is the number of entries of a pawnTable, 400 kB. It is enough: the positions
// of one search share few pawn structures.
const pawnEntries = 1 << 13

// pawnTable caches what scoreStructure computes, by the key of pawns and kings. It changes
// no value, it only saves time.
type pawnTable [pawnEntries]pawnEntry

type pawnEntry struct {
	key          uint64 // 0: empty
	sum          int64  // packed weights, from Black's view
	black, white structure
}

// structure is what other terms need to know of a side's pawns.
type structure struct{ passed, outposts board.Bitboard }

func (v *view) structure() structure     { return structure{v.passed, v.outposts} }
func (v *view) setStructure(t structure) { v.passed, v.outposts = t.passed, t.outposts }

// bentTable caches, beside each entry of a pawnTable, the sums of other channels, 400 kB.
type bentTable [pawnEntries]sums

// structure counts pawns and kings.
func (s tracer) structure(_ *board.Position, black, white *view) tracer {
	return traceStructure(black, white, s)
}

// structure adds up pawns and kings in all channels, from the cache if they are there.
func (s scorer) structure(p *board.Position, black, white *view) scorer {
	key := p.PawnKey()
	i, bent := key%pawnEntries, s.w.bent != nil
	e := &s.w.pawns[i]
	if e.key != key || key == 0 {
		score := scorer{w: s.w}
		if bent {
			score = scoreBentStructure(black, white, score)
			s.w.bent[i] = s.w.sums
		} else {
			score = scoreStructure(black, white, score)
		}
		*e = pawnEntry{key, score.sum, black.structure(), white.structure()}
	}
	black.setStructure(e.black)
	white.setStructure(e.white)
	if bent {
		s.w.sums = s.w.bent[i]
	}
	s.sum += e.sum
	return s
}

// bentStructure counts pawns and kings in all channels.
func (s tracer) bentStructure(_ *board.Position, black, white *view) tracer {
	return traceBentStructure(black, white, s)
}

// bentStructure is structure; with channels, that sets the sums of the others too.
func (s scorer) bentStructure(p *board.Position, black, white *view) scorer {
	return s.structure(p, black, white)
}

// materialEntries is the number of entries of a materialTable, 4 kB: the positions of one
// search have few combinations of pieces.
const materialEntries = 1 << 8

// materialTable caches what scoreMaterial computes.
type materialTable [materialEntries]materialEntry

type materialEntry struct {
	key uint64 // 0: empty
	sum int64  // packed weights, from Black's view
}

// material counts the pieces.
func (s tracer) material(_ *board.Position, black, white *view) tracer {
	return traceMaterial(black, white, s)
}

// material adds up the pieces, from the cache if they are there.
func (s scorer) material(p *board.Position, black, white *view) scorer {
	key := p.MaterialKey()
	e := &s.w.material[key*0x9e3779b97f4a7c15>>56%materialEntries]
	if e.key != key {
		*e = materialEntry{key, scoreMaterial(black, white, scorer{w: s.w}).sum}
	}
	s.sum += e.sum
	return s
}
