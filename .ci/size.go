//go:build ignore

// Prints how large this module is, by top-level folder and in total, and fails if a total is above its number in
// .ci/size.txt. Source lines are those of *.go without tests, without support of tests (testdata, and packages that
// only tests import) and without generated files. Exported names are package-level names and methods of packages that
// others may import. Flags are those of each command, --help left out.
//
//	.ci/size [-update] [-raise WHY]   -update lowers the numbers, -raise also lifts them
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
	update := flag.Bool("update", false, "lower the numbers of "+limits)
	why := flag.String("raise", "", "write larger numbers too, with this reason: what a user gets for them")
	flag.Parse()
	sizes := measure()
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
func measure() map[string]map[string]int {
	sizes, folders, names := map[string]map[string]int{}, map[string]*folder{}, map[name]bool{}
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

// An exported name, in a folder: files for other targets may declare it again.
type name struct{ folder, name string }

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
