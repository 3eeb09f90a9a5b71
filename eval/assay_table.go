package eval

import (
	"fmt"

	"github.com/assay-chess/assay/engine/board"
)

// The model assay: its terms and their indices. What each counts is in assay.go.
//
// Start weights are Shannon's numbers for what Shannon counted, and zero for all other
// terms: these are learned from games.

// Index of the first term of every block.
const (
	assayMaterial  = 0                  // pawn, knight, bishop, rook, queen
	assayMobility  = assayMaterial + 5  // mobilitySizes terms for N, B, R, Q
	assayDoubled   = assayMobility + 66 // one term
	assayIsolated  = assayDoubled + 1   // one term
	assayBackward  = assayIsolated + 1  // one term
	assayPhalanx   = assayBackward + 1  // ranks 2 to 7
	assaySupported = assayPhalanx + 6   // ranks 3 to 7
	assayPassed    = assaySupported + 5 // ranks 2 to 7
	assayPair      = assayPassed + 6    // one term
	assayOpen      = assayPair + 1      // one term
	assayHalfOpen  = assayOpen + 1      // one term
	assaySeventh   = assayHalfOpen + 1  // one term
	assayShelter   = assaySeventh + 1   // two file distances by no pawn, rank 2 to 7
	assayRing      = assayShelter + 2*7 // ringBuckets terms
	assayContact   = assayRing + 20     // terms that need both sides, see below
	assayTempo     = assayContactEnd    // one term
	assaySquares   = assayTempo + 1     // pawn a2 to h7, then N, B, R, Q, K a1 to h8
	assayTerms     = assaySquares + 48 + 5*64
)

// Index of the first term of every block of assayContact.
const (
	assayIsolatedOpen = assayContact                // one term
	assayBackwardOpen = assayIsolatedOpen + 1       // one term
	assayOutpost      = assayBackwardOpen + 1       // knight, bishop
	assayOutpostReach = assayOutpost + 2            // one term
	assayPassedHalt   = assayOutpostReach + 1       // ranks 2 to 7
	assayPassedOpen   = assayPassedHalt + 6         // ranks 4 to 7
	assayPassedSafe   = assayPassedOpen + 4         // ranks 4 to 7
	assayPassedRook   = assayPassedSafe + 4         // own, theirs
	assayUnstoppable  = assayPassedRook + 2         // one term
	assayPassedOwn    = assayUnstoppable + 1        // ranks 4 to 7 by distance 0 to 5
	assayPassedTheir  = assayPassedOwn + 4*6        // the same
	assayCheck        = assayPassedTheir + 4*6      // knight, bishop, rook, queen
	assayRingWeak     = assayCheck + 4              // weakBuckets terms
	assayAttackers    = assayRingWeak + weakBuckets // one to four
	assayDanger       = assayAttackers + 4          // dangerBuckets terms
	assayBareFlank    = assayDanger + dangerBuckets // one term
	assayPinned       = assayBareFlank + 1          // one term
	assayThreatPawn   = assayPinned + 1             // on knight, bishop, rook, queen
	assayThreatMinor  = assayThreatPawn + 4         // on pawn, knight, bishop, rook, queen
	assayThreatRook   = assayThreatMinor + 5        // the same
	assayThreatKing   = assayThreatRook + 5         // one term
	assayThreatPush   = assayThreatKing + 1         // one term
	assayHanging      = assayThreatPush + 1         // pawn, piece
	assayAgainst      = assayHanging + 2            // nine terms
	assayMopEdge      = assayAgainst + 9            // distance 0 to 3
	assayMopKings     = assayMopEdge + 4            // distance 2 to 7
	assayContactEnd   = assayMopKings + 6
)

// weakBuckets is the number of terms for weak squares around a king.
const weakBuckets = 8

// dangerBuckets is the number of terms for the danger a king is in.
const dangerBuckets = 24

// Index of the first mobility term of every piece type.
const (
	assayMobilityKnight = assayMobility
	assayMobilityBishop = assayMobilityKnight + 9
	assayMobilityRook   = assayMobilityBishop + 14
	assayMobilityQueen  = assayMobilityRook + 15
)

