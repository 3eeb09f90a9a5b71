// Package screen makes factorial experiments with players: many changes with two levels each, on and off, are judged
// by the same pairs of games.
//
// # Design
//
// A Design says which subsets of the changes meet. Rows of a Hadamard matrix (J. J. Sylvester 1867, R. Paley
// 1933) and their complements are balanced: each change is on in half of them, and so is each other change on
// either side. Three quarters of the pairs are a subset against its complement. All changes differ there, so each
// pair counts for each of them, and interactions of two changes cancel. One quarter are rows against other rows,
// in which half of the changes differ: they see interactions of two.
//
// The main effect of a change is its effect with the others at random: the mean over the subsets of the design.
//
// # Estimates
//
// The expected score of a pair is the logistic of a sum of effects. Coefficients solve the score equations of
// the logistic (quasi-likelihood: R. W. M. Wedderburn 1974), errors are the sandwich clustered by opening, since
// one opening is played in several rows. Effects of builds are estimated beside everything else that the rows
// can tell apart, so interactions of two changes do not disturb them.
//
// # Games
//
// Run plays the pairs that a design asks for, and keeps them as a match does: games are on disk
// before they count, and a killed run is resumed. With limits that do not depend on time a screen has the same bytes
// for any number of workers. What a factor is, an option or a patch, is the caller's: a Config has a
// function that makes the player of a subset. Tests of two players are in selfplay/sprt.
//
// Start reading at Design and Estimate, then Config and Run.
//
// No promise of stability.
package screen
