// Package selfplay plays games of chess between two players: one game at a time
// (Play), many at once (Runner, Local), and whole numbered series in which every
// opening is played once (Series).
//
// What is played is decided by numbers alone. A Job says everything about a game:
// number, players, opening, limits, adjudication, seed. A Series makes jobs of
// numbers and hands their results on in the order of the numbers, so that what comes
// out does not depend on how many workers played or on who was faster.
//
// It writes no files and counts no points: selfplay/datagen makes data sets of
// games, selfplay/match compares two players, selfplay/opening proposes openings.
// It does not know which players there are: it is handed a function that opens them.
//
// Start reading at Job and Play; then Runner and Series.
package selfplay
