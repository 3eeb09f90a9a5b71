package newengine

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var goModule = regexp.MustCompile(`(?m)^module\s+(\S+)`)

var goPackage = regexp.MustCompile(`(?m)^package (\w+)`)

// in imports the package of a function, and returns what stands before the names of that package.
func (g *glue) in(f *function) string {
	dir, module := path.Dir(f.file.path), "."
	if dir == path.Dir(g.main.path) {
		return ""
	}
	mod, _ := os.ReadFile(filepath.Join(g.top, "go.mod")) // without one there are no other packages
	if m := goModule.FindSubmatch(mod); m != nil {
		module = string(m[1])
	}
	if p := path.Join(module, dir); !slices.Contains(g.Includes, p) {
		g.Includes = append(g.Includes, p)
	}
	if name := goPackage.FindStringSubmatch(f.file.text); name != nil {
		return name[1] + "."
	}
	return path.Base(dir) + "."
}

// goType returns a type with its package.
func goType(in, t string) string {
	star := strings.TrimPrefix(strings.TrimSpace(t), "*")
	if star == "" || strings.Contains(star, ".") || strings.ToLower(star[:1]) == star[:1] {
		return star
	}
	return in + star
}

// receiver returns the type that a method of Go is of; empty if it is none.
func (f *function) receiver() string {
	m := regexp.MustCompile(`^func \(\w*\s*\*?([\w\[\]]+)\)`).FindStringSubmatch(f.before)
	if m == nil {
		return ""
	}
	return m[1]
}

// readGo returns the type of the board, and the statement that reads it.
func (g *glue) readGo(f *function) (board, read string) {
	in := g.in(f)
	first, more, _ := strings.Cut(strings.Trim(f.returns, "() "), ",")
	if r := f.receiver(); r != "" {
		return goType(in, r), "a.board." + f.name + "(fen)"
	}
	call := in + f.name + "(fen)"
	fields := strings.Fields(first)
	if len(fields) == 0 {
		return "struct{}", call
	}
	board = goType(in, fields[len(fields)-1])
	left := "a.board"
	if strings.HasPrefix(fields[len(fields)-1], "*") {
		board = "*" + board
	}
	if more != "" {
		left += ", _"
	}
	return board, left + " = " + call
}

// callGo returns the call of the evaluation, which may be a method of an object that is no board.
func (g *glue) callGo(f *function) string {
	in, own := g.in(f), strings.TrimPrefix(g.Board, "*")
	args := g.arguments(f, "nil", func(p string) string {
		words := strings.Fields(p)
		t := words[len(words)-1]
		switch {
		case strings.HasSuffix(own, t[strings.LastIndexAny(t, "*.")+1:]):
			return pointer("a.board", g.Board, t)
		case t == "bool":
			return "false"
		case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"):
			return cmp.Or(window(p), "0")
		}
		return window(p)
	})
	r := f.receiver()
	switch {
	case r == "":
		return in + f.name + args
	case strings.HasSuffix(own, r):
		return "a.board." + f.name + args
	}
	g.Evaluator = "new(" + goType(in, r) + ")"
	if n := g.find([]string{"new" + r, "new"}, func(n *function) bool {
		return len(n.params) == 0 && path.Dir(n.file.path) == path.Dir(f.file.path)
	}, ""); n != nil {
		g.Evaluator = in + n.name + "()"
	}
	return "assayEvaluator." + f.name + args
}

// pointer passes a variable of one type as another, which differ by a pointer at most.
func pointer(name, has, want string) string {
	switch {
	case strings.HasPrefix(want, "*") && !strings.HasPrefix(has, "*"):
		return "&" + name
	case !strings.HasPrefix(want, "*") && strings.HasPrefix(has, "*"):
		return "*" + name
	}
	return name
}
