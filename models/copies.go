package models

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// MarkKeep is a comment in the first line of a definition whose numbers stay, whatever they look like.
const MarkKeep = "assay:keep"

// Many engines keep the values of Black apart: in rows of the same array, or in a definition
// of their own, with another sign, seen from the other side of the board, or both. What follows finds them
// by their old values, and writes them beside White's. Where more than one reading fits and they
// differ in what would be written, or where a likeness is not close enough, it is an error.

// grid is a definition as its elements.
type grid struct {
	*node
	cells   []gridCell
	at      map[string]int // cells by path
	written []int          // cells with an edit
}

type gridCell struct {
	path     []int
	spans    []span
	old, new []int64
	term     string // of the edit
}

// grids returns the definitions that are read, those with edits first among those of one place.
func (c *code) grids() (list []*grid) {
	edits := map[int]*edit{}
	chosen := map[int]*node{}
	for i := range c.edits {
		e := &c.edits[i]
		edits[e.from] = e
		chosen[e.of.from] = e.of
	}
	for _, n := range c.inits {
		if old := chosen[n.from]; old == nil || edits[n.from] == nil && !c.isWritten(old) && c.title(n) == n.name {
			chosen[n.from] = n
		}
	}
	for _, at := range slices.Sorted(maps.Keys(chosen)) {
		g := &grid{node: chosen[at], at: map[string]int{}}
		c.fill(g, g.node, nil, edits)
		if len(g.cells) > 0 {
			list = append(list, g)
		}
	}
	return list
}

func (c *code) isWritten(n *node) bool {
	return slices.ContainsFunc(c.edits, func(e edit) bool { return e.of == n })
}

// title returns the name of a definition among the words before its value.
func (c *code) title(n *node) string {
	head := c.masked[n.head.from:n.head.to]
	if before, _, ok := strings.Cut(strings.ReplaceAll(head, "::", "  "), ":"); ok {
		head = before
	}
	words := c.words(n.head.from, n.head.from+len(head))
	switch {
	case len(words) == 0:
		return ""
	case words[0] == "var" && len(words) > 1:
		return words[1]
	}
	return words[len(words)-1]
}

func (c *code) fill(g *grid, n *node, path []int, edits map[int]*edit) {
	for i, x := range n.list {
		c.fill(g, x, append(slices.Clone(path), i), edits)
	}
	if n.list != nil || n.from == n.to {
		return
	}
	spans, why := c.element(n)
	if why != "" || len(spans) == 0 {
		return
	}
	x := gridCell{path: path, spans: spans}
	for _, s := range spans {
		v := c.valueAt(s)
		x.old, x.new = append(x.old, v), append(x.new, v)
		if e := edits[s.from]; e != nil {
			x.new[len(x.new)-1], x.term = e.value, e.term
		}
	}
	if x.term != "" {
		g.written = append(g.written, len(g.cells))
	}
	g.at[fmt.Sprint(path)] = len(g.cells)
	g.cells = append(g.cells, x)
}

// turn is how a row of Black's values may stand beside White's: the place of an index.
type turn struct {
	name string
	of   func(i, n int) int
	fits func(n int) bool
}

var turns = []turn{
	{"mirrored", func(i, n int) int { return i ^ 56 }, func(n int) bool { return n == 64 }},
	{"turned round", func(i, n int) int { return 63 - i }, func(n int) bool { return n == 64 }},
	{"mirrored", func(i, n int) int { return i ^ 112 }, func(n int) bool { return n == 128 }},
	{"mirrored", func(i, n int) int { return 110 - i + 2*(i%10) }, func(n int) bool { return n == 120 }},
	{"in reverse order", func(i, n int) int { return n - 1 - i }, func(n int) bool { return n >= 6 && n <= 8 }},
}

// view is a turn along one of the axes of an array; the zero view leaves all as it is.
type view struct {
	turn
	axis int
}

// views returns the views of an array of the sizes. The axis without is left alone.
func views(sizes []int, without int) (list []view) {
	list = append(list, view{})
	for axis, n := range sizes {
		for _, t := range turns {
			if axis != without && t.fits(n) {
				list = append(list, view{t, axis})
			}
		}
	}
	return list
}

