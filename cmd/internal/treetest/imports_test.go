package treetest

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/assay-chess/assay/"

type layoutRow struct {
	path, reason string
	imports      []string
}

// layout is the architecture: each package, why it exists and needs what it imports, and the
// packages of this module that it may import beside the types-only engine and engine/board. A package
// imports only rows above its own. A new or a wider row needs its reason.
var layout = []layoutRow{
	{"engine/board", "the rules of chess", nil},
	{"engine", "the contract of a player, and how one is named; quote: words of commands", nil},
	{"engine/quote", "makes text of others harmless, and splits and quotes command lines, everywhere", nil},
	{"engine/syzygy", "tablebases; a board is all they need", nil},
	{"engine/num", "numbers that may be unknown, and rounded products, everywhere", nil},
	{"eval/formula", "evaluations that are not linear, as operations", nil},
	{"eval", "what a position is worth, and the features behind it; eval/formula: how a model declares channels",
		[]string{"eval/formula"}},
	{"models", "weight files hold the terms of a model",
		[]string{"eval"}},
	{"internal/enginetest", "what every player must do", nil},
	{"engine/machine", "pins threads to cores, measures load and memory, notices stalls, ends process groups", nil},
	{"engine/search", "the modern engine; its evaluation is set from outside; machine: the largest table that fits into " +
		"memory",
		[]string{"engine/machine"}},
	{"engine/uci", "any player as a UCI program, any UCI program as a player; machine: programs are pinned, timeouts " +
		"extended",
		[]string{"engine/machine"}},
	{"internal/historic", "what the historic programs share; eval: some evaluate with weights", []string{"eval"}},
	{"internal/historic/nim", "a game of its own", nil},
	{"internal/historic/prinz", "mates in two", nil},
	{"internal/historic/draughts", "a game and a machine of its own", nil},
	{"internal/historic/losalamos", "a player, and a game of its own",
		[]string{"internal/historic"}},
	{"internal/historic/torres", "a player",
		[]string{"internal/historic"}},
	{"internal/historic/machack", "a player; eval: its weights",
		[]string{"internal/historic", "eval"}},
	{"internal/historic/bernstein", "a player",
		[]string{"internal/historic"}},
	{"internal/historic/nss", "a player",
		[]string{"internal/historic"}},
	{"internal/historic/shannon", "players; eval: their weights",
		[]string{"internal/historic", "eval"}},
	{"internal/historic/turing", "a player",
		[]string{"internal/historic"}},
	{"internal/historic/programs", "the list of the historic programs; eval: the weights of some",
		[]string{"eval", "internal/historic", "internal/historic/losalamos", "internal/historic/bernstein",
			"internal/historic/machack", "internal/historic/nss",
			"internal/historic/shannon", "internal/historic/torres", "internal/historic/turing"}},
	{"internal/setup", "what tests prepare with", nil},
	{"internal/source", "files that others wrote, by their first bytes; packed ones are unpacked", nil},
	{"internal/durable", "files that survive a crash; source: lines of bounded length",
		[]string{"internal/source"}},
	{"models/numbers", "the numbers in an engine's own sources: found, made settable, written back; durable: whole files",
		[]string{"internal/durable"}},
	{"internal/inorder", "work by any number of goroutines, results in order", nil},
	{"dataset", "schemas, rows, reading and writing; durable: shards and manifests; source: what a file is that is " +
		"no data set; inorder: rows are decoded ahead",
		[]string{"internal/durable", "internal/inorder", "internal/source"}},
	{"dataset/positions", "positions from games; eval, engine/search: quiescence leaves and new scores; " +
		"syzygy: tables correct results",
		[]string{"dataset", "dataset/internal/dedup", "internal/inorder", "internal/durable", "eval", "engine/search",
			"engine/syzygy"}},
	{"dataset/arrange", "merge, split, shuffle, compare; eval: a summary counts positions by phase",
		[]string{"dataset", "dataset/internal/dedup", "eval"}},
	{"dataset/lines", "text formats of positions; source: line breaks and encodings",
		[]string{"dataset", "internal/source"}},
	{"dataset/internal/records", "binary formats of positions",
		[]string{"dataset"}},
	{"dataset/pgn", "games; source: line breaks and encodings; inorder: games are parsed in parallel",
		[]string{"dataset", "internal/inorder", "internal/source"}},
	{"dataset/features", "features from an engine's trace; eval: the phase where an engine leaves it out; durable: " +
		"checksums; source: lines of an engine",
		[]string{"engine/machine", "dataset", "internal/source", "internal/inorder", "internal/durable", "eval"}},
	{"dataset/convert", "the one place that knows all converters",
		[]string{"dataset", "internal/inorder", "internal/durable", "internal/source", "dataset/lines", "dataset/pgn",
			"dataset/internal/records"}},
	{"selfplay/roster", "the one place that knows all players: names, weights, programs",
		[]string{"engine/search", "engine/uci", "models", "eval", "internal/historic/programs"}},
	{"selfplay/opening", "books are EPD or PGN, packed or not",
		[]string{"dataset/lines", "dataset/pgn", "internal/source"}},
	{"selfplay", "one game, a series, a setup; opening: a setup opens its openings; machine: no clock runs in a stall, " +
		"games are pinned; syzygy: tables end games",
		[]string{"selfplay/opening", "engine/machine", "engine/syzygy"}},
	{"selfplay/gamelog", "what every run with games leaves on disk: journal, data set, PGN; opening: a run whose book " +
		"is exhausted has ended; engine/machine: the load",
		[]string{"selfplay", "engine/machine", "selfplay/opening", "dataset", "dataset/pgn", "internal/durable"}},
	{"selfplay/runtest", "what the tests of such runs share",
		[]string{"selfplay", "selfplay/gamelog", "selfplay/internal/toy", "selfplay/opening", "internal/durable",
			"internal/setup", "engine/machine"}},
	{"selfplay/datagen", "games into shards",
		[]string{"selfplay", "selfplay/opening", "selfplay/gamelog", "dataset", "internal/durable"}},
	{"selfplay/sprt", "statistics of matches, without games", nil},
	{"selfplay/screen", "factorial experiments, kept as a match is; sprt: how an Elo is shown",
		[]string{"selfplay", "selfplay/opening", "selfplay/gamelog", "selfplay/sprt", "internal/durable"}},
	{"selfplay/match", "paired games and their test; dataset/pgn, source: matches that other programs played",
		[]string{"selfplay", "selfplay/opening", "selfplay/gamelog", "selfplay/sprt", "internal/durable", "dataset/pgn",
			"internal/source"}},
	{"selfplay/cluster", "tests of its packages together", nil},
	{"selfplay/cluster/wire", "messages hold jobs and results; durable: checksums of files",
		[]string{"selfplay", "internal/durable"}},
	{"selfplay/cluster/coordinator", "durable: its state, the list of workers; roster, models: players are sent by the " +
		"content of their weights",
		[]string{"selfplay/cluster/wire", "selfplay", "engine/machine", "internal/durable", "selfplay/roster", "models"}},
	{"selfplay/cluster/worker", "durable: fetched weights; roster: which part of a specification names weights",
		[]string{"selfplay/cluster/wire", "selfplay", "internal/durable", "selfplay/roster"}},
	{"selfplay/ladder", "games kept as a match keeps them; statistics of its own; sprt: how an Elo is printed; source, " +
		"pgn: games of others",
		[]string{"selfplay", "selfplay/sprt", "selfplay/opening", "selfplay/gamelog", "internal/durable",
			"dataset/pgn", "internal/source"}},
	{"tuner/spsa", "ask and tell, without games", nil},
	{"tuner/spsa/play", "plays what spsa asks; eval: terms of a model as parameters; match: the validation at the end",
		[]string{"tuner/spsa", "eval", "selfplay", "selfplay/opening", "selfplay/gamelog", "selfplay/match",
			"internal/durable"}},
	{"tuner/rows", "dataset: rows are read from data sets; eval: features of positions; eval/formula, autodiff: rows " +
		"that a formula evaluates",
		[]string{"internal/inorder", "dataset", "eval", "eval/formula", "tuner/internal/autodiff"}},
	{"tuner/internal/optimize", "minimizes any function", []string{"tuner/internal/dense"}},
	{"tuner/internal/objective", "the loss of the rows; eval/formula, autodiff: derivatives of rows that a formula " +
		"evaluates",
		[]string{"internal/inorder", "tuner/rows", "tuner/internal/optimize", "eval/formula", "tuner/internal/autodiff"}},
	{"tuner/internal/stats", "standard errors of a fitted objective",
		[]string{"internal/inorder", "tuner/internal/objective", "tuner/internal/optimize", "tuner/rows",
			"tuner/internal/dense", "eval"}},
	{"tuner", "puts rows, objective, optimizer and statistics together; models: a result is a weight file; dataset: " +
		"start weights from the terms of features; machine: matrices by its memory; eval/formula: " +
		"internal/autodiff differentiates it",
		[]string{"engine/machine", "dataset", "tuner/rows", "eval", "eval/formula", "models"}},
	{"tuner/slopes", "measures the slopes of an engine's numbers; machine: programs end with what they " +
		"started; durable: checksums",
		[]string{"engine/machine", "models/numbers", "dataset", "internal/inorder", "internal/durable"}},
	{"tuner/wdl", "how often an evaluation wins; dataset: games with scores", []string{"dataset"}},
	{"tuner/learn", "the loop: datagen, positions, fit or spsa, match; gamelog: where spsa keeps its games",
		[]string{"tuner/internal/optimize", "tuner/spsa", "tuner/spsa/play", "selfplay/gamelog",
			"selfplay/datagen", "dataset",
			"dataset/positions", "tuner", "tuner/rows", "tuner/internal/stats", "selfplay/match", "models", "eval",
			"internal/durable", "selfplay", "selfplay/sprt", "engine/syzygy"}},
	{"notebooks/figure", "plots of the notebooks", nil},
	{"cmd/bench", "measures assay beside other programs, as they are, and counts the games of runners",
		[]string{"dataset", "dataset/pgn"}},
}

