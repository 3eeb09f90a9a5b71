// Package play tunes a player by games: it plays the iterations of tuner/spsa, keeps them,
// and plays a match between the answer and the start values.
//
// Each iteration is one or more pairs of games between the player with the values of Plus
// and the same player with Minus's, each pair from its own opening with colors
// reversed. The values are the player's options, set before each game: UCI options of a
// external engine, or weights and options of assay.
//
// As in a match, games are on disk before they count: the log of iterations follows from
// the journal of games. A killed run continues where the journal ends. With limits that do
// not depend on time it ends with the bytes of an uninterrupted run, for any number of
// workers.
//
// Start reading at Config and Run.
//
// No promise of stability.
package play
