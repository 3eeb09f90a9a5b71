// Package gameloop is the loop of tuner/learn for any game of package engine/game: the program
// plays itself, the coefficients of the evaluation are fitted to the results, the search plays with
// the new weights against the old ones, and those that pass become champion. At the end
// the champion plays the weights that the run began with, in a match of fixed length on openings of
// its own; only that is reported as the gain.
//
// The loop is learn.Loop, as for chess, and so are its parts: run folders and data sets, tuner.Fit, weight
// files, selfplay/sprt. All state is in the run's folder. A run that was killed resumes where it
// stopped, and ends with the same bytes, whatever the number of workers. No promise of stability.
//
// Start reading at NewPlan and Run; "assay guide your-own-game" uses them.
package gameloop
