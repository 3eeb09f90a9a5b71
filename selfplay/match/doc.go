// Package match compares two players: pairs of games from the same openings with
// colours reversed, counted in the order of their numbers, until a fixed number is
// reached or a sequential test has decided.
//
// What counts is on disk first: each finished game is a line of a journal, and a pair
// counts once both its lines are synced. A killed match goes on where the journal
// ends; with limits that do not depend on time its result, its PGN and its data set
// are the same bytes as those of an undisturbed match with any number of workers.
// Pairs that finish after the test has stopped stay in the journal and count nowhere.
//
// The statistics are in selfplay/sprt, playing is in selfplay, and advice on what to do
// with the answer is in cmd/assay.
//
// Start reading at Config and Run.
package match
