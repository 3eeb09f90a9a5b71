package models

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// code is the text of one or several sources whose numbers are replaced.
type code struct {
	files  []file
	text   string              // of all files, one after the other
	masked string              // text with blanks for comments and strings, byte for byte
	defs   map[string][]*node  // definitions that count, by name
	folded map[string][]string // names of defs without the letters of a half, by half and rest
	inits  []*node             // all that may be definitions, also those without a number
	bodies []body              // of functions
	consts map[string]int      // whole numbers that have a name
	enums  []span              // lists of enumerators
	order  map[string]bool     // what endgameFirst found
	edits  []edit
	alike  []likeness // definitions with the old values of written ones, which stay
}

// file is one of the sources: its place in the text, and its regions.
type file struct {
	*Source
	span
	regions []span
}

// span is a part of the text.
type span struct{ from, to int }

func (s span) holds(at int) bool { return s.from <= at && at < s.to }

// node is an expression of the source, or a list of them.
type node struct {
	span
	list []*node // nil: an expression
	// aligned says, of a definition, that its numbers stand in columns.
	aligned bool
	odd     string  // why its elements cannot be counted; empty if they can
	flat    []*node // the elements, where the source does not have them in rows

	// Of a definition: its name, the text before the value, and whether it is in a function.
	name  string
	head  span
	local bool
}

// edit replaces a number; term is the one that it is of.
type edit struct {
	span
	text    string
	old     int64
	value   int64
	term    string
	aligned bool  // the number stands in a column
	pair    bool  // the number is a 0 among pairs, and the text a pair
	of      *node // the definition
}

func newCode(sources []Source) *code {
	c := &code{defs: map[string][]*node{}, folded: map[string][]string{}, order: map[string]bool{}}
	var text, masked strings.Builder
	for i := range sources {
		f := file{Source: &sources[i], span: span{from: text.Len()}}
		text.Write(f.Text)
		masked.WriteString(notCode.ReplaceAllStringFunc(string(f.Text), blank))
		f.to = text.Len()
		text.WriteString("\n")
		masked.WriteString("\n")
		c.files = append(c.files, f)
	}
	c.text, c.masked = text.String(), masked.String()
	for i := range c.files {
		c.files[i].markRegions()
	}
	c.bodies = functions(c.masked)
	c.readConstants()
	for at, ch := range []byte(c.masked) {
		if ch == '=' && !c.isOperator(at) {
			for _, name := range c.declared(at) {
				c.define(name, at, c.initializer(at+1))
			}
		}
	}
	for _, m := range macro.FindAllStringSubmatchIndex(c.masked, -1) {
		c.define(c.masked[m[2]:m[3]], m[3], c.initializer(m[3]))
	}
	c.defineFields()
	return c
}

// defineFields reads the fields of a value of a struct: Name: S(1, 2) of Go and Rust, .Name = S(1, 2) of C. What is
// defined elsewhere by that name comes first.
func (c *code) defineFields() {
	type place struct {
		name string
		at   int
	}
	var fields []place
	for _, m := range field.FindAllStringSubmatchIndex(c.masked, -1) {
		name := word.FindString(c.masked[m[2]:m[3]])
		if next := c.masked[m[1]]; next != ':' && next != '=' && len(c.defs[name]) == 0 {
			fields = append(fields, place{name, m[1]})
		}
	}
	for _, f := range fields {
		if n := c.initializer(f.at); n.odd == "" { // else it may be a type: [i32; 64] of Rust
			c.define(f.name, f.at-1, n)
		}
	}
}

// field is the beginning of a field in braces.
var field = regexp.MustCompile(`[{,]\s*([A-Za-z_]\w*\s*:|\.[A-Za-z_]\w*\s*=)`)

