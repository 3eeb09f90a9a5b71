package draughts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Learning says how to learn the value of a king from games.
type Learning struct {
	Strategy Strategy // of both sides; its King is the value in the first round
	Rounds   int      // each plays with the value that the previous one found
	Games    int      // per round, 30 or more
	Seed     uint64
	Progress func(done, total int64) // games; may be nil
}

// openingPlies is the number of random plies before each game. Every second game gets
// one more, so that either side moves first.
const openingPlies = 6

// Round is the result of one round: the value of a king, in men, with its 95 % interval.
type Round struct {
	Round     int     `json:"round"`
	Played    float64 `json:"played"` // the value that its games were played with
	King      float64 `json:"king"`   // the value that best explains their results
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Games     int     `json:"games"`
	Drawn     int     `json:"drawn"`
	Positions int     `json:"positions"`
}

// Eighths returns the value found in the unit of Strategy.King.
func (r *Round) Eighths() int { return int(math.Round(r.King * Man)) }

// Learn plays rounds of games of the strategy against itself. It fits to each round's
// results, by logistic regression,
//
//	log(odds that Black wins) = turn + man x (difference in men) + king x (in kings)
//
// where a draw counts as half a win. The value of a king in men is king / man. The next
// round is played with that value, rounded to an eighth.
//
// Positions count if the last two moves and the next are not captures, and once for each
// stretch of a game with the same material, so that endless endgames do not dominate.
// The interval is by the delta method; the covariance is clustered by game.
//
// The value found is that of a king in the hands of this program, which hardly knows how
// to win with one. Compare measures what a value is worth in play.
//
// The error wraps ErrNoFit if the games do not determine the value.
func Learn(ctx context.Context, l Learning) ([]Round, error) {
	if l.Rounds < 1 || l.Games < minDecided {
		return nil, fmt.Errorf("draughts: %d rounds of %d games are too few; use at least 1 round of %d games", l.Rounds, l.Games, minDecided)
	}
	var rounds []Round
	for n := range l.Rounds {
		games := make([]Game, l.Games)
		err := forEach(ctx, l.Games, func(i int) {
			rng := rand.New(rand.NewPCG(l.Seed, uint64(n)<<32|uint64(i)))
			games[i] = Play(Opening(openingPlies+i%2, rng), l.Strategy, l.Strategy, rng)
		}, func(done int) {
			if l.Progress != nil {
				l.Progress(int64(n*l.Games+done), int64(l.Rounds*l.Games))
			}
		})
		if err != nil {
			return rounds, err
		}
		r, err := fitKing(games)
		if err != nil {
			return rounds, fmt.Errorf("round %d, %d games: %w", n+1, l.Games, err)
		}
		r.Round, r.Played = n+1, float64(l.Strategy.King)/Man
		rounds = append(rounds, r)
		l.Strategy.King = r.Eighths()
	}
	return rounds, nil
}

// fitKing fits the value of a king to the results of games.
func fitKing(games []Game) (Round, error) {
	r := Round{Games: len(games)}
	clusters := make([][]row, len(games))
	for i := range games {
		clusters[i] = games[i].rows()
		r.Positions += len(clusters[i])
		if games[i].Result == 0.5 {
			r.Drawn++
		}
	}
	if decided := len(games) - r.Drawn; decided < minDecided {
		return r, fmt.Errorf("%w: %d decided games, at least %d are needed", ErrNoFit, decided, minDecided)
	}
	f, err := fit(clusters)
	if err != nil {
		return r, err
	}
	king, se := f.ratio(2, 1)
	r.King, r.Low, r.High = king, king-1.96*se, king+1.96*se
	return r, nil
}

// minDecided is how many decided games a fit needs: with fewer clusters the standard
// errors mean nothing.
const minDecided = 30

// row is one position: turn (1 for Black to move, -1 for White), Black's men less
// White's, the same for kings, and the result of the game from Black's view.
type row struct {
	x [3]float64
	y float64
}

// rows returns the positions of a game that count.
func (g *Game) rows() []row {
	var rows []row
	p := g.Start
	quiet := 0 // plies since the last capture
	last := [4]int{-1}
	for _, m := range g.Moves {
		bm, bk := p.Men(false)
		wm, wk := p.Men(true)
		if now := [4]int{bm, bk, wm, wk}; quiet >= 2 && m.n == 0 && now != last {
			last = now
			turn := 1.0
			if p.White {
				turn = -1
			}
			rows = append(rows, row{[3]float64{turn, float64(bm - wm), float64(bk - wk)}, g.Result})
		}
		quiet++
		if m.n > 0 {
			quiet = 0
		}
		p.Make(m)
	}
	return rows
}

// ErrNoFit is wrapped by the errors of Learn if the games do not determine the value of a
// king: too few decided games, or none in which kings and men decided differently.
var ErrNoFit = errors.New("draughts: the games do not determine the value of a king")
