//go:build ignore

// Prints how large this module is, by top-level folder and in total, and fails if a total is above its number in
// .ci/size.txt. Source lines are those of *.go without tests, without support of tests (testdata, and packages that
// only tests import) and without generated files. Exported names are package-level names and methods of packages that
// others may import. Flags are those of each command, --help left out.
//
//	.ci/size [-update] [-raise WHY]   -update lowers the numbers, -raise also lifts them
//	.ci/size -list [PACKAGES]         the exported names that no other folder uses, and those that only tests use
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/go/packages"
)

const (
	module = "github.com/assay-chess/assay/"
	limits = ".ci/size.txt"
)

// promised are the packages that other programs may build on.
var promised = []string{"dataset", "engine", "engine/board", "eval", "models", "selfplay/sprt", "tuner", "tuner/spsa"}

// columns of the table; generated files may be as long as they are.
var columns = []string{"source", "tests", "support", "words", "packages", "names", "commands", "flags", "generated"}

// A folder is what a parse of the files of one folder found.
type folder struct {
	imports     map[string]bool // folders of this module, without what only tests import
	source      int
	main, built bool // built: not only files that the build ignores
}

func main() {
	log.SetFlags(0)
	list := flag.Bool("list", false, "list the exported names that no other folder uses")
	update := flag.Bool("update", false, "lower the numbers of "+limits)
	why := flag.String("raise", "", "write larger numbers too, with this reason: what a user gets for them")
	flag.Parse()
	names := map[name]bool{}
	sizes := measure(names)
	if *list {
		unused(names, flag.Args())
		return
	}
	countCommands(sizes)
	total := print(sizes)
	old, err := os.ReadFile(limits)
	if err != nil {
		log.Fatal(err)
	}
	text, over := compare(string(old), total, *why)
	if len(over) > 0 {
		log.Fatalf("%s\nTake something out, or run .ci/size -raise WHY, and say in the commit what a user gets for it.",
			strings.Join(over, "\n"))
	}
	if *update || *why != "" {
		if err := os.WriteFile(limits, []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// measure counts lines, words, packages and exported names by the first part of each path.
func measure(names map[name]bool) map[string]map[string]int {
	sizes, folders := map[string]map[string]int{}, map[string]*folder{}
	add := func(p, column string, n int) {
		top, _, below := strings.Cut(p, "/")
		if !below {
			top = "."
		}
		if sizes[top] == nil {
			sizes[top] = map[string]int{}
		}
		sizes[top][column] += n
	}
	files, err := exec.Command("git", "ls-files", "*.go", "*.md").Output()
	if err != nil {
		log.Fatal(err)
	}
	for p := range strings.FieldsSeq(string(files)) {
		text, err := os.ReadFile(p)
		if os.IsNotExist(err) { // removed, not yet committed
			continue
		} else if err != nil {
			log.Fatal(err)
		}
		lines := strings.Count(string(text), "\n")
		switch {
		case strings.HasSuffix(p, ".md"):
			add(p, "words", len(strings.Fields(string(text))))
			continue
		case strings.Contains(p, "testdata/") && !strings.HasSuffix(p, "_test.go"):
			add(p, "support", lines)
			continue
		case strings.HasSuffix(p, "_test.go"):
			add(p, "tests", lines)
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		dir := path.Dir(p)
		if folders[dir] == nil {
			folders[dir] = &folder{imports: map[string]bool{}}
		}
		in := folders[dir]
		in.built = in.built || !strings.HasPrefix(string(text), "//go:build ignore")
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		for _, i := range f.Imports {
			if to, own := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module); own {
				in.imports[to] = true
			}
		}
		if in.main = in.main || f.Name.Name == "main"; f.Name.Name != "main" && !strings.HasPrefix(dir, "cmd/") {
			declare(names, dir, f)
		}
		if ast.IsGenerated(f) {
			add(p, "generated", lines)
		} else {
			in.source += lines
		}
	}
	needed := map[string]bool{}
	for dir, f := range folders {
		if f.main || slices.Contains(promised, dir) {
			need(needed, folders, dir)
		}
	}
	for dir, f := range folders {
		column := "source"
		if !needed[dir] {
			column = "support"
		}
		add(dir+"/", column, f.source)
		if f.built {
			add(dir+"/", "packages", 1)
		}
	}
	for n := range names {
		if !strings.Contains("/"+n.folder+"/", "/internal/") {
			add(n.folder+"/", "names", 1)
		}
	}
	return sizes
}

// need marks a folder and what its source imports.
func need(needed map[string]bool, folders map[string]*folder, dir string) {
	if needed[dir] || folders[dir] == nil {
		return
	}
	needed[dir] = true
	for to := range folders[dir].imports {
		need(needed, folders, to)
	}
}

// declare notes the exported names of a file: those of the package, and methods of exported types.
func declare(names map[name]bool, dir string, f *ast.File) {
	add := func(parts ...string) {
		if !slices.ContainsFunc(parts, func(p string) bool { return !ast.IsExported(p) }) {
			names[name{dir, strings.Join(parts, ".")}] = true
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name.Name)
				continue
			}
			on := types.ExprString(d.Recv.List[0].Type)
			on, _, _ = strings.Cut(strings.TrimPrefix(on, "*"), "[")
			add(on, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name)
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						add(n.Name)
					}
				}
			}
		}
	}
}

