package tuner

import (
	"context"
	"math"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// pieceTypes are the men that have a value: all but the king.
const pieceTypes = 5

// samplePositions is the largest number of positions from which marginal
// values are taken.
const samplePositions = 4096

// PieceValue is the average marginal value of a kind of piece: by how many
// centipawns the evaluation falls, on average over the pieces of that kind in a
// sample of the data, when one is taken off the board and nothing else
// changes (the phase included). So it holds the material coefficient, the
// piece's square and mobility, and what its absence does to all the rest. This
// is the number to compare with Shannon's 9, 5, 3, 3 and 1; material
// coefficients alone mean little beside tables that can absorb any part of
// them. Values are centipawns of the evaluation as it stands, with no pawn
// set to 100; Pawns is their ratio to the pawn's value.
type PieceValue struct {
	Piece   string  `json:"piece"`   // pawn to queen
	Count   int64   `json:"count"`   // pieces in the sample
	Shannon float64 `json:"shannon"` // his coefficient (1950, section 3)
	Start   float64 `json:"start"`   // under the start weights
	Value   float64 `json:"value"`   // under the fit
	SE      float64 `json:"se"`      // clustered
	MG      float64 `json:"mg"`      // under the fit at phase 24
	EG      float64 `json:"eg"`      // under the fit at phase 0
	Pawns   float64 `json:"pawns"`   // Value in units of the pawn's Value, by the delta method
	SEPawns float64 `json:"se_pawns"`
}

// shannonValues are the coefficients of Shannon's f(P) for pawn to queen, in
// centipawns (Shannon 1950, section 3).
var shannonValues = [pieceTypes]float64{100, 300, 300, 500, 900}

// pieceSample holds, for each kind of man, the sums over the sample of the
// changes of features: White's men count plus, Black's minus. They are whole
// numbers, so their order is of no matter.
type pieceSample struct {
	count  [pieceTypes]int64
	phase  [pieceTypes]int64   // sum of the phases
	mg, eg [pieceTypes][]int64 // by term: sum of change*phase, change*(24-phase)
	raw    []int64             // occurrences of each term, White's plus Black's
}

// reservoir keeps every stride-th position and doubles the stride when full,
// so that the sample depends only on the order of the positions.
type reservoir struct {
	positions []board.Position
	stride, n int
}

func (r *reservoir) add(p *board.Position) {
	if r.stride == 0 {
		r.stride = 1
	}
	if r.n%r.stride == 0 {
		if len(r.positions) == samplePositions {
			for i := range samplePositions / 2 {
				r.positions[i] = r.positions[2*i]
			}
			r.positions = r.positions[:samplePositions/2]
			r.stride *= 2
		}
		if r.n%r.stride == 0 {
			r.positions = append(r.positions, *p)
		}
	}
	r.n++
}

// samplePieces takes the marginal changes of every man in the positions.
func samplePieces(ctx context.Context, m *eval.Model, positions []board.Position, want int) (*pieceSample, error) {
	const block = 64
	total := newPieceSample(len(m.Terms))
	type scratch struct {
		part         *pieceSample
		with, absent eval.Features
	}
	alloc := func() *scratch { return &scratch{part: newPieceSample(len(m.Terms))} }
	work := func(s *scratch, piece int) error {
		for i := piece * block; i < min((piece+1)*block, len(positions)); i++ {
			p := &positions[i]
			m.Features(p, &s.with)
			for men := p.Occupied() &^ p.ByType(board.King); men != 0; {
				sq := men.PopFirst()
				without, err := removed(p, sq)
				if err != nil {
					continue // taking a pinned man away would expose a king that cannot be in check
				}
				m.Features(&without, &s.absent)
				s.part.add(p.PieceAt(sq), s.with.Phase, s.with.Entries, s.absent.Entries)
			}
			for _, c := range m.Counts(p) {
				s.part.raw[c.Term] += int64(abs(c.White) + abs(c.Black))
			}
		}
		return nil
	}
	merge := func(s *scratch, _ int) { total.merge(s.part) }
	err := ordered(ctx, want, (len(positions)+block-1)/block, alloc, work, merge)
	return total, err
}

// removed returns the position without the man on sq.
func removed(p *board.Position, sq board.Square) (board.Position, error) {
	keep := ^sq.Bitboard()
	colors := [2]board.Bitboard{p.ByColor(board.White) & keep, p.ByColor(board.Black) & keep}
	var types [6]board.Bitboard
	for t := range types {
		types[t] = p.ByType(board.PieceType(t)) & keep
	}
	return board.FromBitboards(colors, types, p.SideToMove(), p.Castling()&keep, board.NoSquare, p.Halfmove(), p.Fullmove())
}

func newPieceSample(terms int) *pieceSample {
	s := &pieceSample{raw: make([]int64, terms)}
	for t := range pieceTypes {
		s.mg[t], s.eg[t] = make([]int64, terms), make([]int64, terms)
	}
	return s
}

// add counts the change from absent to with, which is what the man is worth.
func (s *pieceSample) add(man board.Piece, phase int, with, absent []eval.Feature) {
	t := man.Type()
	sign := int64(1)
	if man.Color() == board.Black {
		sign = -1
	}
	s.count[t]++
	s.phase[t] += int64(phase)
	put := func(f eval.Feature, sign int64) {
		v := sign * int64(f.Count)
		s.mg[t][f.Term] += v * int64(phase)
		s.eg[t][f.Term] += v * int64(MaxPhase-phase)
	}
	for _, f := range with {
		put(f, sign)
	}
	for _, f := range absent {
		put(f, -sign)
	}
}

// merge adds the sums of o and clears them.
func (s *pieceSample) merge(o *pieceSample) {
	move := func(dst, src []int64) {
		for i, v := range src {
			dst[i] += v
		}
		clear(src)
	}
	for t := range pieceTypes {
		s.count[t] += o.count[t]
		s.phase[t] += o.phase[t]
		move(s.mg[t], o.mg[t])
		move(s.eg[t], o.eg[t])
	}
	o.count, o.phase = [pieceTypes]int64{}, [pieceTypes]int64{}
	move(s.raw, o.raw)
}

// functional returns the marginal value of kind t as a linear function of the
// coefficients.
func (s *pieceSample) functional(t int) halves {
	a := newHalves(len(s.raw))
	for i := range a.mg {
		a.mg[i] = float64(s.mg[t][i]) / float64(MaxPhase*s.count[t])
		a.eg[i] = float64(s.eg[t][i]) / float64(MaxPhase*s.count[t])
	}
	return a
}

func (a halves) dot(w halves) (mg, eg float64) {
	for i := range a.mg {
		mg += a.mg[i] * w.mg[i]
		eg += a.eg[i] * w.eg[i]
	}
	return mg, eg
}

// values returns the marginal values of the five kinds under old and new
// weights; v may be nil. scale is the factor between theta and centipawns.
func (s *pieceSample) values(old, fit halves, q *params, v *covariance, scale float64) []PieceValue {
	var out []PieceValue
	var linear [pieceTypes][]float64
	for t := range pieceTypes {
		p := PieceValue{Piece: board.PieceType(t).String(), Count: s.count[t], Shannon: shannonValues[t]}
		linear[t] = make([]float64, q.n)
		if s.count[t] > 0 {
			a := s.functional(t)
			mg, eg := a.dot(old)
			p.Start = mg + eg
			mg, eg = a.dot(fit)
			p.Value = mg + eg
			middle := float64(s.phase[t]) / float64(MaxPhase*s.count[t])
			p.MG, p.EG = ratio(mg, middle), ratio(eg, 1-middle)
			q.fold(a, linear[t])
			p.SE = scale * v.contrast(linear[t])
		}
		out = append(out, p)
	}
	for t := range out {
		pawn := out[board.Pawn].Value
		out[t].Pawns = ratio(out[t].Value, pawn)
		d := make([]float64, q.n)
		for j := range d {
			d[j] = linear[t][j] - out[t].Pawns*linear[board.Pawn][j]
		}
		out[t].SEPawns = math.Abs(ratio(scale*v.contrast(d), pawn))
	}
	return out
}

// ratio is a/b, or 0 where b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}
