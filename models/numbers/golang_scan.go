package numbers

import (
	"fmt"
	"go/ast"
	gotoken "go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// golang is Go: literals of package variables and constants by the syntax tree, their uses by go/types.
type golang struct{ tree *goTree }

func (g *golang) scan(s *Set, o Options) error {
	t, err := loadGo(s.Root, s.Files[0], nil)
	if err != nil {
		return err
	}
	g.tree = t
	unusual := t.unusual(s.Files)
	for _, name := range s.Files {
		f := t.file(name)
		if f == nil {
			return fmt.Errorf("%s: not a file of a package that go build would take", name)
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				s.goDeclaration(f, name, d, unusual, o)
			case *ast.FuncDecl:
				if d.Body != nil && slices.Contains(o.Take, name+":"+d.Name.Name) {
					w := goLiterals{file: f, table: d.Name.Name}
					w.body(d.Body)
					s.take(w.found, name, w.table, o.skips)
				}
			}
		}
	}
	return nil
}

// goDeclaration takes the literals of a var declaration. A constant is for the author to make a variable.
func (s *Set) goDeclaration(f *goFile, name string, d *ast.GenDecl, unusual map[string]string, o Options) {
	if d.Tok != gotoken.VAR && d.Tok != gotoken.CONST {
		return
	}
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		for i, ident := range v.Names {
			if len(v.Values) != len(v.Names) || ident.Name == "_" {
				continue
			}
			w := goLiterals{file: f, table: ident.Name}
			w.walk(v.Values[i], ident.Name, v.Type)
			why := ""
			switch {
			case len(w.found) == 0:
				continue
			case slices.Contains(o.Skip, ident.Name):
				why = "asked to leave it out"
			case slices.Contains(o.Take, ident.Name):
			case w.product:
				why = "products of literals"
			default:
				why = usual(ident.Name, w.found, unusual[goKey(f.pkg.info.Defs[ident])])
			}
			if why == "" && d.Tok == gotoken.CONST {
				why = "a constant; var makes it a number"
			}
			if why != "" {
				s.Left = append(s.Left, Left{ident.Name, why})
				continue
			}
			s.take(w.found, name, w.table, o.skips)
		}
	}
}

func (f *goFile) line(n ast.Node) int { return f.tree.fset.PositionFor(n.Pos(), false).Line }

// goLiterals collects the literals of one initializer.
type goLiterals struct {
	file  *goFile
	table string
	found []Number

	product bool // some elements are 2*2*3, as of a code for material
}

// walk takes the literals of e, which has the name name, and the type typ where its literal leaves it out.
func (w *goLiterals) walk(e ast.Expr, name string, typ ast.Expr) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		w.walk(x.X, name, typ)
	case *ast.UnaryExpr:
		if lit, ok := x.X.(*ast.BasicLit); ok && (x.Op == gotoken.SUB || x.Op == gotoken.ADD) {
			w.literal(x, lit, name)
		} else if x.Op == gotoken.SUB || x.Op == gotoken.ADD || x.Op == gotoken.AND {
			w.walk(x.X, name, typ)
		}
	case *ast.BasicLit:
		w.literal(x, x, name)
	case *ast.BinaryExpr:
		if x.Op == gotoken.ADD || x.Op == gotoken.SUB {
			w.walk(x.X, name, nil)
			w.walk(x.Y, name, nil)
		}
		_, left := x.X.(*ast.BasicLit)
		_, right := x.Y.(*ast.BasicLit)
		w.product = w.product || left && right && x.Op == gotoken.MUL
	case *ast.CallExpr:
		w.call(x, name)
	case *ast.CompositeLit:
		w.composite(x, name, typ)
	}
}

// call takes the arguments of a conversion or a constructor, such as S(12, -5).
func (w *goLiterals) call(x *ast.CallExpr, name string) {
	fun := ast.Unparen(x.Fun)
	if s, ok := fun.(*ast.SelectorExpr); ok {
		fun = s.Sel
	}
	id, ok := fun.(*ast.Ident)
	if !ok {
		return
	}
	u := w.file.pkg.info.Uses[id]
	if _, builtin := u.(*types.Builtin); builtin || u == nil || u.Pkg() != nil && !w.file.tree.owns(u.Pkg().Path()) {
		return // make, len, math.Sqrt
	}
	w.list(x.Args, name, len(x.Args) == 2, func(i int) string {
		if len(x.Args) == 1 {
			return name
		}
		return fmt.Sprint(name, ".", i)
	}, nil)
}

