package numbers

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rust is Rust: constants and statics, by tokens and brackets.
type rust struct {
	files     []*rsFile
	items     []*rsItem
	named     map[string][]*rsItem // the items by name
	functions map[string][]string  // names in the bodies of const functions
	from      map[string][]string  // items in whose initializers an item's name stands
	why       map[string]string    // why an item must stay a constant
	unusual   map[string]string    // why it is left out unless it is asked for
}

// rsFile is a file in tokens, without comments, strings, lifetimes and the # of attributes.
type rsFile struct{ *source }

// rsItem is a constant or a static. Positions are tokens.
type rsItem struct {
	file             *rsFile
	name             string
	start, at        int // its visibility or keyword; the name
	from, to         int // the initializer; to is the semicolon
	typeFrom, typeTo int
	mutable          bool
	member           bool   // of an impl or a trait
	conditions       string // its #[cfg(...)]
	visibility       string // pub, pub(crate)
	numbered         bool
}

func (r *rust) scan(s *Set, o Options) error {
	if err := r.read(s.Root); err != nil {
		return err
	}
	r.uses(s.Files)
	for _, name := range s.Files {
		f := r.file(name)
		if f == nil {
			return fmt.Errorf("%s: no such file of Rust in %s", name, s.Root)
		}
		for _, item := range r.items {
			if item.file == f {
				r.take(s, item, o)
			}
		}
	}
	return nil
}

func (r *rust) read(root string) error {
	r.files, r.items, r.named, r.functions = nil, nil, map[string][]*rsItem{}, map[string][]string{}
	names, err := sources(root, ".rs")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		f := &rsFile{lex(name, rsPlain(string(text)))}
		f.text = string(text)
		r.files = append(r.files, f)
		r.find(f)
	}
	return nil
}

// rsOther is what the tokens of C do not have; a comment only begins with it, and may have others inside.
var rsOther = regexp.MustCompile(`//[^\n]*|/\*|\b[bc]?r#*"|"(?:[^"\\]|\\[\s\S])*"?|` +
	`'(?:\\[^\n]+?'|[^\\'\n]')|'\w*|#`)

// rsPlain puts blanks over comments, lifetimes and the # of attributes, and words over strings and characters.
func rsPlain(text string) string {
	b := []byte(text)
	for at := rsOther.FindStringIndex(text); at != nil; {
		from, end, with := at[0], at[1], byte(' ')
		switch found := text[from:end]; {
		case found == "/*":
			end = rsComment(text, from)
		case strings.IndexByte("bcr", found[0]) >= 0: // a raw string
			closing := "\"" + strings.Repeat("#", strings.Count(found, "#"))
			n := strings.Index(text[end:]+closing, closing)
			end, with = min(end+n+len(closing), len(b)), '_'
		case found[0] == '"', found[0] == '\'' && len(found) > 1 && strings.HasSuffix(found, "'"):
			with = '_'
		}
		for i := from; i < end; i++ {
			if b[i] != '\n' {
				b[i] = with
			}
		}
		if at = rsOther.FindStringIndex(text[end:]); at != nil {
			at[0], at[1] = at[0]+end, at[1]+end
		}
	}
	return string(b)
}

