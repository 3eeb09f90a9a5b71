package numbers

import (
	"cmp"
	"fmt"
	"go/ast"
	gotoken "go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// golang is Go: literals of package variables and constants by the syntax tree, their uses by go/types.
type golang struct{ tree *goTree }

func openGo(string) language { return &golang{} }

func (g *golang) scan(s *Set, o Options) error {
	t, err := loadGo(s.Root, s.Files[0], nil)
	if err != nil {
		return err
	}
	g.tree = t
	constants := t.constants(s.Files)
	for _, name := range s.Files {
		f := t.file(name)
		if f == nil {
			return fmt.Errorf("%s: not a file of a package that go build would take", name)
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				s.goDeclaration(f, name, d, constants, o)
			case *ast.FuncDecl:
				if d.Body != nil && slices.Contains(o.Take, name+":"+d.Name.Name) {
					w := goLiterals{file: f, table: d.Name.Name}
					w.body(d.Body)
					s.takeAll(w.found, name, w.table, o.Skip)
				}
			}
		}
	}
	return nil
}

// goDeclaration takes the literals of a var or const declaration.
func (s *Set) goDeclaration(f *goFile, name string, d *ast.GenDecl, constants goConstants, o Options) {
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
			if len(w.found) == 0 {
				continue
			}
			key, why := goKey(f.pkg.info.Defs[ident]), ""
			if d.Tok == gotoken.CONST {
				why = constants.fixed(key)
			}
			switch {
			case slices.Contains(o.Skip, ident.Name):
				why = "asked to leave it out"
			case why != "" || slices.Contains(o.Take, ident.Name):
			case w.product:
				why = "products of literals"
			default:
				why = usual(ident.Name, w.found, constants.unusual[key])
			}
			if why != "" {
				s.Left = append(s.Left, Left{Name: ident.Name, File: name, Line: f.line(ident), Why: why})
				continue
			}
			s.takeAll(w.found, name, w.table, o.Skip)
		}
	}
}

func (f *goFile) line(n ast.Node) int { return f.tree.fset.PositionFor(n.Pos(), false).Line }

// relative is the path of f in the tree, with slashes.
func (f *goFile) relative() string {
	rel, _ := filepath.Rel(f.tree.root, f.path)
	return filepath.ToSlash(rel)
}

// takeAll adds the numbers of a table, but for those that are named in skip.
func (s *Set) takeAll(found []Number, file, table string, skip []string) {
	index := make([]int, len(found)) // in s.Numbers
	for i, n := range found {
		if index[i] = -1; slices.Contains(skip, n.Name) {
			s.Left = append(s.Left, Left{Name: n.Name, File: file, Line: n.Line, Why: "asked to leave it out"})
			continue
		}
		index[i] = len(s.Numbers)
		n.File, n.Table = file, table
		s.Numbers = append(s.Numbers, n)
	}
	for i, n := range found {
		if index[i] >= 0 && n.Pair >= 0 {
			s.Numbers[index[i]].Pair = index[n.Pair]
		}
	}
}

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
	if _, builtin := u.(*types.Builtin); builtin || u == nil || u.Pkg() != nil && !w.file.tree.all[u.Pkg().Path()].own {
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
			key := w.file.source(kv.Key)
			if k, err := strconv.Atoi(key); err == nil {
				at = k
			}
			return name + "[" + key + "]"
		case !table && len(x.Elts) == 2:
			return fmt.Sprint(name, ".", i)
		case ok:
			return name + "." + w.file.source(kv.Key)
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
	if err != nil || octal || lit.Kind != gotoken.INT && lit.Kind != gotoken.FLOAT || strings.ContainsAny(digits,
		"xXbBoOpP") ||
		noWeight(w.file.pkg.info.Types[e].Type) {
		return
	}
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == gotoken.SUB {
		v = -v
	}
	n := Number{Name: name, Line: w.file.line(e), From: w.file.offset(e.Pos()), To: w.file.offset(e.End()),
		Text: w.file.source(e), Value: v + 0, Float: lit.Kind == gotoken.FLOAT, Pair: -1}
	if b, ok := underlying(w.file.pkg.info.Types[e].Type).(*types.Basic); ok {
		n.Float = n.Float || b.Info()&types.IsFloat != 0
		n.Min, n.Max = bounds(b.Name())
	}
	w.found = append(w.found, n)
}

func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// noWeight tells bit boards.
func noWeight(t types.Type) bool {
	b, ok := underlying(t).(*types.Basic)
	return ok && (b.Kind() == types.Uint64 || b.Kind() == types.Uintptr || b.Info()&types.IsNumeric == 0)
}

// body takes the literals of a function: all in tables, and outside them neither 0, 1, divisors, comparisons,
// arguments, indices nor the bounds of loops.
func (w *goLiterals) body(b *ast.BlockStmt) {
	w.file.walk(b, func(stack []ast.Node) {
		n := stack[len(stack)-1]
		parent := stack[max(0, len(stack)-2)]
		if x, ok := n.(*ast.CompositeLit); ok && !within[*ast.CompositeLit](stack[:len(stack)-1]) {
			w.walk(x, w.table, nil)
		}
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Value == "0" || lit.Value == "1" || within[*ast.CompositeLit](stack) || !weightPlace(stack) {
			return
		}
		if u, ok := parent.(*ast.UnaryExpr); ok {
			w.literal(u, lit, w.table)
			return
		}
		w.literal(lit, lit, w.table)
	})
	slices.SortStableFunc(w.found, func(a, b Number) int { return cmp.Compare(a.From, b.From) })
}

