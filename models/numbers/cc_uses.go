package numbers

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// walk is the place in a file whose uses are collected.
type walk struct {
	*outline
	c       *cc
	open    []int  // brackets
	inside  []byte // of each token
	isCase  bool
	outside bool
}

const (
	inBody byte = 1 << iota
	inInitializer
	inEnum
	isDeclared // the name of a declaration
)

// findUses records what a file does with the names of the listed files. outside: it is not listed.
func (c *cc) findUses(p *outline, outside bool) {
	w := walk{outline: p, c: c, inside: make([]byte, len(p.tokens)+1), outside: outside && !forTests(p.path) && !isGlue(p)}
	for _, f := range p.functions {
		w.fill(f.open, p.match[f.open], inBody)
	}
	for _, d := range p.declarations {
		switch {
		case d.place == enumerator:
			w.fill(d.from, d.to, inEnum)
		case d.place != macro:
			w.fill(d.from, d.to, inInitializer)
		}
		if d.place != macro {
			w.inside[d.at] |= isDeclared
		}
	}
	for i, t := range p.tokens {
		switch {
		case p.match[i] > i:
			w.open = append(w.open, i)
		case p.match[i] < i && len(w.open) > 0:
			w.open = w.open[:len(w.open)-1]
		case p.is(i, "case"):
			w.isCase = true
		case p.is(i, ":"):
			w.isCase = false
		}
		if u := c.uses[t.text]; u != nil && t.kind == word && !p.is(i-1, ".", "->") && w.inside[i]&isDeclared == 0 {
			w.use(u, i)
		}
	}
	for _, d := range p.directives {
		w.directive(d)
	}
}

// directive records the uses in a line that begins with #.
func (w *walk) directive(d token) {
	s := lex(w.path, d.text[1:])
	at := fmt.Sprintf("%s:%d: ", w.path, w.line(d.from))
	for i := range s.tokens {
		u := w.c.uses[s.tokens[i].text]
		switch {
		case u == nil || i == 0:
		case s.is(0, "define") && i > 1 && u.other == "":
			u.other = w.other(s, i, at)
		case s.is(0, "if", "elif") && u.constant == "":
			u.constant = at + "an #if asks for it"
		}
	}
}

func (w *walk) fill(from, to int, bit byte) {
	for i := from; i < to; i++ {
		w.inside[i] |= bit
	}
}

func (w *walk) use(u *use, i int) {
	at := fmt.Sprintf("%s:%d: ", w.path, w.line(w.tokens[i].from))
	if u.constant == "" {
		if why := w.constant(i); why != "" {
			u.constant = at + why
		}
	}
	if u.other == "" {
		u.other = w.other(w.source, i, at)
	}
}

// other says why a number that is used like the name at token i is none of an evaluation.
func (w *walk) other(s *source, i int, at string) string {
	from := i
	for s.is(from-1, "::") && s.isKind(from-2, word) {
		from -= 2
	}
	to := i + 1
	for s.is(to, "[") {
		to = max(s.match[to], to) + 1
	}
	switch {
	case w.outside:
		return at + "a file that is not listed uses it too"
	case s.is(from-1, "/", "%", "/=", "%="):
		return at + "it divides"
	case s.is(from-1, "<<", ">>", "<<=", ">>=") && // no stream
		(!w.c.plus || s.isKind(from-2, numeral) || s.is(from-2, ")")):
		return at + "it shifts"
	case s.is(from-1, "[") && s.is(to, "]"):
		return at + "it is an index"
	}
	return ""
}

// constant says why the compiler must know the value of the name at token i.
func (w *walk) constant(i int) string {
	switch {
	case w.isCase:
		return "a case label"
	case w.inside[i]&inEnum != 0:
		return "an enumerator is made from it"
	}
	for _, b := range w.open {
		switch {
		case w.is(b-1, "static_assert", "_Static_assert", "alignas"), w.is(b-1, "constexpr") && w.is(b-2, "if"):
			return "in a constant expression"
		case !w.is(b, "["):
		case w.inside[b]&(inBody|inInitializer) == 0, w.inside[b]&inInitializer != 0 && w.is(b-1, "{", ","):
			return "the size or an index of an array"
		case w.isKind(b-1, word) && w.isKind(b-2, word) && !w.is(b-2, "return", "case", "else", "goto", "new", "delete"):
			return "the size of an array"
		}
	}
	if w.is(i-1, "<", ",") && w.is(i+1, ">", ",", ">>") {
		for k := i - 1; k > i-16; k-- {
			if end := w.angle(k); end > i && (w.is(end+1, "(", "{", "::") || w.isKind(end+1, word)) {
				return "an argument of a template"
			}
		}
	}
	return ""
}

// forTests reports whether a file is of a tuner or a test, which names every number but does not play.
func forTests(file string) bool {
	return slices.ContainsFunc(nameWords(strings.TrimSuffix(file, path.Ext(file))), func(w string) bool {
		return slices.Contains([]string{"test", "tests", "tune", "tuner", "tuning", "texel", "trace"}, w)
	})
}

// isGlue reports whether a file is the author's glue file.
func isGlue(p *outline) bool {
	return slices.ContainsFunc(p.directives, func(d token) bool {
		return strings.Join(strings.Fields(d.text), "") == `#include"assay.h"`
	})
}

var bits = regexp.MustCompile(
	`(?i)^(bool|_bool|bitboard|bb|u64|uint64|uint64_t|uint_fast64_t|key|hash|string|string_view)$`)

// unfit says why a table is none of an evaluation by its type, its name or its values.
func unfit(t *table, found []Number) string {
	long := 0
	for i := t.first; i < t.spec; i++ {
		if t.src.is(i, "long", "unsigned") {
			long++
		}
		if long == 3 || bits.MatchString(t.src.tokens[i].text) {
			return "its type has bits, not a value"
		}
	}
	return usual(t.name, found, "")
}