// typesOnly may be imported by every package but engine/board itself. quote and num import nothing.
var typesOnly = []string{"engine", "engine/board", "engine/num", "engine/quote"}

func TestImportsFollowTheLayout(t *testing.T) {
	for _, p := range ownPackages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if path == "cmd/assay" || path == "cmd/assay/guide" || strings.HasPrefix(path, "cmd/internal/") {
			continue // TestCommandsImportFewCommands
		}
		row := slices.IndexFunc(layout, func(r layoutRow) bool { return r.path == path })
		if parent, _, internal := strings.Cut(path, "/internal/"); internal && row < 0 {
			path = parent
			row = slices.IndexFunc(layout, func(r layoutRow) bool { return r.path == path })
		}
		if row < 0 {
			t.Errorf("%s is not in the layout table; add its row, with its reason and what it may import", path)
			continue
		}
		allowed := layout[row].imports
		for _, imported := range p.Imports {
			own, ok := strings.CutPrefix(imported, module)
			if !ok || own == path || slices.Contains(allowed, own) || strings.HasPrefix(own, path+"/internal/") {
				continue
			}
			if slices.Contains(typesOnly, own) && path != "engine/board" && path != "engine" {
				continue
			}
			if path == "engine" && (own == "engine/board" || own == "engine/quote") {
				continue
			}
			t.Errorf("%s imports %s, which the layout table does not allow", path, own)
		}
	}
}

