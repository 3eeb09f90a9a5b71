// Package objective is the function that a fit minimizes: the loss of the rows under
// an evaluation, and a prior that holds its parameters, as [Penalized].
//
// [Problem] has the sums over rows: value, gradient, Gauss-Newton matrix, means. [Params] says which
// coefficients are fitted, tied, frozen or bounded, and translates between coefficients and parameters. All
// sums are taken over fixed chunks in order, so that they do not depend on the number of goroutines.
//
// Start reading at Penalized, then Problem (pass.go) and kernel.go, where the time goes.
//
// No promise of stability.
package objective
