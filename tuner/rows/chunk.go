package rows

import (
	"context"
	"math"
	"slices"
)

// chunkRows is the number of rows summed together before sums are added in
// order. It is part of the result: changing it changes last bits of a fit.
const ChunkRows = 4096

// Chunk is a set of rows with the same factors, the unit of every pass, or of
// rows with factors of their own. Its rows stand
// in order of their numbers of entries, so that the loops over a row's entries
// run equally often many times over and their ends are foreseen: at thirty
// entries a row, a branch predicted wrongly costs as much as half the row.
type Chunk struct {
	Phase, Rows int       // Phase is OwnFactors where the factors are not those of a phase
	MG, EG      float64   // factors of the middlegame and endgame values; NaN where rows have their own
	mg, eg      []float32 // factors by row; nil where all have the same
	Base        int       // number in the store of the first row
	Runs        []Run     // rows of equal length
	codes       []uint16  // the rows' pairs, row after row; nil while on disk
	at          int64     // where the codes stand on disk
	Size        int       // number of codes
	Wide        []Wide    // entries that the dictionary has no number for, by row
	Result      []float32
	Game        []uint32  // index into Store.games
	weight      []float32 // nil if all are 1
	Score       []int16   // nil if there is none
	Scale       []float32 // nil if all are 1
	Offset      []float32 // nil if all are 0
	// In a store with a formula: its columns by row, and which rows of the data these are.
	Columns [][]float64
	Number  []int64
}

// run is a number of rows of the same length.
type Run struct{ Length, Rows uint32 }

// wide is an entry beyond the dictionary.
type Wide struct {
	Row uint32 // in the chunk
	Entry
}

// openChunk collects the rows of a chunk until they fill it.
type openChunk struct {
	mg, eg []float32 // nil if all rows have the same
	lens   []int
	codes  []uint16
	wide   []Wide
	result []float32
	game   []uint32
	weight []float32
	score  []int16
	scale  []float32
	offset []float32
	// With a formula.
	columns [][]float64 // by row
	number  []int64
}

func (o *openChunk) add(r *Row, game uint32, d *dictionary) {
	from := len(o.codes)
	for _, e := range r.Entries {
		if code, ok := d.number(e.Term, e.Count); ok {
			o.codes = append(o.codes, code)
		} else {
			o.wide = append(o.wide, Wide{uint32(len(o.lens)), e})
		}
	}
	o.lens = append(o.lens, len(o.codes)-from)
	o.result = append(o.result, r.Result)
	o.game = append(o.game, game)
	o.weight = append(o.weight, r.Weight)
	o.score = append(o.score, r.Score)
	o.scale = append(o.scale, r.Scale)
	o.offset = append(o.offset, r.Offset)
	if r.Columns != nil {
		o.columns, o.number = append(o.columns, r.Columns), append(o.number, r.Number)
	}
}

// move adds the rows of p, of which all have the same factors, to rows that have
// their own, and drops them from p.
func (o *openChunk) move(p *openChunk, mg, eg float32) {
	n := len(o.lens)
	for range p.lens {
		o.mg, o.eg = append(o.mg, mg), append(o.eg, eg)
	}
	for _, w := range p.wide {
		w.Row += uint32(n)
		o.wide = append(o.wide, w)
	}
	o.lens, o.codes = append(o.lens, p.lens...), append(o.codes, p.codes...)
	o.result, o.game = append(o.result, p.result...), append(o.game, p.game...)
	o.weight, o.score = append(o.weight, p.weight...), append(o.score, p.score...)
	o.scale, o.offset = append(o.scale, p.scale...), append(o.offset, p.offset...)
	o.columns, o.number = append(o.columns, p.columns...), append(o.number, p.number...)
	*p = openChunk{}
}

// seal returns the rows as a chunk, in order of length, and empties o.
func (o *openChunk) seal() *Chunk {
	n := len(o.lens)
	order := byLength(o.lens)
	c := &Chunk{Rows: n, codes: make([]uint16, 0, len(o.codes)), Size: len(o.codes)}
	begin := make([]int, n+1)
	for i, l := range o.lens {
		begin[i+1] = begin[i] + l
	}
	where := make([]uint32, n)
	for at, i := range order {
		where[i] = uint32(at)
		c.codes = append(c.codes, o.codes[begin[i]:begin[i+1]]...)
		if k := len(c.Runs); k > 0 && c.Runs[k-1].Length == uint32(o.lens[i]) {
			c.Runs[k-1].Rows++
		} else {
			c.Runs = append(c.Runs, Run{uint32(o.lens[i]), 1})
		}
	}
	for _, w := range o.wide {
		w.Row = where[w.Row]
		c.Wide = append(c.Wide, w)
	}
	slices.SortStableFunc(c.Wide, func(a, b Wide) int { return int(a.Row) - int(b.Row) })
	if o.mg != nil {
		c.mg, c.eg = inOrderOf(order, o.mg), inOrderOf(order, o.eg)
	}
	c.Result, c.Game = inOrderOf(order, o.result), inOrderOf(order, o.game)
	c.weight = unless(inOrderOf(order, o.weight), 1)
	c.Score = unless(inOrderOf(order, o.score), NoScore)
	c.Scale = unless(inOrderOf(order, o.scale), 1)
	c.Offset = unless(inOrderOf(order, o.offset), 0)
	if o.number != nil {
		c.Number = inOrderOf(order, o.number)
		c.Columns = make([][]float64, len(o.columns[0]))
		for k := range c.Columns {
			for _, i := range order {
				c.Columns[k] = append(c.Columns[k], o.columns[i][k])
			}
		}
	}
	*o = openChunk{
		lens: o.lens[:0], codes: o.codes[:0], wide: o.wide[:0], result: o.result[:0], game: o.game[:0],
		mg: o.mg[:0], eg: o.eg[:0], weight: o.weight[:0], score: o.score[:0], scale: o.scale[:0], offset: o.offset[:0], columns: o.columns[:0], number: o.number[:0],
	}
	return c
}

