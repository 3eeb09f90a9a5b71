package eval

import (
	"fmt"
	"strconv"

	"github.com/assay-chess/assay/engine/board"
)

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
