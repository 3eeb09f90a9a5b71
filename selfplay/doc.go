// Package selfplay plays games of chess between two players: one game at a time
// (Play), many at once (Runner, Local), and whole numbered series in which every
// opening is played once (Series).
//
// Numbers alone decide the games. A Job says everything about a game: number,
// players, opening, limits, adjudication, seed. A Series makes jobs from numbers and
// delivers the results in the order of the numbers, so the outcome does not depend on
// how many workers play or which of them is faster. A Setup is the part of a
// configuration that all runs share.
//
// The package writes no files and counts no points: selfplay/datagen makes data sets of
// games, selfplay/match compares two players, selfplay/opening proposes openings. It
// does not know which players exist: the caller passes a function that opens them.
//
// Start reading at Job and Play; then Runner, Series and Setup.
//
// No promise of stability.
package selfplay
