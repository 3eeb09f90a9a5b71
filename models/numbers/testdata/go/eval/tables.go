package eval

import . "example.org/minnow/board"

const (
	Tempo          = 9 // untyped: an int16 here, a float there
	Centre         = 3
	Isolated       = -12
	Mate           = 30_000
	Typed    Score = 7
	Ranks          = 8
)

const Grain = 32

const Pair, Wide = 25, Centre * 4 // Wide is made from Centre

const (
	Open = iota * 10
	Closed
)

// Tapered is a pair.
type Tapered struct{ mg, eg Score }

var Mobility = [...]Tapered{{-10, -20}, {0, 4}, {eg: 12, mg: 8}}

var Packed = []int32{S(12, -5), S(-3, 40), 2*S(1, 1) + 6}

var Values = map[int]Score{1: 100, 2: 320, 3: 330, 4: 500, 5: 950, 6: 20_000}

var Scale, Slope float32 = .5, 1.25

var PST = [PieceCount][8]Score{
	{0, 5, 10, 20, 30, 50, 80, 0},
	{-20, 0, 5, 10, 15, 10, 0, 8},
	/* bishops */ {1, 2, -3, 4, 5, 6, 7, 8},
	{0: 4, 6: 12, 7: 10},
}

var Mask = [2]uint64{12, 13}

var Small = [2]uint16{0, 3}

var Both = [2][PieceCount][8]Score{PST}

var flip = [8]int{7, 6, 5, 4, 3, 2, 1, 0}

var code = [3]int{2 * 3, 2, 1}

var total = sum(PST[1])

var cache = newCache()

func S(mg, eg int32) int32 { return eg<<16 + mg }
