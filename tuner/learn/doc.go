// Package learn closes the loop that Shannon asked for: a program that changes the
// coefficients of its evaluation according to the results of games.
//
// A run is a series of generations. Each plays games against itself with the weights
// of the champion (selfplay/datagen), makes positions of them (dataset), fits the
// weights to all recent positions (tuner), or instead of all this tunes them by games
// between perturbed weights (MethodSPSA, tuner/spsa/play), and plays the new weights against the
// old ones in a gate, an SPRT match (selfplay/match): only weights that pass become champion.
// At the end the champion plays a fixed opponent in a match of fixed length on openings that
// no game has used before; only that match is reported as the gain, because the
// score of a match that stops when it looks good is biased.
//
// All state is in the run's folder. A run that was killed resumes where it stopped and ends
// with the same bytes. A complete run continues under a plan with more generations, and
// ends as if they had been planned from the start.
//
// What is measured by the clock (nodes a second) goes to events.jsonl, never into
// result.json. Players, training and statistics live elsewhere; this package decides
// only what follows what. No promise of stability.
//
// RESULTS.md has what it makes of Shannon's own coefficients, and notebook 01 a short run.
//
// Loop has the order of steps, over a Learner: assay with one of its models here, an author's engine in cmd/assay.
//
// Start reading at Loop, Config and Run.
package learn
