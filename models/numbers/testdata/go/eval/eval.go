// Package eval evaluates positions.
package eval

import (
	"math"

	. "example.org/minnow/board"
)

type table struct{ entries map[int]int }

func newCache() *table { return &table{entries: map[int]int{total: 0}} }

// History has one entry a rank.
var History [Ranks]int

func init() {
	for piece, row := range PST {
		for i := range row {
			Both[Black][piece][i] = -row[flip[i]]
		}
	}
	total += code[0] - 6
}

var bonus [2]int

var opened []bool

func init() {
	n := 2
	accumulate(n)
	open()
}

func accumulate(n int) {
	bonus[White] += n * int(Typed)
	bonus[Black] -= total
}

// open must run once.
func open() {
	if opened = append(opened, PST[1][2] != 1000); len(opened) > 1 {
		panic("opened twice")
	}
	go func() {}()
}

func sum(row [8]Score) int {
	t := 0
	for _, v := range row {
		t += int(v)
	}
	return t
}

// Evaluate is from White's view.
func Evaluate(b *Board) int {
	score, mg, eg, phase := bonus[0]+bonus[1], 0, int(Pair), 0
	for at, piece := range b.Squares {
		if piece == 0 {
			continue
		}
		side, kind, sign := White, piece-1, 1
		if piece > PieceCount {
			side, kind, sign = Black, piece-1-PieceCount, -1
		}
		phase++
		score += int(Both[side][kind][at/8]) + sign*int(Values[kind+1])
		m := Mobility[(at+kind)%3]
		mg += sign * int(m.mg)
		eg += sign * int(m.eg)
		p := Packed[at%3]
		mg += sign * int(int16(p))
		eg += sign * int((p+0x8000)>>16)
		if at%8 == 3 {
			score += sign * (Wide + weigh(Centre*2/3))
		}
	}
	if at := b.Squares[0]; at == 0 {
		score += Isolated
	}
	score += (mg*phase + eg*(32-phase)) / Grain
	score += int(math.Round(float64(total)*Tempo*float64(Scale))) / 100
	score += int(float32(phase)*Slope) + local(phase) + int(Small[phase%2])
	var small int16 = Tempo
	if !b.Black {
		return score + int(small+Tempo*300/100) + int(Typed)
	}
	return score - int(small+int16(Tempo)) - int(Typed)
}

func weigh(s Score) int { return int(s) }

func local(phase int) int {
	w := []int{4, 0, -7}
	return w[phase%3] / 2
}
