// Package opening proposes the positions that games begin with: a few random legal plies
// from a start of chess, Chess960 or double Chess960, or the lines of a book.
//
// An opening depends on its number alone and on nothing that happened before, so games can
// be played on any machine in any order. selfplay.Series decides which proposals are
// balanced and new enough to be played; this package does not search or play.
//
// Start reading at Spec.Open.
//
// No promise of stability.
package opening
