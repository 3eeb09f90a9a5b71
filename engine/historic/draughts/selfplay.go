package draughts

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Our own limits of a game that the program plays against itself. It does not know how to
// win and would move to and fro forever.
const (
	maxBarrenPlies = 40 // without a capture or a move of a man that is not a king
	maxPlies       = 300
)

// Game is a game between two strategies.
type Game struct {
	Start  Position // after the random plies, if any
	Moves  []Move
	Result float64 // from Black's view: 1 won, 1/2 drawn, 0 lost
}

// Play plays a game from a position. The rng decides among moves of equal value.
func Play(start Position, black, white Strategy, rng *rand.Rand) Game {
	g := Game{Start: start, Result: 0.5}
	p := start
	for barren := 0; barren < maxBarrenPlies && len(g.Moves) < maxPlies; barren++ {
		s := black
		if p.White {
			s = white
		}
		c, ok := s.Choose(&p, rng)
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

// Opening returns the position after a number of random plies from the start.
func Opening(plies int, rng *rand.Rand) Position {
	for {
		p := Start()
		for range plies {
			moves := p.Moves(nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[rng.IntN(len(moves))])
		}
		if len(p.Moves(nil)) > 0 {
			return p
		}
	}
}

// Comparison is the score of one strategy against another.
type Comparison struct {
	Score float64 `json:"score"` // of the first, 0 to 1
	Low   float64 `json:"low"`   // 95 % interval
	High  float64 `json:"high"`
	Pairs int     `json:"pairs"`
	Drawn int     `json:"drawn"` // games
}

// Compare plays pairs of games between two strategies, from random openings and with
// colors reversed. The interval treats the pairs as independent. Progress counts pairs
// and may be nil.
func Compare(ctx context.Context, a, b Strategy, pairs int, seed uint64, progress func(done, total int64)) (Comparison, error) {
	results := make([][2]float64, pairs)
	err := forEach(ctx, pairs, func(i int) {
		start := Opening(openingPlies+i%2, rand.New(rand.NewPCG(seed, uint64(i))))
		// Both games use the same random numbers, so that only the strategies differ.
		rng := func() *rand.Rand { return rand.New(rand.NewPCG(^seed, uint64(i))) }
		results[i] = [2]float64{Play(start, a, b, rng()).Result, 1 - Play(start, b, a, rng()).Result}
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

// forEach calls f with every number below n, on one goroutine per processor. After each
// call it calls progress with the number of calls done, one at a time.
func forEach(ctx context.Context, n int, f func(i int), progress func(done int)) error {
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	done := 0
	for i := 0; i < n && ctx.Err() == nil; i++ {
		g.Go(func() error {
			f(i)
			mu.Lock()
			defer mu.Unlock()
			done++
			progress(done)
			return nil
		})
	}
	_ = g.Wait() // no function fails
	return ctx.Err()
}
