// Package board reads positions.
package board

import "strings"

type Score int16

// PieceCount is the length of an array, so that it stays a constant.
const PieceCount = 6

const (
	White = iota
	Black
)

// Board is the pieces by square, a8 first; 0 is empty, 1 to 6 are White's, 7 to 12 Black's.
type Board struct {
	Squares [64]int
	Black   bool
}

func Parse(fen string) *Board {
	b := &Board{}
	fields := strings.Fields(fen)
	at := 0
	for _, c := range fields[0] {
		switch {
		case c == '/':
		case c >= '1' && c <= '8':
			at += int(c - '0')
		default:
			b.Squares[at] = strings.IndexRune("PNBRQKpnbrqk", c) + 1
			at++
		}
	}
	b.Black = fields[1] == "b"
	return b
}
