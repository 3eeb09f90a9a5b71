// Package record keeps the games of a run in its folder: each as a line of a journal
// as it ends, and those that count, in the order of their numbers, as a data set and as
// PGN.
//
// The journal is the truth. Data set and PGN follow from it, and are completed from it
// where a run is resumed; a killed run so loses no game that ended, and writes none
// twice.
//
// It plays nothing and counts no points. Who does both, and resumes, are selfplay/match,
// selfplay/ladder and tuner/spsa/play.
//
// Start reading at Open.
package record
