package numbers

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed assay.h
var libraryC string

type copier struct {
	*cc
	s      *Set
	consts map[string]string // words that make a constant, and what stands for them in the copy
	at     map[string]int    // "FILE:BYTE" of a number: its index
	extern map[string]bool   // names that an extern declaration has
}

func (c *cc) instrument(s *Set, dir, value string) error {
	m := copier{cc: c, s: s, at: map[string]int{}, extern: map[string]bool{}}
	for i, n := range s.Numbers {
		m.at[n.File+":"+strconv.Itoa(n.From)] = i
	}
	m.findConsts()
	for _, p := range c.files {
		p.edits = nil
		m.declared(p)
	}
	glue := path.Clean(filepath.ToSlash(value))
	for i, p := range c.files[:c.listed] {
		p.insert(p.begin(), fmt.Sprintf("#include %q\n", relative(p.path, beside(glue, "assay.h"))))
		m.bodies(p)
		for _, t := range c.tables {
			if t.file == i {
				m.table(p, t)
			}
		}
	}
	arguments, err := m.renameMain(glue)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, glue))
	if err != nil {
		return err
	}
	for _, p := range c.files {
		if err := p.write(dir); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		glue:                            "", // it may be among the files that the build compiles one by one: its text moves
		moved(glue):                     fmt.Sprintf("#line 1 %q\n%s", glue, strings.TrimPrefix(string(text), bom)),
		beside(glue, "assay.h"):         libraryC,
		beside(glue, "assay_numbers.h"): m.numbers(arguments),
	} {
		if err := writeNew(dir, name, text); err != nil {
			return err
		}
	}
	return nil
}

func beside(file, name string) string { return path.Join(path.Dir(file), name) }

func moved(glue string) string { return strings.TrimSuffix(glue, path.Ext(glue)) + ".assay" }

// relative is the path of file as an #include in the file from has it.
func relative(from, file string) string {
	rel, _ := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(file))
	return filepath.ToSlash(rel)
}

// replace puts text in place of a token.
func (p *outline) replace(token int, text string) {
	p.edits = append(p.edits, edit{p.tokens[token].from, p.tokens[token].to, text})
}

var constMacro = regexp.MustCompile(`^#\s*define\s+(\w+)\s+((?:\w+\s+)*(?:const|constexpr)(?:\s+\w+)*)\s*$`)

// findConsts knows the words that make a variable constant: also macros and types of the engine.
func (m *copier) findConsts() {
	m.consts = map[string]string{"const": "", "constexpr": "", "constinit": ""}
	without := func(tokens []token) string {
		var kept []string
		for _, t := range tokens {
			if t.text != "const" && t.text != "constexpr" {
				kept = append(kept, t.text)
			}
		}
		return strings.Join(kept, " ")
	}
	for _, p := range m.files {
		for _, d := range p.directives {
			if f := constMacro.FindStringSubmatch(d.text); f != nil {
				m.consts[f[1]] = without(lex("", f[2]).tokens)
			}
		}
		for i := range p.tokens {
			end := i + 1
			for end < i+8 && !p.is(end, ";") {
				end++
			}
			switch {
			case !p.is(end, ";") || !slices.ContainsFunc(p.tokens[i:end], func(t token) bool { return t.text == "const" }):
			case p.is(i, "typedef") && p.isKind(end-1, word):
				m.consts[p.tokens[end-1].text] = without(p.tokens[i+1 : end-1])
			case p.is(i, "using") && p.is(i+2, "="):
				m.consts[p.tokens[i+1].text] = without(p.tokens[i+3 : end])
			}
		}
	}
}

// renameMain gives main another name, includes the glue file and the library behind it, and returns main's arguments.
// Of several the engine's is nearest to the listed files, then highest, where one speaks of UCI.
func (m *copier) renameMain(glue string) (arguments string, err error) {
	var p *outline
	near := math.MinInt
	for _, f := range m.files {
		n := 100*len(commonPrefix(f.path, m.files[0].path)) - strings.Count(f.path, "/")
		if strings.Contains(strings.ToLower(f.text), "uci") {
			n += 50
		}
		if n > near && !forTests(f.path) && slices.ContainsFunc(f.functions, isMainC) {
			p, near = f, n
		}
	}
	if p == nil {
		return "", fmt.Errorf("%s: no file of the tree has a function main", m.s.Root)
	}
	for _, f := range p.functions {
		if isMainC(f) {
			i := f.first
			for !p.is(i, "main") {
				i++
			}
			arguments = p.argumentsOf(i + 1)
			if !p.is(f.first, "static", "extern") {
				p.insert(p.tokens[f.first].from, "static ") // -Wmissing-declarations
			}
			p.replace(i, "assay_engine_main")
			p.insert(p.tokens[p.match[f.open]].from, "return 0; ")
		}
	}
	p.insert(len(p.text), fmt.Sprintf("\n#include %q\n#define ASSAY_MAIN\n#include %q\n", relative(p.path, moved(glue)),
		relative(p.path, beside(glue, "assay.h"))))
	return arguments, nil
}

