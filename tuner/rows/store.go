package rows

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"unsafe"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// Errors of a set of rows.
var (
	// ErrEmpty means there is not a single row to learn from.
	ErrEmpty = errors.New("no rows")
	// ErrRow wraps every complaint about the contents of one row.
	ErrRow = errors.New("bad row")
)

// game is what a store knows of one game (or of one row without a game).
type game struct {
	id, opening uint64
	rows        int32
	trainOnly   bool
}

// Store is a set of rows, compressed: 2 bytes an entry (see dictionary) and 8 to 22 a row beside. Rows are
// grouped by the factors of their middlegame and endgame values, so that one entry serves both values of its
// term: factors enter once a chunk and not once an entry. Rows whose factors few others have stand together and
// carry them, 8 bytes more. A store does not change once built and may be shared by goroutines.
type Store struct {
	terms    int
	rows     int
	entries  int64
	pairs    dictionary
	Chunks   []*Chunk // in order of phase; then of other factors; then mixed ones
	games    []game
	gameless int          // entries of games that stand for a single row without a game
	Seen     []int64      // how often each term occurs in a sample of positions; nil unless built from those
	sources  []SourceInfo // empty unless built from sources
	disk     *spill       // where codes are, if not in memory
	bend     *Nonlinear   // nil if the evaluation is linear
	local    bool         // linear only near the start values, see dataset.Evaluation
	before   []tally      // by term: counts before factors of the rows, where entries include those
}

// Rows returns the number of rows.
func (s *Store) Rows() int { return s.rows }

// Terms returns the number of terms that entries may name.
func (s *Store) Terms() int {
	if s.bend != nil {
		return len(s.bend.at)
	}
	return s.terms
}

// Nonlinear says how the rows are evaluated; nil if they are linear.
func (s *Store) Nonlinear() *Nonlinear { return s.bend }

// Local reports whether counts are slopes, so that the evaluation is linear only near the start values.
func (s *Store) Local() bool { return s.local }

// Pairs returns the pairs of term and count that codes stand for.
func (s *Store) Pairs() []Entry { return s.pairs.pairs }

// Entries returns the number of stored (term, count) pairs.
func (s *Store) Entries() int64 { return s.entries }

// Games returns the number of distinct games; rows without one do not count.
func (s *Store) Games() int { return len(s.games) - s.gameless }

// Gameless returns the number of rows that name neither game nor opening.
func (s *Store) Gameless() int { return s.gameless }

// Bytes returns the memory held by rows, entries and games.
func (s *Store) Bytes() int64 {
	n := 24 * int64(cap(s.games))
	for _, c := range s.Chunks {
		n += c.bytes()
	}
	return n
}

// SourceInfo is what a store remembers of a source.
type SourceInfo struct {
	Name, Hash string
	Rows       int64
}

// Unscored returns the number of rows without a search score.
func (s *Store) Unscored() (n int) {
	for _, c := range s.Chunks {
		for i := range c.Rows {
			if c.ScoreOf(i) == NoScore {
				n++
			}
		}
	}
	return n
}

// Sources returns what the store was built from.
func (s *Store) Sources() []SourceInfo { return s.sources }

// Builder collects rows into a Store.
type Builder struct {
	s      *Store
	byGame map[uint64]uint32
	open   [MaxPhase + 1]openChunk
	other  []openChunk // rows of the same factors, in order of first row
	group  map[[2]float32]int
	mixed  openChunk // rows with factors of their own
}

// A group of its own pays from about this number of rows on: a pass prepares
// tables for each, and the Gauss-Newton matrix of a mixed chunk is summed three
// times. Of more different factors than maxGroups, the later ones are mixed.
const (
	groupRows = 512
	maxGroups = 1024
)

// NewBuilder returns a builder for rows whose terms are below terms.
func NewBuilder(terms int) *Builder {
	b := &Builder{
		s:      &Store{terms: terms, pairs: newDictionary(terms)},
		byGame: make(map[uint64]uint32), group: make(map[[2]float32]int),
	}
	for phase := range b.open {
		b.open[phase].factors = factors{phase, float64(phase) / MaxPhase, float64(MaxPhase-phase) / MaxPhase}
	}
	b.mixed.factors = factors{OwnFactors, math.NaN(), math.NaN()}
	return b
}

