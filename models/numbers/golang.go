package numbers

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed golang.go.txt
var goLibrary string

// goPackageName is the package that holds the numbers in the copy of an engine in Go.
const goPackageName = "assaynumbers"

// instrument replaces the literals by elements of a slice in a package of its own, which Go initializes first.
// What initializers make from the slice is then right when the program starts. What set must make again is known once
// the copy is written.
func (g *golang) instrument(s *Set, dir, value string) error {
	t, err := loadGo(dir, s.Files[0], g.tree)
	if err != nil {
		return err
	}
	for _, f := range t.files {
		f.literals(s)
	}
	if err := t.connect(value); err != nil {
		return err
	}
	if err := t.library(s); err != nil {
		return err
	}
	if err := t.write(); err != nil {
		return err
	}
	if t, err = loadGo(dir, s.Files[0], t); err != nil {
		return err
	}
	t.remake()
	return t.write()
}

func (f *goFile) literals(s *Set) {
	at := map[[2]int]int{}
	for k, n := range s.Numbers {
		if n.File == f.path {
			at[[2]int{n.From, n.To}] = k
		}
	}
	ast.PreorderStack(f.ast, nil, func(n ast.Node, around []ast.Node) bool {
		e, ok := n.(ast.Expr)
		if k, found := at[[2]int{f.offset(n.Pos()), f.offset(n.End())}]; ok && found {
			f.needLibrary()
			f.replace(e, around, fmt.Sprintf("%s.N[%d]", goPackageName, k))
		}
		return true
	})
}

// replace puts text, with a conversion if its type differs, in place of an expression. Where it was folded with other
// untyped constants around it, the folded whole is converted to the type that it took.
func (f *goFile) replace(e ast.Expr, around []ast.Node, text string) {
	typ := f.pkg.info.Types[e].Type
	if typ != nil {
		text = f.typeName(types.Default(typ)) + "(" + text + ")"
	}
	f.edits = append(f.edits, edit{f.offset(e.Pos()), f.offset(e.End()), text})
	for i := len(around) - 1; i >= 0 && untyped(typ); i-- {
		outer, ok := around[i].(ast.Expr)
		tv := f.pkg.info.Types[outer]
		if !ok || tv.Value == nil {
			return
		}
		if typ = tv.Type; untyped(typ) {
			continue
		}
		open := edit{f.offset(outer.Pos()), f.offset(outer.Pos()), f.typeName(typ) + "("}
		if !slices.Contains(f.edits, open) {
			f.edits = append(f.edits, open, edit{f.offset(outer.End()), f.offset(outer.End()), ")"})
		}
	}
}

func untyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// typeName writes a type in f, with imports of its own for types of other packages.
func (f *goFile) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == f.pkg.ImportPath {
			return ""
		}
		alias := "assay_" + p.Name()
		f.need[alias] = p.Path()
		return alias
	})
}

// connect calls our main first, and gives the functions of the glue file to the library.
func (t *goTree) connect(name string) error {
	g := t.file(name)
	if g == nil {
		return fmt.Errorf("%s: not a file of a package that go build would take", name)
	}
	if err := g.hooks(name); err != nil {
		return err
	}
	served := false
	for _, f := range t.files {
		if f.pkg.Name != "main" || f.pkg != g.pkg && g.pkg.Name == "main" {
			continue
		}
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == "main" && d.Recv == nil && d.Body != nil {
				f.needLibrary()
				f.insert(f.offset(d.Body.Lbrace)+1, " if "+goPackageName+".Serve() { return };")
				served = true
			}
		}
	}
	if !served {
		return fmt.Errorf("%s: put it into the folder of the engine's main package", name)
	}
	return nil
}

func (f *goFile) needLibrary() { f.need[goPackageName] = f.tree.module + "/" + goPackageName }

// hooks adds to the glue file what keeps positions, as assay_position returns them, or FENs if it returns nothing.
func (f *goFile) hooks(name string) error {
	functions := map[string]*ast.FuncType{}
	for _, d := range f.ast.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil {
			functions[d.Name.Name] = d.Type
		}
	}
	for _, want := range []string{"assay_start", "assay_position", "assay_value", "assay_refresh"} {
		if functions[want] == nil {
			return fmt.Errorf("%s: no func %s", name, want)
		}
	}
	kept, add, value := "string", "fen", "assay_position(positions[i])\n\t\treturn float64(assay_value())"
	if r := functions["assay_position"].Results; r.NumFields() == 1 {
		kept, add, value = f.code(r.List[0].Type), "assay_position(fen)", "return float64(assay_value(positions[i]))"
	}
	f.needLibrary()
	fmt.Fprintf(&f.tail, `
var _ = func() bool {
	var positions []%s
	%[2]s.Start, %[2]s.Refresh = assay_start, assay_refresh
	%[2]s.Clear = func() { positions = nil }
	%[2]s.Position = func(fen string) { positions = append(positions, %[3]s) }
	%[2]s.Value = func(i int) float64 {
		%[4]s
	}
	return true
}()
`, kept, goPackageName, add, value)
	return nil
}

// library writes the package with the numbers.
func (t *goTree) library(s *Set) error {
	var names, values strings.Builder
	for _, n := range s.Numbers {
		fmt.Fprintf(&names, "\t%q,\n", n.Name)
		fmt.Fprintf(&values, "\t%s,\n", strconv.FormatFloat(n.Value, 'g', -1, 64))
	}
	table := fmt.Sprintf("package %s\n\nvar names = [...]string{\n%s}\n\nvar values = [...]float64{\n%s}\n",
		goPackageName, &names, &values)
	return errors.Join(writeNew(t.home, goPackageName+"/table.go", table),
		writeNew(t.home, goPackageName+"/"+goPackageName+".go", goLibrary))
}

// write writes the files that changed. Imports stand on the line of the package clause: lines keep their numbers.
func (t *goTree) write() error {
	for _, f := range t.files {
		for _, alias := range slices.Sorted(maps.Keys(f.need)) {
			f.insert(f.offset(f.ast.Name.End()), fmt.Sprintf("; import %s %q", alias, f.need[alias]))
		}
		if f.tail.Len() > 0 {
			f.insert(len(f.text), f.tail.String())
		}
		if err := f.write(t.root); err != nil {
			return err
		}
	}
	return nil
}
