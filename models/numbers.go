package models

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// place notes the edits of a term, and reports whether the source defines it.
//
// A term NAME.2.5 is element [2][5] of what the source defines as NAME, which begins at 0; the
// squares are a1, b1 ... h8. A definition is a name (or #define of a name), an equals sign, and a number
// or a list in braces or brackets. The element of a tapered term holds two numbers, as S(12, -5)
// or {12, -5}; that of another term holds one, or two of which the one that is 0 stays. A
// tapered term may also have two definitions, for the halves, whose names are NAME with mg and
// eg in them (or opening, midgame and endgame), NAME_MG and NAME_EG, mgName and egName, or one whose first
// index is the half: NAME.5 is then NAME[0][5] and NAME[1][5].
func (c *code) place(t *TermWeight, tapered bool) (bool, error) {
	base := t.Name
	half := -1 // 0 or 1 where the term is half of one: sides that are scaled on their own
	if name, end, _ := cutLast(base); !tapered && len(c.defs[identifier(base)]) == 0 && (end == "mg" || end == "eg") {
		base, half = name, strings.Index("me", end[:1])
	}
	var path []int
	for {
		nodes, err := c.defined(identifier(base), tapered || half >= 0)
		switch {
		case err != nil:
			return false, err
		case len(nodes) == 2 && half >= 0:
			return true, c.set(nodes[half], path, t.Name, -1, t.MG)
		case len(nodes) == 2:
			return true, errors.Join(c.set(nodes[0], path, t.Name, -1, t.MG), c.set(nodes[1], path, t.Name, -1, t.EG))
		case len(nodes) == 1 && tapered && nodes[0].halves(path):
			return true, errors.Join(c.set(nodes[0], slices.Concat([]int{0}, path), t.Name, -1, t.MG),
				c.set(nodes[0], slices.Concat([]int{1}, path), t.Name, -1, t.EG))
		case len(nodes) == 1 && tapered:
			return true, c.set(nodes[0], path, t.Name, -1, t.MG, t.EG)
		case len(nodes) == 1:
			return true, c.set(nodes[0], path, t.Name, half, t.MG)
		}
		prefix, i, ok := cutIndex(base)
		if !ok {
			return false, nil
		}
		base, path = prefix, append([]int{i}, path...)
	}
}

// halves reports whether the first index of a definition is the half: there is a number at the path in each of two lists.
func (n *node) halves(path []int) bool {
	at := func(n *node) *node {
		for _, i := range path {
			if n == nil || i >= len(n.list) {
				return nil
			}
			n = n.list[i]
		}
		return n
	}
	if whole := at(n); len(n.list) != 2 || len(path) == 0 || whole != nil && (whole.list == nil || len(whole.list) == 2) {
		return false
	}
	mg, eg := at(n.list[0]), at(n.list[1])
	return mg != nil && eg != nil && mg.list == nil && eg.list == nil
}

// cutIndex cuts the last index off a name: a number or a square.
func cutIndex(name string) (prefix string, i int, ok bool) {
	prefix, end, ok := arrayName(name)
	if sq, isSquare := board.ParseSquare(end); isSquare {
		return prefix, int(sq), ok
	}
	i, err := strconv.Atoi(end)
	return prefix, i, ok && err == nil && i >= 0
}

func withoutIndices(name string) string {
	for {
		prefix, _, ok := cutIndex(name)
		if !ok {
			return name
		}
		name = prefix
	}
}

// cutLast cuts a name at its last dot.
func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// defined returns the definition of a name, or for a tapered term those of its halves.
func (c *code) defined(ident string, tapered bool) ([]*node, error) {
	names := []string{ident}
	if len(c.defs[ident]) == 0 {
		if names = nil; !tapered {
			return nil, nil
		}
		for _, half := range []string{"mg", "eg"} {
			found := c.folded[half+strings.ToLower(ident)]
			if len(found) > 1 {
				return nil, fmt.Errorf("%s may be %s", ident, strings.Join(found, " or "))
			}
			names = append(names, found...)
		}
		if len(names) != 2 {
			return nil, nil
		}
	}
	var nodes []*node
	for _, n := range names {
		defs := c.defs[n]
		if len(defs) > 1 {
			return nil, fmt.Errorf("%s is defined in %s and in %s: put the comments %s and %s around the one that "+
				"counts",
				n, c.where(defs[0].from), c.where(defs[1].from), markBegin, markEnd)
		}
		nodes = append(nodes, defs[0])
	}
	return nodes, nil
}

var (
	constHead = regexp.MustCompile(`\b(?:const|constexpr|static|final|define)\b`)
	byteType  = regexp.MustCompile(`\b(?:int8_t|i8|int8|sbyte|signed\s+char)\b`)
	plusType  = regexp.MustCompile(`\b(?:unsigned|uint\w*|u8|u16|u32|u64|usize|size_t|byte|U8|U16|U32|U64)\b`)
)

// isVariable reports whether a definition in a function defines a variable, which is computed or begins
// at 0, and not of a coefficient.
func (c *code) isVariable(n *node) bool {
	if !n.local || n.list != nil || constHead.MatchString(c.masked[n.head.from:n.head.to]) {
		return false
	}
	at, why := c.element(n)
	return why != "" || len(c.words(n.head.from, n.head.to)) > 1 || len(at) == 1 && c.valueAt(at[0]) == 0
}