// SetNonlinear makes the store one of rows that a formula evaluates.
func (b *Builder) SetNonlinear(bend *Nonlinear) {
	b.s.bend, b.s.terms = bend, len(bend.Counted)
	b.s.pairs = newDictionary(len(bend.Counted))
}

// NewDiskBuilder is NewBuilder for a store that keeps the entries of its rows in a file in dir, which is about
// four fifths of it: every pass then reads them once, in order, and finds the same to the last bit. Close the
// store in the end. Without dir the store is in memory.
func NewDiskBuilder(terms int, dir string) (b *Builder, err error) {
	if b = NewBuilder(terms); dir != "" {
		b.s.disk, err = newSpill(dir)
	}
	return b, err
}

// Close removes what the store keeps on disk. A store in memory needs none.
func (s *Store) Close() error {
	if s.disk == nil {
		return nil
	}
	return s.disk.close()
}

// Add appends a row. It copies what it keeps. A row of weight 0 is checked and dropped: it would add nothing to
// any sum, but count as a row of its game. An error that is the row's fault wraps ErrRow.
func (b *Builder) Add(r *Row) error {
	if err := r.check(b.s.terms); err != nil || r.Weight == 0 {
		return err
	}
	o := b.chunkOf(r)
	o.add(r, b.gameIndex(r.Game, r.Opening, r.TrainOnly), &b.s.pairs)
	b.s.rows++
	if len(o.rows) == ChunkRows {
		return b.seal(o)
	}
	return nil
}

// chunkOf returns the open chunk that takes the row. A formula takes the phase of each row: its
// chunks are full and in order.
func (b *Builder) chunkOf(r *Row) *openChunk {
	switch {
	case b.s.bend != nil:
		return &b.mixed
	case r.Phase != OwnFactors:
		return &b.open[r.Phase]
	}
	key := [2]float32{r.MG, r.EG}
	i, ok := b.group[key]
	switch {
	case ok:
		return &b.other[i]
	case len(b.other) == maxGroups:
		return &b.mixed
	}
	b.group[key] = len(b.other)
	b.other = append(b.other, openChunk{factors: factors{OwnFactors, float64(r.MG), float64(r.EG)}})
	return &b.other[len(b.other)-1]
}

// gameIndex numbers games in order of their first row.
func (b *Builder) gameIndex(id, opening uint64, trainOnly bool) uint32 {
	s := b.s
	key := id
	if id == 0 && opening == 0 {
		s.gameless++
	} else {
		if key == 0 { // rows of an opening without a game: one cluster
			key = board.SplitMix64(opening)
		}
		if i, ok := b.byGame[key]; ok {
			s.games[i].rows++
			s.games[i].trainOnly = s.games[i].trainOnly || trainOnly
			return i
		}
		b.byGame[key] = uint32(len(s.games))
	}
	s.games = append(s.games, game{id: id, opening: opening, rows: 1, trainOnly: trainOnly})
	return uint32(len(s.games) - 1)
}

func (b *Builder) seal(o *openChunk) error {
	c := o.seal()
	b.s.entries += int64(c.Size + len(c.Wide))
	b.s.Chunks = append(b.s.Chunks, c)
	if b.s.disk != nil {
		return b.s.disk.write(c)
	}
	return nil
}

