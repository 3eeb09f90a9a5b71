// Package gamelog keeps the games of a run in its folder: each as a line of a journal
// as it ends, and those that count, in the order of their numbers, as a data set and as
// PGN.
//
// The journal is the truth. Data set and PGN follow from it, and are completed from it
// where a run is resumed; a killed run so loses no game that ended, and writes none
// twice.
//
// Pairs plays pairs of games and counts them in order, which is all that a match, a
// ladder and a tuning by games have in common; InFolder begins and resumes such a run.
// Who plays whom, and what points mean, only selfplay/match, selfplay/ladder and
// tuner/spsa/play know.
//
// Start reading at Pairs, and for the files at Open.
package gamelog
