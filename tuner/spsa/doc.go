// Package spsa is simultaneous perturbation stochastic approximation: it climbs a hill
// that can only be measured with noise, such as the strength of a chess program over
// its parameters, with two measurements a step however many parameters there are.
//
// It is ask and tell: Tuner.Ask says which two sets of values to compare, Tuner.Tell
// takes how the comparison came out, in the order of the iterations. It plays nothing
// and keeps nothing on disk; tuner/spsa/play does both. The same configuration and the
// same results give the same values: chance is drawn from the seed and the number of the
// iteration alone.
//
// Tuner.Estimates is the answer, with its errors; Simulate tries a schedule on a hill
// that is known, before games are spent on it.
//
// # Sources
//
// J. C. Spall, "Multivariate stochastic approximation using a simultaneous perturbation
// gradient approximation", IEEE Trans. Automatic Control 37 (1992), and "Implementation
// of the simultaneous perturbation algorithm for stochastic optimization", IEEE Trans.
// Aerospace and Electronic Systems 34 (1998), for the sequences and their exponents;
// B. Polyak and A. Juditsky, SIAM J. Control Optim. 30 (1992), for the average as the
// answer; the parameters c_end and r_end are those of fishtest, Stockfish's testing
// framework.
//
// Start reading at Config and Tuner.
package spsa