// argumentsOf is what main is called with, whose parameters begin at i.
func (p *source) argumentsOf(i int) string {
	end := p.match[i]
	if end <= i+1 || p.is(i+1, "void") {
		return ""
	}
	for i = p.expressionEnd(i+1, end); i < end && !p.is(i, "*", "["); i++ {
		if p.is(i, "const") {
			return "argc, (const char **)argv"
		}
	}
	return "argc, argv"
}

func isMainC(f function) bool { return f.name == "main" && len(f.path) == 0 }

func commonPrefix(a, b string) string {
	a, b = path.Dir(a)+"/", path.Dir(b)+"/"
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return a[:i]
}

// declared edits declarations of taken names that have no initializer. In C++ everything becomes public, for the glue
// file.
func (m *copier) declared(p *outline) {
	for _, d := range p.declarations {
		if d.place != macro && d.from == d.to && m.made(d.name) && (d.specified("extern") || d.place == member) {
			m.extern[d.name] = true
			m.dropConst(p, d)
		}
	}
	if !m.isPlus(p) {
		return
	}
	for i := range p.tokens {
		if p.is(i, "private", "protected") && p.is(i+1, ":") {
			p.replace(i, "public")
		}
	}
	for _, c := range p.classes {
		if c.private { // headers of a tree with C++ may be of C
			p.insert(p.tokens[c.open].to, " public: ")
		}
	}
}

func (m *copier) dropConst(p *outline, d *declaration) (constant bool) {
	for i := d.first; i < d.at; i++ {
		if text, ok := m.consts[p.tokens[i].text]; ok {
			p.replace(i, text)
			constant = true
		}
	}
	return constant
}

// element is the expression in place of the literal of number k, of the literal's type.
func (m *copier) element(k int) string {
	n := m.s.Numbers[k]
	suffix := strings.ToLower(strings.TrimLeft(n.Text, "+-0123456789.' \t\r\n"))
	cast := map[string]string{"u": "unsigned", "l": "long", "ul": "unsigned long", "lu": "unsigned long",
		"ll": "long long", "ull": "unsigned long long", "llu": "unsigned long long", "f": "float"}[suffix]
	array := "assay_n"
	if n.Float {
		array = "assay_f"
	}
	if cast != "" {
		return fmt.Sprintf("((%s)%s[%d])", cast, array, k)
	}
	return fmt.Sprintf("%s[%d]", array, k)
}

// initializer is t's with elements in place of literals.
func (m *copier) initializer(t *table) string {
	replace := map[int]string{}
	for i := t.from; i < t.to; i++ {
		if k, ok := m.at[m.files[t.file].path+":"+strconv.Itoa(t.offset(i))]; ok {
			replace[i] = m.element(k)
			if t.src.isKind(i, mark) { // a sign
				replace[i+1] = ""
			}
		}
	}
	return t.src.join(t.from, t.to, replace)
}

func (m *copier) table(p *outline, t *table) {
	if !t.made {
		return
	}
	name, qualified := t.name, strings.Join(append(slices.Clone(t.scope), t.name), "::")
	if t.outer == t.end {
		qualified = name
	}
	init := m.initializer(t)
	switch t.place {
	case macro, field:
		m.inPlace(p, t)
		if t.place == field {
			m.dropConst(p, t.declaration)
		}
		return
	case enumerator:
		m.enumerator(p, t, init, qualified)
		return
	}
	for i := t.at; p.is(i-1, "::") && p.isKind(i-2, word); i -= 2 { // int A::x = 5
		qualified = p.tokens[i-2].text + "::" + qualified
	}
	constant := m.dropConst(p, t.declaration)
	switch {
	case !m.isPlus(p):
		for i := t.from; i < t.to; i++ {
			if text := m.constant(t, i, 0); text != "" {
				p.replace(i, text)
			}
		}
	case t.place == member && !t.specified("inline"):
		p.insert(p.tokens[t.first].from, "inline ")
	case constant && t.place == variable && !t.specified("static", "inline", "extern") && !m.extern[name] &&
		qualified == name:
		p.insert(p.tokens[t.first].from, "static ") // const was static
	}
	if m.isPlus(p) {
		m.inPlace(p, t)
	}
	if t.from == t.to {
		init = "{}"
	}
	p.insert(p.tokens[t.outer].to, m.makeAgain(t, qualified, init))
}

