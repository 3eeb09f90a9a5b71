package models

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// HasMarkers reports whether a source has regions for Into.
func HasMarkers(source []byte) bool { return strings.Contains(string(source), MarkBegin) }

// IntoNumbers returns the source with the numbers of its own definitions replaced by the
// weights, and nothing else: declarations, layout, comments and line endings stay. The second
// result lists what the source does not define, arrays by their name alone.
//
// A term NAME.2.5 is element [2][5] of what the source defines as NAME, which begins at 0; the
// squares are a1, b1 ... h8. A definition is a name (or #define of a name), an equals sign, and a number, an
// expression or a list in braces or brackets. The element of a tapered term holds two numbers, as S(12, -5)
// or {12, -5}; that of another term holds one, or two of which the one that is 0 stays. A
// tapered term may also have two definitions, for the halves, whose names are NAME with mg and
// eg before or after it: NAME_MG and NAME_EG, mgName and egName. Where the source has markers,
// definitions count only between them.
//
// It is an error (ErrInto) if no term is defined, if a name has two definitions, or if an element
// is missing or holds something else than such numbers.
func (f *File) IntoNumbers(source []byte) (out []byte, left []string, err error) {
	out, left, err = f.replaceNumbers(source)
	if err != nil {
		return nil, nil, err
	}
	// The reading is no compiler's. Where a second replacement would change something, the
	// first one did not write what it read.
	if again, _, err := f.replaceNumbers(out); err != nil || !bytes.Equal(again, out) {
		return nil, nil, fmt.Errorf("%w: its numbers cannot be told from the expressions around them; put the comments %s and %s around the definitions", ErrInto, MarkBegin, MarkEnd)
	}
	return out, left, nil
}

func (f *File) replaceNumbers(source []byte) (out []byte, left []string, err error) {
	table, err := f.Table()
	if err != nil {
		return nil, nil, err
	}
	s := newCode(string(source))
	missing := 0
	for i := range f.Terms {
		t := &f.Terms[i]
		found, err := s.place(t, table[i].Tapered)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: term %s: %w", ErrInto, t.Name, err)
		}
		if found {
			continue
		}
		missing++
		if name := withoutIndices(t.Name); !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	if missing == len(f.Terms) {
		return nil, nil, fmt.Errorf("%w: it defines nothing that is named as a term of %s, such as %s", ErrInto, f.Model, f.Terms[0].Name)
	}
	text, err := s.replaced()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrInto, err)
	}
	return []byte(text), left, nil
}

// place notes the edits of a term, and reports whether the source defines it.
func (c *code) place(t *TermWeight, tapered bool) (bool, error) {
	if t.Step != 0 {
		whole := TermWeight{Name: t.Name, MG: int32(math.Round(t.Value())), EG: int32(math.Round(t.Value()))}
		if float64(whole.MG) != t.Value() {
			return false, nil // no whole number: it is among those to be written by hand
		}
		t = &whole
	}
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
			return nil, fmt.Errorf("%s is defined in line %d and in line %d: put the comments %s and %s around the one that counts", n, c.line(defs[0].from), c.line(defs[1].from), MarkBegin, MarkEnd)
		}
		nodes = append(nodes, defs[0])
	}
	return nodes, nil
}

func (c *code) line(at int) int { return 1 + strings.Count(c.text[:at], "\n") }

// number is a whole number, perhaps with a suffix for its type.
var number = regexp.MustCompile(`(?:^|[^\w.])([0-9]+)(?:[iu](?:8|16|32|64|size)|[uUlL]*)\b`)

// numbers returns the places of the whole numbers of an expression, with their signs. ok is
// false if it has numbers of another kind.
func (c *code) numbers(s span) (list []span, ok bool) {
	text := c.masked[s.from:s.to]
	for _, m := range number.FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2], m[3]
		if before := strings.TrimRight(text[:from], " \t"); strings.HasSuffix(before, "-") {
			if ahead := strings.TrimSpace(before[:len(before)-1]); ahead == "" || strings.ContainsRune("({[,=", rune(ahead[len(ahead)-1])) {
				from = len(before) - 1
			}
		}
		if to < len(text) && text[to] == '.' {
			return nil, false
		}
		list = append(list, span{s.from + from, s.from + to})
	}
	return list, true
}

// set notes that the numbers of an element are to be the values; with a half of 0 or 1, that
// one of its two numbers.
func (c *code) set(n *node, path []int, term string, half int, values ...int32) error {
	aligned := n.aligned
	for depth, i := range path {
		if n.list == nil || i >= len(n.list) {
			return fmt.Errorf("line %d: the definition has no element %s, its list %s has %d", c.line(n.from), indices(path), indices(path[:depth]), len(n.list))
		}
		n = n.list[i]
	}
	at, ok := c.numbers(n.span)
	text := strings.Join(strings.Fields(c.text[n.from:n.to]), " ")
	if ok && half >= 0 && len(at) == 2 {
		at = at[half : half+1]
	} else if ok && len(values) == 1 && len(at) == 2 {
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
	if !ok || len(at) != len(values) {
		return fmt.Errorf("line %d: the element is %.60q, want %d whole number%s", c.line(n.from), text, len(values), "s"[:min(1, len(values)-1)])
	}
	for i, s := range at {
		c.edits = append(c.edits, edit{s, values[i], term, aligned})
	}
	return nil
}

func indices(path []int) string {
	var b strings.Builder
	for _, i := range path {
		fmt.Fprintf(&b, "[%d]", i)
	}
	return b.String()
}

// replaced applies the edits.
func (c *code) replaced() (string, error) {
	slices.SortFunc(c.edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, e := range c.edits {
		if e.from < at {
			return "", fmt.Errorf("line %d: the number is that of two terms, %s is one", c.line(e.from), e.term)
		}
		// A number that gets longer takes blanks before it, and one that gets shorter in a column
		// leaves some: columns stay columns.
		before, value := c.text[at:e.from], strconv.Itoa(int(e.value))
		for pad := len(value) - (e.to - e.from); pad > 0 && strings.HasSuffix(before, "  "); pad-- {
			before = before[:len(before)-1]
		}
		if strings.HasSuffix(before, "( ") && len(value) > e.to-e.from {
			before = before[:len(before)-1]
		}
		b.WriteString(before)
		if n := e.to - e.from - len(value); n > 0 && e.aligned && (strings.HasSuffix(before, " ") || strings.HasSuffix(before, "(")) {
			b.WriteString(strings.Repeat(" ", n))
		}
		b.WriteString(value)
		at = e.to
	}
	b.WriteString(c.text[at:])
	return b.String(), nil
}
