package numbers

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// goTree is the packages of an engine in Go, parsed and with types.
type goTree struct {
	root   string // of the tree, without symbolic links
	module string // path of the module that has the listed files
	home   string // its folder
	fset   *gotoken.FileSet
	all    map[string]*goPackage // by import path
	own    []*goPackage          // packages of the tree, in order of imports
	files  []*goFile             // theirs
}

// goPackage is a package as go list describes it.
type goPackage struct {
	ImportPath, Name, Dir string
	GoFiles, CgoFiles     []string
	Standard              bool
	Module                *struct{ Path, Dir string }

	own   bool // of the tree, not of others
	types *types.Package
	info  types.Info
	files []*goFile
	saved string // names of variables whose first values are kept
}

// goFile is a file of a package with the changes to be made in it. It has no tokens. Offsets are bytes.
type goFile struct {
	*source
	pkg  *goPackage
	tree *goTree
	ast  *ast.File
	tail strings.Builder
	need map[string]string // import path by alias
}

// loadGo reads the module at root that has the file first. Packages of others are taken from before, if it is not nil.
func loadGo(root, first string, before *goTree) (*goTree, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	t := &goTree{root: root, fset: gotoken.NewFileSet(), all: map[string]*goPackage{}}
	t.home = filepath.Dir(filepath.Join(root, filepath.FromSlash(first)))
	for ; ; t.home = filepath.Dir(t.home) {
		if _, err := os.Stat(filepath.Join(t.home, "go.mod")); err == nil {
			break
		}
		if t.home == root || len(t.home) < len(root) {
			return nil, fmt.Errorf("%s: no go.mod in its folder or above; go mod init makes one", first)
		}
	}
	if err := t.list(before); err != nil {
		return nil, err
	}
	for _, p := range t.own {
		if err := t.check(p); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// list asks go list for the packages of the module and all that they import.
func (t *goTree) list(before *goTree) error {
	fields := "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,Standard,Module"
	c := exec.Command("go", "list", "-e", "-deps", fields, "./...")
	c.Dir = t.home
	c.Env = append(os.Environ(), "PWD="+t.home)
	for dir := t.home; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			break
		}
		if len(dir) <= len(t.root) {
			c.Env = append(c.Env, "GOWORK=off") // one above the tree does not list its module
			break
		}
	}
	out, err := c.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = errors.New(strings.TrimSpace(string(exit.Stderr)))
		}
		return fmt.Errorf("go list in %s: %w", t.home, err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		p := &goPackage{}
		if err := d.Decode(p); err != nil {
			return fmt.Errorf("go list in %s: %w", t.home, err)
		}
		inside, err := filepath.Rel(t.home, p.Dir)
		vendored := strings.HasPrefix(filepath.ToSlash(inside), "vendor/")
		p.own = err == nil && filepath.IsLocal(inside) && !p.Standard && !vendored
		if !p.own && before != nil && before.all[p.ImportPath] != nil {
			p = before.all[p.ImportPath]
		}
		t.all[p.ImportPath] = p
		if p.own {
			t.own = append(t.own, p)
			if p.Module != nil {
				t.module = p.Module.Path
			}
		}
	}
	if t.module == "" {
		return fmt.Errorf("go list in %s: no packages of a module", t.home)
	}
	return nil
}

type goImporter func(path string) (*types.Package, error)

func (f goImporter) Import(path string) (*types.Package, error) { return f(path) }

// check parses a package and finds its types. Errors in it are the compiler's to tell: the rest has types all the same.
func (t *goTree) check(p *goPackage) error {
	if p.types != nil {
		return nil
	}
	var files []*ast.File
	for _, name := range append(append([]string(nil), p.GoFiles...), p.CgoFiles...) {
		name = filepath.Join(p.Dir, name)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(t.root, name) // of the tree's own
		f := &goFile{source: &source{path: filepath.ToSlash(rel), text: string(text)}, pkg: p, tree: t,
			need: map[string]string{}}
		if f.ast, err = parser.ParseFile(t.fset, name, text, parser.SkipObjectResolution); err != nil && p.own {
			return err
		}
		files = append(files, f.ast)
		if p.own {
			p.files, t.files = append(p.files, f), append(t.files, f)
		}
	}
	p.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{}}
	c := types.Config{FakeImportC: true, IgnoreFuncBodies: !p.own, Error: func(error) {}}
	c.Importer = goImporter(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		q := t.all[path]
		if q == nil {
			return nil, fmt.Errorf("no package %s", path)
		}
		err := t.check(q)
		return q.types, err
	})
	p.types = types.NewPackage(p.ImportPath, p.Name) // what a cycle would see
	checked, _ := c.Check(p.ImportPath, t.fset, files, &p.info)
	p.types = checked
	return nil
}

// owns reports whether a package is one of the tree. One that is missing is not.
func (t *goTree) owns(path string) bool { return t.all[path] != nil && t.all[path].own }

// file is the parsed file with that path relative to the root, nil if no package is built with it.
func (t *goTree) file(name string) *goFile {
	name = path.Clean(filepath.ToSlash(name))
	if i := slices.IndexFunc(t.files, func(f *goFile) bool { return f.path == name }); i >= 0 {
		return t.files[i]
	}
	return nil
}

func (f *goFile) offset(p gotoken.Pos) int { return f.tree.fset.PositionFor(p, false).Offset }

func (f *goFile) code(n ast.Node) string { return f.text[f.offset(n.Pos()):f.offset(n.End())] }

// goKey names an object of a package's outermost scope, or a method, in any load of the tree; "" for others.
func goKey(o types.Object) string {
	switch {
	case o == nil || o.Pkg() == nil:
		return ""
	case o.Parent() == o.Pkg().Scope():
		return o.Pkg().Path() + "." + o.Name()
	}
	if f, ok := o.(*types.Func); ok {
		return f.Origin().FullName()
	}
	return ""
}
