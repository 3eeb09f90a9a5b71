package rows

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/assay-chess/assay/engine/num"
)

// ChunkRows is the number of rows summed together before sums are added in
// order. It is part of the result: changing it changes last bits of a fit.
const ChunkRows = 4096

// Chunk is a set of rows with the same factors, the unit of every pass, or of rows with factors of their own.
// Its rows stand in order of their numbers of entries, so that the loops over a row's entries run equally often
// many times over and their ends are foreseen: at thirty entries a row, a branch predicted wrongly costs as
// much as half the row.
type Chunk struct {
	factors
	mg, eg []float32 // factors by row; nil where all have the same
	Rows   int
	Runs   []Run    // rows of equal length
	codes  []uint16 // the rows' pairs, row after row; nil while on disk
	at     int64    // where the codes stand on disk
	Size   int      // number of codes
	Wide   []Wide   // entries that the dictionary has no number for, by row
	Result []float32
	Game   []uint32  // index into Store.games
	weight []float32 // nil if all are 1
	Score  []int16   // nil if there is none
	Scale  []float32 // nil if all are 1
	Offset []float32 // nil if all are 0
}

// factors of the middlegame and endgame values of a chunk's rows; NaN where rows have
// their own. Phase is OwnFactors where they do not follow from a phase.
type factors struct {
	Phase  int
	MG, EG float64
}

// Run is a number of rows of the same length.
type Run struct{ Length, Rows uint32 }

// Wide is an entry beyond the dictionary.
type Wide struct {
	Row uint32 // in the chunk
	Entry
}

// openChunk collects the rows of a chunk until they fill it.
type openChunk struct {
	factors
	rows  []openRow
	codes []uint16
	wide  []Wide
}

// openRow is a row without its entries.
type openRow struct {
	length                        int // codes
	game                          uint32
	score                         int16
	mg, eg                        float32 // of its own factors
	result, weight, scale, offset float32
}

func (o *openChunk) add(r *Row, game uint32, d *dictionary) {
	from := len(o.codes)
	for _, e := range r.Entries {
		if code, ok := d.number(e); ok {
			o.codes = append(o.codes, code)
		} else {
			o.wide = append(o.wide, Wide{uint32(len(o.rows)), e})
		}
	}
	o.rows = append(o.rows, openRow{
		length: len(o.codes) - from, game: game, score: r.Score, mg: r.MG, eg: r.EG,
		result: r.Result, weight: r.Weight, scale: r.Scale, offset: r.Offset,
	})
}

// move adds the rows of p to rows that have factors of their own.
func (o *openChunk) move(p *openChunk) {
	for _, w := range p.wide {
		w.Row += uint32(len(o.rows))
		o.wide = append(o.wide, w)
	}
	o.rows, o.codes = append(o.rows, p.rows...), append(o.codes, p.codes...)
	*p = openChunk{}
}

// seal returns the rows as a chunk, in order of length, and empties o.
func (o *openChunk) seal() *Chunk {
	n := len(o.rows)
	order := byLength(o.rows)
	c := &Chunk{factors: o.factors, Rows: n, codes: make([]uint16, 0, len(o.codes)), Size: len(o.codes)}
	begin := make([]int, n+1)
	for i := range o.rows {
		begin[i+1] = begin[i] + o.rows[i].length
	}
	where := make([]uint32, n)
	for at, i := range order {
		where[i] = uint32(at)
		c.codes = append(c.codes, o.codes[begin[i]:begin[i+1]]...)
		length := uint32(o.rows[i].length)
		if k := len(c.Runs); k > 0 && c.Runs[k-1].Length == length {
			c.Runs[k-1].Rows++
		} else {
			c.Runs = append(c.Runs, Run{length, 1})
		}
	}
	for _, w := range o.wide {
		w.Row = where[w.Row]
		c.Wide = append(c.Wide, w)
	}
	slices.SortStableFunc(c.Wide, func(a, b Wide) int { return int(a.Row) - int(b.Row) })
	if math.IsNaN(o.MG) {
		c.mg = column(o, order, func(r *openRow) float32 { return r.mg })
		c.eg = column(o, order, func(r *openRow) float32 { return r.eg })
	}
	c.Result = column(o, order, func(r *openRow) float32 { return r.result })
	c.Game = column(o, order, func(r *openRow) uint32 { return r.game })
	c.weight = unless(column(o, order, func(r *openRow) float32 { return r.weight }), 1)
	c.Score = unless(column(o, order, func(r *openRow) int16 { return r.score }), NoScore)
	c.Scale = unless(column(o, order, func(r *openRow) float32 { return r.scale }), 1)
	c.Offset = unless(column(o, order, func(r *openRow) float32 { return r.offset }), 0)
	*o = openChunk{factors: o.factors, rows: o.rows[:0], codes: o.codes[:0], wide: o.wide[:0]}
	return c
}

// byLength sorts the rows by length; rows of equal length keep their order.
func byLength(rows []openRow) []int {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(rows[a].length-rows[b].length, a-b) })
	return order
}

// column returns a value of each row, in order.
func column[T any](o *openChunk, order []int, of func(*openRow) T) []T {
	out := make([]T, len(order))
	for at, i := range order {
		out[at] = of(&o.rows[i])
	}
	return out
}

// unless returns the column, or nil if all of it is the default.
func unless[T comparable](column []T, def T) []T {
	if slices.ContainsFunc(column, func(v T) bool { return v != def }) {
		return column
	}
	return nil
}

func (c *Chunk) bytes() int64 {
	n := 2*cap(c.codes) + 8*len(c.Runs) + 12*cap(c.Wide) + 2*cap(c.Score)
	n += 4 * (cap(c.mg) + cap(c.eg) + cap(c.Result) + cap(c.Game) + cap(c.weight) + cap(c.Scale) + cap(c.Offset))
	return int64(n)
}

