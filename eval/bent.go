package eval

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval/formula"
)

// Nonlinear says how a model's value is made of its terms where that is not a sum: the terms are
// summed in channels, and a formula makes the value of the sums (see package eval/formula).
type Nonlinear struct {
	// Channels are what the terms are summed in. A channel without sides has White's counts
	// minus Black's, or counts of the whole position; one with sides has a sum for each.
	Channels []formula.Channel
	Formula  *formula.Formula

	value   func(s *sums, phase int64) int64 // the formula in integers
	first   []int                            // by channel: its first sum
	channel []uint8                          // by term
	slot    []uint16                         // by term: its index in counts and weights
	term    [maxTerms]uint16                 // by slot
}

// maxSums bounds the sums of a model's channels; a power of two, as maxTerms.
const maxSums = 8

// sums are packed sums of channels, White's before Black's. A plain channel has equal halves.
type sums [maxSums]int64

// compact takes the gaps out of the table, which stand for terms of a model that shares its
// slots, and notes where terms and sums are.
func (b *Nonlinear) compact(t *table) *table {
	n := 0
	for _, c := range b.Channels {
		b.first = append(b.first, n)
		if n++; c.Sides {
			n++
		}
	}
	if n > maxSums {
		panic("eval: channels with more than maxSums sums")
	}
	dense := newTable(0)
	for slot := range t.terms {
		if t.terms[slot].Name != "" {
			b.term[slot] = uint16(len(b.slot))
			b.slot = append(b.slot, uint16(slot))
			dense.terms, dense.start = append(dense.terms, t.terms[slot]), append(dense.start, t.start[slot])
		}
	}
	for i := range dense.terms {
		x := &dense.terms[i]
		x.Mirror = int(b.term[x.Mirror])
		channel := slices.IndexFunc(b.Channels, func(c formula.Channel) bool { return c.Name == x.Channel })
		b.channel = append(b.channel, uint8(max(0, channel)))
	}
	return dense
}

// Channel returns the index of a term's channel.
func (b *Nonlinear) Channel(term int) int { return int(b.channel[term]) }

// sides reports whether the channel of a term counts each side.
func (b *Nonlinear) sides(term int) bool { return b.Channels[b.channel[term]].Sides }

// bentEvaluator evaluates positions with a model that has a formula.
type bentEvaluator struct {
	weights weights
	score   func(*board.Position, scorer) scorer
	value   func(*sums, int64) int64
}

func (e *bentEvaluator) SetRoot(*board.Position) {}

func (e *bentEvaluator) Evaluate(p *board.Position) int {
	e.weights.sums[0] = e.score(p, scorer{w: &e.weights}).sum
	return bounded(e.value(&e.weights.sums, int64(Phase(p))))
}

// bounded returns a value within MaxScore.
func bounded(v int64) int { return int(max(-MaxScore, min(v, MaxScore))) }

// signOf returns -1, 0 or 1.
func signOf(v int64) int64 { return v>>63 | int64(uint64(-v)>>63) }

// bentFeatures counts the terms of a model with a formula.
func (m *Model) bentFeatures(p *board.Position, f *Features) {
	if f.black == nil {
		f.black = new(trace)
	}
	m.trace(p, tracer{to: f.black, next: f.scratch, sign: -1})
	f.Entries = f.Entries[:0]
	for i := range f.scratch.seen {
		word := f.scratch.seen[i] | f.black.seen[i]
		f.scratch.seen[i], f.black.seen[i] = 0, 0
		for ; word != 0; word &= word - 1 {
			slot := i<<6 + bits.TrailingZeros64(word)
			e := Feature{m.Nonlinear.term[slot], f.scratch.counts[slot], -f.black.counts[slot]}
			f.scratch.counts[slot], f.black.counts[slot] = 0, 0
			if !m.Nonlinear.sides(int(e.Term)) {
				e.Count, e.Black = e.Count-e.Black, 0
			}
			if e.Count != 0 || e.Black != 0 {
				f.Entries = append(f.Entries, e)
			}
		}
	}
	f.Phase, f.ScaleNum, f.ScaleDen = Phase(p), 1, 1
}

