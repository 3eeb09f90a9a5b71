// Package archive says what a fit should score in games, from what earlier fits scored. It neither fits nor plays.
//
// An archive is rows (dataset.FitRow): what was known of a fit before any game, and the pairs of games that its
// weights then played against those it started from. Fits from tuned weights and from guessed ones are told apart
// (strata): the one gains little or loses, the other gains hundreds of Elo.
//
// # The model
//
// The Elo of fit f of engine e is
//
//	Elo_f = c_f (a + sum_j b_j x_fj + u_e + v_f),   u_e ~ N(0, tau^2),   v_f ~ N(0, sigma^2)
//
// where c_f is the root mean square change of the evaluation, in units of 10 centipawns, kept within 1/16 and 32: the
// less a fit changes, the less it can gain or lose. Fits whose change is not known are left out. A match shows it with
// the error of its own pentanomial counts: the estimate and half the interval by likelihood. The covariates x, fixed
// before any fit was played, are [Covariates]. That the change is a factor too was decided after 70 fits of five engines; those of later
// engines test it. Coefficients have priors of 30 Elo a unit; tau and sigma are not estimated but averaged over, on a
// grid with half-Cauchy priors of scale 20: five engines say little of a variance. So a prediction is a mixture of
// normals, wide where the archive is small. It knows the effect u_e of an engine that is in the archive. Last digits
// depend on the build, as those of all of gonum's dense algebra do.
//
// # When it is used
//
// [Judge] leaves out each engine in turn and takes the log density of what its matches showed: under the model, under a
// constant (the same without covariates), and under today's rule (the same with the verdicts of assay tune as
// covariates), neither with a factor. The model is used if it beats both by two standard errors, by engine, on
// [MinEngines] engines or more. The scores also show a model of the change alone; it decides nothing.
//
// Start reading at [Judge].
package archive
