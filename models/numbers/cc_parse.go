package numbers

import "slices"

type place byte

const (
	variable place = iota // of a file or a namespace
	member                // static, of a class
	field                 // a default member
	enumerator
	macro
)

// declaration is a name with an initializer, or one that was declared without.
type declaration struct {
	src       *source
	name      string
	place     place
	scope     []string // the namespaces and classes around it
	first     int      // tokens: the specifiers begin, and
	spec      int      // end before the first declarator,
	at        int      // the name,
	from, to  int      // the initializer, empty if there is none,
	end       int      // the semicolon,
	class     int      // of a field: where the outermost class begins
	outer     int      // and its semicolon
	template  bool     // stands in a template
	scoped    bool     // an enumerator of an enum class
	counted   bool     // an enumerator from which the next ones are counted
	enum      string   // the type of an enumerator
	directive int      // of a macro: its directive
}

type function struct {
	name        string
	first, open int // tokens: the head begins, the body
	path        []string
}

type class struct {
	open     int
	first    int // the outermost class begins, and
	end      int // its semicolon
	template bool
	private  bool // a class, whose members are private at first
}

// outline finds what stands outside functions.
type outline struct {
	*source
	declarations []*declaration
	functions    []function
	classes      []class
}

func parse(s *source) *outline {
	p := &outline{source: s}
	p.block(0, len(s.tokens), nil, nil)
	for i := range s.directives {
		p.macro(i)
	}
	slices.SortStableFunc(p.declarations, func(a, b *declaration) int { return a.offset(a.at) - b.offset(b.at) })
	return p
}

// statement is where a declaration in a block began.
type statement struct {
	first, spec int
	template    bool
}

func (p *outline) block(i, end int, path []string, in *class) {
	st := statement{first: i, spec: -1}
	for i < end {
		t := p.tokens[i].text
		switch {
		case t == ";":
			p.plain(st, i, path, in)
			i++
			st = statement{first: i, spec: -1}
		case p.is(i, "public", "private", "protected") && p.is(i+1, ":"):
			i += 2
			st = statement{first: i, spec: -1}
		case t == "template" && p.is(i+1, "<"):
			i = max(p.angle(i+1), i+1) + 1
			st = statement{first: i, spec: -1, template: true}
		case t == "operator":
			for i < end && !p.is(i, "(", ";") {
				i++
			}
			if p.is(i+1, ")") && p.is(i+2, "(") {
				i += 2
			}
			i = p.match[min(i, end-1)] + 1
		case t == "(" && p.isKind(i-1, word) && i-1 > st.first && p.literalAt(i+1) && p.is(p.match[i]+1, ";", ","):
			i = p.initializer(&st, i, end, path, in)
		case t == "=" && p.declarator(i) > st.first:
			i = p.initializer(&st, i, end, path, in)
		case t == "{":
			i = p.brace(&st, i, end, path, in)
		default:
			i = max(p.match[i], i) + 1
		}
	}
}

func (p *outline) literalAt(i int) bool {
	if p.is(i, "-", "+") {
		i++
	}
	return p.isKind(i, numeral)
}

// declarator is the name before an initializer that begins at i, or -1.
func (p *outline) declarator(i int) int {
	for i--; p.is(i, "]") && p.match[i] < i; i-- {
		i = p.match[i]
	}
	if !p.isKind(i, word) || p.is(i, "const", "noexcept", "override", "final", "default", "else", "do", "try",
		"operator") {
		return -1
	}
	return i
}

func (p *outline) brace(st *statement, i, end int, path []string, in *class) int {
	head, closed := p.tokens[st.first:i], min(max(p.match[i], i), end)
	index := func(texts ...string) int {
		return slices.IndexFunc(head, func(t token) bool { return slices.Contains(texts, t.text) })
	}
	has := func(texts ...string) bool { return index(texts...) >= 0 }
	call := st.first + index("(")
	called := has("(") && !p.is(call-1, "alignas", "__attribute__", "__declspec")
	switch {
	case has("namespace"), has("extern") && p.isKind(i-1, quoted):
		if has("namespace") && p.isKind(i-1, word) && !p.is(i-1, "namespace") {
			path = append(slices.Clone(path), p.tokens[i-1].text)
		}
		p.block(i+1, closed, path, nil)
	case has("enum") && !called:
		p.enum(*st, i, closed, path, in)
		return closed + 1
	case has("struct", "class", "union") && !called && !has("="):
		c := class{i, st.first, p.semicolon(closed), st.template, has("class")}
		if in != nil {
			c.first, c.end, c.template = in.first, in.end, c.template || in.template
		}
		p.classes = append(p.classes, c)
		k := st.first + index("struct", "class", "union") + 1
		for p.is(k, "[") || p.is(k+1, "(") { // attributes
			k = max(p.match[k], p.match[k+1]) + 1
		}
		if p.isKind(k, word) {
			path = append(slices.Clone(path), p.tokens[k].text)
		}
		p.block(i+1, closed, path, &c)
		return closed + 1
	case p.declarator(i) > st.first && !called:
		return p.initializer(st, i, end, path, in)
	default:
		if called && call > st.first {
			p.functions = append(p.functions, function{p.tokens[call-1].text, st.first, i, path})
		}
	}
	*st = statement{first: closed + 1, spec: -1}
	return closed + 1
}

