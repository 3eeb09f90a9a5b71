package numbers

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// elements collects the literals of one initializer.
type elements struct {
	*declaration
	found      []Number
	tokens     [][2]int // of each: its sign, if it has one, and the numeral
	expression int      // numbers that are part of an expression
	dims       int      // array brackets of the declarator
}

// findLiterals returns the numbers that stand alone as an element or as an argument. The second result counts others.
func (d *declaration) findLiterals() ([]Number, int) {
	e := elements{declaration: d}
	k, hi := d.from, d.to
	for i := d.at + 1; d.place != enumerator && i < d.from; i = max(d.src.match[i], i) + 1 {
		last := d.src.match[i] == d.from-1
		if !last || !d.phases(i) && (!d.src.is(i+1, "2") || d.phases(d.at+1)) { // T[64][2] has pairs
			e.dims++
		}
	}
	switch {
	case d.src.is(k, "="):
		k++
	case d.src.is(k, "("):
		k, hi = k+1, hi-1
	}
	if d.specified("array", "vector") {
		e.dims = math.MaxInt
	}
	lambda := slices.ContainsFunc(d.src.tokens[d.from:max(d.from, d.to)], func(t token) bool { return t.text == ";" })
	if !lambda {
		e.element(k, hi, d.name, 0)
	}
	if d.phases(d.at + 1) {
		e.pairPhases()
	}
	return e.found, e.expression
}

// phases reports whether an array bracket opens at token i with a size of phases.
func (d *declaration) phases(i int) bool {
	return d.src.is(i, "[") && slices.ContainsFunc(nameWords(d.src.tokens[i+1].text), func(w string) bool {
		return w == "phase" || w == "phases"
	})
}

// pairPhases pairs T[0][12] with T[1][12].
func (e *elements) pairPhases() {
	first := map[string]int{}
	for i, n := range e.found {
		if rest, ok := strings.CutPrefix(n.Name, e.name+"[0]"); ok {
			first[rest] = i
		} else if rest, ok := strings.CutPrefix(n.Name, e.name+"[1]"); ok && n.Pair < 0 {
			if k, ok := first[rest]; ok && e.found[k].Pair < 0 {
				e.found[k].Pair, e.found[i].Pair = i, k
			}
		}
	}
}

func (e *elements) element(k, hi int, name string, depth int) {
	s := e.src
	if s.is(k, "{") && s.match[k] == hi-1 {
		e.list(k+1, hi-1, name, depth+1)
		return
	}
	first, float := len(e.found), e.specified("double", "float")
	for i := k; i < hi; i++ {
		if s.is(i, "[") {
			i = max(s.match[i], i)
		}
		if !s.isKind(i, numeral) {
			continue
		}
		from := i
		if s.is(i-1, "-", "+") && (i-1 == k || s.is(i-2, "(", "{", ",") || s.cast(i-2)) {
			from--
		}
		n := Number{Name: name, From: e.offset(from), To: e.offset(i) + len(s.tokens[i].text), Pair: -1,
			Text: s.text[s.tokens[from].from:s.tokens[i].to]}
		ok := false
		if n.Value, n.Float, ok = decimal(n.Text); !ok {
			continue
		}
		if (from == k || s.is(from-1, "(", "{", ",") || s.cast(from-1)) && (i+1 == hi || s.is(i+1, ")", "}", ",")) {
			n.Float = n.Float || float
			e.found, e.tokens = append(e.found, n), append(e.tokens, [2]int{from, i})
		} else {
			e.expression++
		}
	}
	for i := first; i < len(e.found) && len(e.found) > first+1; i++ {
		e.found[i].Name += "." + strconv.Itoa(i-first)
	}
	e.pair(first)
}

// pair joins the two literals from first on if they are all that stands between two brackets.
func (e *elements) pair(first int) {
	s := e.src
	if len(e.found) != first+2 {
		return
	}
	a, b := e.tokens[first], e.tokens[first+1]
	if s.is(a[0]-1, "(", "{") && b[0] == a[1]+2 && (s.match[a[0]-1] == b[1]+1 || s.match[a[0]-1] == b[1]+2) {
		e.found[first].Pair, e.found[first+1].Pair = first+1, first
	}
}

func (e *elements) list(k, hi int, name string, depth int) {
	first := len(e.found)
	for index := 0; k < hi; index++ {
		at := name + "[" + strconv.Itoa(index) + "]"
		switch {
		case e.src.is(k, "["): // [A] =
			closed := max(e.src.match[k], k)
			at = name + "[" + e.src.join(k+1, closed, nil) + "]"
			k = closed + 1
		case e.src.is(k, "."): // .a =
			at = name + "." + e.src.tokens[k+1].text
			k += 2
		}
		if e.src.is(k, "=") {
			k++
		}
		end := e.src.expressionEnd(k, hi)
		e.element(k, end, at, depth)
		k = end + 1
	}
	if depth > e.dims {
		e.pair(first)
	}
}

// cast reports whether token i closes (type).
func (s *source) cast(i int) bool {
	if !s.is(i, ")") || s.match[i] >= i-1 || s.isKind(s.match[i]-1, word) {
		return false
	}
	return !slices.ContainsFunc(s.tokens[s.match[i]+1:i], func(t token) bool { return t.kind != word })
}

// join is the text of tokens, where replace has other texts for some; directives between them stay on lines of their
// own.
func (s *source) join(from, to int, replace map[int]string) string {
	var b strings.Builder
	next := 0
	for i := from; i < to; i++ {
		for ; i > from && next < len(s.directives) && s.directives[next].from < s.tokens[i].from; next++ {
			if s.directives[next].from > s.tokens[from].from {
				b.WriteString("\n" + s.directives[next].text + "\n")
			}
		}
		text, ok := replace[i]
		if !ok {
			text = s.tokens[i].text
		}
		if i > from {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

// decimal is the value of a literal; it refuses hexadecimal and binary ones, which are bits.
func decimal(text string) (value float64, float, ok bool) {
	t := strings.ToLower(strings.NewReplacer("'", "", " ", "", "\t", "", "\n", "").Replace(text))
	sign := 1.0
	if strings.HasPrefix(t, "-") {
		sign = -1
	}
	t = strings.TrimLeft(t, "+-")
	if strings.HasPrefix(t, "0x") || strings.HasPrefix(t, "0b") {
		return 0, false, false
	}
	float = strings.ContainsAny(t, ".e")
	t = strings.TrimRight(t, "ulzf")
	if !float && len(t) > 1 && t[0] == '0' {
		v, err := strconv.ParseInt(t, 8, 31)
		return sign * float64(v), false, err == nil
	}
	v, err := strconv.ParseFloat(t, 64)
	return sign * v, float, err == nil && v <= 1<<30
}
