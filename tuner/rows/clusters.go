package rows

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/num"
)

// Clusters is the partition of a store's rows into groups whose labels are
// not independent: the rows of a game, or of all games of an opening.
type Clusters struct {
	Of        []uint32 // by index into Store.games
	keys      []uint64 // by cluster, what the split hashes: the game's number or the opening's key
	trainOnly []bool   // by cluster
	ByOpening bool     // some openings were played by several games
	Warning   string
}

// N returns the number of clusters.
func (c *Clusters) N() int { return len(c.keys) }

// MinClusters is how many effective clusters an estimate of variance needs.
const MinClusters = 30

// cluster groups the games by opening where several share one, unless that
// leaves too few groups to estimate anything from.
func (s *Store) Clusters() *Clusters {
	byGame := s.partition(func(g game) bool { return g.id == 0 && g.opening != 0 })
	byOpening := s.partition(func(g game) bool { return g.opening != 0 })
	if byOpening.N() == byGame.N() {
		return byGame
	}
	n, all := s.effective(byOpening), s.effective(byGame)
	if n < MinClusters && n < all/2 {
		byGame.Warning = fmt.Sprintf("games start from only %.1f effective openings: "+
			"grouped by game, errors may be too small", n)
		return byGame
	}
	byOpening.ByOpening = true
	return byOpening
}

// partition numbers clusters in order of their first game: the games of an opening where byOpening says so, else
// single games. A game without id is a cluster of its own.
func (s *Store) partition(byOpening func(game) bool) *Clusters {
	c := &Clusters{Of: make([]uint32, len(s.games))}
	seen := make(map[uint64]uint32)
	for i, g := range s.games {
		id, key := g.id, dataset.GameNumber(g.id)
		switch {
		case byOpening(g):
			id = board.SplitMix64(g.opening)
			key = id
		case id == 0:
			key = board.SplitMix64(^uint64(i))
		}
		n, ok := seen[id]
		if id == 0 || !ok {
			n = uint32(len(c.keys))
			if id != 0 {
				seen[id] = n
			}
			c.keys = append(c.keys, key)
			c.trainOnly = append(c.trainOnly, false)
		}
		c.Of[i] = n
		c.trainOnly[n] = c.trainOnly[n] || g.trainOnly
	}
	return c
}

// effective returns the effective number of clusters, (sum n)^2 / sum n^2 over their numbers of rows.
func (s *Store) effective(c *Clusters) float64 {
	rows := make([]float64, c.N())
	for i, g := range s.games {
		rows[c.Of[i]] += float64(g.rows)
	}
	return effective(rows)
}

func effective(n []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range n {
		sum += v
		squares += num.Rounded(v * v)
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// hold chooses the clusters of the validation set: those whose hash with the
// seed falls below the fraction, so that a game keeps its side as data grow.
func (c *Clusters) hold(fraction float64, seed uint64) []bool {
	out := make([]bool, c.N())
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
	if held == c.N() && held > 0 { // all held: nothing left to learn from
		out[slices.Index(out, true)] = false
	}
	return out
}

// Folds deals the clusters out to at most n folds of equal numbers of clusters, by hash with the seed. It
// returns the fold of each cluster, -1 for those that are only trained on, and the number of folds.
func (c *Clusters) Folds(n int, seed uint64) (fold []int, folds int) {
	hash := make([]uint64, c.N())
	var order []int
	fold = make([]int, c.N())
	for i, key := range c.keys {
		fold[i] = -1
		if !c.trainOnly[i] {
			hash[i] = board.SplitMix64(board.SplitMix64(seed^0xf01d) ^ key)
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(hash[i], hash[j]) })
	folds = min(n, len(order))
	for at, i := range order {
		fold[i] = at % folds
	}
	return fold, folds
}

// Split returns the rows' weights for training, by chunk, and the clusters held
// out for validation: their rows have weight 0.
func (s *Store) Split(c *Clusters, fraction float64, seed uint64) (omega [][]float32, held []bool) {
	held = c.hold(fraction, seed)
	for _, k := range s.Chunks {
		w := make([]float32, k.Rows)
		for i, g := range k.Game {
			if !held[c.Of[g]] {
				w[i] = k.WeightOf(i)
			}
		}
		omega = append(omega, w)
	}
	return omega, held
}

// maxPairs is the largest number of pairs in a dictionary.
const maxPairs = math.MaxUint16

// dictionary numbers the pairs of term and count in order of first occurrence. A row is then a list of such
// numbers, two bytes an entry, whatever the count: a pass looks up count x coefficient, computed once for each
// pair, and neither converts nor multiplies. The model assay needs 1,800 pairs for half a million positions,
// which a first-level cache holds. Should a set of features have more than 65,535, the rows keep the rare ones
// in a wider form.
type dictionary struct {
	pairs []Entry
	small []*[256]uint16   // by term, then by count+128: number + 1, or 0
	large map[Entry]uint16 // of other counts: number + 1
	limit int              // largest number of pairs
}

func newDictionary(terms int) dictionary {
	return dictionary{small: make([]*[256]uint16, terms), large: make(map[Entry]uint16), limit: maxPairs}
}

// number returns the number of a pair, or false if the dictionary is full.
func (d *dictionary) number(e Entry) (uint16, bool) {
	n := int(e.Count)
	if float32(n) != e.Count || n < -128 || n > 127 {
		at := d.large[e]
		if at == 0 && len(d.pairs) < d.limit {
			at = d.add(e)
			d.large[e] = at
		}
		return at - 1, at > 0
	}
	line := d.small[e.Term]
	if line == nil {
		line = new([256]uint16)
		d.small[e.Term] = line
	}
	if line[n+128] == 0 && len(d.pairs) < d.limit {
		line[n+128] = d.add(e)
	}
	return line[n+128] - 1, line[n+128] > 0
}

// add adds a pair and returns its number + 1.
func (d *dictionary) add(e Entry) uint16 {
	d.pairs = append(d.pairs, e)
	return uint16(len(d.pairs))
}