// inPlace replaces the literals where they stand.
func (m *copier) inPlace(p *outline, t *table) {
	for i := t.from; i < t.to; i++ {
		if k, ok := m.at[p.path+":"+strconv.Itoa(t.offset(i))]; ok {
			n := m.s.Numbers[k]
			p.edits = append(p.edits, edit{n.From, n.To, m.element(k)})
		}
	}
}

// constant is what stands in C for token i, a name, where constants are wanted: its own initializer; "" for others.
func (m *copier) constant(t *table, i, depth int) string {
	k := slices.IndexFunc(m.named[t.src.tokens[i].text], func(u *table) bool { return u.made && u.from < u.to })
	if k < 0 || depth > 20 || t.src.is(i-1, ".", "->") || t.src.is(i+1, "[") {
		return ""
	}
	u := m.named[t.src.tokens[i].text][k]
	from, replace := u.from, map[int]string{}
	if u.src.is(from, "=") {
		from++
	}
	if u.src.is(from, "{") {
		return ""
	}
	for i := from; i < u.to; i++ {
		if text := m.constant(u, i, depth+1); text != "" {
			replace[i] = text
		}
	}
	return "(" + u.src.join(from, u.to, replace) + ")"
}

// enumerator leaves the enum as it is, under another name, and has a variable behind it.
func (m *copier) enumerator(p *outline, t *table, init, qualified string) {
	init = strings.TrimPrefix(init, "= ")
	p.replace(t.at, "assay_enum_"+t.name)
	typ, static := t.enum, "static "
	if t.outer > t.end {
		static = "static inline "
	}
	if !m.isPlus(p) {
		typ, init = "int", t.src.join(t.from+1, t.to, nil)
		p.insert(p.tokens[t.end].to, " static int "+t.name+" = "+init+";")
		p.insert(p.tokens[t.end].to, m.makeAgain(t, t.name, "= "+strings.TrimPrefix(m.initializer(t), "= ")))
		return
	}
	p.insert(p.tokens[t.end].to, fmt.Sprintf(" %s%s %s = (%s)(%s);", static, typ, t.name, typ, init))
	p.insert(p.tokens[t.outer].to, m.makeAgain(t, qualified, fmt.Sprintf("= (__typeof__(%s))(%s)", qualified, init)))
}

func (m *copier) makeAgain(t *table, name, init string) string {
	id := slices.Index(m.tables, t)
	return fmt.Sprintf(" ASSAY_MAKE(%d, %s) %s; ASSAY_MADE(%d, %d, %s)", id, name, init, id, t.rank*len(m.tables)+id, name)
}

// bodies: functions that use taken names are not constexpr, and their local constants are made at each call.
func (m *copier) bodies(p *outline) {
	for _, f := range p.functions {
		uses := func(from, to int) bool {
			return slices.ContainsFunc(p.names(from, to), func(w string) bool { return m.taken[w] })
		}
		closed := p.match[f.open]
		for i := f.first; i < f.open && uses(f.open, closed); i++ {
			if p.is(i, "constexpr", "consteval") {
				p.replace(i, "inline")
			}
		}
		for i := f.open + 1; i < closed; i++ {
			if !p.is(i-1, ";", "{", "}") || !p.is(i, "static", "const", "constexpr") {
				continue
			}
			end := p.semicolon(i)
			if !uses(i, end) {
				continue
			}
			for ; p.is(i, "static", "const", "constexpr"); i++ {
				p.replace(i, map[string]string{"constexpr": "const", "const": "const"}[p.tokens[i].text])
			}
			i = end - 1
		}
	}
}

// numbers is the part of the library that differs between engines.
func (m *copier) numbers(arguments string) string {
	var whole, floats, names []string
	for _, n := range m.s.Numbers {
		whole = append(whole, strconv.Itoa(int(n.Value)))
		floats = append(floats, strconv.FormatFloat(n.Value, 'g', -1, 64))
		names = append(names, strconv.Quote(n.Name))
	}
	return fmt.Sprintf(`#define ASSAY_COUNT %d
#define ASSAY_ENGINE_MAIN(argc, argv) ((void)argc, (void)argv, assay_engine_main(%s))
int assay_n[] = {%s};
double assay_f[] = {%s};
static const char *const assay_names[] = {
%s
};
`, len(names), arguments, strings.Join(whole, ", "), strings.Join(floats, ", "), strings.Join(names, ",\n"))
}

func (c *cc) made(name string) bool {
	return slices.ContainsFunc(c.named[name], func(t *table) bool { return t.made })
}
