//go:build ignore

// Counts the exported names of this module: package-level names and methods, of every package but
// commands and tests. Lists those that no other folder uses. CONTRIBUTING.md says what is promised.
//
//	go run .ci/exported.go [-list] [PACKAGES]   ./... without packages
package main

import (
	"flag"
	"fmt"
	"go/types"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/assay-chess/assay/"

// promised are the packages that other programs may build on.
var promised = []string{"dataset", "engine", "engine/board", "engine/game", "eval", "models", "selfplay/games",
	"selfplay/sprt", "tuner", "tuner/spsa"}

// An exported name, the same in a package and in the copies that its tests are built with.
type name struct{ folder, name string }

type census struct {
	names map[name]types.Object
	used  map[name]bool
	tried map[name]bool // used by tests of other folders
	// serves are the folders that more than tests import.
	serves map[string]bool
	asked  map[string]bool // names of methods that some interface asks for
}

func main() {
	log.SetFlags(0)
	list := flag.Bool("list", false, "list the names that no other folder uses")
	flag.Parse()
	load, err := packages.Load(&packages.Config{Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax}, "./...", "./cmd/assay")
	if err != nil {
		log.Fatal(err)
	}
	if packages.PrintErrors(load) > 0 {
		os.Exit(1)
	}
	c := census{names: map[name]types.Object{}, used: map[name]bool{}, tried: map[name]bool{}, asked: map[string]bool{},
		serves: map[string]bool{}}
	for _, p := range load {
		c.declare(p)
	}
	packages.Visit(load, nil, func(p *packages.Package) { c.interfaces(p.Types) })
	for _, p := range load {
		c.uses(p)
	}
	c.print(flag.Args(), *list)
}

// folderOf returns the folder of a package of this module: for a test, the folder it stands in.
func folderOf(path string) (folder string, own bool) {
	folder, own = strings.CutPrefix(path, module)
	folder, _, _ = strings.Cut(folder, " ")
	return strings.TrimSuffix(strings.TrimSuffix(folder, "_test"), ".test"), own
}

func (c *census) declare(p *packages.Package) {
	folder, own := folderOf(p.PkgPath)
	if !own || p.Name == "main" || strings.HasSuffix(p.Name, "_test") || strings.HasPrefix(folder, "cmd/") {
		return
	}
	for _, n := range p.Types.Scope().Names() {
		object := p.Types.Scope().Lookup(n)
		if !object.Exported() || strings.HasSuffix(p.Fset.Position(object.Pos()).Filename, "_test.go") {
			continue
		}
		c.names[name{folder, n}] = object
		named, ok := object.Type().(*types.Named)
		if _, isType := object.(*types.TypeName); !ok || !isType {
			continue
		}
		for m := range named.Methods() {
			if m.Exported() && !strings.HasSuffix(p.Fset.Position(m.Pos()).Filename, "_test.go") {
				c.names[name{folder, n + "." + m.Name()}] = m
			}
		}
	}
}

// interfaces notes the methods that an interface of any package asks for: they must be exported.
func (c *census) interfaces(p *types.Package) {
	for _, n := range p.Scope().Names() {
		if i, ok := p.Scope().Lookup(n).Type().Underlying().(*types.Interface); ok {
			for m := range i.Methods() {
				c.asked[m.Name()] = true
			}
		}
	}
}

// keyOf names an object as declare does.
func keyOf(object types.Object) (key name, ok bool) {
	if object.Pkg() == nil || !object.Exported() {
		return name{}, false
	}
	folder, own := folderOf(object.Pkg().Path())
	if !own {
		return name{}, false
	}
	if f, isFunc := object.(*types.Func); isFunc {
		if receiver := f.Signature().Recv(); receiver != nil {
			t := receiver.Type()
			if pointer, ok := t.(*types.Pointer); ok {
				t = pointer.Elem()
			}
			named, ok := t.(*types.Named)
			if !ok {
				return name{}, false
			}
			return name{folder, named.Obj().Name() + "." + f.Name()}, true
		}
	}
	return name{folder, object.Name()}, true
}

func (c *census) uses(p *packages.Package) {
	folder, _ := folderOf(p.PkgPath)
	for identifier, object := range p.TypesInfo.Uses {
		key, ok := keyOf(object)
		switch {
		case !ok || key.folder == folder:
		case strings.HasSuffix(p.Fset.Position(identifier.Pos()).Filename, "_test.go"):
			c.tried[key] = true
		default:
			c.use(key, object)
			c.serves[key.folder] = true
		}
	}
	// What a value of another folder is made of is used with it.
	for _, selection := range p.TypesInfo.Selections {
		if f, ok := selection.Obj().(*types.Var); ok && f.Pkg() != nil {
			if from, own := folderOf(f.Pkg().Path()); own && from != folder {
				c.mention(f.Type())
			}
		}
	}
}

func (c *census) use(key name, object types.Object) {
	if c.used[key] {
		return
	}
	c.used[key] = true
	c.mention(object.Type())
	if s, ok := object.Type().Underlying().(*types.Struct); ok && c.names[key] != nil {
		for f := range s.Fields() {
			if f.Exported() {
				c.mention(f.Type())
			}
		}
	}
}

// mention marks the named types in a type as used.
func (c *census) mention(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		if key, ok := keyOf(t.Obj()); ok {
			c.use(key, t.Obj())
		}
		for a := range t.TypeArgs().Types() {
			c.mention(a)
		}
	case *types.Alias:
		if key, ok := keyOf(t.Obj()); ok {
			c.use(key, t.Obj())
		}
	case *types.Pointer:
		c.mention(t.Elem())
	case *types.Slice:
		c.mention(t.Elem())
	case *types.Array:
		c.mention(t.Elem())
	case *types.Chan:
		c.mention(t.Elem())
	case *types.Map:
		c.mention(t.Key())
		c.mention(t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			c.mention(v.Type())
		}
		for v := range t.Results().Variables() {
			c.mention(v.Type())
		}
	}
}

