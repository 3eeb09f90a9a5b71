package tuner

import (
	"context"
	"slices"
)

// chunkRows is the number of rows summed together before sums are added in
// order. It is part of the result: changing it changes last bits of a fit.
const chunkRows = 4096

// chunk is a set of rows of one phase, the unit of every pass. Its rows stand
// in order of their numbers of entries, so that the loops over a row's entries
// run equally often many times over and their ends are foreseen: at thirty
// entries a row, a branch foretold wrongly costs as much as half the row.
type chunk struct {
	phase, rows int
	base        int      // number in the store of the first row
	runs        []run    // rows of equal length
	codes       []uint16 // the rows' pairs, row after row; nil while on disk
	at          int64    // where the codes stand on disk
	size        int      // number of codes
	wide        []wide   // entries that the dictionary has no number for, by row
	result      []float32
	game        []uint32  // index into Store.games
	weight      []float32 // nil if all are 1
	score       []int16   // nil if there is none
	scale       []float32 // nil if all are 1
	offset      []float32 // nil if all are 0
}

// run is a number of rows of the same length.
type run struct{ length, rows uint32 }

// wide is an entry beyond the dictionary.
type wide struct {
	row uint32 // in the chunk
	Entry
}

// openChunk collects the rows of one phase until they fill a chunk.
type openChunk struct {
	lens   []int
	codes  []uint16
	wide   []wide
	result []float32
	game   []uint32
	weight []float32
	score  []int16
	scale  []float32
	offset []float32
}

func (o *openChunk) add(r *Row, game uint32, d *dictionary) {
	from := len(o.codes)
	for _, e := range r.Entries {
		if code, ok := d.number(e.Term, e.Count); ok {
			o.codes = append(o.codes, code)
		} else {
			o.wide = append(o.wide, wide{uint32(len(o.lens)), e})
		}
	}
	o.lens = append(o.lens, len(o.codes)-from)
	o.result = append(o.result, r.Result)
	o.game = append(o.game, game)
	o.weight = append(o.weight, r.Weight)
	o.score = append(o.score, r.Score)
	o.scale = append(o.scale, r.Scale)
	o.offset = append(o.offset, r.Offset)
}

// seal returns the rows as a chunk, in order of length, and empties o.
func (o *openChunk) seal(phase int) *chunk {
	n := len(o.lens)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return o.lens[a] - o.lens[b] })
	c := &chunk{phase: phase, rows: n, codes: make([]uint16, 0, len(o.codes)), size: len(o.codes)}
	begin := make([]int, n+1)
	for i, l := range o.lens {
		begin[i+1] = begin[i] + l
	}
	where := make([]uint32, n)
	for at, i := range order {
		where[i] = uint32(at)
		c.codes = append(c.codes, o.codes[begin[i]:begin[i+1]]...)
		if k := len(c.runs); k > 0 && c.runs[k-1].length == uint32(o.lens[i]) {
			c.runs[k-1].rows++
		} else {
			c.runs = append(c.runs, run{uint32(o.lens[i]), 1})
		}
	}
	for _, w := range o.wide {
		w.row = where[w.row]
		c.wide = append(c.wide, w)
	}
	slices.SortStableFunc(c.wide, func(a, b wide) int { return int(a.row) - int(b.row) })
	c.result, c.game = inOrderOf(order, o.result), inOrderOf(order, o.game)
	c.weight = unless(inOrderOf(order, o.weight), 1)
	c.score = unless(inOrderOf(order, o.score), NoScore)
	c.scale = unless(inOrderOf(order, o.scale), 1)
	c.offset = unless(inOrderOf(order, o.offset), 0)
	*o = openChunk{
		lens: o.lens[:0], codes: o.codes[:0], wide: o.wide[:0], result: o.result[:0], game: o.game[:0],
		weight: o.weight[:0], score: o.score[:0], scale: o.scale[:0], offset: o.offset[:0],
	}
	return c
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
func (c *chunk) bytes() int64 {
	n := 2*cap(c.codes) + 8*len(c.runs) + 12*cap(c.wide) + 2*cap(c.score)
	n += 4 * (cap(c.result) + cap(c.game) + cap(c.weight) + cap(c.scale) + cap(c.offset))
	return int64(n)
}

// weightOf returns the weight of row i.
func (c *chunk) weightOf(i int) float32 {
	if c.weight == nil {
		return 1
	}
	return c.weight[i]
}

func (c *chunk) scaleOf(i int) float64 {
	if c.scale == nil {
		return 1
	}
	return float64(c.scale[i])
}

// scoreOf returns the search score of row i, or NoScore.
func (c *chunk) scoreOf(i int) int16 {
	if c.score == nil {
		return NoScore
	}
	return c.score[i]
}

// eachRow calls f with every row of the store in order, by chunk and place in
// it. The slice of entries is used again.
func (s *Store) eachRow(ctx context.Context, f func(chunk, row int, entries []Entry)) error {
	var buf scratch
	var entries []Entry
	for i, c := range s.chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		codes, err := buf.read(s, c)
		if err != nil {
			return err
		}
		entries = c.eachRow(s.pairs.pairs, codes, entries, func(row int, entries []Entry) { f(i, row, entries) })
	}
	return nil
}

// eachRow calls f with the rows' entries, terms ascending, and returns their
// memory to be used again.
func (c *chunk) eachRow(pairs []Entry, codes []uint16, entries []Entry, f func(row int, entries []Entry)) []Entry {
	row, wides := 0, c.wide
	for _, r := range c.runs {
		n := int(r.length)
		for range r.rows {
			entries = entries[:0]
			for _, code := range codes[:n] {
				entries = append(entries, pairs[code])
			}
			codes = codes[n:]
			for ; len(wides) > 0 && int(wides[0].row) == row; wides = wides[1:] {
				at, _ := slices.BinarySearchFunc(entries, wides[0].Term, func(e Entry, t uint16) int { return int(e.Term) - int(t) })
				entries = slices.Insert(entries, at, wides[0].Entry)
			}
			f(row, entries)
			row++
		}
	}
	return entries
}