// byLength returns the rows in order of length, those of equal length in order.
func byLength(lens []int) []int {
	next := make([]int, slices.Max(lens)+2) // by length: where its next row goes
	for _, l := range lens {
		next[l+1]++
	}
	for l := range next[1:] {
		next[l+1] += next[l]
	}
	order := make([]int, len(lens))
	for i, l := range lens {
		order[next[l]] = i
		next[l]++
	}
	return order
}

func inOrderOf[T any](order []int, column []T) []T {
	out := make([]T, len(order))
	for at, i := range order {
		out[at] = column[i]
	}
	return out
}

// unless returns the column, or nil if all of it is the default.
func unless[T comparable](column []T, def T) []T {
	for _, v := range column {
		if v != def {
			return column
		}
	}
	return nil
}

// bytes returns the memory that the chunk holds.
func (c *Chunk) bytes() int64 {
	n := 2*cap(c.codes) + 8*len(c.Runs) + 12*cap(c.Wide) + 2*cap(c.Score)
	n += 4 * (cap(c.mg) + cap(c.eg) + cap(c.Result) + cap(c.Game) + cap(c.weight) + cap(c.Scale) + cap(c.Offset))
	n += 8 * (cap(c.Number) + len(c.Columns)*c.Rows)
	return int64(n)
}

// weightOf returns the weight of row i.
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

// SameFactors reports whether all rows of both chunks have the same factors, or all
// their own.
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

func (c *Chunk) ScaleOf(i int) float64 {
	if c.Scale == nil {
		return 1
	}
	return float64(c.Scale[i])
}

// scoreOf returns the search score of row i, or NoScore.
func (c *Chunk) ScoreOf(i int) int16 {
	if c.Score == nil {
		return NoScore
	}
	return c.Score[i]
}

// codes returns the chunk's codes: its own or, if they are on disk, in buf, which
// grows as needed.
func (s *Store) Codes(c *Chunk, buf *[]uint16) ([]uint16, error) {
	if s.disk == nil {
		return c.codes, nil
	}
	return s.disk.read(c, buf)
}

// eachRow calls f with every row of the store in order, by chunk and place in
// it. The slice of entries is used again.
func (s *Store) EachRow(ctx context.Context, f func(chunk, row int, entries []Entry)) error {
	var buf []uint16
	var entries []Entry
	for i, c := range s.Chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		codes, err := s.Codes(c, &buf)
		if err != nil {
			return err
		}
		entries = c.EachRow(s.pairs.pairs, codes, entries, func(row int, entries []Entry) {
			if s.bend != nil {
				entries = s.bend.count(entries)
			}
			f(i, row, entries)
		})
	}
	return nil
}

// eachRow calls f with the rows' entries, terms ascending, and returns their
// memory to be used again.
func (c *Chunk) EachRow(pairs []Entry, codes []uint16, entries []Entry, f func(row int, entries []Entry)) []Entry {
	row, wides := 0, c.Wide
	for _, r := range c.Runs {
		n := int(r.Length)
		for range r.Rows {
			entries = entries[:0]
			for _, code := range codes[:n] {
				entries = append(entries, pairs[code])
			}
			codes = codes[n:]
			for ; len(wides) > 0 && int(wides[0].Row) == row; wides = wides[1:] {
				at, _ := slices.BinarySearchFunc(entries, wides[0].Term, func(e Entry, t uint16) int { return int(e.Term) - int(t) })
				entries = slices.Insert(entries, at, wides[0].Entry)
			}
			f(row, entries)
			row++
		}
	}
	return entries
}

// CountTerms returns in how many rows of positive weight omega, by chunk and row, each
// term occurs, and its typical count: the root mean square of its counts there, 1 if it never
// occurs.
func (s *Store) CountTerms(ctx context.Context, omega [][]float32) (rows []int64, typical []float64, err error) {
	var buf []uint16
	byPair, out := make([]int64, 1<<16), make([]int64, s.terms)
	typical = make([]float64, s.terms)
	for i, c := range s.Chunks {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		codes, err := s.Codes(c, &buf)
		if err != nil {
			return nil, nil, err
		}
		row := 0
		for _, r := range c.Runs {
			for range r.Rows {
				if omega[i][row] > 0 {
					for _, code := range codes[:r.Length] {
						byPair[code]++
					}
				}
				codes = codes[r.Length:]
				row++
			}
		}
		for _, w := range c.Wide {
			if omega[i][w.Row] > 0 {
				out[w.Term]++
				typical[w.Term] += float64(float64(w.Count) * float64(w.Count))
			}
		}
	}
	for code, p := range s.pairs.pairs {
		out[p.Term] += byPair[code]
		typical[p.Term] += float64(float64(byPair[code]) * float64(p.Count) * float64(p.Count))
	}
	for t, n := range out {
		if typical[t] = math.Sqrt(typical[t] / float64(max(1, n))); n == 0 {
			typical[t] = 1
		}
	}
	return out, typical, nil
}