func (p *outline) semicolon(i int) int {
	for i < len(p.tokens) && !p.is(i, ";") {
		i = max(p.match[i], i) + 1
	}
	return min(i, len(p.tokens)-1)
}

// initializer records what begins at i with =, { or (, and returns the comma or the semicolon behind it.
func (p *outline) initializer(st *statement, i, end int, path []string, in *class) int {
	to := p.expressionEnd(i+1, end)
	if !p.is(i, "=") {
		to = min(max(p.match[i], i)+1, end)
	}
	at := p.declarator(i)
	if st.spec < 0 {
		st.spec = at
		for st.spec > st.first && (p.is(st.spec-1, "*", "&", "::") || p.is(st.spec, "::")) {
			st.spec--
		}
	}
	if at > st.first && !p.is(st.first, "using", "typedef", "namespace", "friend") {
		d := &declaration{src: p.source, name: p.tokens[at].text, scope: path, first: st.first, spec: st.spec, at: at,
			from: i, to: to, end: p.semicolon(to), template: st.template}
		p.add(d, in)
	}
	if p.is(to, ",") {
		return to + 1
	}
	return to
}

func (p *outline) add(d *declaration, in *class) {
	d.outer = d.end
	if in != nil {
		d.class, d.outer, d.template = in.first, in.end, d.template || in.template
		switch {
		case d.place == enumerator:
		case d.specified("static"):
			d.place = member
		default:
			d.place = field
		}
	}
	p.declarations = append(p.declarations, d)
}

// specified reports whether one of the specifiers of d is among the words.
func (d *declaration) specified(words ...string) bool {
	return slices.ContainsFunc(d.src.tokens[d.first:d.spec], func(t token) bool { return slices.Contains(words, t.text) })
}

// expressionEnd is the comma, the semicolon or the end of the block behind an expression.
func (p *source) expressionEnd(i, end int) int {
	for i < end && !p.is(i, ",", ";") {
		if k := p.angle(i); k > 0 && p.is(k+1, "(", "{", "::") {
			i = k
		}
		i = max(p.match[i], i) + 1
	}
	return min(i, end)
}

// plain records names that are declared without an initializer: extern, members of classes, objects.
func (p *outline) plain(st statement, end int, path []string, in *class) {
	if st.spec >= 0 || p.is(st.first, "using", "typedef", "friend", "return") {
		return
	}
	for i := st.first + 1; i < end; i = max(p.match[i], i) + 1 {
		if p.is(i, "(") {
			return
		}
		if p.isKind(i, word) && p.is(i+1, "[", ",", ";") {
			p.add(&declaration{src: p.source, name: p.tokens[i].text, scope: path, first: st.first, spec: i, at: i, from: end,
				to: end, end: end, template: st.template}, in)
		}
	}
}

func (p *outline) enum(st statement, open, closed int, path []string, in *class) {
	head := p.tokens[st.first:open]
	k := slices.IndexFunc(head, func(t token) bool { return t.text == "enum" }) + 1
	d := declaration{src: p.source, place: enumerator, scope: path, first: st.first, spec: st.first,
		end: p.semicolon(closed), template: st.template, enum: "int"}
	if k < len(head) && (head[k].text == "class" || head[k].text == "struct") {
		d.scoped = true
		k++
	}
	if k < len(head) && head[k].kind == word {
		d.enum = head[k].text
	} else if p.is(st.first, "typedef") && p.isKind(closed+1, word) {
		d.enum = p.tokens[closed+1].text
	}
	last := &declaration{}
	for i := open + 1; i < closed; {
		e := d
		e.at, e.name = i, p.tokens[i].text
		i = p.expressionEnd(i, closed)
		if e.from, e.to = min(e.at+1, i), i; e.from < e.to {
			last = &e
		} else {
			last.counted = true
		}
		p.add(&e, in)
		i++
	}
}

// macro records #define NAME REPLACEMENT.
func (p *outline) macro(i int) {
	s := lex(p.path, p.directives[i].text[1:])
	if !s.is(0, "define") || len(s.tokens) < 3 || s.tokens[1].to == s.tokens[2].from && s.is(2, "(") {
		return
	}
	p.declarations = append(p.declarations, &declaration{src: s, name: s.tokens[1].text, place: macro, at: 1, from: 2,
		to: len(s.tokens), end: len(s.tokens) - 1, directive: p.directives[i].from + 1})
}
