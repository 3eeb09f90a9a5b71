// Package heldout measures how well static evaluations predict the results of games, on
// positions that no fit has seen: weights of models of package eval, and foreign engines that
// answer the command "eval". It fits only the slope K of the sigmoid; package tuner fits
// weights. There is no search, so positions in the middle of an exchange only add noise.
//
// Start reading at Measure. RoundingLoss is the same question about one weight file: what
// rounding its fitted numbers to integers costs.
package heldout
