package models

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// markKeep is a comment in the first line of a definition whose numbers stay, whatever they look like.
const markKeep = "assay:keep"

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
	pair     bool   // the edit makes a pair of a 0
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
			x.new[len(x.new)-1], x.term, x.pair = e.value, e.term, e.pair
		}
	}
	if x.term != "" {
		g.written = append(g.written, len(g.cells))
	}
	g.at[fmt.Sprint(path)] = len(g.cells)
	g.cells = append(g.cells, x)
}

// turn is how a row of Black's values may stand beside White's: the place of an index of n.
type turn struct {
	name string
	of   func(i, n int) int
	fits func(n int) bool
}

const turnedRound = "turned round"

var turns = []turn{
	{"mirrored", func(i, n int) int { return i ^ 56 }, func(n int) bool { return n%64 == 0 }}, // one board or several
	{"mirrored", func(i, n int) int { return i ^ 28 }, func(n int) bool { return n%32 == 0 }}, // half boards
	{"in reverse order", func(i, n int) int { return i ^ 7 },
		func(n int) bool { return n%8 == 0 && n%32 != 0 && n > 8 }},
	{turnedRound, func(i, n int) int { return i ^ 63 }, func(n int) bool { return n%64 == 0 }},
	{"mirrored", func(i, n int) int { return i ^ 112 }, func(n int) bool { return n == 128 }},
	{"mirrored", func(i, n int) int { return 110 - i + 2*(i%10) }, func(n int) bool { return n == 120 }},
	{"in reverse order", func(i, n int) int { return n - 1 - i }, func(n int) bool { return n >= 6 && n <= 8 }},
}

// likeness says that cells of a definition are those of another one, or of the same, once more.
type likeness struct {
	from, to *grid
	pairs    [][2]int // cells of from, and their places in to
	how      string
	sign     int64
}

// compare looks for the place of each cell. ok is false if one has none, was written too, or has another
// value; near is the first that has, where nearly all others are alike.
func (l *likeness) compare(cells []int, place func(path []int) []int) (near string, ok bool) {
	bad, counted := 0, 0
	for _, i := range cells {
		x := &l.from.cells[i]
		j, ok := l.to.at[fmt.Sprint(place(x.path))]
		if !ok || l.to.cells[j].term != "" || len(l.to.cells[j].old) != len(x.old) {
			return "", false
		}
		for k, v := range x.old {
			if counted += int(min(1, max(v, -v))); l.to.cells[j].old[k] != l.sign*v {
				bad, near = bad+1, cmp.Or(near, l.to.name+indices(l.to.cells[j].path))
			}
		}
		l.pairs = append(l.pairs, [2]int{i, j})
	}
	if bad*5 > counted || counted < 5 {
		near = ""
	}
	return near, bad == 0
}

// verdict is what is known of a place where Black's values may stand.
type verdict struct {
	likes    []likeness
	distinct int    // how many different numbers, without sign and 0, say so
	plain    bool   // it has the same values, in the same order
	near     string // where it differs, if it is nearly alike
}

// judge compares cells with those at their places, seen from either side and with either sign. sure says
// that the place is Black's, so that the same values in the same order are his too; elsewhere they may
// mean anything. The axis fixed is left alone.
func (g *grid) judge(to *grid, cells []int, sure bool, fixed int, place func(path []int) []int) (v verdict) {
	distinct := map[int64]bool{}
	for _, i := range cells {
		for _, n := range g.cells[i].old {
			distinct[max(n, -n)] = true
		}
	}
	delete(distinct, 0)
	v.distinct = len(distinct)
	try := func(name string, turned func(path []int) []int) {
		for _, sign := range []int64{1, -1} {
			l := likeness{from: g, to: to, sign: sign,
				how: strings.TrimPrefix(name+[3]string{" and negated", "", ""}[1+sign], " and ")}
			near, ok := l.compare(cells, turned)
			if ok && name == turnedRound && slices.ContainsFunc(v.likes,
				func(x likeness) bool { return x.sign == sign && strings.HasPrefix(x.how, "mirrored") }) {
				continue // both files are alike: it is mirrored
			}
			if sure && v.distinct >= 3 {
				v.near = cmp.Or(v.near, near)
			}
			if v.plain = v.plain || ok && name == "" && sign > 0; ok && (sure || !v.plain) {
				v.likes = append(v.likes, l)
			}
		}
	}
	try("", place)
	for axis, n := range sizesOf(to.cells) {
		for _, t := range turns {
			if axis != fixed && t.fits(n) {
				try(t.name, func(path []int) []int {
					path = place(path)
					if axis < len(path) {
						path[axis] = t.of(path[axis], n)
					}
					return path
				})
			}
		}
	}
	return v
}

