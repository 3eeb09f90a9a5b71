package models

import (
	"regexp"
	"strings"
)

// wholeNumber is a whole number, perhaps with a suffix for its type.
var wholeNumber = regexp.MustCompile(`(?:^|[^\w.])([0-9]+)((?:[iu](?:8|16|32|64|size)|[uUlL]*))\b`)

// numbers returns the places of the whole numbers of an expression, with their signs, and the
// expression without them: each is a zero byte. ok is false if it has numbers of another kind.
func (c *code) numbers(s span) (list []span, rest string, ok bool) {
	text := c.masked[s.from:s.to]
	var b strings.Builder
	done := 0
	for _, m := range wholeNumber.FindAllStringSubmatchIndex(text, -1) {
		from, to := signed(text, m[2]), m[3]
		if to < len(text) && text[to] == '.' {
			return nil, "", false
		}
		b.WriteString(text[done:from] + "\x00")
		done = m[5]
		list = append(list, span{s.from + from, s.from + to})
	}
	return list, b.String() + text[done:], true
}

// signed returns where a number at the place begins with its sign.
func signed(text string, at int) int {
	before := strings.TrimRight(text[:at], " \t")
	if !strings.HasSuffix(before, "-") {
		return at
	}
	ahead := strings.TrimRight(before[:len(before)-1], " \t\r\n")
	if ahead == "" || strings.ContainsRune("({[,=:", rune(ahead[len(ahead)-1])) {
		return len(before) - 1
	}
	return at
}

var (
	callee   = regexp.MustCompile(`([A-Za-z_][\w:]*)!?(?:<[\w\s,:]*>)?\s*[({]`)
	cast     = regexp.MustCompile(`(^|[^\w\s])\s*\(\s*(?:const\s+)?[A-Za-z_]\w*(?:\s+\w+)?\s*\)\s*(\x00|\()`)
	asType   = regexp.MustCompile(`\x00\s+as\s+\w+`)
	label    = regexp.MustCompile(`\.?([A-Za-z_]\w*)\s*[:=]\s*\x00`)
	leftover = regexp.MustCompile(`^(?:[\s(){},\x00\[\]]|\\\r?\n)*$`)
	beside   = regexp.MustCompile(`\x00[\s()]*\x00`)
)

// element returns the places of the numbers that an element or a scalar definition holds, and why
// they are not simply its value; empty if they are. Two numbers are the middlegame's and
// the endgame's, whatever their order in the source.
func (c *code) element(n *node) (at []span, why string) {
	at, rest, ok := c.numbers(n.span)
	if !ok {
		return nil, "a number has a point"
	}
	labels := label.FindAllStringSubmatch(rest, -1)
	pair := callee.FindAllStringSubmatch(rest, -1)
	rest = callee.ReplaceAllString(rest, "(")
	rest = label.ReplaceAllString(rest, "\x00")
	for cast.MatchString(rest) {
		rest = cast.ReplaceAllString(rest, "$1$2")
	}
	rest = asType.ReplaceAllString(rest, "\x00")
	if !leftover.MatchString(rest) || beside.MatchString(rest) {
		return nil, "it is computed"
	}
	if len(at) != 2 {
		return at, ""
	}
	turned := false
	switch {
	case len(labels) == 2:
		first, second := halfNamed(labels[0][1]), halfNamed(labels[1][1])
		if first+second != 1 {
			return nil, "its labels name no middlegame and endgame"
		}
		turned = first == 1
	case len(labels) > 0:
		return nil, "only one of its numbers has a label"
	case len(pair) > 0:
		name := pair[0][1]
		name = regexp.QuoteMeta(name[strings.LastIndexByte(name, ':')+1:])
		turned = c.endgameFirst(`\b` + name + `[ \t]*\(([^()]*)\)`)
	}
	braces := len(labels) == 0 && (len(pair) == 0 || strings.Contains(c.masked[n.from:n.to], "{"))
	if braces && c.endgameFirst(`\bstruct\b[^{};()]*\{([^{}]*)\}`) {
		return nil, "a struct of this source has its endgame value first"
	}
	if turned {
		at[0], at[1] = at[1], at[0]
	}
	return at, ""
}

// endgameFirst reports whether, in the first list of two names that the pattern finds, the endgame
// comes before the middlegame.
func (c *code) endgameFirst(pattern string) bool {
	if known, ok := c.order[pattern]; ok {
		return known
	}
	turned := false
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(c.masked, -1) {
		var halves []int
		for _, w := range word.FindAllString(m[1], -1) {
			if h := halfNamed(w); h >= 0 {
				halves = append(halves, h)
			}
		}
		if len(halves) == 2 && halves[0] != halves[1] {
			turned = halves[0] == 1
			break
		}
	}
	c.order[pattern] = turned
	return turned
}

// halfNamed returns 0 for a name of the middlegame, 1 for one of the endgame, and else -9.
func halfNamed(name string) int {
	for _, w := range nameWords(name) {
		switch w {
		case "m", "mg", "mid", "middle", "midgame", "middlegame", "op", "open", "opening":
			return 0
		case "e", "eg", "end", "endgame", "ending", "late":
			return 1
		}
	}
	return -9
}

// body is a function of the source.
type body struct {
	span
	name string
}

var (
	opening = regexp.MustCompile(`([A-Za-z_]\w*)\s*(?:<[^<>()]*>\s*)?\(`)
	noFunc  = regexp.MustCompile(`^(?:if|for|while|switch|catch|do|else|return|sizeof|match|loop|unsafe|` +
		`select|func|fn|case|__attribute__|alignas|defined)$`)
	// attribute is a macro before the head of a function, as in CONSTRUCTOR(1) setup() {.
	attribute = regexp.MustCompile(`^[A-Z][A-Z0-9_]*\s*\([^()]*\)\s+[A-Za-z_][\w\s*&]*\(`)
	directed  = regexp.MustCompile(`(?m)^[ \t]*#(?:.*\\\r?\n)*.*$`)
)

// functions finds the outermost functions of a source.
func functions(masked string) (list []body) {
	text := directed.ReplaceAllStringFunc(masked, blank)
	from, depth, inside := 0, 0, -1
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case ';', '}':
			if text[at] == '}' {
				if depth = max(0, depth-1); depth == inside {
					list[len(list)-1].to, inside = at, -1
				}
			}
			from = at + 1
		case '{':
			if inside < 0 {
				head := text[from:at]
				for _, m := range opening.FindAllStringSubmatchIndex(head, -1) {
					if name := head[m[2]:m[3]]; !noFunc.MatchString(name) && !attribute.MatchString(head[m[2]:]) &&
						!strings.Contains(head[:m[2]], "=") {
						list = append(list, body{span{at, len(text)}, name})
						inside = depth
						break
					}
				}
			}
			depth++
			from = at + 1
		}
	}
	return list
}
