package newengine

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var goModule = regexp.MustCompile(`(?m)^module\s+(\S+)`)

// inGo writes the file for Go, in the package of main.
func (e *engine) inGo(evaluate, parse *function, whiteView bool) *glue {
	g := &glue{name: path.Join(path.Dir(e.main.path), "assay.go")}
	mod, _ := os.ReadFile(filepath.Join(e.top, "go.mod")) // without one there are no other packages
	module := ""
	if m := goModule.FindSubmatch(mod); m != nil {
		module = string(m[1])
	}
	var imports []string
	in := func(f *function) string { // the package of a function, as it is written
		dir := path.Dir(f.file.path)
		if dir == path.Dir(e.main.path) {
			return ""
		}
		line := fmt.Sprintf("\t%q\n", path.Join(cmp.Or(module, "."), dir))
		if !strings.Contains(strings.Join(imports, ""), line) {
			imports = append(imports, line)
		}
		name := regexp.MustCompile(`(?m)^package (\w+)`).FindStringSubmatch(f.file.text)
		if name == nil {
			return path.Base(dir) + "."
		}
		return name[1] + "."
	}
	board, read := "struct{}", "_ = fen"
	if parse == nil {
		g.left("assay_position: no function was found that reads a FEN")
	} else {
		board, read = parse.boardGo(in(parse))
	}
	value, evaluator := "0", ""
	if evaluate == nil {
		g.left("assay_value: no function was found that evaluates a position")
	} else {
		value, evaluator = evaluate.callGo(e, in(evaluate), board, g)
	}
	mover := "\tif a.black {\n\t\tv = -v\n\t}\n"
	if whiteView {
		mover = ""
	}
	var s strings.Builder
	s.WriteString("package main\n\nimport (\n\t\"strings\"\n")
	if len(imports) > 0 {
		s.WriteString("\n" + strings.Join(imports, ""))
	}
	fmt.Fprintf(&s, ")\n\ntype assayPosition struct {\n\tboard %s\n\tblack bool\n}\n%s\n", board, evaluator)
	s.WriteString("func assay_start() {}\n\n")
	fmt.Fprintf(&s, "func assay_position(fen string) *assayPosition {\n\ta := &assayPosition{black: "+
		"strings.Contains(fen, \" b \")}\n\t%s\n\treturn a\n}\n\n", read)
	fmt.Fprintf(&s, "func assay_value(a *assayPosition) int {\n\tv := int(%s)\n%s\treturn v\n}\n\nfunc assay_refresh() "+
		"{}\n", value, mover)
	g.text = s.String()
	return g
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

// boardGo returns the type of the board, and the statement that reads it.
func (f *function) boardGo(in string) (board, read string) {
	returns := strings.Trim(f.returns, "() ")
	first, more, _ := strings.Cut(returns, ",")
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

// callGo returns the call of the evaluation, and the line of what it is a method of, if that is no board.
func (f *function) callGo(e *engine, in, board string, g *glue) (call, evaluator string) {
	own := strings.TrimPrefix(board, "*")
	var args []string
	for _, p := range f.params {
		words := strings.Fields(p)
		t := words[len(words)-1]
		name := t[strings.LastIndexAny(t, "*.")+1:]
		switch {
		case strings.HasSuffix(own, name):
			args = append(args, pointer("a.board", board, t))
		case regexp.MustCompile(`(?i)^alpha`).MatchString(p):
			args = append(args, "-30000")
		case regexp.MustCompile(`(?i)^beta`).MatchString(p):
			args = append(args, "30000")
		case t == "int" || strings.HasPrefix(t, "int") || strings.HasPrefix(t, "uint"):
			args = append(args, "0")
		case t == "bool":
			args = append(args, "false")
		default:
			args = append(args, "nil /* "+p+" */")
			g.left("assay_value: what stands for %q in the call of %s", p, f.name)
		}
	}
	name := in + f.name
	if r := f.receiver(); r != "" && strings.HasSuffix(own, r) {
		name = "a.board." + f.name
	} else if r != "" {
		made := "new(" + goType(in, r) + ")"
		if n := e.find([]string{"new" + r, "new"}, func(n *function) bool {
			return len(n.params) == 0 && path.Dir(n.file.path) == path.Dir(f.file.path)
		}, ""); n != nil {
			made = in + n.name + "()"
		}
		evaluator = "\nvar assayEvaluator = " + made + "\n"
		name = "assayEvaluator." + f.name
	}
	return name + "(" + strings.Join(args, ", ") + ")", evaluator
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
