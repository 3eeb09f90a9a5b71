package tuner

import (
	"errors"
	"fmt"
	"math"
)

// MaxPhase is the phase of a full middlegame; 0 is the bare endgame.
const MaxPhase = 24

// NoScore marks a row without a search score.
const NoScore = math.MinInt16

// chunkRows is the number of rows summed together before sums are added in
// order. It is part of the result: changing it changes last bits of a fit.
const chunkRows = 4096

// Errors of a set of rows.
var (
	// ErrEmpty means there is not a single row to learn from.
	ErrEmpty = errors.New("no rows")
	// ErrRow wraps every complaint about the contents of one row.
	ErrRow = errors.New("bad row")
)

// Entry is one feature of a row: White's count of a term minus Black's.
type Entry struct {
	Term  uint16
	Count int16
}

// Row is one position as the tuner sees it.
type Row struct {
	Entries []Entry // terms ascending and unique, counts not 0
	Phase   int     // 0..MaxPhase
	Scale   float32 // endgame scale factor; 1 for most rows
	Offset  float32 // part of the evaluation that is not tuned, centipawns
	Result  float32 // 0..1, White's view
	Score   int16   // search score in centipawns, White's view; NoScore if none
	Weight  float32 // > 0
	Game    uint64  // 0 if unknown: the row is then a cluster of its own
	Opening uint64  // 0 if unknown
	// TrainOnly keeps the row's game out of the validation set.
	TrainOnly bool
}

// rowLen counts the entries of a row: first those with count +1, then those
// with -1, then all others. Most counts are +1 or -1 and need no room of
// their own, nor a multiplication.
type rowLen struct{ plus, minus, other uint16 }

// bucket holds the rows of one phase in the order in which they came.
type bucket struct {
	base   int // number in the store of the bucket's first row
	lens   []rowLen
	terms  []uint16 // plus, minus, other of row 0; then of row 1; ...
	counts []int16  // counts of the "other" entries only
	result []float32
	score  []int16
	weight []float32
	game   []uint32  // index into Store.games
	scale  []float32 // nil while every scale is 1
	offset []float32 // nil while every offset is 0
}

// game is what a store knows of one game (or of one row without a game).
type game struct {
	id, opening uint64
	rows        int32
	trainOnly   bool
}

// chunk is a run of rows of one bucket: the unit of summation.
type chunk struct {
	phase       int
	lo, hi      int // rows of the bucket
	term, count int // where the entries of row lo begin
}

// Store is a set of rows, compressed: 2 bytes for an entry of count +1 or -1,
// 4 for any other, and about 24 bytes a row beside. Rows are grouped by phase,
// so that one entry serves both the middlegame and the endgame coefficient of
// its term with a single multiplication. It does not change once built and may
// be shared by goroutines.
type Store struct {
	terms    int
	rows     int
	entries  int64
	buckets  [MaxPhase + 1]bucket
	games    []game
	gameless int // entries of games that stand for a single row without a game
	chunks   []chunk
	pieces   *pieceSample // nil unless built from positions
	sources  []SourceInfo // empty unless built from sources
}

// Rows returns the number of rows.
func (s *Store) Rows() int { return s.rows }

// Terms returns the number of terms that entries may name.
func (s *Store) Terms() int { return s.terms }

// Entries returns the number of stored (term, count) pairs.
func (s *Store) Entries() int64 { return s.entries }

// Games returns the number of distinct games; rows without one do not count.
func (s *Store) Games() int { return len(s.games) - s.gameless }

// Gameless returns the number of rows that name neither game nor opening.
func (s *Store) Gameless() int { return s.gameless }

// Bytes returns the memory held by rows and entries.
func (s *Store) Bytes() int64 {
	var n int64
	for i := range s.buckets {
		b := &s.buckets[i]
		n += 6*int64(cap(b.lens)) + 2*int64(cap(b.terms)+cap(b.counts)+cap(b.score))
		n += 4 * int64(cap(b.result)+cap(b.weight)+cap(b.game)+cap(b.scale)+cap(b.offset))
	}
	return n + 24*int64(cap(s.games))
}

// SourceInfo is what a store remembers of a source.
type SourceInfo struct {
	Name, Hash string
	Rows       int64
}

// Sources returns what the store was built from.
func (s *Store) Sources() []SourceInfo { return s.sources }

// Builder collects rows into a Store.
type Builder struct {
	s      *Store
	byGame map[uint64]uint32
}

