// Package heldout measures how well static evaluations predict the results of games, on
// positions that no fit has seen: weights of models of package eval, and foreign engines that
// answer the command "eval". It fits only the slope K of the sigmoid; package tuner fits
// weights. There is no search, so positions in the middle of an exchange only add noise.
// No promise of stability.
//
// Start reading at Measure.
package heldout
