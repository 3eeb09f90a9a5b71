package tuner

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// clusters is the partition of a store's rows into groups whose labels are
// not independent: the rows of a game, or of all games of an opening.
type clusters struct {
	of        []uint32 // by index into Store.games
	keys      []uint64 // by cluster: what the split hashes
	trainOnly []bool   // by cluster
	byOpening bool     // some openings were played by several games
	warning   string
}

// n returns the number of clusters.
func (c *clusters) n() int { return len(c.keys) }

// minClusters is how many effective clusters an estimate of variance needs.
const minClusters = 30

// cluster groups the games by opening where several share one, unless that
// leaves too few groups to estimate anything from.
func (s *Store) cluster() *clusters {
	byGame := s.partition(func(g game) uint64 {
		if g.id == 0 && g.opening != 0 {
			return board.SplitMix64(g.opening)
		}
		return g.id
	})
	byOpening := s.partition(func(g game) uint64 {
		if g.opening != 0 {
			return board.SplitMix64(g.opening)
		}
		return g.id
	})
	if byOpening.n() == byGame.n() {
		return byGame
	}
	n, all := s.effective(byOpening), s.effective(byGame)
	if n < minClusters && n < all/2 {
		byGame.warning = fmt.Sprintf("games start from only %.1f effective openings: grouped by game, errors may be too small", n)
		return byGame
	}
	byOpening.byOpening = true
	return byOpening
}

// partition numbers clusters in order of their first game. A game of key 0 is
// a cluster of its own.
func (s *Store) partition(key func(game) uint64) *clusters {
	c := &clusters{of: make([]uint32, len(s.games))}
	seen := make(map[uint64]uint32)
	for i, g := range s.games {
		k := key(g)
		n, ok := seen[k]
		if k == 0 || !ok {
			n = uint32(len(c.keys))
			if k == 0 {
				k = board.SplitMix64(^uint64(i))
			} else {
				seen[k] = n
			}
			c.keys = append(c.keys, k)
			c.trainOnly = append(c.trainOnly, false)
		}
		c.of[i] = n
		c.trainOnly[n] = c.trainOnly[n] || g.trainOnly
	}
	return c
}

// effective returns the effective number of clusters, (sum n)^2 / sum n^2
// over their numbers of rows.
func (s *Store) effective(c *clusters) float64 {
	rows := make([]float64, c.n())
	for i, g := range s.games {
		rows[c.of[i]] += float64(g.rows)
	}
	return effective(rows)
}

func effective(n []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range n {
		sum += v
		squares += v * v
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// hold chooses the clusters of the validation set: those whose hash with the
// seed falls below the fraction, so that a game keeps its side as data grow.
func (c *clusters) hold(fraction float64, seed uint64) []bool {
	out := make([]bool, c.n())
	best, bestHash, held := -1, uint64(math.MaxUint64), 0
	eligible := 0
	for i, key := range c.keys {
		if c.trainOnly[i] {
			continue
		}
		eligible++
		h := board.SplitMix64(board.SplitMix64(seed) ^ key)
		if float64(h)/(1<<64) < fraction {
			out[i] = true
			held++
		}
		if h < bestHash {
			best, bestHash = i, h
		}
	}
	if held == 0 && fraction > 0 && eligible >= 2 {
		out[best] = true
	}
	if held == c.n() && held > 0 { // all held: nothing left to learn from
		out[slices.Index(out, true)] = false
	}
	return out
}

// leave chooses the clusters that are left out of the training when it is only a
// share of them: nil if none is. A larger share holds all of a smaller one.
func (c *clusters) leave(held []bool, share float64, seed uint64) []bool {
	if share == 0 || share >= 1 {
		return nil
	}
	out := make([]bool, c.n())
	for i, key := range c.keys {
		// Another hash than that which holds out, or a share would be taken of
		// what is left after it in order.
		out[i] = !held[i] && float64(board.SplitMix64(board.SplitMix64(seed^0x5a5a)^key))/(1<<64) >= share
	}
	return out
}

// split returns the rows' weights for training, by chunk, and the clusters held
// out for validation: their rows have weight 0.
func (s *Store) split(c *clusters, fraction float64, seed uint64) (omega [][]float32, held []bool) {
	held = c.hold(fraction, seed)
	for _, k := range s.chunks {
		w := make([]float32, k.rows)
		for i, g := range k.game {
			if !held[c.of[g]] {
				w[i] = k.weightOf(i)
			}
		}
		omega = append(omega, w)
	}
	return omega, held
}

// targets returns y = lambda*result + (1-lambda)*sigmoid(kScore*score) by
// chunk and row; rows without a score keep their result.
func (s *Store) targets(lambda, kScore float64) [][]float32 {
	var out [][]float32
	for _, k := range s.chunks {
		y := k.result
		if lambda < 1 && k.score != nil {
			y = make([]float32, k.rows)
			for i, r := range k.result {
				y[i] = r
				if k.score[i] != NoScore {
					p := Sigmoid(kScore * float64(k.score[i]))
					y[i] = float32(lambda*float64(r) + (1-lambda)*p)
				}
			}
		}
		out = append(out, y)
	}
	return out
}
