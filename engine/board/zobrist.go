package board

// zobrist has the random numbers of position keys (Zobrist 1970). They come from
// splitmix64 with a fixed seed, so keys are the same on every machine and in every version.
var zobrist = newZobristTable()

type zobristTable struct {
	piece    [16][64]uint64 // by Piece and Square
	castling [64]uint64     // by square of a rook that keeps its right
	ep       [8]uint64      // by file
	black    uint64         // Black to move
}

func newZobristTable() *zobristTable {
	t := new(zobristTable)
	state := uint64(0x1949_0309) // Shannon read his paper on 9 March 1949
	next := func() uint64 {
		n := SplitMix64(state)
		state += SplitMix64Gamma
		return n
	}
	for _, c := range []Color{White, Black} {
		for pt := Pawn; pt <= King; pt++ {
			for sq := range t.piece[0] {
				t.piece[NewPiece(c, pt)][sq] = next()
			}
		}
	}
	for sq := range t.castling {
		t.castling[sq] = next()
	}
	for f := range t.ep {
		t.ep[f] = next()
	}
	t.black = next()
	return t
}