// commandImports are the packages of the command, each with the ones that it may
// import. All may import every package outside of the command; package main imports all.
var commandImports = map[string][]string{
	"ui":        nil, // what commands share knows no command
	"gitbuild":  nil,
	"translate": {"ui"},                     // texts in, texts out, and the command
	"opts":      {"ui"},                     // help
	"ownengine": {"ui", "gitbuild", "opts"}, // assay.toml, and builds of what it describes
	"newengine": {"ui", "gitbuild", "opts"}, // writes assay.toml, at the top of a repository
	"doc":       {"ui", "ownengine"},        // describes such runs
	"report":    {"ui", "ownengine", "doc"}, // shows documents
	"chrome":    nil,                        // for tests
	"data":      {"ui"},
	"weights":   {"ui", "opts"}, // what assay.toml takes
	"historic":  {"ui"},
	"engines":   {"ui", "weights"},                  // the bench of weights
	"tune":      {"ui", "weights", "report", "doc"}, // weights to start from; a page of the run

	"app": {"ui", "doc", "data", "translate", "weights", "gitbuild", "report", "historic", "engines", "tune", "opts",
		"newengine", "ownengine"},
	// tests alone
	"app/processtest": nil, "app/scripttest": nil, "treetest": nil,
}

func TestCommandsImportFewCommands(t *testing.T) {
	const internal = module + "cmd/internal/"
	found := 0
	for _, p := range ownPackages(t) {
		name, ok := strings.CutPrefix(p.ImportPath, internal)
		if !ok {
			continue
		}
		allowed, known := commandImports[name]
		if !known {
			t.Errorf("%s is not in the table of the command's packages", name)
		}
		found++
		for _, imported := range p.Imports {
			if own, ok := strings.CutPrefix(imported, internal); ok && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s, which the table does not allow", name, own)
			}
		}
	}
	if found != len(commandImports) {
		t.Errorf("the table has %d packages of the command, there are %d", len(commandImports), found)
	}
}

func TestEveryPackageHasADocComment(t *testing.T) {
	for _, p := range ownPackages(t) {
		if p.Doc == "" {
			t.Errorf("%s has no doc comment: say what it is for, what it is not, and where to start reading", p.ImportPath)
		}
	}
}

// Each row must have its package.
func TestLayoutRowsExist(t *testing.T) {
	var have []string
	for _, p := range ownPackages(t) {
		have = append(have, strings.TrimPrefix(p.ImportPath, module))
	}
	above := slices.Clone(typesOnly)
	for _, row := range layout {
		for _, imported := range row.imports {
			if !slices.Contains(above, imported) && !strings.Contains(imported, "/internal/") {
				t.Errorf("%s may import %s, whose row is not above its own", row.path, imported)
			}
		}
		above = append(above, row.path)
		if !slices.Contains(have, row.path) {
			t.Errorf("the layout table has a row for %s, but there is no such package", row.path)
		}
		if row.reason == "" {
			t.Errorf("the layout table has no reason for %s", row.path)
		}
	}
}

type goPackage struct {
	ImportPath string
	Doc        string
	Imports    []string
}

func ownPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Doc,Imports", module+"...",
		module+"cmd/assay", module+"cmd/assay/guide").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 5 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}
