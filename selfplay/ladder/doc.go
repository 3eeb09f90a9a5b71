// Package ladder rates many players by the games they play with each other: on one
// scale, with error bars that take a pair of games from one opening for what it is, and
// the probability that one is stronger than another.
//
// Who meets whom is decided by a Schedule: everybody everybody, one everybody else, or
// whoever makes the widest interval shrink most. What counts is on disk first, as in a
// match, and a killed run goes on where it was; with limits that do not depend on time
// it plays the same games for any number of workers (and, because intervals are
// floating-point numbers, on machines of one architecture).
//
// # The model
//
// Of a game between White w and Black b, with x = s_w - s_b + h, the outcomes have
// probabilities proportional to e^(x/2) (White wins), e^(-x/2) (Black wins) and e^d
// (draw): R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in
// paired comparison experiments", JASA 65 (1970), with the order effect of Davidson and
// R. J. Beaver, Biometrics 33 (1977). Its likelihood has one maximum. Strengths s are
// turned into Elo so that the expected score of nearly equal players is that of the
// logistic curve.
//
// Start reading at Table and Table.Fit, then Config and Run.
package ladder
