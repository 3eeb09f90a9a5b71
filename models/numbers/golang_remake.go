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

// remake writes functions that make again what initializers and init functions make from the numbers, in the order in
// which Go does it. Only plain data is made again: a cache or a search that an initializer opens stays.
func (t *goTree) remake() {
	touched := t.touched()
	for _, p := range t.own {
		var calls []string
		var last *goFile
		for _, init := range p.info.InitOrder {
			var names []string
			again := false
			for _, v := range init.Lhs {
				names = append(names, v.Name())
				again = again || touched[goKey(v)] && plain(v.Type())
			}
			if !again {
				continue
			}
			i := slices.IndexFunc(p.files, func(f *goFile) bool { return f.ast.Pos() <= init.Rhs.Pos() && init.Rhs.Pos() < f.ast.End() })
			last = p.files[i]
			calls = append(calls, "assayMake"+strconv.Itoa(len(calls)))
			fmt.Fprintf(&last.tail, "\nfunc %s() {\n\t%s = %s\n}\n", calls[len(calls)-1], strings.Join(names, ", "), last.source(init.Rhs))
		}
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				d, ok := d.(*ast.FuncDecl)
				if !ok || d.Recv != nil || d.Name.Name != "init" || !touched[initKey(f, d)] || !f.repeatable(d.Body) {
					continue
				}
				last = f
				calls = append(calls, "assayMake"+strconv.Itoa(len(calls)))
				f.edits = append(f.edits, goEdit{f.offset(d.Name.Pos()), f.offset(d.Name.End()),
					"init() { " + calls[len(calls)-1] + "() }; func " + calls[len(calls)-1]})
			}
		}
		if last != nil {
			last.tail.WriteString("\nfunc init() { " + goPackageName + ".Remake(" + strings.Join(calls, ", ") + ") }\n")
			if !strings.Contains(last.src, "import "+goPackageName+" ") {
				last.needLibrary()
			}
		}
	}
}

func initKey(f *goFile, d *ast.FuncDecl) string {
	return f.pkg.ImportPath + ".init " + f.path + strconv.Itoa(f.offset(d.Pos()))
}

// touched are the variables, functions and init functions that read the numbers, themselves or through others.
func (t *goTree) touched() map[string]bool {
	readers := map[string][]string{} // by what they read
	read := func(f *goFile, n ast.Node, by string) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if key := goKey(f.pkg.info.Uses[id]); key != "" {
					readers[key] = append(readers[key], by)
				}
			}
			return true
		})
	}
	for _, p := range t.own {
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
					key := goKey(p.info.Defs[d.Name])
					if key == "" || d.Name.Name == "init" && d.Recv == nil {
						key = initKey(f, d)
					}
					read(f, d.Body, key)
				}
				if d, ok := d.(*ast.GenDecl); ok && d.Tok == gotoken.VAR {
					for _, spec := range d.Specs {
						spec := spec.(*ast.ValueSpec)
						for i, e := range spec.Values {
							for j, n := range spec.Names {
								if i == j || len(spec.Values) == 1 {
									read(f, e, goKey(p.info.Defs[n]))
								}
							}
						}
					}
				}
			}
		}
	}
	touched := map[string]bool{}
	for next := []string{t.module + "/" + goPackageName + ".N"}; len(next) > 0; {
		key := next[len(next)-1]
		next = next[:len(next)-1]
		for _, by := range readers[key] {
			if !touched[by] {
				touched[by] = true
				next = append(next, by)
			}
		}
	}
	return touched
}

// plain tells numbers and tables of them from what has a state.
func plain(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Array:
		return plain(t.Elem())
	case *types.Slice:
		return plain(t.Elem())
	case *types.Map:
		return plain(t.Key()) && plain(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if !plain(t.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// repeatable tells an init function that only computes from one that starts, registers or opens something.
func (f *goFile) repeatable(body *ast.BlockStmt) bool {
	ok := true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			ok = false
		case *ast.SelectorExpr:
			id, _ := n.X.(*ast.Ident)
			p, is := f.pkg.info.Uses[id].(*types.PkgName)
			if is && (!f.tree.all[p.Imported().Path()].own || p.Imported().Name() == goPackageName) {
				ok = ok && slices.Contains([]string{"math", "math/bits", "sort", "fmt", "strings"}, p.Imported().Path())
			}
		}
		return true
	})
	return ok
}
