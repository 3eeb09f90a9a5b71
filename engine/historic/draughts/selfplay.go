package draughts

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

// What ends a game that the program plays against itself, beside its rules: ours, since
// the program does not know how to win and would go to and fro for ever.
const (
	barrenPlies = 40 // without a capture or a man's move
	mostPlies   = 300
)

// Game is a game of two strategies: Black's and White's.
type Game struct {
	Start Position // after the random plies, if any
	Moves []Move
	// Result is 1 where Black won, 0 where White did, a half where nobody did.
	Result float64
}

// Play plays a game from a position. Chance decides among moves of equal value.
func Play(start Position, black, white Strategy, chance *rand.Rand) Game {
	g := Game{Start: start, Result: 0.5}
	p := start
	for barren := 0; barren < barrenPlies && len(g.Moves) < mostPlies; barren++ {
		s := black
		if p.White {
			s = white
		}
		c, ok := s.Choose(&p, chance)
		if !ok {
			g.Result = 0
			if p.White {
				g.Result = 1
			}
			return g
		}
		if len(c.Move.Taken()) > 0 || p.K>>c.Move.From&1 == 0 {
			barren = -1
		}
		g.Moves = append(g.Moves, c.Move)
		p.Make(c.Move)
	}
	return g
}

// Opening returns the position after a number of random plies from the start, so that
// games between the same players differ.
func Opening(plies int, chance *rand.Rand) Position {
	for {
		p := Start()
		for range plies {
			moves := p.Moves(nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[chance.IntN(len(moves))])
		}
		if len(p.Moves(nil)) > 0 {
			return p
		}
	}
}

// Comparison is how one strategy fared against another.
type Comparison struct {
	Score float64 `json:"score"` // of the first, 0 to 1
	Low   float64 `json:"low"`   // with the interval of 95 %
	High  float64 `json:"high"`
	Pairs int     `json:"pairs"`
	Drawn int     `json:"drawn"` // games
}

// Compare plays pairs of games between strategies, from random openings and with colours
// reversed. The interval is that of independent pairs.
func Compare(ctx context.Context, a, b Strategy, pairs int, seed uint64, progress func(done, total int64)) (Comparison, error) {
	results := make([][2]float64, pairs)
	err := forEach(ctx, pairs, func(i int) {
		start := Opening(openingPlies+i%2, rand.New(rand.NewPCG(seed, uint64(i))))
		// Chance is the same in both games, so that only the strategies differ.
		chance := func() *rand.Rand { return rand.New(rand.NewPCG(^seed, uint64(i))) }
		results[i] = [2]float64{Play(start, a, b, chance()).Result, 1 - Play(start, b, a, chance()).Result}
	}, func(done int) {
		if progress != nil {
			progress(int64(done), int64(pairs))
		}
	})
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Pairs: pairs}
	sum, squares := 0.0, 0.0
	for _, r := range results {
		x := (r[0] + r[1]) / 2
		sum += x
		squares += x * x
		for _, game := range r {
			if game == 0.5 {
				c.Drawn++
			}
		}
	}
	n := float64(pairs)
	c.Score = sum / n
	half := 1.96 * math.Sqrt(max(0, squares/n-c.Score*c.Score)/max(1, n-1))
	c.Low, c.High = c.Score-half, c.Score+half
	return c, nil
}

// forEach calls f with every number below n, on as many goroutines as there are
// processors, and then each time tells how many are done.
func forEach(ctx context.Context, n int, f func(i int), tell func(done int)) error {
	var mu sync.Mutex
	var all sync.WaitGroup
	next, done := 0, 0
	take := func() (i int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		i = next
		next++
		return i, i < n && ctx.Err() == nil
	}
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				f(i)
				mu.Lock()
				done++
				tell(done)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return ctx.Err()
}
