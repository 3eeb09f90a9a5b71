// Package sprt has the statistics of engine matches: the Elo that a result shows, and when
// a sequential test may stop.
//
// It turns counts of results into log-likelihood ratios (LLR) under two models
// of Elo, into Elo with intervals, likelihood of superiority and draw and pair
// ratios; it says when a sequential probability ratio test ends, corrects that
// test for the overshoot over its bounds, and estimates Elo without bias after
// it ended; it predicts how long a test lasts and how often it passes.
//
// It is pure arithmetic: it plays no game, reads no file and prints nothing. No
// function returns NaN or an infinity for counts that pass Validate, not even
// for no games at all or for a score of 0 % or 100 %. The exceptions are the values
// for people, of type [Float], which can be unknown or infinite, in JSON too.
//
// [Summary.StrengthAfter] decides which Elo is shown, and [Strength.Text] how: every command,
// page and file uses them, so that one result has one Elo.
//
// Start reading at [Test], which names the hypotheses, and at [Counts], the results.
// [Walk] follows a match pair by pair, [Summarize] describes results, [Summary.StrengthAfter]
// estimates Elo after a stop, and [Test.Predict] says how long a test lasts.
//
// # Sources
//
// A. Wald, Sequential Analysis, 1947. D. Siegmund, Sequential Analysis, 1985
// (overshoot, estimation after a stop). M. Van den Bergh's notes for fishtest:
// "A practical introduction to the GSPRT", "Comments on normalized Elo" (the
// generalized test under a constrained mean, and under a constrained t-value).
// The reference values of the tests were computed with the
// programs named beside them.
package sprt
