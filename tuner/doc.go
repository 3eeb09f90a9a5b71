// Package tuner fits the coefficients of an evaluation that is linear in them
// to the results of games, and says how sure it is of each.
//
// It holds the problem (a compressed sparse [Store] of features, of our models
// or anybody's; the loss, the scale K, priors, bounds, frozen and tied
// coefficients), the methods that solve it (behind the interface [Method]) and
// the statistics of the solution (standard errors clustered by game, the
// effective number of parameters, centred tables, average marginal piece
// values, the worth of groups, collinear coefficients, calibration, the learning
// curve). It plays no games, searches nothing and prints nothing; the one file
// it writes is the temporary one of a store on disk.
//
// # The problem
//
// The evaluation of row i, in centipawns from White's view, is
//
//	E_i = scale_i * sum_t count_it * (mg_t*phase_i + eg_t*(24-phase_i)) / 24 + offset_i
//
// and its prediction of the result is p_i = 1/(1+e^(-K*E_i)). [Fit] minimises
//
//	sum_i weight_i * loss(p_i, y_i) / D + sum_j (theta_j - centre_j)^2 / (2 tau_j^2)
//
// over the changes theta of the coefficients that are neither frozen nor tied
// to another one, with y = lambda*result + (1-lambda)*sigmoid(KScore*score).
// D, the design effect, makes the first sum what a log-likelihood of
// independent rows would be: positions of one game share its result, so a
// thousand games of seventy positions say far less than seventy thousand
// games would. It is estimated at the minimum, see [Result].Design.
//
// # The same answer for any number of workers
//
// Rows are grouped by phase and cut into chunks of a fixed number of rows. A
// pass takes them from memory or from disk, which is all that differs between
// the two. Every sum over rows is taken chunk by chunk, and the chunks' sums are
// added in order of number, whichever goroutine computed them. So every number
// of a fit is bitwise the same for one worker and for sixty-four.
//
// Start reading at [Fit] (fit.go); then store.go and chunk.go, pass.go and
// kernel.go (where the time goes), covariance.go. TUNER.md has the experiments behind
// the defaults.
package tuner