// Finish returns the store and ends the builder's life.
func (b *Builder) Finish() (*Store, error) {
	s := b.s
	err := b.sealAll()
	if err == nil && s.disk != nil {
		err = s.disk.flush()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	*b = Builder{}
	slices.SortStableFunc(s.Chunks, byFactors)
	return s, nil
}

// sealAll ends all open chunks. Small groups of equal factors become mixed.
func (b *Builder) sealAll() error {
	for phase := range b.open {
		if o := &b.open[phase]; len(o.rows) > 0 {
			if err := b.seal(o); err != nil {
				return err
			}
		}
	}
	for i := range b.other {
		g, to := &b.other[i], &b.mixed
		if len(g.rows) >= groupRows {
			to = g
		}
		if to == g || len(to.rows)+len(g.rows) > ChunkRows {
			if err := b.seal(to); err != nil {
				return err
			}
		}
		b.mixed.move(g)
	}
	if len(b.mixed.rows) == 0 {
		return nil
	}
	return b.seal(&b.mixed)
}

// byFactors compares chunks by phase, then factors; mixed ones are last.
func byFactors(x, y *Chunk) int {
	kind := func(c *Chunk) int {
		switch {
		case c.Mixed():
			return 2
		case c.Phase == OwnFactors:
			return 1
		}
		return 0
	}
	if c := cmp.Compare(kind(x), kind(y)); c != 0 || x.Mixed() {
		return c
	}
	return cmp.Or(cmp.Compare(x.Phase, y.Phase), cmp.Compare(x.MG, y.MG), cmp.Compare(x.EG, y.EG))
}

// samplePositions is the largest number of positions in which the occurrences of terms are counted.
const samplePositions = 4096

// reservoir keeps every stride-th position and doubles the stride when full,
// so that the sample depends only on the order of the positions.
type reservoir struct {
	positions []board.Position
	stride, n int
}

func (r *reservoir) add(p *board.Position) {
	if r.stride == 0 {
		r.stride = 1
	}
	if r.n%r.stride == 0 {
		if len(r.positions) == samplePositions {
			for i := range samplePositions / 2 {
				r.positions[i] = r.positions[2*i]
			}
			r.positions = r.positions[:samplePositions/2]
			r.stride *= 2
		}
		if r.n%r.stride == 0 {
			r.positions = append(r.positions, *p)
		}
	}
	r.n++
}

// seen counts how often each term occurs in the positions, White's counts plus Black's.
func (r *reservoir) seen(m *eval.Model) []int64 {
	out := make([]int64, len(m.Terms))
	for i := range r.positions {
		for _, c := range m.Counts(&r.positions[i]) {
			out[c.Term] += int64(max(c.White, -c.White) + max(c.Black, -c.Black))
		}
	}
	return out
}

// spill is a file that holds the codes of a store's chunks. What a pass needs
// beside them, about ten bytes a row, stays in memory.
type spill struct {
	f    *os.File
	w    *bufio.Writer
	size int64
	// named: the file still has its name, and has to be removed.
	named bool
}

// newSpill makes a file in dir that is gone when the program ends, however it ends, where a system lets an open
// file lose its name; elsewhere close removes it.
func newSpill(dir string) (*spill, error) {
	f, err := os.CreateTemp(dir, ".features-*")
	if err != nil {
		return nil, fmt.Errorf("features on disk: %w", err)
	}
	named := os.Remove(f.Name()) != nil
	return &spill{f: f, w: bufio.NewWriterSize(f, 1<<20), named: named}, nil
}

// write moves the chunk's codes to disk.
func (d *spill) write(c *Chunk) error {
	c.at = d.size
	n, err := d.w.Write(memory(c.codes))
	d.size += int64(n)
	c.codes = nil
	if err != nil {
		return fmt.Errorf("features on disk: %w", err)
	}
	return nil
}

func (d *spill) flush() error {
	err := d.w.Flush()
	d.w = nil
	if err != nil {
		return fmt.Errorf("features on disk: %w", err)
	}
	return nil
}

// read returns the chunk's codes in buf, which grows as needed.
func (d *spill) read(c *Chunk, buf *[]uint16) ([]uint16, error) {
	if cap(*buf) < c.Size {
		*buf = make([]uint16, c.Size, c.Size+c.Size/4)
	}
	codes := (*buf)[:c.Size]
	if _, err := d.f.ReadAt(memory(codes), c.at); err != nil && (err != io.EOF || c.Size > 0) {
		return nil, fmt.Errorf("features on disk: %w", err)
	}
	return codes, nil
}

func (d *spill) close() error {
	err := d.f.Close()
	if d.named {
		err = errors.Join(err, os.Remove(d.f.Name()))
	}
	return err
}

// memory returns the bytes of codes, in the machine's order.
func memory(codes []uint16) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(codes))), 2*len(codes))
}
