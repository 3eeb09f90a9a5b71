// Package gamelog keeps the games of a run in its folder: each as a line of a journal
// as it ends, and those that count, in the order of their numbers, as a data set and as
// PGN.
//
// The journal decides. Data set and PGN follow from it and are completed from it when a
// run is resumed, so a killed run loses no finished game and writes none twice.
//
// Pairs plays pairs of games and counts them in order, for matches, ladders and tuning by
// games; inFolder starts and resumes such a run. Who plays whom, and what points mean, is
// known only to selfplay/match, selfplay/ladder and tuner/spsa/play.
//
// Start reading at Pairs, and for the files at Open.
//
// No promise of stability.
package gamelog
