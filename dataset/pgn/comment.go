package pgn

import (
	"math"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/dataset"
)

// raw is a score as a comment has it: a hundred times its number, or mateBase and the number of a
// mate with the sign of both; none if there is no score. The dialect and the position, known
// later, make a score of it.
type raw int32

const (
	none     raw = math.MinInt32
	mateBase raw = 1 << 26
	maxMate      = 900
	maxRaw       = 1 << 25
)

// mark is what a comment says.
type mark struct {
	value raw
	has   feature
	book  bool
}

const digits = "0123456789"

// prefix returns how many bytes from the first on are in the set. Package strings makes a table of the
// set first, which takes longer than a short text.
func prefix(s, set string) (n int) {
	for n < len(s) && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return n
}

// number reads a decimal number; whole says that it has no point.
func number(s string) (value raw, whole, ok bool) {
	if prefix(s, "+-."+digits) < len(s) || strings.HasSuffix(s, ".") { // 1. is a move's number
		return 0, false, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return raw(math.Round(max(-maxRaw, min(maxRaw, 100*x)))), !strings.Contains(s, "."), err == nil
}

// score reads a number or a mate: 0.34, +1.20, M5, -M4, M-4, #5, #-3.
func score(s string) (value raw, f feature, ok bool) {
	letters := s[:prefix(s, "+-mM#")]
	if prefix(letters, "+-") < len(letters) {
		n, whole, ok := number(s[len(letters):])
		if n /= 100; !ok || !whole || len(letters) > 2 {
			return 0, 0, false
		}
		if n == 0 {
			return none, 0, true // no side mates in 0
		}
		if n = mateBase + min(n, maxMate); strings.Contains(letters, "-") {
			n = -n
		}
		return n, 0, true
	}
	value, whole, ok := number(s)
	if f = hasPoint; whole {
		f = hasWhole
	}
	return value, f, ok
}

// read finds in a comment what the table knows.
func (m *mark) read(text string) (ok bool) {
	*m = mark{value: none}
	text = strings.TrimSpace(text)
	if strings.IndexByte(text, '\n') >= 0 || strings.IndexByte(text, '\t') >= 0 { // lines may break within a comment
		text = strings.Join(strings.Fields(text), " ")
	}
	if _, rest, found := strings.Cut(text, "[%eval"); found {
		value, rest, _ := strings.Cut(rest, "]")
		value, depth, _ := strings.Cut(strings.TrimSpace(value), ",")
		m.has = hasEval
		if depth != "" {
			m.has |= hasDepth
		}
		if strings.Contains(rest, "[%emt") {
			m.has |= hasEmt
		}
		return m.set(value, strings.TrimSpace(depth))
	}
	if isBook(text) {
		m.book = true
		return true
	}
	if text == "" {
		return false
	}
	switch c := text[0]; {
	case c == '(':
		_, rest, found := strings.Cut(text, ")")
		m.has = hasLine
		return found && m.runner(strings.TrimSpace(rest))
	case c == 'M' || c == 'm' && !strings.Contains(text, "=") || c == '#' || c == '+' || c == '-' || c >= '0' && c <= '9':
		return m.runner(text)
	}
	if _, rest, found := strings.Cut(text, "wv="); found {
		value, _, _ := scoreWord(strings.TrimSpace(rest))
		m.has = hasWV
		return m.set(value, "")
	}
	return false
}

// isBook reports whether a comment marks a book move: book, (book), book 0s, book, mb=+0. What
// people write about books does not.
func isBook(text string) bool {
	text = text[prefix(text, "( "):]
	if len(text) < 4 || !strings.EqualFold(text[:4], "book") {
		return false
	}
	rest := strings.TrimSpace(text[4:])
	return rest == "" || strings.IndexByte(",)0123456789", rest[0]) >= 0 || strings.EqualFold(rest, "move")
}

// set notes a score. Nothing searched to depth 0 is none.
func (m *mark) set(value, depth string) bool {
	v, f, ok := score(value)
	if !ok {
		return false
	}
	m.has |= f
	if m.value = v; v == 0 && depth == "0" {
		m.value = none
	}
	return true
}

// runner reads what match runners write, from its first word on: +0.34/12 0.45s.
func (m *mark) runner(text string) bool {
	first, rest, _ := strings.Cut(text, " ")
	first = strings.TrimSuffix(first, ",")
	value, depth, found := strings.Cut(first, "/")
	if !found {
		if rest == "" {
			if m.has |= hasLone; strings.ContainsAny(value, "mM#") {
				m.has ^= hasLone | hasScore // a mate is from a runner
			}
			return strings.ContainsAny(value, ".mM#") && m.set(value, "")
		}
		sel, _, _ := strings.Cut(rest, " ")
		depth, selective, found := strings.Cut(sel, "/")
		m.has |= hasSel
		return found && isNumber(depth) && isNumber(selective) && m.set(value, depth)
	}
	if depth == "" || prefix(depth, digits+"/-") < len(depth) || !m.set(value, depth) {
		return false
	}
	time, keys, _ := strings.Cut(rest, " ")
	if m.has |= hasScore; m.has&hasWhole != 0 {
		n, ms := strings.CutSuffix(time, "ms") // 1/2 a point, by a person, is none
		if !(rest == "" && first != "1/2" || ms && isNumber(n)) {
			return false
		}
	}
	m.has |= timeOf(strings.TrimSuffix(time, ","))
	if strings.Contains(keys, "=") {
		m.has |= hasKeys
	}
	return true
}

func timeOf(s string) feature {
	t, seconds := strings.CutSuffix(s, "s")
	_, fraction, _ := strings.Cut(t, ".")
	switch {
	case strings.HasSuffix(s, "ms"):
		return hasMillis
	case seconds && len(fraction) == 3 && !strings.HasPrefix(t, "0.0"):
		return hasKeys // cutechess has fewer decimals from a tenth of a second on
	case s != "" && prefix(s, digits+".:") == len(s):
		return hasBare
	}
	return 0
}

// seemsScore reports whether a comment that the table does not know seems to have a score.
func seemsScore(text string) bool {
	text = text[prefix(text, " \t\r\n(["):]
	if command, ok := strings.CutPrefix(text, "%"); ok {
		name, _, _ := strings.Cut(command, " ")
		return name == "ce" || name == "cp" || strings.Contains(name, "eval") || strings.Contains(name, "score")
	}
	if word, f, ok := scoreWord(text); ok && (f != hasWhole || strings.ContainsAny(word[:1], "+-")) {
		return true
	}
	text = strings.ToLower(text)
	for _, key := range []string{"eval", "ev", "score", "cp", "wv"} {
		_, rest, _ := strings.Cut(text, key)
		value := strings.TrimLeft(rest, "=: ")
		if _, _, ok := scoreWord(value); ok && len(value) < len(rest) {
			return true
		}
	}
	return false
}

// scoreWord reads a score that a text begins with.
func scoreWord(text string) (word string, f feature, ok bool) {
	if i := strings.IndexAny(text, " |;,/()[]\n"); i >= 0 {
		text = text[:i]
	}
	_, f, ok = score(text)
	return text, f, ok
}

// comment takes what the comment after the last move says.
func (g *Game) comment(t token) {
	n := len(g.Row.Moves)
	if n == 0 {
		return
	}
	var m mark
	switch ok := m.read(t.text); {
	case ok && m.book:
		if g.raw == nil {
			g.Book = n
		}
	case ok && (g.has&form == 0 || g.has&form == m.has&form):
		g.has |= m.has
		if g.raw == nil && m.has&hasLone != 0 {
			g.example, g.line = t.text, t.line // OpenBench or unknown
		}
		for len(g.raw) < n {
			g.raw = append(g.raw, none)
		}
		g.raw[n-1] = m.value
	case ok || seemsScore(t.text):
		if g.strange++; g.strange == 1 {
			g.example, g.line = t.text, t.line
		}
	}
}

// finishScores finds out how the comments of a game without more moves write scores.
func (g *Game) finishScores() {
	g.Row.Scores = make([]int16, len(g.Row.Moves))
	for i := range g.Row.Scores {
		g.Row.Scores[i] = dataset.NoScore
	}
	for _, r := range g.raw {
		if r != none {
			g.scores++
		}
	}
	if g.scores == 0 {
		return
	}
	if g.Dialect = dialectOf(g, g.has); g.Dialect == nil {
		g.strange += g.scores
		g.raw, g.scores = nil, 0
	}
}

// scoreAt makes a score, from White's view, of the position before ply i.
func (g *Game) scoreAt(r raw, v View, moverWhite, white bool) (score int16, ok bool) {
	if v == Mover && !moverWhite {
		r = -r
	}
	if r > maxRaw || r < -maxRaw {
		winnerMoves := (r > 0) == white
		n := int(max(r, -r) - mateBase)
		if g.Dialect.Moves || (n%2 == 1) != winnerMoves {
			if n *= 2; winnerMoves {
				n--
			}
		}
		if r > 0 {
			return int16(dataset.MateScore - n), true
		}
		return int16(n - dataset.MateScore), true
	}
	if !g.Dialect.Centipawns {
		return int16(max(-dataset.MaxScore, min(dataset.MaxScore, r))), true
	}
	r /= 100
	return int16(r), r >= -dataset.MaxScore && r <= dataset.MaxScore
}

// settle sets the scores of the game's row, with the view and the position they are now known to
// have. Scores of an unknown position are left out.
func (g *Game) settle(v View, p Ply) {
	g.View, g.Ply = v, p
	for k, r := range g.raw {
		i := k
		if p == After {
			i++
		}
		if r == none || p == 0 || i == len(g.Row.Moves) {
			continue
		}
		if s, ok := g.scoreAt(r, v, g.white == (k%2 == 0), g.white == (i%2 == 0)); ok {
			g.Row.Scores[i] = s
		} else {
			g.beyond++
		}
	}
	g.raw = nil
}
