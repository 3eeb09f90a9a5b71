package eval

import "github.com/assay-chess/assay/engine/board"

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