func (v view) path(path, sizes []int) []int {
	path = slices.Clone(path)
	if v.of != nil && v.axis < len(path) {
		path[v.axis] = v.of(path[v.axis], sizes[v.axis])
	}
	return path
}

func (v view) String() string { return v.name }

func sizesOf(cells []gridCell, skip int) (sizes []int) {
	for _, x := range cells {
		for axis, i := range x.path[skip:] {
			if axis == len(sizes) {
				sizes = append(sizes, 0)
			}
			sizes[axis] = max(sizes[axis], i+1)
		}
	}
	return sizes
}

// likeness is a part of a definition that is like the written cells of one.
type likeness struct {
	from, to *grid
	pairs    [][2]int // cells of from, and their places in to
	how      string
	negated  bool
	turned   bool
}

// compare looks for each written cell's twin. ok is false if one has none or was written too; near
// is the first pair whose values differ where nearly all others are alike.
func compare(from, to *grid, cells []int, place func(path []int) []int, sign int64) (l likeness, near string, ok bool) {
	l = likeness{from: from, to: to, negated: sign < 0}
	bad, counted := 0, 0
	for _, i := range cells {
		x := &from.cells[i]
		j, ok := to.at[fmt.Sprint(place(x.path))]
		if !ok || to.cells[j].term != "" || len(to.cells[j].old) != len(x.old) {
			return l, "", false
		}
		for k, v := range x.old {
			if v != 0 {
				counted++
			}
			if to.cells[j].old[k] == sign*v {
				continue
			}
			if bad++; near == "" {
				near = to.name + indices(to.cells[j].path)
			}
		}
		l.pairs = append(l.pairs, [2]int{i, j})
		if bad > 2 && bad*5 > len(cells) {
			return l, "", false
		}
	}
	if bad == 0 {
		return l, "", true
	}
	if bad*5 > counted || counted < 5 {
		near = ""
	}
	return l, near, false
}

// distinct counts the different sizes of the old values of written cells, without 0.
func (g *grid) distinct(cells []int) int {
	seen := map[int64]bool{}
	for _, i := range cells {
		for _, v := range g.cells[i].old {
			if v != 0 {
				seen[max(v, -v)] = true
			}
		}
	}
	return len(seen)
}

func (g *grid) changes(cells []int) bool {
	return slices.ContainsFunc(cells, func(i int) bool { return !slices.Equal(g.cells[i].old, g.cells[i].new) })
}

