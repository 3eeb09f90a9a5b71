// Package match compares two players: pairs of games from the same openings with colors
// reversed, counted in the order of their numbers, until a fixed number is reached or a
// sequential test has decided. It also reads the results of matches from PGN.
//
// Each finished game is a line of a journal, and a pair counts when both its lines are on
// disk. A killed match continues where the journal ends. With limits that do not depend on
// time, its result, PGN and data set have the bytes of an uninterrupted match
// with any number of workers. Pairs that finish after the test has stopped stay in the
// journal and do not count.
//
// The statistics are in selfplay/sprt, playing is in selfplay, and advice to the user is in
// cmd/assay.
//
// Start reading at Config and Run.
//
// No promise of stability.
package match