// of is the value of features under weights w.
func (b *Nonlinear) of(f *Features, w []Coef) int {
	var s sums
	for _, e := range f.Entries {
		at, packed := b.first[b.channel[e.Term]], pack(w[e.Term])
		s[at] += packed * int64(e.Count)
		if b.sides(int(e.Term)) {
			s[at+1] += packed * int64(e.Black)
		}
	}
	return bounded(b.value(&s, int64(f.Phase)))
}

// without is the value of features without a term.
func (b *Nonlinear) without(f *Features, w []Coef, term int) int {
	g := Features{Phase: f.Phase}
	for _, e := range f.Entries {
		if int(e.Term) != term {
			g.Entries = append(g.Entries, e)
		}
	}
	return b.of(&g, w)
}

// open returns a sink for the terms of a channel other than the first, to be given to keep.
// A channel without sides is counted in White's turn.
func (s tracer) open() tracer { return s }

// open starts a sum of its own, in a register.
func (s scorer) open() scorer { return scorer{w: s.w} }

// reopen continues a sum that keep has stored. A tracer only counts.
func (s tracer) reopen(int) tracer { return s }

// reopen continues a stored sum, in a register.
func (s scorer) reopen(sum int) scorer { return scorer{s.w, s.w.sums[sum&(maxSums-1)]} }

// keep ends what open began; sum is the index of the channel's sum. A tracer has counted.
func (s tracer) keep(_ int, x tracer) tracer { return s }

// keep stores the sum.
func (s scorer) keep(sum int, x scorer) scorer {
	s.w.sums[sum&(maxSums-1)] = x.sum
	return s
}

// scaleWhole is the denominator of endgame scales: this scale changes nothing.
const scaleWhole = 16

// Endgame scales of the model assay, in sixteenths. They are our own, near the factors that
// best fit the results of such positions in games of engines and people, relative to
// endings with many pawns. The scale of the wrong bishop is from textbooks.
const (
	scaleDead      = 1  // pieces without pawns that cannot win
	scaleOnePawn   = 4  // the last pawn, against pieces
	scaleTwoPawns  = 12 // one pawn up, with two
	scaleThree     = 14 // one pawn up, with three
	scaleOpposite  = 6  // bishops of opposite colors and pawns, one pawn up
	scaleOpposite2 = 10 // the same, more pawns up
	scaleOpposite3 = 14 // bishops of opposite colors and other pieces
)

// scalePhase is the highest phase in which an ending is scaled.
const scalePhase = 12

// assayScale returns the endgame scale of a position, in sixteenths: a lead is hard to
// convert with few pawns, with bishops of opposite colors, or with only rook's pawns and
// the wrong bishop. Shannon's piece values decide which side leads. The scale depends on
// the pieces alone, never on the weights, so that values stay linear in the weights.
func assayScale(p *board.Position, phase int) int {
	if phase > scalePhase {
		return scaleWhole
	}
	strong, weak := materialOf(p, board.White), materialOf(p, board.Black)
	if strong.points+strong.pawns < weak.points+weak.pawns {
		strong, weak = weak, strong
	}
	pieces := strong.points - weak.points
	lead := pieces + strong.pawns - weak.pawns
	switch {
	case lead == 0:
		return scaleWhole
	case strong.pawns == 0:
		return scalePieces(p, strong, weak, pieces)
	case weak.points == 0:
		return scaleWrongBishop(p, strong, weak)
	case opposite(p, strong, weak):
		switch {
		case strong.points+weak.points > 6:
			return scaleOpposite3
		case lead > 1:
			return scaleOpposite2
		}
		return scaleOpposite
	case strong.pawns == 1 && pieces <= 1:
		return scaleOnePawn
	case pieces != 0 || lead != 1:
		return scaleWhole
	}
	switch strong.pawns {
	case 2:
		return scaleTwoPawns
	case 3:
		return scaleThree
	}
	return scaleWhole
}