// composite takes the elements of an array, a slice, a map or a struct.
func (w *goLiterals) composite(x *ast.CompositeLit, name string, typ ast.Expr) {
	if x.Type != nil {
		typ = x.Type
	}
	var element ast.Expr
	table := true
	switch t := typ.(type) {
	case *ast.ArrayType:
		element = t.Elt
	case *ast.MapType:
		element = t.Value
	default:
		table = false
	}
	at := -1
	w.list(x.Elts, name, !table && len(x.Elts) == 2, func(i int) string {
		at++
		kv, ok := x.Elts[i].(*ast.KeyValueExpr)
		switch {
		case ok && table:
			key := w.file.code(kv.Key)
			if k, err := strconv.Atoi(key); err == nil {
				at = k
			}
			return name + "[" + key + "]"
		case !table && len(x.Elts) == 2:
			return fmt.Sprint(name, ".", i)
		case ok:
			return name + "." + w.file.code(kv.Key)
		}
		return fmt.Sprint(name, "[", at, "]")
	}, element)
}

// list takes elements or arguments, two of them as a pair where each is one number.
func (w *goLiterals) list(elements []ast.Expr, name string, pair bool, label func(int) string, typ ast.Expr) {
	first := len(w.found)
	ones := true
	for i, e := range elements {
		label := label(i)
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		before := len(w.found)
		w.walk(e, label, typ)
		ones = ones && len(w.found) == before+1
	}
	if pair && ones {
		w.found[first].Pair, w.found[first+1].Pair = first+1, first
	}
}

// literal takes a decimal literal, and the sign that e has with it, unless its type says that it is no weight.
func (w *goLiterals) literal(e ast.Expr, lit *ast.BasicLit, name string) {
	digits := strings.ReplaceAll(lit.Value, "_", "")
	v, err := strconv.ParseFloat(digits, 64)
	octal := lit.Kind == gotoken.INT && strings.HasPrefix(digits, "0") && v != 0
	if err != nil || octal || lit.Kind != gotoken.INT && lit.Kind != gotoken.FLOAT ||
		strings.ContainsAny(digits, "xXbBoOpP") {
		return
	}
	var b *types.Basic
	if t := w.file.pkg.info.Types[e].Type; t != nil {
		b, _ = t.Underlying().(*types.Basic)
	}
	if b != nil && (b.Kind() == types.Uint64 || b.Kind() == types.Uintptr || b.Info()&types.IsNumeric == 0) {
		return // a bit board
	}
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == gotoken.SUB {
		v = -v
	}
	n := Number{Name: name, Line: w.file.line(e), From: w.file.offset(e.Pos()), To: w.file.offset(e.End()),
		Text: w.file.code(e), Value: v + 0, Float: lit.Kind == gotoken.FLOAT, Pair: -1}
	if b != nil {
		n.Float = n.Float || b.Info()&types.IsFloat != 0
		n.Min, n.Max = bounds(b.Name())
	}
	w.found = append(w.found, n)
}

// body takes the literals of the tables in a function.
func (w *goLiterals) body(b *ast.BlockStmt) {
	ast.Inspect(b, func(n ast.Node) bool {
		x, table := n.(*ast.CompositeLit)
		if table {
			w.walk(x, w.table, nil)
		}
		return !table
	})
}

// unusual is why variables are left out unless they are asked for, by what the engine does with them.
func (t *goTree) unusual(listed []string) map[string]string {
	why := map[string]string{}
	for _, f := range t.files {
		ast.PreorderStack(f.ast, nil, func(n ast.Node, around []ast.Node) bool {
			id, _ := n.(*ast.Ident)
			key := goKey(f.pkg.info.Uses[id])
			if key != "" && outside(f.path) && !slices.Contains(listed, f.path) {
				why[key] = f.path + " uses it too"
			}
			if key != "" && divides(id, around) {
				why[key] = fmt.Sprintf("it divides, line %d of %s", f.line(n), f.path)
			}
			return true
		})
	}
	return why
}

// divides reports whether a name, of a package perhaps, is a divisor.
func divides(name ast.Expr, around []ast.Node) bool {
	n := len(around) - 1
	if s, ok := around[n].(*ast.SelectorExpr); ok && s.Sel == name {
		name = s
		n--
	}
	b, ok := around[n].(*ast.BinaryExpr)
	return ok && b.Y == name && (b.Op == gotoken.QUO || b.Op == gotoken.REM)
}