// macro is the definition of a constant by the preprocessor of C.
var macro = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+`)

// blank returns as many blanks as s has bytes. Line ends stay.
func blank(s string) string {
	out := []byte(s)
	for i, ch := range out {
		if ch != '\n' && ch != '\r' {
			out[i] = ' '
		}
	}
	return string(out)
}

// Markers of a region in a source file: each stands in a comment on a line of its own.
const (
	markBegin = "assay:begin"
	markEnd   = "assay:end"
)

var (
	notCode = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\[^\n][^'\n]{0,6})'`)
	word    = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9][A-Za-z0-9_.]*`)
)

// markRegions finds the regions between markers.
func (f *file) markRegions() {
	text := string(f.Text)
	for at := 0; ; {
		from := strings.Index(text[at:], markBegin)
		if from < 0 {
			return
		}
		from += at
		at = len(text)
		if n := strings.Index(text[from:], markEnd); n >= 0 {
			at = from + n
		}
		f.regions = append(f.regions, span{f.from + from, f.from + at})
	}
}

// isOperator reports whether the equals sign is part of one: a comparison, an assignment that
// adds.
func (c *code) isOperator(at int) bool {
	return at > 0 && strings.IndexByte("=!<>+-*/%&|^:", c.masked[at-1]) >= 0 || at+1 < len(c.masked) &&
		c.masked[at+1] == '='
}

// declared returns the names that the equals sign may define: languages differ in where they
// put the type, so that all words before it may be the name, but not those in brackets.
func (c *code) declared(equals int) []string {
	from, depth := equals, 0
	for ; from > 0; from-- {
		switch ch := c.masked[from-1]; {
		case ch == ']' || ch == '>' && !strings.HasSuffix(c.masked[:from], "->"):
			depth++
		case ch == '[' || ch == '<':
			depth--
		case depth == 0 && ch == ',' && !c.assigns(from-1):
			return nil // a, b = 1, 2
		case depth == 0 && strings.IndexByte(";,{}()\n", ch) >= 0:
			return c.words(from, equals)
		}
	}
	return c.words(from, equals)
}

// assigns reports whether an equals sign stands in the statement before a comma.
func (c *code) assigns(comma int) bool {
	for depth := 0; comma > 0; comma-- {
		switch c.masked[comma-1] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				return false
			}
		case ';', '\n':
			if depth == 0 {
				return false
			}
		case '=':
			if depth == 0 {
				return true
			}
		}
	}
	return false
}

func (c *code) words(from, to int) (names []string) {
	text := brackets.ReplaceAllString(c.masked[from:to], " ")
	for _, m := range word.FindAllStringIndex(text, -1) {
		if name := text[m[0]:m[1]]; name[0] > '9' && (m[0] == 0 || strings.IndexByte(".>", text[m[0]-1]) < 0) {
			names = append(names, name)
		}
	}
	return names
}

var brackets = regexp.MustCompile(`\[[^\[\]]*\]`)

// define notes a definition. What has no number is none: a variable of the same name.
func (c *code) define(name string, at int, n *node) {
	n.name, n.head = name, span{strings.LastIndexAny(c.masked[:at-1], ";{}(,\n") + 1, at}
	c.inits = append(c.inits, n)
	if found, _, whole := c.numbers(n.span); whole && len(found) == 0 {
		return
	}
	n.local = slices.ContainsFunc(c.bodies, func(b body) bool { return b.holds(at) })
	c.readRows(n, at)
	if !c.counts(at) || c.isVariable(n) {
		return
	}
	if len(c.defs[name]) == 0 {
		for word, half := range halfWords {
			if rest, ok := withoutHalf(name, word); ok {
				c.folded[half+rest] = append(c.folded[half+rest], name)
			}
		}
	}
	c.defs[name] = append(c.defs[name], n)
}

// counts reports whether a definition at the place counts: in a file with markers only between them.
func (c *code) counts(at int) bool {
	regions := c.files[c.file(at)].regions
	return regions == nil || slices.ContainsFunc(regions, func(s span) bool { return s.holds(at) })
}

// file returns the index of the file that holds a place.
func (c *code) file(at int) int {
	return slices.IndexFunc(c.files, func(f file) bool { return f.holds(at) })
}

// halfWords are the words in names that say the half. No one of them begins or ends another.
var halfWords = map[string]string{"mg": "mg", "opening": "mg", "midgame": "mg", "eg": "eg", "endgame": "eg"}

// withoutHalf returns the name without the word of a half, one underscore beside it, and
// in lower case: psqt of PSQT_MG, mg_psqt and psqtMg, pawn_score of PAWN_MG_SCORE.
func withoutHalf(name, half string) (string, bool) {
	low := strings.ToLower(name)
	if before, after, ok := strings.Cut(low, "_"+half+"_"); ok && before != "" && after != "" {
		return before + "_" + after, true
	}
	for _, part := range []string{"_" + half, half + "_", half} {
		if rest, ok := strings.CutSuffix(low, part); ok && rest != "" {
			return rest, true
		}
		if rest, ok := strings.CutPrefix(low, part); ok && rest != "" {
			return rest, true
		}
	}
	return "", false
}

// initializer reads what follows an equals sign, to the end of the expression: a list in
// braces or brackets, the last one (before it may stand a type), or else all of it.
func (c *code) initializer(at int) *node {
	begin := at
	var last *node
	for at < len(c.masked) {
		switch ch := c.masked[at]; ch {
		case '{', '[':
			if n := c.parseList(at); !c.isIndex(at) {
				last, at = n, n.to
			} else {
				at = n.to
			}
			continue
		case '(':
			at = c.closing(at)
			last = nil
			continue
		case ';', ',', '}', ']', ')':
			return c.ended(last, begin, at)
		case '\n':
			if strings.TrimSpace(c.masked[begin:at]) != "" {
				return c.ended(last, begin, at)
			}
		}
		at++
	}
	return c.ended(last, begin, at)
}

func (c *code) ended(last *node, begin, at int) *node {
	if last == nil {
		return &node{span: span{begin, at}}
	}
	aligned := columns.MatchString(c.masked[last.from:last.to])
	for len(last.list) == 1 && len(last.list[0].list) > 1 { // the double braces of std::array
		last = last.list[0]
	}
	last.aligned = aligned
	return last
}

// columns finds a number with more blanks before it than a comma or a parenthesis takes.
var columns = regexp.MustCompile(`,[ \t]{2,}-?[0-9]|\([ \t]+-?[0-9]`)

// parseList reads the list that begins at a brace or bracket.
func (c *code) parseList(at int) *node {
	n := &node{span: span{from: at}, list: []*node{}}
	at++
	item := &node{span: span{from: at}}
	add := func(to int) {
		item.to = to
		if item.list != nil || strings.TrimSpace(c.masked[item.from:to]) != "" {
			n.list = append(n.list, item)
		}
		item = &node{span: span{from: to + 1}}
	}
	for at < len(c.masked) {
		switch c.masked[at] {
		case '{', '[':
			inner := c.parseList(at)
			if m := designator.FindString(c.masked[at:]); m != "" && strings.TrimSpace(c.masked[item.from:at]) == "" {
				at += len(m)
				item.from = at
				place, ok := c.valueOf(m[1:strings.IndexByte(m, ']')])
				if !ok || place < len(n.list) || place > 4096 {
					n.odd = cmp.Or(n.odd, fmt.Sprintf("the place of its element %s is no known number, or out of order",
						strings.TrimRight(m, " =\t")))
					continue
				}
				for len(n.list) < place {
					n.list = append(n.list, &node{span: span{at, at}})
				}
				continue
			}
			if inner.odd != "" {
				n.odd = inner.odd
			}
			if !c.isIndex(at) {
				item.list = inner.list
			}
			at = inner.to
			continue
		case '(':
			at = c.closing(at)
			continue
		case ';': // [0; 64] of Rust
			n.odd = "a value is repeated by its number: write the elements out"
			add(at)
		case ',':
			add(at)
		case '}', ']':
			add(at)
			n.to = at + 1
			return n
		}
		at++
	}
	add(at)
	n.to = at
	return n
}

// isIndex reports whether the bracket at the place chooses an element: a name stands before it.
func (c *code) isIndex(at int) bool {
	return c.masked[at] == '[' && at > 0 && (c.masked[at-1] == ']' || c.masked[at-1] == ')' ||
		word.MatchString(c.masked[at-1:at]))
}

// closing returns the place after the parenthesis that closes the one at the place.
func (c *code) closing(at int) int {
	for depth := 0; at < len(c.masked); at++ {
		switch c.masked[at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return at
}
