package sprt

import "math"

// eloPerNormalized is the normalized Elo of a t-value of 1 (a mean score one
// standard deviation of a game above 1/2): 800/ln 10, chosen so that small
// normalized and logistic Elo agree where no game is drawn.
const eloPerNormalized = 800 / math.Ln10

// half is the score of equals, that t-values are measured from.
const half = 0.5

// minScore keeps the Elo of a score finite: scores are clamped to [1/1000,
// 999/1000], so that Elo stays within +-1199.83.
const minScore = 1e-3

// Score returns the expected score, 0 to 1, of a player who is elo (logistic)
// stronger than its opponent.
func Score(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Elo returns the logistic Elo of an expected score. Scores below 0.001 and above
// 0.999 are taken as these, so the answer stays within +-1199.83.
func Elo(score float64) float64 {
	score = clampScore(score)
	return 400 * math.Log10(score/(1-score))
}

func clampScore(score float64) float64 {
	return math.Min(math.Max(score, minScore), 1-minScore)
}

// tValue is the t-value per sample that belongs to a normalized Elo, which is per
// game: the score of a pair has half the variance of a game's.
func (d *dist) tValue(nelo float64) float64 {
	return nelo / eloPerNormalized * math.Sqrt(d.perSample)
}

// normalizedElo is the inverse of tValue.
func (d *dist) normalizedElo(t float64) float64 {
	return t * eloPerNormalized / math.Sqrt(d.perSample)
}
