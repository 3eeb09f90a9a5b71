package tuner

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// MaxPhase is the phase of a full middlegame; 0 is the bare endgame.
const MaxPhase = 24

// NoScore marks a row without a search score.
const NoScore = math.MinInt16

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
	Count float32
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

// game is what a store knows of one game (or of one row without a game).
type game struct {
	id, opening uint64
	rows        int32
	trainOnly   bool
}

// Store is a set of rows, compressed: 2 bytes an entry (see dictionary) and 8
// to 22 a row beside. Rows are grouped by phase, so that one entry serves both
// the middlegame and the endgame coefficient of its term: phases enter once a
// chunk and not once an entry. It does not change once built and may be
// shared by goroutines.
type Store struct {
	terms    int
	rows     int
	entries  int64
	pairs    dictionary
	chunks   []*chunk // in order of phase
	games    []game
	gameless int          // entries of games that stand for a single row without a game
	pieces   *pieceSample // nil unless built from positions
	sources  []SourceInfo // empty unless built from sources
	disk     *spill       // where codes are, if not in memory
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

// Bytes returns the memory held by rows, entries and games.
func (s *Store) Bytes() int64 {
	n := 24 * int64(cap(s.games))
	for _, c := range s.chunks {
		n += c.bytes()
	}
	return n
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
	open   [MaxPhase + 1]openChunk
}

// NewBuilder returns a builder for rows whose terms are below terms.
func NewBuilder(terms int) *Builder {
	return &Builder{s: &Store{terms: terms, pairs: newDictionary(terms)}, byGame: make(map[uint64]uint32)}
}

// NewDiskBuilder is NewBuilder for a store that keeps the entries of its rows
// in a file in dir, which is about four fifths of it: every pass then reads
// them once, in order, and finds the same to the last bit. Close the store in
// the end.
func NewDiskBuilder(terms int, dir string) (*Builder, error) {
	b := NewBuilder(terms)
	var err error
	b.s.disk, err = newSpill(dir)
	return b, err
}

// Close removes what the store keeps on disk. A store in memory needs none.
func (s *Store) Close() error {
	if s.disk == nil {
		return nil
	}
	return s.disk.close()
}

// Add appends a row. It copies what it keeps. An error that is the row's fault
// wraps ErrRow.
func (b *Builder) Add(r *Row) error {
	if err := r.check(b.s.terms); err != nil {
		return err
	}
	o := &b.open[r.Phase]
	o.add(r, b.gameIndex(r.Game, r.Opening, r.TrainOnly), &b.s.pairs)
	b.s.rows++
	if len(o.lens) == chunkRows {
		return b.seal(r.Phase)
	}
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
		key = board.SplitMix64(opening)
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

// seal ends the open chunk of a phase.
func (b *Builder) seal(phase int) error {
	c := b.open[phase].seal(phase)
	b.s.entries += int64(c.size + len(c.wide))
	b.s.chunks = append(b.s.chunks, c)
	if b.s.disk != nil {
		return b.s.disk.write(c)
	}
	return nil
}

// abandon ends the life of a builder whose store nobody will see.
func (b *Builder) abandon() error { return b.s.Close() }

// Finish returns the store and ends the builder's life.
func (b *Builder) Finish() (*Store, error) {
	s := b.s
	for phase := range b.open {
		if len(b.open[phase].lens) > 0 {
			if err := b.seal(phase); err != nil {
				return nil, errors.Join(err, s.Close())
			}
		}
	}
	*b = Builder{}
	if s.disk != nil {
		if err := s.disk.flush(); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	slices.SortStableFunc(s.chunks, func(x, y *chunk) int { return x.phase - y.phase })
	base := 0
	for _, c := range s.chunks {
		c.base = base
		base += c.rows
	}
	return s, nil
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

func isInf32(v float32) bool { return math.IsInf(float64(v), 0) }
