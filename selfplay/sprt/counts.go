package sprt

import (
	"errors"
	"fmt"
	"math"
)

// ErrCounts is wrapped by every error about invalid counts.
var ErrCounts = errors.New("impossible counts")

// noCount stands in for a count of zero, so that every likelihood is finite. The
// value is the convention of the field: the LLR of other programs depends on it.
const noCount = 1e-3

// maxSamples bounds counts so that every sum stays exact in a float64.
const maxSamples = 1 << 50

// Counts are the results of a match: [Trinomial] if games are independent, [Pentanomial]
// if each opening was played twice with colors reversed.
// There are no other implementations.
type Counts interface {
	// Samples is the number of independent observations: games or pairs.
	Samples() int64
	// Games is the number of games.
	Games() int64
	// Validate reports counts that are negative or too large to be added exactly.
	Validate() error

	distribution() dist
}

// Trinomial counts single games: losses, draws, wins (scores 0, 1/2, 1).
type Trinomial [3]int64

// Pentanomial counts pairs of games by the score of the pair, 0, 1/4, 1/2, 3/4
// and 1: both lost, a loss and a draw, even (two draws, or a win and a loss), a
// win and a draw, both won.
type Pentanomial [5]int64

// WDL returns the Trinomial of wins, draws and losses.
func WDL(wins, draws, losses int64) Trinomial { return Trinomial{losses, draws, wins} }

// AddPair counts a pair by its two results from the player's view: 1 for a win, 0
// for a draw and -1 for a loss. Other values are taken by their sign.
func (p *Pentanomial) AddPair(first, second int) { p[2+sign(first)+sign(second)]++ }

// AddGame counts a game: 1 for a win, 0 for a draw, -1 for a loss. Other values
// are taken by their sign.
func (t *Trinomial) AddGame(result int) { t[1+sign(result)]++ }

func sign(x int) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// Samples is the number of games.
func (t Trinomial) Samples() int64 { return t[0] + t[1] + t[2] }

// Games is the number of games.
func (t Trinomial) Games() int64 { return t.Samples() }

// Validate reports counts that are negative or beyond 2^50.
func (t Trinomial) Validate() error { return validate(t[:], []string{"losses", "draws", "wins"}) }

// Samples is the number of pairs.
func (p Pentanomial) Samples() int64 { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Games is twice the number of pairs.
func (p Pentanomial) Games() int64 { return 2 * p.Samples() }

// Validate reports counts that are negative or beyond 2^50.
func (p Pentanomial) Validate() error {
	return validate(p[:], []string{"LL", "LD", "WL+DD", "WD", "WW"})
}

func validate(counts []int64, names []string) error {
	for i, c := range counts {
		if c < 0 {
			return fmt.Errorf("%w: %s is %d, below zero", ErrCounts, names[i], c)
		}
		if c > maxSamples {
			return fmt.Errorf("%w: %s is %d, above 2^50", ErrCounts, names[i], c)
		}
	}
	return nil
}

func (t Trinomial) distribution() dist {
	d := dist{k: 3, perSample: 1, score: [5]float64{0, 0.5, 1}}
	d.fill(t[:])
	return d
}

func (p Pentanomial) distribution() dist {
	d := dist{k: 5, perSample: 2, score: [5]float64{0, 0.25, 0.5, 0.75, 1}}
	d.fill(p[:])
	return d
}

// dist is a distribution over the k possible scores of a sample, with the weight
// n of the samples it stands for. It is a plain value: the inner loops of a
// simulation make millions of them.
type dist struct {
	k         int
	perSample float64 // games in a sample: 1 or 2
	n         float64 // samples, zero counts replaced
	score, p  [5]float64
}

func (d *dist) fill(counts []int64) {
	for i, c := range counts {
		d.p[i] = noCount
		if c > 0 {
			d.p[i] = float64(c)
		}
		d.n += d.p[i]
	}
	for i := range d.k {
		d.p[i] /= d.n
	}
}

// moments returns the mean score and its variance per sample.
func (d *dist) moments() (mean, variance float64) {
	for i := range d.k {
		mean += float64(d.p[i] * d.score[i])
	}
	for i := range d.k {
		x := d.score[i] - mean
		variance += float64(d.p[i] * x * x)
	}
	return mean, variance
}

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

// Shape is what the results of equal players look like: how often they draw, and
// whether samples are games or pairs. A true Elo bends a shape as little as it
// can, to the distribution with that Elo under which the shape's own frequencies
// are the likeliest.
type Shape struct{ d dist }

// IndependentGames is the shape of games with a share of draws drawRatio, 0.001 to
// 0.999, is drawn; paired ones are counted two by two as Pentanomial.
func IndependentGames(drawRatio float64, paired bool) (Shape, error) {
	if !(drawRatio >= minScore && drawRatio <= 1-minScore) {
		return Shape{}, fmt.Errorf("%w: draw ratio %v is not within [0.001, 0.999]", ErrCounts, drawRatio)
	}
	l := (1 - drawRatio) / 2
	game := [3]float64{l, drawRatio, l}
	d := Trinomial{}.distribution()
	copy(d.p[:], game[:])
	if paired {
		d = Pentanomial{}.distribution()
		d.p = [5]float64{}
		for i, a := range game {
			for j, b := range game {
				d.p[i+j] += float64(a * b)
			}
		}
	}
	d.n = 1
	return Shape{d}, nil
}

// ShapeOf is the shape of counts that pass Validate, seen in a real match.
func ShapeOf(c Counts) Shape {
	d := c.distribution()
	d.n = 1
	return Shape{d}
}

// at bends the shape to a true Elo in the model's unit.
func (s Shape) at(m Model, elo float64) (dist, error) {
	if !(math.Abs(elo) <= maxElo) {
		return dist{}, fmt.Errorf("%w: true elo is %v, not within +-%d", ErrTest, elo, maxElo)
	}
	d := s.d
	if m == Normalized {
		equal := d.withMean(half)
		q := d.withT(d.tValue(elo), &equal)
		return d.over(&q), nil
	}
	q := d.withMean(clampScore(Score(elo)))
	return d.over(&q), nil
}