// fits returns an error if the type of a definition does not hold a value.
func (c *code) fits(root *node, value int32) error {
	head := c.masked[root.head.from:root.from]
	least, most, kind := int32(math.MinInt32), int32(math.MaxInt32), byteType.FindString(head)
	if kind != "" {
		least, most = -128, 127
	} else if kind = plusType.FindString(head); kind != "" {
		if least = 0; strings.Contains(kind, "8") || kind == "byte" {
			most = 255
		}
	}
	if value < least || value > most {
		return fmt.Errorf("%s: the type of %s, %s, does not hold %d: give it a wider one",
			c.where(root.head.to), root.name, kind, value)
	}
	return nil
}

// where names a place: the line, with several files the file too.
func (c *code) where(at int) string {
	for _, f := range c.files {
		if !f.holds(at) {
			continue
		}
		line := fmt.Sprintf("line %d", 1+strings.Count(c.text[f.from:at], "\n"))
		if len(c.files) > 1 {
			line = f.Name + ", " + line
		}
		return line
	}
	return "the end"
}

// set notes that the numbers of an element are to be the values; with a half of 0 or 1, that
// one of its two numbers.
func (c *code) set(n *node, path []int, term string, half int, values ...int32) error {
	root := n
	if n.flat != nil && len(path) == 1 && (path[0] >= len(n.list) || len(n.list[path[0]].list) != 2) {
		n = &node{span: n.span, list: n.flat, aligned: n.aligned} // one number finds an element of all
	}
	if root.odd != "" {
		return fmt.Errorf("%s: the elements of %s cannot be counted: %s", c.where(root.from), root.name, root.odd)
	}
	var beside []*node
	for depth, i := range path {
		if beside = n.list; n.list == nil || i >= len(n.list) {
			return fmt.Errorf("%s: the definition has no element %s, its list %s has %d",
				c.where(n.from), indices(path), indices(path[:depth]), len(n.list))
		}
		if n = n.list[i]; n.odd != "" {
			return fmt.Errorf("%s: the elements of %s cannot be counted: %s", c.where(n.from), root.name, n.odd)
		}
	}
	at, why := c.element(n)
	text := strings.Join(strings.Fields(c.text[n.from:n.to]), " ")
	if pair := c.pairLike(beside, values); text == "0" && pair != "" {
		c.edits = append(c.edits, edit{span: at[0], text: pair, value: int64(values[0]), term: term, of: root,
			pair: pair != "0"})
		return nil
	}
	if why == "" && half >= 0 && len(at) == 2 {
		at = at[half : half+1]
	} else if why == "" && len(values) == 1 && len(at) == 2 {
		// One value where the source has both halves: that of one, or of both.
		a, b := c.text[at[0].from:at[0].to], c.text[at[1].from:at[1].to]
		switch {
		case a == b && a != "0":
			values = []int32{values[0], values[0]}
		case b == "0" && a != "0":
			at = at[:1]
		case a == "0" && b != "0":
			at = at[1:]
		}
	}
	if why != "" || len(at) != len(values) {
		if why != "" {
			why = ": " + why
		}
		return fmt.Errorf("%s: the element is %.60q, want %d whole number%s%s",
			c.where(n.from), text, len(values), "s"[:min(1, len(values)-1)], why)
	}
	if e, name := c.enumOf(at[0].from); e {
		return fmt.Errorf("%s: in its enum, %s has no value of its own and counts on from %s: give it one",
			c.where(n.from), name, root.name)
	}
	for i, s := range at {
		if err := c.fits(root, values[i]); err != nil {
			return err
		}
		c.edits = append(c.edits, edit{span: s, text: strconv.Itoa(int(values[i])), old: c.valueAt(s),
			value: int64(values[i]), term: term, aligned: root.aligned, of: root})
	}
	return nil
}

// pairLike writes two values as a list of pairs has them, as S(3, 4); two zeros are a 0. It is empty if the list has
// no calls of two numbers.
func (c *code) pairLike(list []*node, values []int32) string {
	for _, n := range list {
		at, why := c.element(n)
		text := c.masked[n.from:n.to]
		if len(values) != 2 || why != "" || len(at) != 2 || !strings.Contains(text, "(") || !callee.MatchString(text) {
			continue
		}
		if values[0] == 0 && values[1] == 0 {
			return "0"
		}
		a, b, first, second := at[0], at[1], values[0], values[1]
		if a.from > b.from {
			a, b, first, second = b, a, second, first
		}
		return fmt.Sprintf("%s%d%s%d%s", strings.TrimSpace(c.masked[n.from:a.from]), first, c.masked[a.to:b.from], second,
			strings.TrimSpace(c.masked[b.to:n.to]))
	}
	return ""
}

// enumOf reports whether the number at a place is that of an enumerator after which another one
// counts on.
func (c *code) enumOf(at int) (bool, string) {
	for _, e := range c.enums {
		if !e.holds(at) {
			continue
		}
		_, rest, _ := strings.Cut(c.masked[at:e.to], ",")
		next, _, _ := strings.Cut(rest, ",")
		next = strings.TrimSpace(next)
		return next != "" && !strings.Contains(next, "="), next
	}
	return false, ""
}

func indices(path []int) string {
	var b strings.Builder
	for _, i := range path {
		fmt.Fprintf(&b, "[%d]", i)
	}
	return b.String()
}