// rsComment is the end of a comment, which may have comments inside.
func rsComment(text string, i int) int {
	for depth := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			depth, i = depth+1, i+1
		case strings.HasPrefix(text[i:], "*/"):
			if depth, i = depth-1, i+1; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// find collects the items of a file, in modules and in functions; a test's are none.
func (r *rust) find(f *rsFile) {
	type frame struct{ member, ignored bool }
	stack := []frame{{}}
	start := 0 // of the statement
	for i := 0; i < len(f.tokens); i++ {
		top := stack[len(stack)-1]
		switch {
		case f.is(i, "(", "["):
			i = max(i, f.match[i])
		case f.is(i, ";"):
			start = i + 1
		case f.is(i, "}"):
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
			start = i + 1
		case f.is(i, "{"):
			words := f.outer(start, i)
			stack = append(stack, frame{
				member:  slices.Contains(words, "impl") || slices.Contains(words, "trait"),
				ignored: top.ignored || slices.Contains(words, "macro_rules") || strings.Contains(f.span(start, i), "cfg(test)"),
			})
			if k := slices.Index(words, "fn"); k > 0 && slices.Contains(words[:k], "const") && k+1 < len(words) {
				r.functions[words[k+1]] = append(r.functions[words[k+1]], f.names(i, f.match[i])...)
			}
			start = i + 1
		case f.is(i, "const", "static") && !top.ignored:
			if item := f.item(start, i); item != nil {
				item.member = top.member
				r.items, r.named[item.name] = append(r.items, item), append(r.named[item.name], item)
				i = item.to
				start = i + 1
			}
		}
	}
}

// outer is the words from one token to another that stand in no bracket.
func (f *rsFile) outer(from, to int) []string {
	var all []string
	for i := from; i < to; i = max(i, f.match[i]) + 1 {
		if f.isKind(i, word) {
			all = append(all, f.tokens[i].text)
		}
	}
	return all
}

// span is the text of the tokens from one to before another.
func (f *rsFile) span(from, to int) string {
	if from >= to {
		return ""
	}
	return f.text[f.tokens[from].from:f.tokens[to-1].to]
}

// until is the first token from i to before hi with one of the texts and in no bracket, or hi.
func (f *rsFile) until(i, hi int, texts ...string) int {
	for ; i < hi && !f.is(i, texts...); i = max(i, f.match[i]) + 1 {
	}
	return min(i, hi)
}

// item is the constant or static whose keyword is token i of the statement that begins at start, or nil.
func (f *rsFile) item(start, i int) *rsItem {
	if f.is(i-1, "<", ",") { // a parameter of a type or a function
		return nil
	}
	d := &rsItem{file: f, at: i + 1, start: i, mutable: f.is(i+1, "mut")}
	if d.mutable {
		d.at++
	}
	if !f.isKind(d.at, word) || !f.is(d.at+1, ":") {
		return nil
	}
	for k := start; k < i; k = max(k, f.match[k]) + 1 {
		switch {
		case f.is(k, "[") && f.is(k+1, "cfg"):
			d.conditions += "#" + f.span(k, f.match[k]+1) + " "
		case f.is(k, "pub"):
			d.start, d.visibility = k, f.span(k, i)+" "
		}
	}
	d.name, d.typeFrom = f.tokens[d.at].text, d.at+2
	d.typeTo = f.until(d.typeFrom, len(f.tokens), "=", ";")
	d.from, d.to = d.typeTo+1, f.until(d.typeTo, len(f.tokens), ";")
	if d.typeTo >= d.to || d.to >= len(f.tokens) {
		return nil
	}
	return d
}

// notNumbers are types of bit boards, indices and texts.
var notNumbers = regexp.MustCompile(`\b(u64|u128|usize|u8|bool|str|char|String|Bit[bB]oard|BB|Square|Piece|Move)\b`)

var rsWhole = regexp.MustCompile(`\b[iu](8|16|32)\b`)

// take adds the numbers of an item to s, or the remaining ones.
func (r *rust) take(s *Set, d *rsItem, o Options) {
	w := rsLiterals{rsFile: d.file}
	w.walk(d.from, d.to, d.name)
	if len(w.found) == 0 {
		return
	}
	for i := range w.found {
		w.found[i].Min, w.found[i].Max = bounds(rsWhole.FindString(d.file.span(d.typeFrom, d.typeTo)))
	}
	why := r.fixed(d.name)
	if d.member {
		why = "a constant of a type or a trait; move it out"
	}
	if why == "" && !slices.Contains(o.Take, d.name) {
		why = usual(d.name, w.found, r.unusual[d.name])
		if t := notNumbers.FindString(d.file.span(d.typeFrom, d.typeTo)); why == "" && t != "" {
			why = "of type " + t
		}
	}
	if slices.Contains(o.Skip, d.name) {
		why = "asked to leave it out"
	}
	if why != "" {
		s.Left = append(s.Left, Left{d.name, why})
		return
	}
	s.take(w.found, d.file.path, d.name, o.skips)
}

// rsLiterals collects the literals of one initializer.
type rsLiterals struct {
	*rsFile
	found []Number
}

// walk takes the literals of the tokens from lo to before hi, which have the name name.
func (w *rsLiterals) walk(lo, hi int, name string) {
	for w.is(lo, "&", "mut") {
		lo++
	}
	if lo >= hi || w.literal(lo, hi, name) {
		return
	}
	open := lo
	for w.isKind(open, word) && !w.is(open, "if", "match", "unsafe", "loop") ||
		open > lo && w.is(open, "::", "!", "<", ">", ",") {
		open++
	}
	if w.is(open, "(", "[", "{") && w.match[open] == hi-1 && (open > lo || !w.is(open, "{")) {
		w.list(open, hi-1, name)
		return
	}
	for k := w.sign(lo, hi); k < hi; k = w.sign(lo, hi) {
		w.walk(lo, k, name)
		if lo = k + 1; w.sign(lo, hi) == hi {
			w.walk(lo, hi, name)
		}
	}
}

// sign is the first + or - between two operands.
func (w *rsLiterals) sign(lo, hi int) int {
	for k := w.until(lo, hi, "+", "-"); k < hi; k = w.until(k+1, hi, "+", "-") {
		if k > lo && (w.isKind(k-1, word) || w.isKind(k-1, numeral) || w.is(k-1, ")", "]")) {
			return k
		}
	}
	return hi
}

// list takes the elements of an array, a tuple or a struct, or the arguments of a call.
func (w *rsLiterals) list(open, hi int, name string) {
	if w.is(open, "[") {
		if semicolon := w.until(open+1, hi, ";"); semicolon < hi {
			w.walk(open+1, semicolon, name) // the value of all elements
			return
		}
	}
	var parts [][2]int
	for lo := open + 1; lo < hi; {
		end := w.until(lo, hi, ",")
		parts = append(parts, [2]int{lo, end})
		lo = end + 1
	}
	first, ones := len(w.found), true
	for i, p := range parts {
		label := fmt.Sprint(name, ".", i)
		switch {
		case w.is(open, "["):
			label = fmt.Sprint(name, "[", i, "]")
		case len(parts) == 1:
			label = name
		}
		if w.is(open, "{") && w.is(p[0]+1, ":") {
			if len(parts) != 2 {
				label = name + "." + w.tokens[p[0]].text
			}
			p[0] += 2
		}
		before := len(w.found)
		w.walk(p[0], p[1], label)
		ones = ones && len(w.found) == before+1
	}
	if len(parts) == 2 && ones && !w.is(open, "[") {
		w.found[first].Pair, w.found[first+1].Pair = first+1, first
	}
}

// literal takes the tokens if they are a decimal literal, with a sign or a conversion.
func (w *rsLiterals) literal(lo, hi int, name string) bool {
	if w.is(hi-2, "as") {
		hi -= 2
	}
	text := w.span(lo, hi)
	m := rsLiteral.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	v, err := strconv.ParseFloat(m[1]+strings.ReplaceAll(m[2], "_", ""), 64)
	if err == nil {
		from := w.tokens[lo].from
		w.found = append(w.found, Number{Name: name, Line: w.line(from), From: from, To: w.tokens[hi-1].to, Text: text,
			Value: v + 0, Float: m[3] != "" || strings.HasPrefix(m[4], "f"), Pair: -1})
	}
	return err == nil
}

var rsLiteral = regexp.MustCompile(`^(-?)\s*(\d[\d_]*(\.[\d_]*)?(?:[eE][-+]?\d+)?)_?([iu](?:8|16|32|64|128|size)|f32|f64)?$`)

// uses finds where the names of items stand, and what becomes of them.
func (r *rust) uses(listed []string) {
	r.from, r.why, r.unusual = map[string][]string{}, map[string]string{}, map[string]string{}
	for _, f := range r.files {
		inside := make([]*rsItem, len(f.tokens))
		for _, d := range r.items {
			for i := d.start; d.file == f && i < d.to; i++ {
				inside[i] = d
			}
		}
		for i, t := range f.tokens {
			if d := inside[i]; r.named[t.text] == nil || d != nil && d.at == i || f.is(i-1, ".") {
				continue
			}
			if why := f.constant(i, inside[i]); why != "" {
				r.why[t.text] = fmt.Sprintf("%s, line %d of %s", why, f.line(t.from), f.path)
			}
			if outside(f.path) && !slices.Contains(listed, f.path) {
				r.unusual[t.text] = f.path + " uses it too"
			}
			if f.is(i-1, "/", "%") {
				r.unusual[t.text] = fmt.Sprintf("it divides, line %d of %s", f.line(t.from), f.path)
			}
		}
	}
	for _, d := range r.items {
		for _, name := range r.reads(d) {
			if name != d.name {
				r.from[name] = append(r.from[name], d.name)
			}
		}
	}
}

// reads are the names of items in the initializer of d and in the const functions that it calls, in order.
func (r *rust) reads(d *rsItem) (all []string) {
	seen := map[string]bool{}
	for words := d.file.names(d.from, d.to); len(words) > 0; {
		name := words[0]
		words = words[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		if r.named[name] != nil {
			all = append(all, name)
		}
		words = append(words, r.functions[name]...)
	}
	slices.Sort(all)
	return all
}

// constant is why the compiler must know the value of the name at token i, which stands in d if d is not nil.
func (f *rsFile) constant(i int, d *rsItem) string {
	end := i + 1
	for f.isKind(end, word) && !f.is(end, "if") || f.isKind(end, numeral) || f.is(end, "::", "|", "...") ||
		f.is(end, ".") && f.is(end+1, ".") || f.is(end-1, ".") && f.is(end, ".", "=") {
		end++
	}
	switch {
	case d != nil && i < d.typeTo:
		return "the length of an array"
	case d != nil && d.member:
		return "used by a constant of a type or a trait"
	case f.is(end, "=") && f.is(end+1, ">"):
		return "a pattern"
	case f.is(i-1, "<") && f.is(i+1, ">"):
		return "an argument of a type"
	}
	semicolon := false
	for k := i - 1; k >= 0 && !f.is(k, "{"); k-- {
		switch {
		case f.match[k] < k:
			k = f.match[k]
		case f.is(k, ";"):
			semicolon = true
		case f.is(k, "[") && semicolon:
			return "the length of an array"
		case f.match[k] > k:
			semicolon = false
		}
	}
	return ""
}

// fixed is why a constant must stay one: by its own uses, or by uses of a constant made from it.
func (r *rust) fixed(name string, through ...string) string {
	if why := r.why[name]; why != "" {
		return why
	}
	for _, to := range r.from[name] {
		if slices.Contains(through, to) {
			continue // a name that stands for two
		}
		if why := r.fixed(to, append(through, to)...); why != "" {
			return "used by the constant " + to + ": " + why
		}
	}
	return ""
}