// copies writes the values of Black that stand apart, and says which they are.
func (c *code) copies() (said []string, err error) {
	grids := c.grids()
	var found []likeness
	for _, g := range grids {
		if len(g.written) == 0 || !g.changes(g.written) || c.kept(g) {
			continue
		}
		own, err := c.inRows(g)
		if err != nil {
			return nil, err
		}
		found = append(found, own...)
		apart, err := c.apart(g, grids)
		if err != nil {
			return nil, err
		}
		found = append(found, apart...)
	}
	values := map[int]edit{}
	for _, l := range found {
		for _, pair := range l.pairs {
			x, y := &l.from.cells[pair[0]], &l.to.cells[pair[1]]
			for k, s := range y.spans {
				v := x.new[k]
				if l.negated {
					v = -v
				}
				e := edit{span: s, text: fmt.Sprint(v), old: y.old[k], value: v, term: x.term, aligned: l.to.aligned, of: l.to.node}
				if other, twice := values[s.from]; twice && other.value != v {
					return nil, fmt.Errorf("%s: %s%s is like the old values of %s and of %s, in more than one way; make these values different, compute it in the engine, or put the comment %s into the first line of %s if it stays",
						c.where(s.from), l.to.name, indices(y.path), other.term, x.term, MarkKeep, l.to.name)
				}
				values[s.from] = e
			}
		}
		what := l.from.name
		if l.to == l.from {
			what = "its other part"
		}
		text := fmt.Sprintf("%s: %s holds %s again, %s", c.where(l.to.from), l.to.name, what, l.how)
		if !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	for _, e := range values {
		c.edits = append(c.edits, e)
	}
	return said, nil
}

// kept reports whether a comment says that the numbers of a definition stay.
func (c *code) kept(g *grid) bool {
	from := strings.LastIndexByte(c.text[:g.head.from], '\n') + 1
	end := strings.IndexByte(c.text[g.head.to:]+"\n", '\n') + g.head.to
	return strings.Contains(c.text[from:min(end, len(c.text))], MarkKeep)
}

// inRows finds the values of Black in other rows of an array: passed[2][8], pst[12][64], and
// material[12].
func (c *code) inRows(g *grid) (found []likeness, err error) {
	sizes := sizesOf(g.cells, 0)
	distinct := g.distinct(g.written)
	near := ""
	for axis, n := range sizes {
		for shift := 1 - n; shift < n+2; shift++ {
			move := func(i int) int { return i + shift }
			half := n%2 == 0 && (shift == n/2 || shift == -n/2) && g.inHalf(axis, n) || shift >= n
			switch {
			case shift == 0, shift == n && (n%2 != 0 || n > 16 || n == 2), shift == n+1 && n != 64 && n != 128:
				continue
			case shift == n: // the second half in reverse order, as ranks seen from Black
				move = func(i int) int { return n - 1 - i }
			case shift > n && n == 64: // one half of a board
				move = func(i int) int { return i ^ 7 }
			case shift > n: // two boards in one row
				move = func(i int) int { return i ^ 56 ^ 64 }
			}
			same := false // also as it is
			for _, v := range views(sizes, axis) {
				for _, sign := range []int64{1, -1} {
					l, close, ok := compare(g, g, g.written, func(path []int) []int {
						path = v.path(path, sizes)
						path[axis] = move(path[axis])
						return path
					}, sign)
					if close != "" && half && distinct >= 3 {
						near = close
					}
					if !ok {
						continue
					}
					l.turned = v.of != nil
					plain := !l.turned && sign > 0 && shift < n
					same = same || plain
					if l.how = describe(v.name, sign); !half && (plain || same || sign > 0 && !l.turned) {
						continue
					}
					strong := distinct >= 3 || distinct == 2 && half
					if !strong && (!half || n > 2 && (len(g.written) < 4 || 2*len(g.written) < len(g.cells))) {
						continue
					}
					if !strong {
						return nil, fmt.Errorf("%s: %s has a second half that may be Black's, of the same shape and no term, and its old values do not say how it goes with the first; write it out as the values of the terms, or put the comment %s into its first line if it stays", c.where(g.from), g.name, MarkKeep)
					}
					found = append(found, l)
				}
			}
		}
	}
	if len(found) == 0 && near != "" {
		return nil, fmt.Errorf("%s: %s has a second half that is like the written one but for %s; make it the same, or put the comment %s into its first line if it stays", c.where(g.from), g.name, near, MarkKeep)
	}
	return found, nil
}

// inHalf reports whether the written cells are in one half of an axis.
func (g *grid) inHalf(axis, n int) bool {
	low, high := 0, 0
	for _, i := range g.written {
		if axis < len(g.cells[i].path) && g.cells[i].path[axis] < n/2 {
			low++
		} else {
			high++
		}
	}
	return low == 0 || high == 0
}

func describe(turn string, sign int64) string {
	switch {
	case sign < 0 && turn != "":
		return turn + " and negated"
	case sign < 0:
		return "negated"
	case turn != "":
		return turn
	}
	return "as it is"
}

// apart finds the values of Black in definitions of their own.
func (c *code) apart(g *grid, grids []*grid) (found []likeness, err error) {
	prefixes := map[string][]int{}
	for _, i := range g.written {
		for depth := range len(g.cells[i].path) + 1 {
			prefixes[fmt.Sprint(g.cells[i].path[:depth])] = g.cells[i].path[:depth]
		}
	}
	for _, to := range grids {
		if len(to.written) > 0 || to.local && to.list == nil || c.kept(to) || c.inBlock(to.from) {
			continue
		}
		twins, compared, near := colorTwins(g.name, to.name), false, ""
		if !twins && slices.ContainsFunc(grids, func(x *grid) bool { return len(x.written) > 0 && colorTwins(x.name, to.name) }) {
			continue // it is another one's
		}
		for _, key := range slices.Sorted(maps.Keys(prefixes)) {
			prefix := prefixes[key]
			var all, cells []int
			for i, x := range g.cells {
				if len(x.path) >= len(prefix) && slices.Equal(x.path[:len(prefix)], prefix) {
					all = append(all, i)
					if x.term != "" {
						cells = append(cells, i)
					}
				}
			}
			if len(all) != len(to.cells) || !g.changes(cells) || !twins && len(cells) < 4 {
				continue
			}
			compared = true
			likes, close := c.like(g, to, cells, len(prefix), twins)
			if found = append(found, likes...); close != "" {
				near = close
			}
			for _, l := range likes {
				if !twins && !related(g.name, to.name) {
					return nil, fmt.Errorf("%s: %s holds the old values of %s, %s; name both alike if it is Black's, compute it in the engine, or put the comment %s into its first line if it stays",
						c.where(to.from), to.name, g.name+indices(prefix), l.how, MarkKeep)
				}
			}
		}
		if twins && compared && !slices.ContainsFunc(found, func(l likeness) bool { return l.to == to }) && (len(to.cells) >= 4 || near != "") {
			return nil, fmt.Errorf("%s: by its name %s is %s of the other side, but its values are not the old ones with another sign or seen from the other side%s; make them so, or put the comment %s into its first line if they stay",
				c.where(to.from), to.name, g.name, strings.TrimSuffix(", see "+near, ", see "), MarkKeep)
		}
	}
	return found, nil
}

// like compares cells of a grid, without the beginning of their paths, with those of another one.
func (c *code) like(g, to *grid, cells []int, skip int, twins bool) (found []likeness, near string) {
	sizes := sizesOf(to.cells, 0)
	distinct := g.distinct(cells)
	same := false
	for _, v := range views(sizes, -1) {
		for _, sign := range []int64{1, -1} {
			l, close, ok := compare(g, to, cells, func(path []int) []int { return v.path(path[skip:], sizes) }, sign)
			if close != "" {
				near = close
			}
			if !ok {
				continue
			}
			plain := v.of == nil && sign > 0
			same = same || plain
			if plain && !twins && distinct >= 3 { // the same numbers may mean anything
				c.alike = append(c.alike, l)
			}
			if !twins && (distinct < 3 || plain || same) {
				continue
			}
			l.how = describe(v.name, sign)
			found = append(found, l)
		}
	}
	return found, near
}

func (c *code) inBlock(at int) bool {
	return slices.ContainsFunc(c.blocks, func(b block) bool { return b.holds(at) })
}

var (
	hump      = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	colorWord = regexp.MustCompile(`(^|_)(?:white|black|w|b)(_|$)`)
	colorPart = regexp.MustCompile(`white|black`)
)

// colorTwins reports whether two names differ only in the color that they name.
func colorTwins(a, b string) bool {
	fold := func(s string) string { return strings.ToLower(hump.ReplaceAllString(s, "${1}_$2")) }
	a, b = fold(a), fold(b)
	bare := func(s string) string {
		return strings.ReplaceAll(colorPart.ReplaceAllString(colorWord.ReplaceAllString(s, "$1$2"), ""), "_", "")
	}
	x, y := bare(a), bare(b)
	return a != b && x != "" && (x == y || x == "w"+strings.TrimPrefix(y, "b") && y[0] == 'b' || y == "b"+x)
}

// related reports whether two names have a word in common.
func related(a, b string) bool {
	words := func(s string) []string {
		return strings.Split(strings.ToLower(hump.ReplaceAllString(s, "${1}_$2")), "_")
	}
	mine := words(a)
	return slices.ContainsFunc(words(b), func(w string) bool { return len(w) > 2 && slices.Contains(mine, w) })
}
