package numbers

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// cc is C and C++.
type cc struct {
	plus    bool
	files   []*outline // of the tree: the listed ones first, in their order
	listed  int
	tables  []*table // what the listed files declare, in their order
	named   map[string][]*table
	uses    map[string]*use
	taken   map[string]bool // names whose tables become variables that are made again
	options Options
}

// table is a declaration of a listed file, which may become settable.
type table struct {
	*declaration
	file int  // in files
	made bool // it is made again
	rank int  // after all tables that it is made from
}

// use is what the tree does with a name, as far as it forbids to change its value; empty is nothing.
type use struct {
	constant string // where it must be known when the program is compiled
	other    string // why it is left out unless it is asked for
}

func (c *cc) scan(s *Set, o Options) error {
	c.options = o
	if err := c.load(s); err != nil {
		return err
	}
	c.named, c.uses, c.taken = map[string][]*table{}, map[string]*use{}, map[string]bool{}
	for i, p := range c.files[:c.listed] {
		for _, d := range p.declarations {
			t := &table{declaration: d, file: i}
			c.tables = append(c.tables, t)
			c.named[d.name] = append(c.named[d.name], t)
			c.uses[d.name] = &use{}
		}
	}
	for i, p := range c.files {
		c.findUses(p, i >= c.listed)
	}
	for _, name := range o.Skip {
		if u, ok := c.uses[name]; ok {
			u.constant = "it was to be skipped"
		}
	}
	c.spreadConstants()
	for _, t := range c.tables {
		c.take(s, t)
	}
	c.derive()
	return nil
}

var (
	extensionsPlus = []string{".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".ipp"}
	extensionsC    = []string{".c", ".h", ".inc", ".inl", ".def"}
)

// load parses the listed files, and the others of the tree: what they use cannot change unseen. Headers are C++ where
// no file of C is listed, and the tree has one of C++.
func (c *cc) load(s *Set) error {
	others, err := sources(s.Root, slices.Concat(extensionsPlus, extensionsC)...)
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(f string) bool { return slices.Contains(s.Files, f) })
	c.plus = c.plus || !slices.ContainsFunc(s.Files, func(f string) bool { return path.Ext(f) == ".c" }) &&
		slices.ContainsFunc(others, func(f string) bool { return slices.Contains(extensionsPlus, path.Ext(f)) })
	c.listed = len(s.Files)
	for i, file := range append(slices.Clone(s.Files), others...) {
		b, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		if i < c.listed || len(b) < 4<<20 { // larger ones are data
			c.files = append(c.files, parse(lex(file, string(b))))
		}
	}
	return nil
}

// isPlus reports whether a file is C++, as headers of a tree with C++ are.
func (c *cc) isPlus(p *outline) bool { return c.plus && path.Ext(p.path) != ".c" }

// spreadConstants: what a constant is made from is constant too, and so is what shares its declaration.
func (c *cc) spreadConstants() {
	for changed := true; changed; {
		changed = false
		mark := func(name, why string) {
			if u, ok := c.uses[name]; ok && u.constant == "" {
				u.constant, changed = why, true
			}
		}
		for _, t := range c.tables {
			if c.uses[t.name].constant == "" {
				continue
			}
			for _, name := range t.src.names(t.from, t.to) {
				mark(name, "the constant "+t.name+" is made from it")
			}
			for _, u := range c.tables {
				if u.src == t.src && u.first == t.first && t.place != enumerator && t.specified("const", "constexpr") {
					mark(u.name, "the constant "+t.name+" is declared with it")
				}
			}
		}
	}
}

// names are the words of tokens that are no members of an object.
func (s *source) names(from, to int) []string {
	var all []string
	for i := from; i < to; i++ {
		if s.tokens[i].kind == word && !s.is(i-1, ".", "->") {
			all = append(all, s.tokens[i].text)
		}
	}
	return all
}

