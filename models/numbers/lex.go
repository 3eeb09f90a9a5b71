package numbers

import (
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
}

var marks = []string{"...", "<<=", ">>=", "->*", "::", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// lex never fails: a byte that begins no token of C becomes a mark.
func lex(path, text string) *source {
	s := &source{path: path, text: text}
	var open []branches
	lineStart := true
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '\n':
			lineStart = true
		case c == ' ' || c == '\t' || c == '\r' || c == '\\':
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"):
			end = skipComment(text, i)
		case c == '#' && lineStart:
			end = directiveEnd(text, i)
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
	c, end := text[i], i+1
	switch {
	case isDigit(c) || c == '.' && i+1 < len(text) && isDigit(text[i+1]):
		for end < len(text) && (isWord(text[end]) || text[end] == '.' || text[end] == '\'' && end+1 < len(text) &&
			isWord(text[end+1]) || strings.IndexByte("+-", text[end]) >= 0 && strings.IndexByte("eEpP", text[end-1]) >= 0 &&
			(text[end-1]|0x20 == 'p' || !strings.HasPrefix(strings.ToLower(text[i:end]), "0x"))) {
			end++
		}
		return numeral, end
	case isWord(c):
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if end < len(text) && text[end] == '"' && slices.Contains([]string{"R", "LR", "uR", "UR", "u8R"}, text[i:end]) {
			return quoted, rawEnd(text, end)
		}
		return word, end
	case c == '"' || c == '\'':
		return quoted, quoteEnd(text, i)
	}
	for _, m := range marks {
		if strings.HasPrefix(text[i:], m) {
			return mark, i + len(m)
		}
	}
	return mark, end
}

func skipComment(text string, i int) int {
	if text[i+1] == '/' {
		return lineEnd(text, i)
	}
	if n := strings.Index(text[i+2:], "*/"); n >= 0 {
		return i + 2 + n + 2
	}
	return len(text)
}

// lineEnd is the next line break that no backslash continues.
func lineEnd(text string, i int) int {
	for {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return len(text)
		}
		i += n
		if !strings.HasSuffix(strings.TrimSuffix(text[:i], "\r"), "\\") {
			return i
		}
		i++
	}
}

func quoteEnd(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '\n':
			return j // unterminated
		case text[i]:
			return j + 1
		}
	}
	return len(text)
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

func directiveEnd(text string, i int) int {
	end := lineEnd(text, i)
	for j := i; j < end; j++ {
		switch {
		case strings.HasPrefix(text[j:], "//"):
			return end
		case strings.HasPrefix(text[j:], "/*"):
			j = skipComment(text, j) - 1
			if j >= end {
				end = lineEnd(text, j)
			}
		case text[j] == '"':
			j = min(quoteEnd(text, j), end) - 1
		}
	}
	return end
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
