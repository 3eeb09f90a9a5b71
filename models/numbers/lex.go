package numbers

import (
	"regexp"
	"slices"
	"strings"
)

type kind byte

const (
	word    kind = iota
	numeral      // as the preprocessor sees it: 12, 1'000, .5e-3f, 0x1F
	quoted       // a string or a character
	mark
)

type token struct {
	kind     kind
	text     string
	from, to int
}

// source is a file of C or C++ in tokens, without comments.
type source struct {
	path       string
	text       string
	tokens     []token
	match      []int   // the partner of a bracket; of others, and of brackets without one, the token itself
	directives []token // lines that begin with #, whole
	edits      []edit  // for a copy
}

// Patterns of what C has.
const (
	patLetter  = `[\w$[:^ascii:]]`
	patComment = `//(?:\\\r?\n|[^\n])*|/\*(?s:.*?)(?:\*/|\z)`
	patNumeral = `0[xX](?:[pP][-+]|'?` + patLetter + `|\.)*|\.?\d(?:[eEpP][-+]|'?` + patLetter + `|\.)*`
	patString  = `"(?:\\(?:\r\n|(?s:.))|[^"\\\n])*"?` // perhaps unterminated
	patMark    = `\.\.\.|<<=|>>=|->\*|::|->|<<|>>|&&|\|\||\+\+|--|[-<>=!+*/%&|^]=|(?s:.)`
)

var (
	cBlank     = regexp.MustCompile(`^(?:[ \t\r\\]|` + patComment + `)+`)
	cDirective = regexp.MustCompile(`^#(?:` + patComment + `|` + patString + `|\\\r?\n|[^\n])*`)
	cToken     = regexp.MustCompile(`^(?:(` + patNumeral + `)|((?:[LuU]|u8)?R")|(` + patLetter + `+)|(` + patString +
		`|'(?:\\(?s:.)|[^'\\\n])*'?)|` + patMark + `)`)
)

// bom may begin a file, and nothing may stand before it.
const bom = "\ufeff"

// begin is the first byte behind the mark.
func (s *source) begin() int { return len(s.text) - len(strings.TrimPrefix(s.text, bom)) }

// lex never fails: a byte that begins no token of C becomes a mark.
func lex(path, text string) *source {
	s := &source{path: path, text: text}
	var open []branches
	lineStart := true
	for i := s.begin(); i < len(text); {
		rest := text[i:]
		end := i + len(cBlank.FindString(rest))
		switch {
		case end > i:
		case rest[0] == '\n':
			lineStart = true
			end++
		case rest[0] == '#' && lineStart:
			end = i + len(cDirective.FindString(rest))
			s.directives = append(s.directives, token{from: i, to: end, text: text[i:end]})
			open = s.branch(open, strings.TrimSpace(text[i+1:end]))
		default:
			var k kind
			k, end = lexToken(text, i)
			s.tokens = append(s.tokens, token{k, text[i:end], i, end})
			lineStart = false
		}
		i = end
	}
	s.matchBrackets()
	return s
}

func lexToken(text string, i int) (kind, int) {
	m := cToken.FindStringSubmatchIndex(text[i:])
	switch end := i + m[1]; {
	case m[2] >= 0:
		return numeral, end
	case m[4] >= 0:
		return quoted, rawEnd(text, end-1)
	case m[6] >= 0:
		return word, end
	case m[8] >= 0:
		return quoted, end
	default:
		return mark, end
	}
}

func rawEnd(text string, quote int) int {
	n := strings.IndexByte(text[quote:], '(')
	if n < 0 {
		return len(text)
	}
	closing := ")" + text[quote+1:quote+n] + "\""
	if m := strings.Index(text[quote+n:], closing); m >= 0 {
		return quote + n + m + len(closing)
	}
	return len(text)
}

// branches of an #if hold the tokens between from[i] and from[i+1].
type branches struct {
	from []int
	dead bool // the first one is #if 0
}

// branch keeps the tokens of all branches if each has its own brackets closed, and else the tokens of the first live
// one.
func (s *source) branch(open []branches, directive string) []branches {
	at, last := len(s.tokens), len(open)-1
	switch {
	case strings.HasPrefix(directive, "if"):
		condition := strings.Join(strings.Fields(directive), " ")
		return append(open, branches{from: []int{at}, dead: condition == "if 0" || strings.HasPrefix(condition, "if 0 ")})
	case last < 0:
	case strings.HasPrefix(directive, "el"):
		open[last].from = append(open[last].from, at)
	case strings.HasPrefix(directive, "endif"):
		s.close(open[last], at)
		return open[:last]
	}
	return open
}

func (s *source) close(b branches, end int) {
	from := append(b.from, end)
	keep, all := 0, true
	for i := range b.from {
		all = all && balanced(s.tokens[from[i]:from[i+1]])
	}
	if b.dead {
		keep = 1
	} else if all {
		return
	}
	kept := s.tokens[:from[0]:from[0]]
	for i := range b.from {
		if i == keep || all && i > keep {
			kept = append(kept, s.tokens[from[i]:from[i+1]]...)
		}
	}
	s.tokens = kept
}

func balanced(tokens []token) bool {
	depth := 0
	for _, t := range tokens {
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

func (s *source) matchBrackets() {
	s.match = make([]int, len(s.tokens))
	var open []int
	for i, t := range s.tokens {
		s.match[i] = i
		switch t.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			k := len(open) - 1
			for k >= 0 && closing[s.tokens[open[k]].text] != t.text {
				k--
			}
			if k >= 0 {
				s.match[i], s.match[open[k]] = open[k], i
				open = open[:k]
			}
		}
	}
}

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// is reports whether token i is one of the texts.
func (s *source) is(i int, texts ...string) bool {
	return i >= 0 && i < len(s.tokens) && slices.Contains(texts, s.tokens[i].text)
}

func (s *source) isKind(i int, k kind) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == k
}

// line of a byte, from 1.
func (s *source) line(at int) int { return 1 + strings.Count(s.text[:at], "\n") }

// angle is the token that closes the template arguments that open at i, or -1 where < is no bracket.
func (s *source) angle(i int) int {
	if !s.is(i, "<") || !s.isKind(i-1, word) {
		return -1
	}
	depth := 0
	for ; i < len(s.tokens); i++ {
		switch s.tokens[i].text {
		case "<":
			depth++
		case ">", ">>":
			if depth -= len(s.tokens[i].text); depth <= 0 {
				return i
			}
		case "(", "[":
			if s.match[i] == i {
				return -1
			}
			i = s.match[i]
		case ";", "{", "}", ")", "]", "&&", "||":
			return -1
		}
	}
	return -1
}
