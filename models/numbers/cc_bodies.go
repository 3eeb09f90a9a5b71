package numbers

import (
	"slices"
	"strconv"
)

// takeBodies takes the literals in the bodies of functions that Options.Take names as FILE:FUNCTION.
func (c *cc) takeBodies(s *Set, p *outline, file int) {
	for _, f := range p.functions {
		if !slices.Contains(c.options.Take, p.path+":"+f.name) {
			continue
		}
		index := 0
		for i := f.open; i < p.match[f.open]; i++ {
			switch {
			case p.is(i, "static", "constexpr"):
				i = p.semicolon(i)
			case p.is(i, "case"):
				for !p.is(i, ":") && i < p.match[f.open] {
					i++
				}
			case p.is(i, "["), p.is(i, "(") && p.is(i-1, "for"):
				i = max(p.match[i], i)
			case p.isKind(i, numeral) && p.weighs(i):
				t := p.tokens[i]
				v, float, ok := decimal(t.text)
				name := f.name + "[" + strconv.Itoa(index) + "]"
				if !ok || v <= 1 && !float {
					continue
				}
				if index++; slices.Contains(c.options.Skip, name) {
					continue
				}
				c.inBodies = append(c.inBodies, len(s.Numbers))
				s.Numbers = append(s.Numbers, Number{Name: name, Table: f.name, File: p.path, Line: p.line(t.from), From: t.from,
					To: t.to, Text: t.text, Value: v, Float: float, Pair: -1})
			}
		}
	}
}

// weighs reports whether the literal at token i adds or multiplies: it does not divide, compare or shift, and is no
// argument.
func (p *outline) weighs(i int) bool {
	return !p.is(i-1, "/", "%", "/=", "%=", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "(", ",", "&", "|", "^",
		"{", "~") && p.is(i+1, "*", "+", "-", ";", ":", "?", ")", ",")
}
