// Package rows keeps what the tuner learns from: one row a position, with the counts
// of its terms, the factors of their two values, its result and the game that it is from.
//
// A [Store] is built once, from positions under one of our models ([Build.Positions]) or from the features of an
// external evaluation ([Build.Features]), and then passed over many times. It keeps a count in two bytes: a
// number of a (term, count) pair in a dictionary. Rows of the same factors stand together in chunks of a fixed
// size, in memory or on disk. [Clusters] says which rows are not independent of each other.
//
// Start reading at Store and Chunk.
//
// No promise of stability.
package rows

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/tuner/internal/autodiff"
)

// MaxPhase is the phase of a full middlegame; 0 is the bare endgame.
const MaxPhase = 24

// NoScore marks a row without a search score.
const NoScore = math.MinInt16

// Entry is one feature of a row: White's count of a term minus Black's.
type Entry struct {
	Term  uint16
	Count float32
}

// OwnFactors is the phase of a row that names the factors of its two values.
const OwnFactors = -1

// Row is one position as the tuner sees it. Its evaluation is
//
//	Offset + Scale x sum(Count x (MG x mg + EG x eg))
type Row struct {
	Entries []Entry // terms ascending and unique, counts not 0
	Phase   int     // 0..MaxPhase, or OwnFactors
	Scale   float32 // endgame scale factor; 1 for most rows
	Offset  float32 // part of the evaluation that is not tuned, centipawns
	Result  float32 // 0..1, White's view
	Score   int16   // search score in centipawns, White's view; NoScore if none
	Weight  float32 // >= 0; a row of weight 0 is not kept
	Game    uint64  // 0 if unknown: the row is then a cluster of its own
	Opening uint64  // 0 if unknown
	// TrainOnly keeps the row's game out of the validation set.
	TrainOnly bool
	// MG and EG are the factors of the middlegame and the endgame values where
	// Phase is OwnFactors. Else they are Phase/24 and (24-Phase)/24.
	MG, EG float32
}

// Factors returns the factors of the middlegame and the endgame values.
func (r *Row) Factors() (mg, eg float64) {
	if r.Phase == OwnFactors {
		return float64(r.MG), float64(r.EG)
	}
	return float64(r.Phase) / MaxPhase, float64(MaxPhase-r.Phase) / MaxPhase
}

// check refuses what could poison a fit: values that are not finite or out of range, and entries out of order.
func (r *Row) check(terms int) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrRow, fmt.Sprintf(format, args...))
	}
	switch {
	case (r.Phase < 0 || r.Phase > MaxPhase) && r.Phase != OwnFactors:
		return bad("phase %d is not in 0..%d", r.Phase, MaxPhase)
	case !(math.Abs(float64(r.MG)) <= maxFactor && math.Abs(float64(r.EG)) <= maxFactor):
		return bad("factors %v and %v are not within %d", r.MG, r.EG, maxFactor)
	case !(r.Result >= 0 && r.Result <= 1):
		return bad("result %v is not in 0..1", r.Result)
	case !(r.Weight >= 0) || isInf32(r.Weight):
		return bad("weight %v is not a number of at least 0", r.Weight)
	case !(r.Scale >= 0) || isInf32(r.Scale):
		return bad("scale %v is not a number of at least 0", r.Scale)
	case r.Offset != r.Offset || isInf32(r.Offset):
		return bad("offset %v is not a number", r.Offset)
	}
	last := -1
	for _, e := range r.Entries {
		switch {
		case int(e.Term) >= terms:
			return bad("term %d of a model of %d terms", e.Term, terms)
		case int(e.Term) <= last:
			return bad("term %d follows term %d: terms must ascend", e.Term, last)
		case e.Count == 0:
			return bad("term %d has count 0", e.Term)
		case !(math.Abs(float64(e.Count)) <= maxCount):
			return bad("term %d has count %v, which is beyond %d", e.Term, e.Count, maxCount)
		}
		last = int(e.Term)
	}
	return nil
}

// maxCount is the largest count that is taken for a count and not for a
// mistake: it keeps every evaluation finite.
const maxCount = 1 << 20

// maxFactor is the largest factor of a value.
const maxFactor = 1000

func isInf32(v float32) bool { return math.IsInf(float64(v), 0) }

// TermsOfFeatures returns the terms of an external evaluation with its own start values, in engine units. If it is one
// of our models under the model's own name, twins and terms that are not tapered are known; else there are no
// twins. A term without a group belongs to what stands before the first dot of its name.
func TermsOfFeatures(set dataset.FeatureSet) []Term { return NewLinear(set).terms }

