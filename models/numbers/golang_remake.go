package numbers

import (
	"fmt"
	"go/ast"
	gotoken "go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// remake writes functions that make again what initializers and init functions make from the numbers, in the order in
// which Go does it. Only plain data is made again: a cache or a search that an initializer opens stays.
func (t *goTree) remake() {
	readers, functions := t.readers()
	touched := flood(readers, t.module+"/"+goPackageName+".N")
	spoiled := flood(functions, spoils)
	for _, p := range t.own {
		if p.Name == goPackageName {
			continue
		}
		var calls []string
		var last *goFile
		add := func(f *goFile, body string) {
			call := "assayMake" + strconv.Itoa(len(calls))
			calls, last = append(calls, call), f
			fmt.Fprintf(&f.tail, "\nfunc %s() {\n%s}\n", call, body)
		}
		for _, init := range p.info.InitOrder {
			var names []string
			again := false
			for _, v := range init.Lhs {
				names = append(names, v.Name())
				again = again || touched[goKey(v)] && plain(v.Type(), false)
			}
			if again {
				f := p.files[slices.IndexFunc(p.files, func(f *goFile) bool {
					return f.ast.Pos() <= init.Rhs.Pos() && init.Rhs.Pos() < f.ast.End()
				})]
				add(f, "\t"+strings.Join(names, ", ")+" = "+f.code(init.Rhs)+"\n")
			}
		}
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == "init" && d.Body != nil {
					if body := f.again(d.Body, touched, spoiled); body != "" {
						add(f, body)
					}
				}
			}
		}
		if last != nil {
			last.tail.WriteString("\nfunc init() { " + goPackageName + ".Remake(" + strings.Join(calls, ", ") + ") }\n")
			if !strings.Contains(last.text, "import "+goPackageName+" ") {
				last.needLibrary()
			}
		}
	}
}

// spoils is what functions read that start, register or print something, so that they are not run again.
const spoils = " spoils"

// readers are the variables and functions that read an object, by its key, and the functions alone.
func (t *goTree) readers() (readers, functions map[string][]string) {
	readers, functions = map[string][]string{}, map[string][]string{}
	for _, f := range t.files {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				by := goKey(f.pkg.info.Defs[d.Name])
				for key := range f.reads(d) {
					readers[key] = append(readers[key], by)
					functions[key] = append(functions[key], by)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					v, ok := spec.(*ast.ValueSpec)
					for i := 0; ok && i < len(v.Names)*len(v.Values); i++ {
						for key := range f.reads(v.Values[i%len(v.Values)]) {
							readers[key] = append(readers[key], goKey(f.pkg.info.Defs[v.Names[i/len(v.Values)]]))
						}
					}
				}
			}
		}
	}
	return readers, functions
}

// reads are the keys of what stands in root. A function counts where it is called, or handed over to a call.
func (f *goFile) reads(root ast.Node) map[string]bool {
	keys := map[string]bool{}
	ast.PreorderStack(root, []ast.Node{root}, func(n ast.Node, around []ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.ChanType:
			keys[spoils] = true
		case *ast.Ident:
			o := f.pkg.info.Uses[n]
			if p, ok := o.(*types.PkgName); ok {
				path := p.Imported().Path()
				keys[spoils] = keys[spoils] || !f.tree.owns(path) && !slices.Contains(pure, path)
			}
			parent := around[len(around)-1]
			if s, ok := parent.(*ast.SelectorExpr); ok && s.Sel == n {
				parent = around[len(around)-2]
			}
			_, called := parent.(*ast.CallExpr)
			if _, function := o.(*types.Func); called || !function {
				keys[goKey(o)] = true
			}
		}
		return true
	})
	delete(keys, "")
	maps.DeleteFunc(keys, func(_ string, is bool) bool { return !is })
	return keys
}

// pure are packages whose functions may be called again.
var pure = []string{"math", "math/bits", "math/rand", "sort", "fmt", "strings", "strconv"}

// flood is what reads a key, itself or through others.
func flood(readers map[string][]string, from string) map[string]bool {
	all := map[string]bool{from: true}
	for next := []string{from}; len(next) > 0; {
		key := next[0]
		next = next[1:]
		for _, by := range readers[key] {
			if by != "" && !all[by] {
				all[by] = true
				next = append(next, by)
			}
		}
	}
	return all
}

// again is the statements of an init function that read the numbers, after what they add to has its first value again;
// "" if there are none.
func (f *goFile) again(body *ast.BlockStmt, touched, spoiled map[string]bool) string {
	var text string
	found := false
	first := map[string]bool{}
	in := func(keys, set map[string]bool) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(keys)), func(key string) bool { return set[key] })
	}
	for _, s := range body.List {
		keys := f.reads(s)
		locals := localNames(s)
		reads := in(keys, touched) && !in(keys, spoiled)
		if !reads && locals == nil {
			continue
		}
		found = found || reads
		text += "\t" + f.code(s) + "\n"
		for _, name := range locals {
			text += "\t_ = " + name + "\n" // its users may be left out
		}
		for _, g := range f.pkg.files {
			for _, d := range g.ast.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && keys[goKey(f.pkg.info.Defs[d.Name])] {
					maps.Copy(keys, g.reads(d))
				}
			}
		}
		for key := range keys {
			name := strings.TrimPrefix(key, f.pkg.ImportPath+".")
			if v, ok := f.pkg.types.Scope().Lookup(name).(*types.Var); ok && reads && !touched[key] && plain(v.Type(), true) {
				first[name] = true
			}
		}
	}
	if !found {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if !strings.Contains(f.pkg.saved, " "+name+" ") {
			f.pkg.saved += " " + name + " "
			fmt.Fprintf(&f.tail, "\nvar assayFirst_%s = %[1]s\n", name)
		}
		text = fmt.Sprintf("\t%s = assayFirst_%[1]s\n", name) + text
	}
	return text
}

// localNames are the variables that a statement declares.
func localNames(s ast.Stmt) []string {
	var names []string
	if a, ok := s.(*ast.AssignStmt); ok && a.Tok == gotoken.DEFINE {
		for _, e := range a.Lhs {
			if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
				names = append(names, id.Name)
			}
		}
	}
	if d, ok := s.(*ast.DeclStmt); ok {
		for _, spec := range d.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && d.Decl.(*ast.GenDecl).Tok == gotoken.VAR {
				for _, n := range v.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// plain tells numbers and tables of them from what has a state; copied: of these, what an assignment copies.
func plain(t types.Type, copied bool) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.UnsafePointer
	case *types.Array:
		return plain(t.Elem(), copied)
	case *types.Slice:
		return !copied && plain(t.Elem(), copied)
	case *types.Map:
		return !copied && plain(t.Key(), copied) && plain(t.Elem(), copied)
	case *types.Struct:
		for f := range t.Fields() {
			if !plain(f.Type(), copied) {
				return false
			}
		}
		return true
	}
	return false
}