// countCommands asks a build of the command for its commands and their flags, as a shell does that completes them.
func countCommands(sizes map[string]map[string]int) {
	dir, err := os.MkdirTemp("", "size")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	assay := filepath.Join(dir, "assay.exe")
	if out, err := exec.Command("go", "build", "-o", assay, "./cmd/assay").CombinedOutput(); err != nil {
		log.Fatalf("%s%v", out, err)
	}
	complete := func(words ...string) (list []string) {
		out, err := exec.Command(assay, append([]string{"__complete"}, words...)...).Output()
		if err != nil {
			log.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(word, ":") {
				list = append(list, word)
			}
		}
		return list
	}
	var walk func(path ...string)
	walk = func(path ...string) {
		sizes["cmd"]["commands"]++
		for _, flag := range complete(append(slices.Clone(path), "--")...) {
			if strings.HasPrefix(flag, "--") && flag != "--help" {
				sizes["cmd"]["flags"]++
			}
		}
		for _, child := range complete(slices.Concat([]string{"help"}, path, []string{""})...) {
			if child != "__complete" {
				walk(append(slices.Clone(path), child)...)
			}
		}
	}
	walk()
}

// print writes the table, and returns its last row.
func print(sizes map[string]map[string]int) map[string]int {
	total := map[string]int{}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(head string, cell func(column string) any) {
		fmt.Fprintf(out, "%s\t", head)
		for _, c := range columns {
			fmt.Fprintf(out, "%v\t", cell(c))
		}
		fmt.Fprintln(out)
	}
	row("", func(c string) any { return c })
	for _, top := range slices.Sorted(maps.Keys(sizes)) {
		row(top, func(c string) any { total[c] += sizes[top][c]; return sizes[top][c] })
	}
	row("total", func(c string) any { return total[c] })
	out.Flush()
	return total
}

// compare returns the limits, lowered to the totals or lifted for a reason, and the totals above them.
func compare(old string, total map[string]int, why string) (text string, over []string) {
	for line := range strings.Lines(old) {
		var most int
		var column string
		if n, _ := fmt.Sscan(line, &most, &column); n == 2 && total[column] != most {
			now := fmt.Sprintf("%d %s\n", total[column], column)
			if total[column] > most && why == "" {
				over = append(over, fmt.Sprintf("%s: %d, at most %d", column, total[column], most))
			} else if total[column] > most {
				now = fmt.Sprintf("%d %s  %s\n", total[column], column, why)
			}
			line = now
		}
		text += line
	}
	return text, over
}

// An exported name, the same in a package and in the copies that its tests are built with.
type name struct{ folder, name string }

type census struct {
	names map[name]bool
	used  map[name]bool
	tried map[name]bool // used by tests of other folders
	// serves are the folders that more than tests import.
	serves map[string]bool
	asked  map[string]bool // names of methods that some interface asks for
}

// unused lists the exported names that no other folder uses.
func unused(names map[name]bool, only []string) {
	load, err := packages.Load(&packages.Config{Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax}, "./...", "./cmd/assay")
	if err != nil {
		log.Fatal(err)
	}
	if packages.PrintErrors(load) > 0 {
		os.Exit(1)
	}
	c := census{names: names, used: map[name]bool{}, tried: map[name]bool{}, asked: map[string]bool{},
		serves: map[string]bool{}}
	packages.Visit(load, nil, func(p *packages.Package) { c.interfaces(p.Types) })
	for _, p := range load {
		c.uses(p)
	}
	c.print(only)
}

// folderOf returns the folder of a package of this module: for a test, the folder it stands in.
func folderOf(path string) (folder string, own bool) {
	folder, own = strings.CutPrefix(path, module)
	folder, _, _ = strings.Cut(folder, " ")
	return strings.TrimSuffix(strings.TrimSuffix(folder, "_test"), ".test"), own
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
	if s, ok := object.Type().Underlying().(*types.Struct); ok && c.names[key] {
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

func (c *census) print(only []string) {
	var unused, forTests []string
	for key := range c.names {
		_, method, isMethod := strings.Cut(key.name, ".")
		switch {
		case c.used[key] || isMethod && c.asked[method]:
		case !c.tried[key]:
			unused = append(unused, key.folder+"."+key.name)
		case c.serves[key.folder] && !slices.Contains(promised, key.folder):
			forTests = append(forTests, key.folder+"."+key.name)
		}
	}
	listed("unused: ", unused, only)
	listed("for tests: ", forTests, only)
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
