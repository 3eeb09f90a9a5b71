// Package tuner fits the coefficients of an evaluation that is linear in them to the results of games, and says
// how sure it is of each. It plays no games, searches nothing and prints nothing.
//
// Its parts are packages of their own: rows (what a position contributes, in memory or on disk), objective (the
// loss of the rows and the prior, as a function of the parameters), optimize (methods that minimize such a
// function) and stats (standard errors and what else follows from them). This package puts them together: [Fit]
// takes rows, terms and a [Config] and returns a [Result], which knows its JSON and its weight file.
//
// # The problem
//
// The evaluation of row i, in centipawns from White's view, is
//
//	E_i = scale_i * sum_t count_it * (m_i*mg_t + e_i*eg_t) + offset_i
//
// with factors m_i and e_i, which are phase/24 and (24-phase)/24 in most evaluations,
// and its prediction of the result is p_i = 1/(1+e^(-K*E_i)). [Fit] minimizes
//
//	sum_i weight_i * loss(p_i, y_i) / D + sum_j (theta_j - center_j)^2 / (2 tau_j^2)
//
// over the changes theta of the coefficients that are neither frozen nor tied to another one, with y =
// lambda*result + (1-lambda)*sigmoid(KScore*score). D, the design effect, makes the first sum what a
// log-likelihood of independent rows would be: positions of one game share its result, so a thousand games of
// seventy positions say far less than seventy thousand games would. It is estimated at the minimum, see
// [Result].Design.
//
// # Very many parameters
//
// Matrices over parameters need memory with the square of their number. A fit above
// Config.Memory uses a method without them, and has weights and a verdict, but no standard
// errors. A fit with a formula that is too large is an error.
//
// # The same numbers for any number of workers
//
// Rows are grouped by their factors and cut into chunks of a fixed number of rows. A pass takes them from
// memory or from disk, which is all that differs between the two. Every sum over rows is taken chunk by chunk,
// and the chunks' sums are added in order, whichever goroutine computed them. So every number of a fit is
// bitwise the same for one worker and for sixty-four.
//
// Products are rounded before they are added (float64(x*y)+z), because Go fuses the two for GOAMD64=v3 and for
// arm64 otherwise. So weights and losses are bitwise the same for all builds of amd64; .ci/samebytes compares
// them. The dense algebra of standard errors is in part gonum's, whose last digits depend on the build. On
// another architecture functions such as math.Exp differ too.
//
// Start reading at [Fit] (fit.go). TUNER.md has the experiments behind the defaults.
package tuner