func within[T ast.Node](stack []ast.Node) bool {
	return slices.ContainsFunc(stack, func(n ast.Node) bool { _, ok := n.(T); return ok })
}

// weightPlace tells whether the literal at the top of stack may be a weight by what stands around it: sums and products
// that are assigned or returned, but no summands of a factor.
func weightPlace(stack []ast.Node) bool {
	for i := len(stack) - 2; i > 0; i-- {
		switch p := stack[i].(type) {
		case *ast.BinaryExpr:
			if p.Op != gotoken.ADD && p.Op != gotoken.SUB && (p.Op != gotoken.MUL || i < len(stack)-3) {
				return false
			}
		case *ast.UnaryExpr, *ast.ParenExpr:
		case *ast.AssignStmt:
			_, loop := stack[i-1].(*ast.ForStmt)
			return !loop && !slices.Contains([]gotoken.Token{gotoken.SHL_ASSIGN, gotoken.SHR_ASSIGN, gotoken.QUO_ASSIGN,
				gotoken.REM_ASSIGN}, p.Tok)
		case *ast.ReturnStmt:
			return true
		default:
			return false
		}
	}
	return false
}

// goConstants tells which package constants can become variables.
type goConstants struct {
	from    map[string][]string // constants in whose initializers a constant stands
	why     map[string]string   // why a constant must stay one
	unusual map[string]string   // why a variable or a constant is left out unless it is asked for
}

// constants reads all uses of the constants of the engine.
func (t *goTree) constants(listed []string) goConstants {
	c := goConstants{from: map[string][]string{}, why: map[string]string{}, unusual: map[string]string{}}
	for _, p := range t.own {
		for _, f := range p.files {
			rel := f.relative()
			f.walk(f.ast, func(stack []ast.Node) {
				switch n := stack[len(stack)-1].(type) {
				case *ast.GenDecl:
					c.declaration(f, n)
				case *ast.Ident:
					if key := goKey(p.info.Uses[n]); key != "" {
						if outside(rel) && !slices.Contains(listed, rel) {
							c.unusual[key] = rel + " uses it too"
						}
						if divides(stack) {
							c.unusual[key] = fmt.Sprintf("it divides, line %d of %s", f.line(n), rel)
						}
						if _, ok := p.info.Uses[n].(*types.Const); ok {
							c.use(f, key, stack)
						}
					}
				}
			})
		}
	}
	return c
}

// divides reports whether the name at the top of stack, of a package perhaps, is a divisor.
func divides(stack []ast.Node) bool {
	n := len(stack) - 1
	if s, ok := stack[max(0, n-1)].(*ast.SelectorExpr); ok && s.Sel == stack[n] {
		n--
	}
	b, ok := stack[max(0, n-1)].(*ast.BinaryExpr)
	return ok && b.Y == stack[n] && (b.Op == gotoken.QUO || b.Op == gotoken.REM)
}

// declaration finds constants that stand in a row of iota or of repeated values.
func (c goConstants) declaration(f *goFile, d *ast.GenDecl) {
	if d.Tok != gotoken.CONST {
		return
	}
	for i, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		repeated := i+1 < len(d.Specs) && len(d.Specs[i+1].(*ast.ValueSpec).Values) == 0
		iota := false
		for _, e := range v.Values {
			ast.Inspect(e, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				iota = iota || ok && id.Name == "iota"
				return true
			})
		}
		if len(v.Values) != len(v.Names) || repeated || iota {
			for _, n := range v.Names {
				c.why[goKey(f.pkg.info.Defs[n])] = "one of a row of constants"
			}
		}
	}
}

// use looks at what stands around a constant.
func (c goConstants) use(f *goFile, key string, stack []ast.Node) {
	for i := len(stack) - 2; i >= 0; i-- {
		child := stack[i+1]
		switch p := stack[i].(type) {
		case *ast.ArrayType:
			if p.Len == child {
				c.why[key] = "the length of an array, line " + strconv.Itoa(f.line(p)) + " of " + path.Base(f.path)
			}
		case *ast.KeyValueExpr:
			table, _ := stack[i-1].(ast.Expr)
			if _, isMap := underlying(f.pkg.info.Types[table].Type).(*types.Map); p.Key == child && !isMap {
				c.why[key] = "a key of a table, line " + strconv.Itoa(f.line(p)) + " of " + path.Base(f.path)
			}
		case *ast.IndexExpr:
			if p.Index == child {
				c.why[key] = "an index, line " + strconv.Itoa(f.line(p)) + " of " + path.Base(f.path)
			}
		case *ast.ValueSpec:
			d, _ := stack[i-1].(*ast.GenDecl)
			if d == nil || d.Tok != gotoken.CONST {
				return
			}
			for j, n := range p.Names {
				if j >= len(p.Values) || p.Values[j] != child {
					continue
				}
				if to := goKey(f.pkg.info.Defs[n]); to != "" {
					c.from[key] = append(c.from[key], to)
				} else {
					c.why[key] = "used by the constant " + n.Name + " of a function"
				}
			}
			return
		case *ast.BlockStmt:
			return
		}
	}
}

// fixed is why a constant must stay one: by its own uses, or by uses of a constant made from it.
func (c goConstants) fixed(key string, through ...string) string {
	if why := c.why[key]; why != "" {
		return why
	}
	for _, to := range c.from[key] {
		if slices.Contains(through, to) {
			continue // a name that stands for two
		}
		if why := c.fixed(to, append(through, to)...); why != "" {
			return "used by the constant " + to[strings.LastIndex(to, ".")+1:] + ": " + why
		}
	}
	return ""
}