// WeightOf returns the weight of row i.
func (c *Chunk) WeightOf(i int) float32 {
	if c.weight == nil {
		return 1
	}
	return c.weight[i]
}

// Mixed reports whether rows have factors of their own.
func (c *Chunk) Mixed() bool { return c.mg != nil }

// Factors returns the factors of row i's middlegame and endgame values.
func (c *Chunk) Factors(i int) (mg, eg float64) {
	if c.mg == nil {
		return c.MG, c.EG
	}
	return float64(c.mg[i]), float64(c.eg[i])
}

// EachFactor returns the factors of all rows if the chunk is mixed, else nil.
func (c *Chunk) EachFactor() (mg, eg []float32) { return c.mg, c.eg }

// SameFactors reports whether all rows of both chunks have the same factors, or all their own.
func (c *Chunk) SameFactors(d *Chunk) bool {
	return c.Mixed() && d.Mixed() || c.MG == d.MG && c.EG == d.EG
}

// PhaseOf returns the phase of row i, or that to which its factors come closest.
func (c *Chunk) PhaseOf(i int) int {
	if c.Phase != OwnFactors {
		return c.Phase
	}
	mg, eg := c.Factors(i)
	if mg, eg = math.Abs(mg), math.Abs(eg); mg+eg == 0 {
		return 0
	}
	return int(math.Round(MaxPhase * mg / (mg + eg)))
}

// ScaleOf returns the scale of row i.
func (c *Chunk) ScaleOf(i int) float64 {
	if c.Scale == nil {
		return 1
	}
	return float64(c.Scale[i])
}

// ScoreOf returns the search score of row i, or NoScore.
func (c *Chunk) ScoreOf(i int) int16 {
	if c.Score == nil {
		return NoScore
	}
	return c.Score[i]
}

// Codes returns the chunk's codes: its own or, if they are on disk, in buf, which grows as needed.
func (s *Store) Codes(c *Chunk, buf *[]uint16) ([]uint16, error) {
	if s.disk == nil {
		return c.codes, nil
	}
	return s.disk.read(c, buf)
}

// eachChunk calls f with every chunk and its codes.
func (s *Store) eachChunk(ctx context.Context, f func(i int, c *Chunk, codes []uint16)) error {
	var buf []uint16
	for i, c := range s.Chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		codes, err := s.Codes(c, &buf)
		if err != nil {
			return err
		}
		f(i, c, codes)
	}
	return nil
}

// EachRow calls f with every row of the store in order, by chunk and place in
// it. The slice of entries is used again.
func (s *Store) EachRow(ctx context.Context, f func(chunk, row int, entries []Entry)) error {
	var entries []Entry
	return s.eachChunk(ctx, func(i int, c *Chunk, codes []uint16) {
		entries = c.EachRow(s.pairs.pairs, codes, entries, func(row int, entries []Entry) {
			if s.bend != nil {
				entries = s.bend.count(entries)
			}
			f(i, row, entries)
		})
	})
}

// EachRow calls f with the rows' entries, terms ascending, and returns their memory to be used again.
func (c *Chunk) EachRow(pairs []Entry, codes []uint16, entries []Entry, f func(row int, entries []Entry)) []Entry {
	c.EachLine(codes, func(row int, line []uint16, wides []Wide) {
		entries = entries[:0]
		for _, code := range line {
			entries = append(entries, pairs[code])
		}
		for _, w := range wides {
			at, _ := slices.BinarySearchFunc(entries, w.Term, func(e Entry, t uint16) int { return int(e.Term) - int(t) })
			entries = slices.Insert(entries, at, w.Entry)
		}
		f(row, entries)
	})
	return entries
}

// EachLine calls f with the rows' codes and wide entries.
func (c *Chunk) EachLine(codes []uint16, f func(row int, line []uint16, wides []Wide)) {
	row, wides := 0, c.Wide
	for _, r := range c.Runs {
		n := int(r.Length)
		for range r.Rows {
			end := 0
			for end < len(wides) && int(wides[end].Row) == row {
				end++
			}
			f(row, codes[:n], wides[:end])
			codes, wides = codes[n:], wides[end:]
			row++
		}
	}
}

// CountTerms returns in how many rows of positive weight omega, by chunk and row, each term occurs, and its
// typical count: the root mean square of its counts there, 1 if it never occurs. Terms whose entries include factors
// of their rows count without any factor, in all rows.
func (s *Store) CountTerms(ctx context.Context, omega [][]float32) (rows []int64, typical []float64, err error) {
	byPair := make([]int64, 1<<16)
	rows, typical = make([]int64, s.terms), make([]float64, s.terms)
	err = s.eachChunk(ctx, func(i int, c *Chunk, codes []uint16) {
		c.EachLine(codes, func(row int, line []uint16, wides []Wide) {
			if omega[i][row] <= 0 {
				return
			}
			for _, code := range line {
				byPair[code]++
			}
			for _, w := range wides {
				rows[w.Term]++
				typical[w.Term] += num.Rounded(float64(w.Count) * float64(w.Count))
			}
		})
	})
	if err != nil {
		return nil, nil, err
	}
	for code, p := range s.pairs.pairs {
		rows[p.Term] += byPair[code]
		typical[p.Term] += num.Rounded(float64(byPair[code]) * float64(p.Count) * float64(p.Count))
	}
	for t, n := range rows {
		if typical[t] = math.Sqrt(typical[t] / float64(max(1, n))); n == 0 {
			typical[t] = 1
		} else if s.before != nil && s.before[t].rows > 0 {
			typical[t] = math.Sqrt(s.before[t].squares / float64(s.before[t].rows))
		}
	}
	return rows, typical, nil
}
