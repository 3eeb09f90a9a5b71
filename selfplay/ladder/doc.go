// Package ladder rates many players by the games they play with each other: on one scale,
// with error bars that treat the pair of games from one opening as one sample, and the
// probability that one is stronger than another.
//
// A Schedule decides who plays whom: round robin, gauntlet, or the pairing that narrows the
// widest interval most. As in a match, games are on disk before they count, and a killed
// run is resumed. With limits that do not depend on time it plays the same games for any
// number of workers (on machines of one architecture, because Widest compares
// floating-point intervals).
//
// # The model
//
// Of a game between White w and Black b, with x = s_w - s_b + h, the outcomes have
// probabilities proportional to e^(x/2) (White wins), e^(-x/2) (Black wins) and e^d
// (draw): R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in
// paired comparison experiments", JASA 65 (1970), with the order effect of Davidson and
// R. J. Beaver, Biometrics 33 (1977). Its likelihood has one maximum. Strengths s are
// turned into Elo so that the expected score of nearly equal players is as on the
// logistic curve.
//
// Start reading at Run, and crosstable.fit for the model, then Config and Run.
//
// No promise of stability.
package ladder