// copies writes separate values for Black, and returns a line about each.
func (c *code) copies() (said []string, err error) {
	grids := c.grids()
	values := map[int]edit{}
	for _, g := range grids {
		if !g.changes(g.written) || c.kept(g) {
			continue
		}
		likes, err := c.inRows(g)
		if err != nil {
			return nil, err
		}
		more, err := c.apart(g, grids)
		if err != nil {
			return nil, err
		}
		for _, l := range append(likes, more...) {
			if err := c.copyValues(&l, values); err != nil {
				return nil, err
			}
			text := fmt.Sprintf("%s: %s has the values of %s, %s",
				c.where(l.to.from), l.to.name, l.from.name, cmp.Or(l.how, "as they are"))
			if l.to == l.from {
				text = fmt.Sprintf("%s: %s has its values twice, %s",
					c.where(l.to.from), l.to.name, cmp.Or(l.how, "as they are"))
			}
			if !slices.Contains(said, text) {
				said = append(said, text)
			}
		}
	}
	for _, e := range values {
		c.edits = append(c.edits, e)
	}
	return said, nil
}

// copyValues notes the edits of a likeness.
func (c *code) copyValues(l *likeness, values map[int]edit) error {
	for _, pair := range l.pairs {
		x, y := &l.from.cells[pair[0]], &l.to.cells[pair[1]]
		if x.pair {
			return c.unsure(l.to, "%s has the values of %s, and a 0 where others are pairs: write a pair of zeros",
				l.to.name, l.from.name)
		}
		for k, s := range y.spans {
			e := edit{span: s, old: y.old[k], value: l.sign * x.new[k], term: x.term, aligned: l.to.aligned,
				of: l.to.node}
			if err := c.fits(l.to.node, int32(e.value)); err != nil {
				return err
			}
			e.text = fmt.Sprint(e.value)
			if other, twice := values[s.from]; twice && other.value != e.value {
				return c.unsure(l.to, "%s%s is like the old values of %s and of %s, in more than one way: make these "+
					"values different",
					l.to.name, indices(y.path), other.term, x.term)
			}
			values[s.from] = e
		}
	}
	return nil
}

// unsure is the error of a definition whose contents are not certain.
func (c *code) unsure(g *grid, format string, args ...any) error {
	format = "%s: " + format + "; or put the comment %s into the first line of %s, if its numbers stay"
	return fmt.Errorf(format, append(append([]any{c.where(g.from)}, args...), markKeep, g.name)...)
}

func (g *grid) changes(cells []int) bool {
	return slices.ContainsFunc(cells, func(i int) bool { return !slices.Equal(g.cells[i].old, g.cells[i].new) })
}

// kept reports whether a comment says that the numbers of a definition stay.
func (c *code) kept(g *grid) bool {
	from := strings.LastIndexByte(c.text[:g.head.from], '\n') + 1
	end := strings.IndexByte(c.text[g.head.to:]+"\n", '\n') + g.head.to
	return strings.Contains(c.text[from:min(end, len(c.text))], markKeep)
}

// move is where Black's values may stand along an axis of an array. half says that it is so
// by the shape: those written are in one half, and these are the other.
type move struct {
	half bool
	of   func(i int) int
}

func (g *grid) moves(axis, n int) (list []move) {
	low, high := 0, 0
	for _, i := range g.written {
		if path := g.cells[i].path; axis < len(path) && path[axis] < n/2 {
			low++
		} else {
			high++
		}
	}
	half := n%2 == 0 && (low == 0 || high == 0)
	for shift := 1 - n; shift < n; shift++ {
		if shift != 0 {
			list = append(list, move{half && (shift == n/2 || shift == -n/2), func(i int) int { return i + shift }})
		}
	}
	if n == 64 { // files of one half
		list = append(list, move{true, func(i int) int { return i ^ 7 }})
	}
	// rows, half boards and boards in one row
	for _, x := range []struct{ rows, flip int }{{8, 7}, {32, 28}, {64, 56}} {
		if half && n%(2*x.rows) == 0 {
			list = append(list, move{true, func(i int) int { return (i+n/2)%n ^ x.flip }})
		}
	}
	if half && n > 2 && n < 16 { // ranks seen from Black
		list = append(list, move{true, func(i int) int { return n - 1 - i }})
	}
	return list
}