// Index of the term of square a1 of every piece type. Pawns are never on the first rank,
// so their table starts at a2.
const (
	assaySquarePawn   = assaySquares - 8
	assaySquareKnight = assaySquares + 48
	assaySquareBishop = assaySquareKnight + 64
	assaySquareRook   = assaySquareBishop + 64
	assaySquareQueen  = assaySquareRook + 64
	assaySquareKing   = assaySquareQueen + 64
)

// ringBuckets is the number of terms for attacks on the squares around a king.
const ringBuckets = 20

func assayModel() *Model {
	t := newTable(assayTerms)
	declareAssay(t)
	m := newModel("assay", t, traceAssay, scoreAssay)
	m.scale = assayScale
	return m
}

func declareAssay(t *table) {
	declareMaterial(t)
	declareMobility(t)
	declarePawns(t)
	declarePieces(t)
	declareKing(t)
	declareContact(t)
	declareSquares(t)
	t.zeros(assayTempo, groupTempo, sourceOurs, "tempo")
}

func declareMaterial(t *table) {
	for i, start := range []int32{100, 300, 300, 500, 900} {
		name := board.PieceType(i).String()
		t.set(assayMaterial+i, Term{Name: name, Group: GroupMaterial, Tapered: true, Source: sourceShannon}, start)
	}
}

// declareMobility declares one term for each number of squares that a piece can go to.
// In the start weights each square counts Shannon's tenth of a pawn.
func declareMobility(t *table) {
	index := assayMobility
	for _, kind := range []struct {
		piece board.PieceType
		most  int
	}{{board.Knight, 8}, {board.Bishop, 13}, {board.Rook, 14}, {board.Queen, 27}} {
		for n := 0; n <= kind.most; n++ {
			name := fmt.Sprintf("mobility.%v.%d", kind.piece, n)
			t.set(index, Term{Name: name, Group: groupMobility, Tapered: true, Source: sourceShannonMoves}, int32(10*n))
			index++
		}
	}
}

func declarePawns(t *table) {
	for i, name := range []string{"doubled", "isolated", "backward"} {
		t.set(assayDoubled+i, Term{Name: name, Group: groupPawns, Tapered: true, Source: sourceShannon}, -50)
	}
	t.zeros(assayPhalanx, groupPawns, sourceOurs, ranked("phalanx", 2, 7)...)
	t.zeros(assaySupported, groupPawns, sourceOurs, ranked("supported", 3, 7)...)
	t.zeros(assayPassed, groupPassed, sourceShannonPassed, ranked("passed", 2, 7)...)
}

func declarePieces(t *table) {
	t.zeros(assayPair, groupPieces, sourceOurs, "bishop-pair")
	t.zeros(assayOpen, groupPieces, sourceShannonRooks, "rook.open-file", "rook.half-open-file")
	t.zeros(assaySeventh, groupPieces, sourceShannon7th, "rook.seventh")
}

func declareKing(t *table) {
	for i, where := range []string{"own-file", "next-file"} {
		name := "shelter." + where
		t.zeros(assayShelter+7*i, groupKing, sourceShannonKing, append([]string{name + ".none"}, ranked(name, 2, 7)...)...)
	}
	t.zeros(assayRing, groupKing, sourceShannonRing, numbered("king-ring", ringBuckets)...)
}

// declareSquares declares the piece-square tables. Squares are named from White's view:
// psq.knight.g1 is g8 for Black.
func declareSquares(t *table) {
	first := [6]int{assaySquarePawn, assaySquareKnight, assaySquareBishop, assaySquareRook, assaySquareQueen,
		assaySquareKing}
	for kind, base := range first {
		from, to := board.Square(0), board.Square(64)
		if board.PieceType(kind) == board.Pawn {
			from, to = 8, 56
		}
		for s := from; s < to; s++ {
			name := fmt.Sprintf("psq.%v.%v", board.PieceType(kind), s)
			t.set(base+int(s), Term{Name: name, Group: groupPieceSquare, Tapered: true, Source: sourceOurs}, 0)
		}
		for s := from; s < to; s++ {
			if s&7 < 4 {
				t.pair(base+int(s), base+int(s^7))
			}
		}
	}
}
