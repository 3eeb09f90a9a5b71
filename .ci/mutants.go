//go:build ignore

// Changes one operator, number or condition of a package at a time, runs the tests of that package, and lists the
// changes that no test notices. PACKAGE=OTHER runs the tests of OTHER too. The tree itself is not changed.
//
//	go run .ci/mutants.go [-n 40] [-seed 1] [-least 85] [PACKAGES]
//
// Ends with an error if fewer than -least percent of all changes were noticed. A survivor may be a
// change that makes no difference; read each one.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

var usual = []string{"./engine/board", "./selfplay/sprt", "./selfplay/match", "./selfplay/gamelog=./selfplay/match",
	"./selfplay/ladder",
	"./tuner/internal/objective", "./tuner/internal/stats", "./tuner/rows", "./dataset/positions", "./internal/durable"}

// other has what an operator becomes.
var other = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ,
	token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.LAND: token.LOR,
	token.LOR:        token.LAND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
	token.SHL: token.SHR, token.SHR: token.SHL, token.AND: token.OR, token.OR: token.AND, token.BREAK: token.CONTINUE,
	token.CONTINUE: token.BREAK,
}

// A mutant is one change at a place.
type mutant struct {
	file, place, text string
	source            []byte
}

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 40, "changes a package")
	seed := flag.Uint64("seed", 1, "which changes are tried")
	least := flag.Float64("least", 85, "percent of the changes that tests must notice")
	limit := flag.Duration("limit", 2*time.Minute, "longest run of a package's tests; a longer one counts as noticed")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = usual
	}
	killed, tried := 0, 0
	for _, p := range packages {
		k, t := check(p, *n, *seed, *limit)
		fmt.Printf("%-24s %d of %d noticed\n", p, k, t)
		killed, tried = killed+k, tried+t
	}
	share := 100 * float64(killed) / float64(max(tried, 1))
	fmt.Printf("all: %d of %d noticed, %.1f %%\n", killed, tried, share)
	if share < *least {
		os.Exit(1)
	}
}

// check tries n mutants of a package, and prints those that survive.
func check(name string, n int, seed uint64, limit time.Duration) (killed, tried int) {
	dirs := strings.Split(name, "=")
	mutants := mutantsOf(dirs[0])
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
	var lock sync.Mutex
	var group sync.WaitGroup
	next := make(chan mutant)
	for range runtime.NumCPU() {
		group.Go(func() {
			for m := range next {
				lock.Lock()
				enough := tried >= n
				lock.Unlock()
				if enough {
					continue
				}
				noticed, built := false, true
				for _, dir := range dirs {
					if built && !noticed {
						noticed, built = try(dir, m, limit)
					}
				}
				lock.Lock()
				switch {
				case !built || tried >= n:
				case noticed:
					tried, killed = tried+1, killed+1
				default:
					tried++
					fmt.Printf("survives: %s: %s\n", m.place, m.text)
				}
				lock.Unlock()
			}
		})
	}
	for _, m := range mutants {
		next <- m
	}
	close(next)
	group.Wait()
	return killed, tried
}

// try runs the tests of a package with one file replaced.
func try(dir string, m mutant, limit time.Duration) (noticed, built bool) {
	work, err := os.MkdirTemp("", "mutant")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(work)
	changed, overlay, binary := filepath.Join(work, "changed.go"), filepath.Join(work,
		"overlay.json"), filepath.Join(work, "tests")
	original, _ := filepath.Abs(m.file)
	list, _ := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	for name, data := range map[string][]byte{changed: m.source, overlay: list} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
	if exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, dir).Run() != nil {
		return false, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	tests := exec.CommandContext(ctx, binary, "-test.failfast", "-test.short")
	tests.Dir, tests.WaitDelay = dir, time.Second
	return tests.Run() != nil, true
}

// mutantsOf makes every change of a package's own files that are built here.
func mutantsOf(dir string) (all []mutant) {
	files, err := exec.Command("go", "list", "-f", `{{join .GoFiles "\n"}}`, dir).Output()
	if err != nil {
		log.Fatalf("go list %s: %v", dir, err)
	}
	set, parsed := token.NewFileSet(), map[string]*ast.File{}
	for _, name := range strings.Fields(string(files)) {
		path := filepath.Join(dir, name)
		if parsed[path], err = parser.ParseFile(set, path, nil, parser.ParseComments); err != nil {
			log.Fatal(err)
		}
	}
	known := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	c := types.Config{Importer: importer.ForCompiler(set, "source", nil), Error: func(error) {}}
	_, _ = c.Check(dir, set, slices.Collect(maps.Values(parsed)), &known) // what it does not know is taken for no float
	for _, path := range slices.Sorted(maps.Keys(parsed)) {
		file := parsed[path]
		if strings.HasSuffix(path, "_generated.go") {
			continue
		}
		print := func(node ast.Node, text string) {
			var source bytes.Buffer
			if err := printer.Fprint(&source, set, file); err != nil {
				log.Fatal(err)
			}
			all = append(all, mutant{path, set.Position(node.Pos()).String(), text, slices.Clone(source.Bytes())})
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if d, ok := node.(*ast.GenDecl); ok && d.Tok != token.VAR {
				return false // constants name things, types and imports have no operators
			}
			mutate(node, &known, print)
			return true
		})
	}
	return all
}

// opposite has what the comparison of two floats becomes: whether equal ones belong to it seldom matters.
var opposite = map[token.Token]token.Token{token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ,
	token.GEQ: token.LSS}

func isFloat(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsFloat != 0
}

// mutate changes a node in place, prints the file, and takes the change back.
func mutate(node ast.Node, known *types.Info, print func(ast.Node, string)) {
	change := func(operator *token.Token) {
		to, ok := other[*operator]
		if n, binary := node.(*ast.BinaryExpr); binary && isFloat(known.TypeOf(n.X)) && opposite[n.Op] != 0 {
			to = opposite[n.Op]
		}
		if ok {
			from := *operator
			*operator = to
			print(node, from.String()+" becomes "+to.String())
			*operator = from
		}
	}
	switch n := node.(type) {
	case *ast.BinaryExpr:
		change(&n.Op)
	case *ast.AssignStmt:
		change(&n.Tok)
	case *ast.IncDecStmt:
		change(&n.Tok)
	case *ast.BranchStmt:
		if n.Label == nil {
			change(&n.Tok)
		}
	case *ast.BasicLit:
		if value, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
			from := n.Value
			n.Value = strconv.Itoa(value + 1)
			print(node, from+" becomes "+n.Value)
			n.Value = from
		}
	case *ast.IfStmt:
		condition := n.Cond
		n.Cond = &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: condition}}
		print(node, "the condition is negated")
		n.Cond = condition
	}
}