// NewBuilder returns a builder for rows whose terms are below terms.
func NewBuilder(terms int) *Builder {
	return &Builder{s: &Store{terms: terms}, byGame: make(map[uint64]uint32)}
}

// Add appends a row. It copies what it keeps. An error wraps ErrRow.
func (b *Builder) Add(r *Row) error {
	if err := r.check(b.s.terms); err != nil {
		return err
	}
	k := &b.s.buckets[r.Phase]
	b.append(k, r, b.gameIndex(r.Game, r.Opening, r.TrainOnly))
	return nil
}

// gameIndex numbers games in order of their first row.
func (b *Builder) gameIndex(id, opening uint64, trainOnly bool) uint32 {
	s := b.s
	if id == 0 && opening == 0 {
		s.gameless++
		s.games = append(s.games, game{rows: 1, trainOnly: trainOnly})
		return uint32(len(s.games) - 1)
	}
	key := id
	if key == 0 { // rows of an opening without a game: one cluster
		key = mix64(opening)
	}
	if i, ok := b.byGame[key]; ok {
		s.games[i].rows++
		s.games[i].trainOnly = s.games[i].trainOnly || trainOnly
		return i
	}
	i := uint32(len(s.games))
	b.byGame[key] = i
	s.games = append(s.games, game{id: id, opening: opening, rows: 1, trainOnly: trainOnly})
	return i
}

func (b *Builder) append(k *bucket, r *Row, g uint32) {
	var n rowLen
	for _, e := range r.Entries {
		if e.Count == 1 {
			k.terms = append(k.terms, e.Term)
			n.plus++
		}
	}
	for _, e := range r.Entries {
		if e.Count == -1 {
			k.terms = append(k.terms, e.Term)
			n.minus++
		}
	}
	for _, e := range r.Entries {
		if e.Count != 1 && e.Count != -1 {
			k.terms = append(k.terms, e.Term)
			k.counts = append(k.counts, e.Count)
			n.other++
		}
	}
	row := len(k.lens)
	k.lens = append(k.lens, n)
	k.result = append(k.result, r.Result)
	k.score = append(k.score, r.Score)
	k.weight = append(k.weight, r.Weight)
	k.game = append(k.game, g)
	k.scale = appendLazy(k.scale, row, r.Scale, 1)
	k.offset = appendLazy(k.offset, row, r.Offset, 0)
}

// appendLazy appends v to column c of length row; the column is nil while all
// values are the default.
func appendLazy(c []float32, row int, v, def float32) []float32 {
	if c == nil {
		if v == def {
			return nil
		}
		c = make([]float32, row, row+row/4+16)
		for i := range c {
			c[i] = def
		}
	}
	return append(c, v)
}

// check refuses what could poison a fit: values that are not finite or out of
// range, and entries out of order.
func (r *Row) check(terms int) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrRow, fmt.Sprintf(format, args...))
	}
	switch {
	case r.Phase < 0 || r.Phase > MaxPhase:
		return bad("phase %d is not in 0..%d", r.Phase, MaxPhase)
	case !(r.Result >= 0 && r.Result <= 1):
		return bad("result %v is not in 0..1", r.Result)
	case !(r.Weight > 0) || isInf32(r.Weight):
		return bad("weight %v is not a positive number", r.Weight)
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
		}
		last = int(e.Term)
	}
	return nil
}

func isInf32(v float32) bool { return math.IsInf(float64(v), 0) }

// Finish returns the store and ends the builder's life.
func (b *Builder) Finish() *Store {
	s := b.s
	b.s, b.byGame = nil, nil
	for phase := range s.buckets {
		k := &s.buckets[phase]
		k.base = s.rows
		s.rows += len(k.lens)
		s.entries += int64(len(k.terms))
		s.cut(phase)
	}
	return s
}

// cut divides a bucket into chunks.
func (s *Store) cut(phase int) {
	k := &s.buckets[phase]
	term, count := 0, 0
	for lo := 0; lo < len(k.lens); lo += chunkRows {
		hi := min(lo+chunkRows, len(k.lens))
		s.chunks = append(s.chunks, chunk{phase: phase, lo: lo, hi: hi, term: term, count: count})
		for _, n := range k.lens[lo:hi] {
			term += int(n.plus) + int(n.minus) + int(n.other)
			count += int(n.other)
		}
	}
}

// mix64 is the finaliser of splitmix64 (Steele, Lea and Flood, 2014).
func mix64(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