// material is what a side has, pieces in Shannon's points and pawns apart.
type material struct {
	color         board.Color
	points, pawns int
}

func materialOf(p *board.Position, c board.Color) material {
	minors := p.Pieces(c, board.Knight) | p.Pieces(c, board.Bishop)
	points := 3*minors.Count() + 5*p.Pieces(c, board.Rook).Count() + 9*p.Pieces(c, board.Queen).Count()
	return material{c, points, p.Pieces(c, board.Pawn).Count()}
}

// scalePieces is the scale where the side that leads has no pawns: an extra minor piece
// does not win, nor do two knights against a bare king.
func scalePieces(p *board.Position, strong, weak material, pieces int) int {
	knights := p.Pieces(strong.color, board.Knight).Count()
	if weak.pawns <= 1 && (pieces == 2 || pieces == 3 || weak.points == 0 && knights == 2 && strong.points == 6) {
		return scaleDead
	}
	return scaleWhole
}

// scaleWrongBishop is the scale against a king and pawns: scaleDead if all pawns are on one
// rook's file, no bishop guards the promotion square, and the other king does.
func scaleWrongBishop(p *board.Position, strong, weak material) int {
	pawns := p.Pieces(strong.color, board.Pawn)
	bishops := p.Pieces(strong.color, board.Bishop)
	file := board.FileA
	if pawns&file == 0 {
		file = board.FileH
	}
	if pawns&^file != 0 || strong.points > 3 || bishops.Count()*3 != strong.points {
		return scaleWhole
	}
	last := board.Rank8
	if strong.color == board.Black {
		last = board.Rank1
	}
	corner := (file & last).First()
	if distance(p.KingSquare(weak.color), corner) > 1 {
		return scaleWhole
	}
	color := board.LightSquares
	if board.DarkSquares.Has(corner) {
		color = board.DarkSquares
	}
	if bishops&color != 0 {
		return scaleWhole
	}
	return scaleDead
}

// opposite reports whether each side has one bishop, on squares of different colors.
func opposite(p *board.Position, a, b material) bool {
	mine, theirs := p.Pieces(a.color, board.Bishop), p.Pieces(b.color, board.Bishop)
	return mine != 0 && theirs != 0 && !mine.Many() && !theirs.Many() &&
		(mine&board.LightSquares == 0) != (theirs&board.LightSquares == 0)
}

// MaxPhase is the phase of the middlegame; 0 is the endgame of kings and pawns.
const MaxPhase = 24

// Phase returns the phase of a position, 0 to MaxPhase: each knight or bishop of either
// side counts 1, a rook 2, a queen 4.
func Phase(p *board.Position) int {
	minors := p.ByType(board.Knight) | p.ByType(board.Bishop)
	phase := minors.Count() + 2*p.ByType(board.Rook).Count() + 4*p.ByType(board.Queen).Count()
	return min(phase, MaxPhase)
}

// Band is a range of phases, both ends included.
type Band struct{ Lo, Hi int }

// String returns the band as "18-23", or "24" where it is one phase.
func (b Band) String() string {
	if b.Lo == b.Hi {
		return strconv.Itoa(b.Lo)
	}
	return fmt.Sprintf("%d-%d", b.Lo, b.Hi)
}

// PhaseBands divide the phases, the middlegame first. Statistics by phase use these bands.
var PhaseBands = [...]Band{{24, 24}, {18, 23}, {12, 17}, {6, 11}, {0, 5}}

// PhaseBand returns the index in PhaseBands of a phase from 0 to MaxPhase.
func PhaseBand(phase int) int {
	i := 0
	for phase < PhaseBands[i].Lo {
		i++
	}
	return i
}
