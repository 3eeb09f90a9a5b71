// Package play tunes a player by games: it plays the iterations of tuner/spsa, keeps
// them, and plays a match between what was found and what it began with.
//
// Each iteration is one or more pairs of games between the player with the values
// above and the same player with the values below, each pair from an opening of its own
// with colours reversed. The values are the player's options, set before each game: UCI
// options of a foreign engine, or weights and options of one of ours.
//
// What counts is on disk first, as in a match: the journal of games is the truth, and
// the log of iterations follows from it. A killed run goes on where the journal ends;
// with limits that do not depend on time it ends with the bytes of an undisturbed one,
// whatever the number of workers.
//
// Start reading at Config and Run.
package play
