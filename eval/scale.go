package eval

import "github.com/assay-chess/assay/engine/board"

// scaleWhole is the denominator of endgame scales: a scale of so much changes nothing.
const scaleWhole = 16

// Endgame scales of the model assay, in sixteenths: ours, chosen near the factors that fit the
// results of such positions in engine and people's games best, beside that of endings
// with many pawns. The wrong bishop's is a textbook's.
const (
	scaleDead      = 1  // pieces alone that cannot win
	scaleOnePawn   = 4  // the last pawn, against pieces
	scaleTwoPawns  = 12 // one pawn up, with two
	scaleThree     = 14 // one pawn up, with three
	scaleOpposite  = 6  // bishops of opposite colours and pawns, one pawn up
	scaleOpposite2 = 10 // the same, more pawns up
	scaleOpposite3 = 14 // bishops of opposite colours and other pieces
)

// scalePhase is the highest phase in which an ending is scaled.
const scalePhase = 12

// assayScale returns by how many sixteenths of its value a position is worth what its
// terms say: a lead is hard to convert with few pawns, with bishops of opposite colours,
// or with none but the wrong rook's pawn. Which side leads is counted in Shannon's points.
// It depends on the men alone, never on the weights, so that values stay linear in them.
func assayScale(p *board.Position, phase int) int {
	if phase > scalePhase {
		return scaleWhole
	}
	strong, weak := muster(p, board.White), muster(p, board.Black)
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

// force is what a side has in Shannon's points, pawns apart.
type force struct {
	color         board.Color
	points, pawns int
}

func muster(p *board.Position, c board.Color) force {
	minors := p.Pieces(c, board.Knight) | p.Pieces(c, board.Bishop)
	points := 3*minors.Count() + 5*p.Pieces(c, board.Rook).Count() + 9*p.Pieces(c, board.Queen).Count()
	return force{c, points, p.Pieces(c, board.Pawn).Count()}
}

// scalePieces is the scale where the side that leads has pieces alone: a minor piece
// more wins nothing, nor do two knights against the bare king.
func scalePieces(p *board.Position, strong, weak force, pieces int) int {
	knights := p.Pieces(strong.color, board.Knight).Count()
	if weak.pawns <= 1 && (pieces == 2 || pieces == 3 || weak.points == 0 && knights == 2 && strong.points == 6) {
		return scaleDead
	}
	return scaleWhole
}

// scaleWrongBishop is the scale against a king and pawns: dead if all pawns stand on one
// rook's file, no bishop guards the square they promote on, and the other king does.
func scaleWrongBishop(p *board.Position, strong, weak force) int {
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
	colour := board.LightSquares
	if board.DarkSquares.Has(corner) {
		colour = board.DarkSquares
	}
	if bishops&colour != 0 {
		return scaleWhole
	}
	return scaleDead
}

// opposite tells whether each side has one bishop, on squares of different colours.
func opposite(p *board.Position, a, b force) bool {
	mine, theirs := p.Pieces(a.color, board.Bishop), p.Pieces(b.color, board.Bishop)
	return mine != 0 && theirs != 0 && !mine.Many() && !theirs.Many() &&
		(mine&board.LightSquares == 0) != (theirs&board.LightSquares == 0)
}