// take adds the numbers of a table to s, or the remaining ones.
func (c *cc) take(s *Set, t *table) {
	found, expression := t.findLiterals()
	p := c.files[t.file]
	leave := func(why string) { s.Left = append(s.Left, Left{t.name, why}) }
	if len(found) > 0 {
		why := c.forbids(t)
		if why == "" && !slices.Contains(c.options.Take, t.name) {
			if why = c.uses[t.name].other; why == "" {
				why = unfit(t, found)
			}
		}
		if why != "" {
			leave(why)
			return
		}
	}
	if expression > 0 {
		leave(fmt.Sprintf("%d numbers are parts of expressions", expression))
	}
	least, most := t.bounds()
	for i := range found {
		found[i].Line = p.line(found[i].From)
		if v := found[i].Value; least <= v && v <= most { // else the type is a member's
			found[i].Min, found[i].Max = least, most
		}
	}
	before := len(s.Numbers)
	s.take(found, p.path, t.name, func(n Number) string {
		if why := c.options.skips(n); why != "" || !isSentinel(n.Value) {
			return why
		}
		return "a sentinel, by its value"
	})
	if len(s.Numbers) > before {
		c.taken[t.name], t.made = true, true
	}
}

// bounds is what the type of t holds, as far as its words say.
func (t *table) bounds() (least, most float64) {
	prefix := map[bool]string{true: "u"}[t.specified("unsigned")]
	for _, w := range t.src.tokens[t.first:max(t.first, t.spec)] {
		name := map[string]string{"char": "int8", "short": "int16"}[w.text]
		if name == "" {
			name = strings.TrimSuffix(w.text, "_t")
		}
		if least, most := bounds(prefix + name); least < most {
			return least, most
		}
	}
	return bounds(prefix + "int")
}

// offset is the byte in the file at which a token begins.
func (d *declaration) offset(i int) int { return d.directive + d.src.tokens[i].from }

// forbids says why t cannot become a variable.
func (c *cc) forbids(t *table) string {
	switch {
	case c.uses[t.name].constant != "":
		return c.uses[t.name].constant
	case t.template:
		return "it stands in a template"
	case t.scoped, t.place == enumerator && !c.isPlus(c.files[t.file]) && len(t.scope) > 0:
		return "it is an enumerator of a class"
	case t.counted:
		return "the next enumerators are counted from it"
	case t.place == field && !c.isPlus(c.files[t.file]):
		return "it is no variable"
	case t.specified("thread_local", "_Thread_local", "__thread", "volatile"):
		return "each thread has its own"
	case t.src.is(t.at-1, "*", "&"), t.src.is(t.at-1, "const") && t.src.is(t.at-2, "*"):
		return "it is a pointer"
	}
	return ""
}

// derive finds what depends on the taken tables and must be remade after them, and the order.
func (c *cc) derive() {
	touching := map[string][]string{} // a function, and the names in its body
	for _, p := range c.files[:c.listed] {
		for _, f := range p.functions {
			touching[f.name] = append(touching[f.name], p.names(f.open, p.match[f.open])...)
		}
	}
	for changed := true; changed; {
		changed = false
		for name, words := range touching {
			if !c.taken[name] && slices.ContainsFunc(words, func(w string) bool { return c.taken[w] }) {
				c.taken[name], changed = true, true
			}
		}
		for _, t := range c.tables {
			if t.made || t.place == macro || t.place == enumerator || t.place == field || c.forbids(t) != "" {
				continue
			}
			if slices.ContainsFunc(t.src.names(t.from, t.to), func(w string) bool { return c.taken[w] }) || c.object(t) {
				t.made, c.taken[t.name], changed = true, true, true
			}
		}
	}
	c.order(touching)
}

// object reports whether t is a variable of a class whose default members were taken.
func (c *cc) object(t *table) bool {
	return !t.specified("extern") && slices.ContainsFunc(c.tables, func(f *table) bool {
		return f.place == field && f.made && t.place == variable && (t.src == f.src && t.first == f.class ||
			len(f.scope) > 0 && t.specified(f.scope[len(f.scope)-1]))
	})
}

// order ranks the tables after what they are made from, directly or by functions.
func (c *cc) order(touching map[string][]string) {
	rank := map[string]int{}
	for changed, round := true, 0; changed && round < 20; round++ {
		changed = false
		raise := func(name string, words []string) {
			for _, w := range words {
				if r, ok := rank[w]; c.taken[w] && w != name && (!ok || r >= rank[name]) {
					rank[w], rank[name], changed = r, r+1, true
				}
			}
		}
		for name, words := range touching {
			if c.taken[name] {
				raise(name, words)
			}
		}
		for _, t := range c.tables {
			if t.made {
				raise(t.name, t.src.names(t.from, t.to))
			}
		}
	}
	for _, t := range c.tables {
		t.rank = rank[t.name]
	}
}