func (c *census) print(only []string, list bool) {
	type count struct{ names, unused int }
	counts := map[string]*count{}
	var unused, forTests []string
	for key, object := range c.names {
		if counts[key.folder] == nil {
			counts[key.folder] = &count{}
		}
		counts[key.folder].names++
		_, method, isMethod := strings.Cut(key.name, ".")
		if c.used[key] || isMethod && c.asked[method] || object == nil {
			continue
		}
		if c.tried[key] {
			if c.serves[key.folder] && !slices.Contains(promised, key.folder) {
				forTests = append(forTests, key.folder+"."+key.name)
			}
			continue
		}
		counts[key.folder].unused++
		unused = append(unused, key.folder+"."+key.name)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	total, promise := count{}, 0
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		n := counts[folder]
		total.names += n.names
		total.unused += n.unused
		mark := ""
		if slices.Contains(promised, folder) {
			promise, mark = promise+n.names, "promised"
		} else {
			promise += n.unused
		}
		if chosen(folder, only) {
			fmt.Fprintf(out, "%s\t%d\t%d unused\t%s\n", folder, n.names, n.unused, mark)
		}
	}
	out.Flush()
	if list {
		listed("unused: ", unused, only)
		listed("for tests: ", forTests, only)
	}
	fmt.Printf("%d exported; %d unused outside their folder, %d used by tests alone; promised, or unused: %d\n",
		total.names, total.unused, len(forTests), promise)
}

func chosen(folder string, only []string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(pattern string) bool {
		pattern = strings.TrimPrefix(filepath.ToSlash(pattern), "./")
		if prefix, all := strings.CutSuffix(pattern, "..."); all {
			return strings.HasPrefix(folder+"/", prefix)
		}
		return folder == pattern
	})
}

func listed(label string, names, only []string) {
	slices.Sort(names)
	for _, n := range names {
		if folder, _, _ := strings.Cut(n, "."); chosen(folder, only) {
			fmt.Println(label + n)
		}
	}
}
