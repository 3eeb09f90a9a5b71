package rows

import (
	"context"

	"github.com/assay-chess/assay/dataset/inorder"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// PieceTypes are the pieces that have a value: all but the king.
const PieceTypes = 5

// samplePositions is the largest number of positions from which marginal values are taken.
const samplePositions = 4096

// pieceSample holds, for each kind of piece, the sums over the sample of the changes of features: White's
// pieces count plus, Black's minus. They are whole numbers, so their order is of no matter.
type Sample struct {
	Count  [PieceTypes]int64
	Phase  [PieceTypes]int64   // sum of the phases
	MG, EG [PieceTypes][]int64 // by term: sum of change*phase, change*(24-phase)
	Seen   []int64             // occurrences of each term, White's plus Black's
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

// samplePieces takes the marginal changes of every piece in the positions.
func samplePieces(ctx context.Context, m *eval.Model, positions []board.Position, want int) (*Sample, error) {
	const block = 64
	total := newPieceSample(len(m.Terms))
	type scratch struct {
		part         *Sample
		with, absent eval.Features
	}
	alloc := func() *scratch { return &scratch{part: newPieceSample(len(m.Terms))} }
	work := func(s *scratch, piece int) error {
		for i := piece * block; i < min((piece+1)*block, len(positions)); i++ {
			p := &positions[i]
			m.Features(p, &s.with)
			for pieces := p.Occupied() &^ p.ByType(board.King); pieces != 0; {
				sq := pieces.PopFirst()
				without, err := removed(p, sq)
				if err != nil {
					continue // taking a pinned piece away would expose a king that cannot be in check
				}
				m.Features(&without, &s.absent)
				s.part.add(p.PieceAt(sq), s.with.Phase, s.with.Entries, s.absent.Entries)
			}
			for _, c := range m.Counts(p) {
				s.part.Seen[c.Term] += int64(abs(c.White) + abs(c.Black))
			}
		}
		return nil
	}
	merge := func(s *scratch, _ int) { total.merge(s.part) }
	err := inorder.Merge(ctx, want, (len(positions)+block-1)/block, alloc, work, merge)
	return total, err
}

// removed returns the position without the piece on sq.
func removed(p *board.Position, sq board.Square) (board.Position, error) {
	keep := ^sq.Bitboard()
	sets := board.Sets{
		ByColor:    [2]board.Bitboard{p.ByColor(board.White) & keep, p.ByColor(board.Black) & keep},
		SideToMove: p.SideToMove(), Castling: p.Castling() & keep, EnPassant: board.NoSquare,
		Halfmove: p.Halfmove(), Fullmove: p.Fullmove(),
	}
	for t := range sets.ByType {
		sets.ByType[t] = p.ByType(board.PieceType(t)) & keep
	}
	return sets.Position()
}

func newPieceSample(terms int) *Sample {
	s := &Sample{Seen: make([]int64, terms)}
	for t := range PieceTypes {
		s.MG[t], s.EG[t] = make([]int64, terms), make([]int64, terms)
	}
	return s
}

// add counts the change from absent to with, which is the piece's value.
func (s *Sample) add(piece board.Piece, phase int, with, absent []eval.Feature) {
	t := piece.Type()
	sign := int64(1)
	if piece.Color() == board.Black {
		sign = -1
	}
	s.Count[t]++
	s.Phase[t] += int64(phase)
	put := func(f eval.Feature, sign int64) {
		v := sign * int64(f.Count)
		s.MG[t][f.Term] += v * int64(phase)
		s.EG[t][f.Term] += v * int64(MaxPhase-phase)
	}
	for _, f := range with {
		put(f, sign)
	}
	for _, f := range absent {
		put(f, -sign)
	}
}

// merge adds the sums of o and clears them.
func (s *Sample) merge(o *Sample) {
	move := func(dst, src []int64) {
		for i, v := range src {
			dst[i] += v
		}
		clear(src)
	}
	for t := range PieceTypes {
		s.Count[t] += o.Count[t]
		s.Phase[t] += o.Phase[t]
		move(s.MG[t], o.MG[t])
		move(s.EG[t], o.EG[t])
	}
	o.Count, o.Phase = [PieceTypes]int64{}, [PieceTypes]int64{}
	move(s.Seen, o.Seen)
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}
