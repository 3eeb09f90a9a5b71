// Package spsa is simultaneous perturbation stochastic approximation: it maximizes a
// function that can only be measured with noise, such as the strength of a chess program
// over its parameters, with two measurements a step for any number of parameters.
//
// It is ask and tell: Tuner.Ask returns two sets of values to compare, Tuner.Tell takes the
// result of the comparison, in the order of the iterations. The package plays nothing and
// keeps nothing on disk; tuner/spsa/play does both. The same configuration and the same
// results give the same values: random numbers depend only on the seed and the number of
// the iteration.
//
// Tuner.Estimates returns the answer with its errors. Afford says what a number of games can
// find, before they are played.
//
// # Sources
//
// J. C. Spall, "Multivariate stochastic approximation using a simultaneous perturbation
// gradient approximation", IEEE Trans. Automatic Control 37 (1992), and "Implementation
// of the simultaneous perturbation algorithm for stochastic optimization", IEEE Trans.
// Aerospace and Electronic Systems 34 (1998), for the sequences and their exponents;
// B. Polyak and A. Juditsky, SIAM J. Control Optim. 30 (1992), for the average as the
// answer; the parameters c_end and r_end come from fishtest, Stockfish's testing
// framework.
//
// Start reading at Config and Tuner.
package spsa
