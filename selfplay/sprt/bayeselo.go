package sprt

import "math"

// BayesElo's model of a game: with advantage elo and a draw width drawElo, the
// game is won with the logistic probability of elo - drawElo, lost with that of
// -elo - drawElo, and else drawn. Its Elo is shorter than logistic Elo where many
// games are drawn.

// BayesEloProbabilities returns the probabilities of a loss, a draw and a win
// (they sum to 1). drawElo must not be negative.
func BayesEloProbabilities(elo, drawElo float64) (loss, draw, win float64) {
	a := math.Pow(10, (drawElo-elo)/400)
	b := math.Pow(10, (drawElo+elo)/400)
	// 1 - win - loss would cancel to nothing where draws are rare.
	draw = math.Expm1(drawElo*math.Ln10/200) / ((1 + a) * (1 + b))
	return 1 / (1 + b), draw, 1 / (1 + a)
}

// BayesElo returns the advantage and the draw width that give these
// probabilities, all of which must be above zero and sum to 1.
func BayesElo(loss, draw, win float64) (elo, drawElo float64) {
	elo = 200 * math.Log10(win/loss*((draw+win)/(loss+draw)))
	drawElo = 200 / math.Ln10 * math.Log1p(draw/loss/win)
	return elo, drawElo
}

// BayesEloToElo converts an advantage in BayesElo to logistic Elo, the Elo of the
// expected score.
func BayesEloToElo(elo, drawElo float64) float64 {
	return Elo(bayesEloScore(elo, drawElo))
}

func bayesEloScore(elo, drawElo float64) float64 {
	_, draw, win := BayesEloProbabilities(elo, drawElo)
	return win + draw/2
}

// EloToBayesElo converts logistic Elo at a given share of draws. The share is
// lowered where no such score could have it.
func EloToBayesElo(elo, drawRatio float64) (bayesElo, drawElo float64) {
	const rare = 1e-6 // probabilities of zero have no finite Elo
	score := clampScore(Score(elo))
	most := float64(2*math.Min(score, 1-score)) - rare
	drawRatio = math.Min(math.Max(drawRatio, rare), most)
	return BayesElo(1-score-drawRatio/2, drawRatio, score-drawRatio/2)
}

// jumpBayesElo is jump of a trinomial: both hypotheses share the draw width of the
// counts.
func (d *dist) jumpBayesElo(elo0, elo1 float64) (jump [5]float64) {
	_, drawElo := BayesElo(d.p[0], d.p[1], d.p[2])
	l0, d0, w0 := BayesEloProbabilities(elo0, drawElo)
	l1, d1, w1 := BayesEloProbabilities(elo1, drawElo)
	jump[0], jump[1], jump[2] = math.Log(l1/l0), math.Log(d1/d0), math.Log(w1/w0)
	return jump
}
