// Package play plays the pairs of games that a screen asks for, and keeps them as a match does: games are on disk
// before they count, and a killed run is resumed. With limits that do not depend on time a screen has the same bytes
// for any number of workers. What a factor is, an option or a patch, is the caller's: a Config has a
// function that makes the player of a subset.
//
// The statistics are in selfplay/screen.
//
// Start reading at Config and Run.
//
// No promise of stability.
package play
