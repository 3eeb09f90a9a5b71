package eval

import "fmt"

// Each group below is here because fits without it predict the results of held-out games
// worse. The table gives the cross-entropy lost without the group, in 1e-5, with its
// standard error (by game): first cross-validated in four folds of 4,200 games of a strong
// engine, 334,000 quiet positions; then on 64,000 positions of human games, which
// no fit was trained on.
//
//	                           terms    engine   people
//	passed.own-king, their-king   48    60 +-  9    71 +- 6
//	against                        9    57 +- 24    12 +- 25
//	passed.free, can-step          8    50 +-  7    75 +- 6
//	check                          4    41 +-  6   121 +- 7
//	threat.pawn, pawn-step         5    36 +-  6    49 +- 6
//	hanging                        2    32 +-  6    28 +- 7
//	threat.minor                   5    26 +-  5    33 +- 6
//	king-ring.attackers            4    19 +-  6    21 +- 5
//	king-danger                   24    16 +-  4    28 +- 4
//	isolated, backward.unopposed   2    12 +- 10    12 +- 6
//	threat.king                    1    11 +-  4    12 +- 3
//	king.bare-flank                1    11 +-  4    21 +- 3
//	outpost                        3    10 +-  7    15 +- 5
//	threat.rook                    5     9 +-  4    22 +- 4
//	passed.blocked                 6     8 +-  3     5 +- 2
//	king-ring.weak                 8     7 +-  3    17 +- 3
//	passed.rook-behind             2     5 +-  3     6 +- 2
//	pin                            1     5 +-  4    18 +- 4
//	passed.unstoppable             1     3 +-  1     3 +- 1
//	mop-up                        10     0          0
//
// mop-up stays although no such position is in either set: without it a bare king is
// rarely mated. Tried and left out: pawn storms by file and rank (-18 +- 12) and by rank
// (-6 +- 5), candidate passed pawns (-11 +- 5), pawns on a bishop's color (0 +- 7), space
// (2 +- 5), products of own pieces (-15 +- 16), own pawns by knights and rooks (3 +- 10),
// distance of minor pieces from their king (-2 +- 5), minor pieces behind a pawn (3 +- 4).

// declareContact declares the terms that need both sides. All start at zero.
func declareContact(t *table) {
	t.zeros(assayIsolatedOpen, groupPawns, sourceOurs, "isolated.unopposed", "backward.unopposed")
	t.zeros(assayOutpost, groupPieces, sourceShannonKnights, "outpost.knight", "outpost.bishop", "outpost.in-reach")
	t.zeros(assayPassedHalt, groupPassed, sourceOurs, ranked("passed.blocked", 2, 7)...)
	t.zeros(assayPassedOpen, groupPassed, sourceOurs, ranked("passed.free", 4, 7)...)
	t.zeros(assayPassedSafe, groupPassed, sourceOurs, ranked("passed.can-step", 4, 7)...)
	t.zeros(assayPassedRook, groupPassed, sourceOurs, "passed.rook-behind.own", "passed.rook-behind.their")
	t.zeros(assayUnstoppable, groupPassed, sourceOurs, "passed.unstoppable")
	for i := range 4 {
		for d := range 6 {
			t.zeros(assayPassedOwn+6*i+d, groupPassed, sourceOurs, fmt.Sprintf("passed.own-king.rank%d.%d", i+4, d))
			t.zeros(assayPassedTheir+6*i+d, groupPassed, sourceOurs, fmt.Sprintf("passed.their-king.rank%d.%d", i+4, d))
		}
	}
	t.zeros(assayCheck, groupKing, sourceOurs, "check.knight", "check.bishop", "check.rook", "check.queen")
	t.zeros(assayRingWeak, groupKing, sourceShannonRing, numbered("king-ring.weak", weakBuckets)...)
	t.zeros(assayAttackers, groupKing, sourceShannonRing, numbered("king-ring.attackers", 4)...)
	t.zeros(assayDanger, groupKing, sourceShannonRing, numbered("king-danger", dangerBuckets)...)
	t.zeros(assayBareFlank, groupKing, sourceOurs, "king.bare-flank")
	t.zeros(assayPinned, groupPieces, sourceShannonPins, "pin")
	t.zeros(assayThreatPawn, groupThreats, sourceShannonRestless,
		"threat.pawn.knight", "threat.pawn.bishop", "threat.pawn.rook", "threat.pawn.queen")
	t.zeros(assayThreatMinor, groupThreats, sourceShannonRestless,
		"threat.minor.pawn", "threat.minor.knight", "threat.minor.bishop", "threat.minor.rook", "threat.minor.queen")
	t.zeros(assayThreatRook, groupThreats, sourceShannonRestless,
		"threat.rook.pawn", "threat.rook.knight", "threat.rook.bishop", "threat.rook.rook", "threat.rook.queen")
	t.zeros(assayThreatKing, groupThreats, sourceOurs, "threat.king", "threat.pawn-step")
	t.zeros(assayHanging, groupThreats, sourceShannonRestless, "hanging.pawn", "hanging.piece")
	t.zeros(assayAgainst, GroupMaterial, sourceOurs,
		"against.knight-pawn", "against.bishop-pawn", "against.rook-pawn", "against.queen-pawn",
		"against.rook-knight", "against.rook-bishop", "against.queen-knight", "against.queen-bishop",
		"against.queen-rook")
	t.zeros(assayMopEdge, groupKing, sourceOurs, "mop-up.edge.0", "mop-up.edge.1", "mop-up.edge.2", "mop-up.edge.3")
	t.zeros(assayMopKings, groupKing, sourceOurs,
		"mop-up.kings.2", "mop-up.kings.3", "mop-up.kings.4", "mop-up.kings.5", "mop-up.kings.6", "mop-up.kings.7")
}

// zeros declares tapered terms that start at zero, at consecutive indices.
func (t *table) zeros(index int, group, source string, names ...string) {
	for i, name := range names {
		t.set(index+i, Term{Name: name, Group: group, Tapered: true, Source: source}, 0)
	}
}

// ranked returns the names of one term for each rank.
func ranked(name string, from, to int) (names []string) {
	for r := from; r <= to; r++ {
		names = append(names, fmt.Sprintf("%s.rank%d", name, r))
	}
	return names
}

// numbered returns the names of terms numbered from 1.
func numbered(name string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("%s.%d", name, i+1))
	}
	return names
}