// Term is one term of the evaluation to be fitted.
type Term struct {
	Name, Group string
	Tapered     bool    // false: one coefficient holds in both phases
	Mirror      int     // index of the file-mirrored twin; own index if none
	MG, EG      float64 // start values in centipawns; equal where not tapered
	// Own marks a term of a model of package eval, of its first channel: the prior of its group is measured. What
	// another evaluation calls a group says nothing.
	Own   bool
	Fixed bool // no fit changes it
}

// TermsOf returns the terms of a model with start weights w in centipawns.
func TermsOf(m *eval.Model, w []eval.Coef) ([]Term, error) {
	if err := m.Check(w); err != nil {
		return nil, err
	}
	out := make([]Term, len(m.Terms))
	for i, t := range m.Terms {
		out[i] = Term{Name: t.Name, Group: t.Group, Tapered: t.Tapered, Mirror: t.Mirror, MG: float64(w[i].MG),
			EG: float64(w[i].EG), Own: t.Channel == ""}
	}
	return out, nil
}

// Nonlinear says how the rows of a store are evaluated that are not linear: which sums of terms
// the entries of a row make, and what the formula does with them. The entries of such a store
// name counted terms: a term of a channel that counts each side is two of them.
type Nonlinear struct {
	Formula  *formula.Formula
	Machines *autodiff.Pool
	Slots    []slot
	Counted  []counted // what a counted term stands for
	Phase    int       // the input that is the phase; -1 if none is
	Jumps    []int     // where the value may jump, see formula.Machine.Near
	Kinks    []int     // where its slope may
	at       [][2]int  // counted terms by term: White's or both sides', and Black's; -1
}

// slot is a sum of terms, or two: of middlegame values and of endgame values. MG and EG are
// the inputs of the formula that read them, -1 if none does.
type slot struct{ MG, EG int }

// counted is a term as entries count it.
type counted struct {
	Term uint16
	Slot uint16
}

// NewNonlinear describes rows whose value is a formula of channels, to which terms belong by index.
func NewNonlinear(f *formula.Formula, channels []formula.Channel, channel []int) *Nonlinear {
	b := &Nonlinear{Formula: f, Machines: autodiff.NewPool(f), Phase: -1, Jumps: f.Jumps(), Kinks: f.Kinks()}
	slots := make([][2]int, len(channels))
	for c, ch := range channels {
		slots[c] = [2]int{len(b.Slots), -1}
		b.Slots = append(b.Slots, slot{-1, -1})
		if ch.Sides {
			slots[c][1] = len(b.Slots)
			b.Slots = append(b.Slots, slot{-1, -1})
		}
	}
	for i, x := range f.Inputs {
		if x.Channel == formula.Phase {
			b.Phase = i
			continue
		}
		s := &b.Slots[slots[x.Channel][0]]
		if x.Black {
			s = &b.Slots[slots[x.Channel][1]]
		}
		if x.Endgame {
			s.EG = i
		} else {
			s.MG = i
		}
	}
	for t, c := range channel {
		at := [2]int{-1, -1}
		for side, slot := range slots[c] {
			if slot >= 0 {
				at[side] = len(b.Counted)
				b.Counted = append(b.Counted, counted{uint16(t), uint16(slot)})
			}
		}
		b.at = append(b.at, at)
	}
	return b
}

// nonlinearOf returns how the rows of a model are evaluated; nil if they are linear.
func nonlinearOf(m *eval.Model) *Nonlinear {
	if m.Nonlinear == nil {
		return nil
	}
	channel := make([]int, len(m.Terms))
	for t := range channel {
		channel[t] = m.Nonlinear.Channel(t)
	}
	return NewNonlinear(m.Nonlinear.Formula, m.Nonlinear.Channels, channel)
}

// Entries appends the entries of a term that is counted for White, or for both sides, and for Black.
func (b *Nonlinear) Entries(entries []Entry, term uint16, white, black float32) []Entry {
	counts := [2]float32{white, black}
	for side, at := range b.at[term] {
		if at >= 0 && counts[side] != 0 {
			entries = append(entries, Entry{uint16(at), counts[side]})
		}
	}
	return entries
}

// count makes entries of counted terms ones of terms, White's minus Black's, in place.
func (b *Nonlinear) count(entries []Entry) []Entry {
	out := entries[:0]
	for _, e := range entries {
		c := b.Counted[e.Term]
		if int(e.Term) == b.at[c.Term][1] {
			e.Count = -e.Count
		}
		e.Term = c.Term
		if n := len(out); n > 0 && out[n-1].Term == e.Term {
			out[n-1].Count += e.Count
			continue
		}
		out = append(out, e)
	}
	return slices.DeleteFunc(out, func(e Entry) bool { return e.Count == 0 })
}

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
	sum, squares := 0.0, 0.0
	for _, v := range rows {
		sum += v
		squares += num.Rounded(v * v)
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
