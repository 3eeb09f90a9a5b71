// Package positions makes data sets of positions: from games (Extract) or from other
// positions (Refine).
//
// A Filter decides which positions become rows. Positions in check, with mate scores or
// with a capture pending say little about the result of a game: they are dropped, or
// replaced by the leaf of their quiescence search. Positions that occurred before are
// dropped, a sample can be taken of the rest, and a search can give them new scores. Endgame
// tables can correct results (Filter.Tables). Counts says how many positions each step dropped; it is the manifest's
// report.
//
// The work is done on all cores, the rows do not depend on how many there are, and an
// interrupted data set is resumed.
//
// No promise of stability.
//
// Start reading at Extract and Filter.
package positions