// inRows finds the values of Black in other rows of an array: passed[2][8], pst[12][64], and
// material[12].
func (c *code) inRows(g *grid) (likes []likeness, err error) {
	near := ""
	for axis, n := range sizesOf(g.cells) {
		for _, m := range g.moves(axis, n) {
			v := g.judge(g, g.written, m.half, axis, func(path []int) []int {
				path = slices.Clone(path)
				path[axis] = m.of(path[axis])
				return path
			})
			near = cmp.Or(near, v.near)
			if len(v.likes) == 0 {
				continue
			}
			switch enough := v.distinct >= 3 || v.distinct == 2 && m.half; {
			case enough:
				likes = append(likes, v.likes...)
			case m.half && (n == 2 || len(g.written) >= 4 && 2*len(g.written) >= len(g.cells)):
				return nil, c.unsure(g, "%s has a second half that may be Black's, of the same shape and without a "+
					"term, "+
					"and its old values do not say how it goes with the first: compute it in the engine", g.name)
			}
		}
	}
	if len(likes) == 0 && near != "" {
		return nil, c.unsure(g, "%s has a second half that is like the written one but for %s: make it the same",
			g.name, near)
	}
	return likes, nil
}

func sizesOf(cells []gridCell) (sizes []int) {
	for _, x := range cells {
		for axis, i := range x.path {
			if axis == len(sizes) {
				sizes = append(sizes, 0)
			}
			sizes[axis] = max(sizes[axis], i+1)
		}
	}
	return sizes
}

// apart finds the values of Black in definitions of their own.
func (c *code) apart(g *grid, grids []*grid) (likes []likeness, err error) {
	for _, to := range grids {
		twins := colorTwins(g.name, to.name)
		if len(to.written) > 0 || to.local && to.list == nil || c.kept(to) ||
			!twins && slices.ContainsFunc(grids,
				func(x *grid) bool { return len(x.written) > 0 && colorTwins(x.name, to.name) }) {
			continue
		}
		known, compared, near := len(likes), false, ""
		for _, p := range g.parts(len(to.cells)) {
			if !g.changes(p.cells) || !twins && len(p.cells) < 4 {
				continue
			}
			v := g.judge(to, p.cells, twins, -1, func(path []int) []int { return slices.Clone(path[p.depth:]) })
			compared, near = true, cmp.Or(near, v.near)
			switch {
			case !twins && v.distinct < 3:
			case !twins && len(v.likes) > 0 && !related(g.name, to.name):
				return nil, c.unsure(to, "%s holds the old values of %s, %s: if it is Black's, give both names a "+
					"word in common, "+
					"or compute it in the engine", to.name, g.name, v.likes[0].how)
			case !twins && v.plain:
				c.alike = append(c.alike, likeness{from: g, to: to})
			default:
				likes = append(likes, v.likes...)
			}
		}
		if twins && compared && len(likes) == known && (len(to.cells) >= 4 || near != "") {
			return nil, c.unsure(to, "by its name %s is %s of the other side, but its values are not the old ones "+
				"with another sign or seen from the other side: make them so%s",
				to.name, g.name, strings.TrimSuffix(", see "+near, ", see "))
		}
	}
	return likes, nil
}

// part is a row of an array, or all of it, as its written cells.
type part struct {
	depth int // of the row: how many indices all of its paths have in common
	cells []int
}

// parts returns the rows, each of that many cells.
func (g *grid) parts(size int) (list []part) {
	for depth := 0; ; depth++ {
		rows, written := map[string]int{}, map[string][]int{}
		var order []string
		for i, x := range g.cells {
			if len(x.path) < depth {
				continue
			}
			key := fmt.Sprint(x.path[:depth])
			if rows[key]++; rows[key] == 1 {
				order = append(order, key)
			}
			if x.term != "" {
				written[key] = append(written[key], i)
			}
		}
		for _, key := range order {
			if rows[key] == size && len(written[key]) > 0 {
				list = append(list, part{depth, written[key]})
			}
		}
		if len(order) == 0 {
			return list
		}
	}
}

var hump = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// nameWords returns the words of a name, in lower case.
func nameWords(name string) []string {
	return strings.Split(strings.ToLower(hump.ReplaceAllString(name, "${1}_$2")), "_")
}

// colorTwins reports whether two names differ only in the color that they name.
func colorTwins(a, b string) bool {
	bare := func(name string) string {
		words := slices.DeleteFunc(nameWords(name), func(w string) bool { return w == "w" || w == "b" })
		return strings.NewReplacer("white", "", "black", "").Replace(strings.Join(words, ""))
	}
	x, y := bare(a), bare(b)
	return a != b && x != "" && (x == y || y == "b"+x || x[0] == 'w' && y == "b"+x[1:])
}

// related reports whether a name has a word in common with another one, or says that it is Black's.
func related(a, b string) bool {
	mine := append(nameWords(a), "black", "enemy", "them")
	return slices.ContainsFunc(nameWords(b), func(w string) bool { return len(w) > 2 && slices.Contains(mine, w) })
}
