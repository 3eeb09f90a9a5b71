package draughts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Learning is how the value of a king is learned from games.
type Learning struct {
	Strategy Strategy // how both sides look ahead; its King is what they begin with
	Rounds   int      // each plays by the value that the one before found
	Games    int      // a round
	Seed     uint64
	Progress func(done, total int64) // may be nil
}

// openingPlies are the random plies before each game; a coin adds one, so that either
// side moves first.
const openingPlies = 6

// Lesson is what one round found: the value of a king in men, with the interval of 95 %
// that its games leave it.
type Lesson struct {
	Round     int     `json:"round"`
	Played    float64 `json:"played"` // the value of a king in its games
	King      float64 `json:"king"`   // the value that explains their results
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Games     int     `json:"games"`
	Drawn     int     `json:"drawn"`
	Positions int     `json:"positions"`
}

// Eighths returns the value found as a Strategy has it.
func (l *Lesson) Eighths() int { return int(math.Round(l.King * Man)) }

// Learn plays rounds of games by the strategy against itself and fits to each round's
// results, by logistic regression,
//
//	log(odds of Black's winning) = turn + man x (men's difference) + king x (kings')
//
// where a drawn game is half won. The value of a king in men is king / man. A position
// counts once for each stretch of a game with the same men, where the last two moves
// and the next are no captures, so that endless endgames do not speak for the rest. The
// interval is by the delta method, from variances that let positions of one game depend
// on each other. After a round the next is played by its value, to the nearest eighth.
//
// What is found is the value of a king in this program's hands, which hardly knows how
// to win with one: see Compare for what a value is worth in play.
func Learn(ctx context.Context, l Learning) ([]Lesson, error) {
	if l.Rounds < 1 || l.Games < fewestDecided {
		return nil, fmt.Errorf("draughts: %d rounds of %d games teach nothing; needed are 1 and %d or more", l.Rounds, l.Games, fewestDecided)
	}
	var lessons []Lesson
	for round := range l.Rounds {
		games := make([]Game, l.Games)
		err := forEach(ctx, l.Games, func(i int) {
			chance := rand.New(rand.NewPCG(l.Seed, uint64(round)<<32|uint64(i)))
			games[i] = Play(Opening(openingPlies+i%2, chance), l.Strategy, l.Strategy, chance)
		}, func(done int) {
			if l.Progress != nil {
				l.Progress(int64(round*l.Games+done), int64(l.Rounds*l.Games))
			}
		})
		if err != nil {
			return lessons, err
		}
		lesson, err := teach(games)
		if err != nil {
			return lessons, fmt.Errorf("round %d, %d games: %w", round+1, l.Games, err)
		}
		lesson.Round, lesson.Played = round+1, float64(l.Strategy.King)/Man
		lessons = append(lessons, lesson)
		l.Strategy.King = lesson.Eighths()
	}
	return lessons, nil
}

// teach fits the value of a king to games.
func teach(games []Game) (Lesson, error) {
	lesson := Lesson{Games: len(games)}
	clusters := make([][]row, len(games))
	for i := range games {
		clusters[i] = games[i].rows()
		lesson.Positions += len(clusters[i])
		if games[i].Result == 0.5 {
			lesson.Drawn++
		}
	}
	if decided := len(games) - lesson.Drawn; decided < fewestDecided {
		return lesson, fmt.Errorf("%w: %d were decided, needed are %d", ErrNoFit, decided, fewestDecided)
	}
	f, err := fit(clusters)
	if err != nil {
		return lesson, err
	}
	king, se := f.ratio(2, 1)
	lesson.King, lesson.Low, lesson.High = king, king-1.96*se, king+1.96*se
	return lesson, nil
}

// fewestDecided is how many decided games a fit needs: with fewer clusters the errors
// of its coefficients cannot be believed.
const fewestDecided = 30

// row is one position: turn (1 Black's, -1 White's), Black's men less White's, kings
// likewise, and the game's result for Black.
type row struct {
	x [3]float64
	y float64
}

// rows returns the positions of a game that count.
func (g *Game) rows() []row {
	var rows []row
	p := g.Start
	still := 0
	last := [4]int{-1}
	for _, m := range g.Moves {
		bm, bk := p.Men(false)
		wm, wk := p.Men(true)
		if now := [4]int{bm, bk, wm, wk}; still >= 2 && m.n == 0 && now != last {
			last = now
			turn := 1.0
			if p.White {
				turn = -1
			}
			rows = append(rows, row{[3]float64{turn, float64(bm - wm), float64(bk - wk)}, g.Result})
		}
		still++
		if m.n > 0 {
			still = 0
		}
		p.Make(m)
	}
	return rows
}

// ErrNoFit is wrapped by errors of Learn where the games do not tell what a king is
// worth: too few, or none in which kings and men decided differently.
var ErrNoFit = errors.New("draughts: the games do not settle the value of a king")
