package main

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/assay-chess/assay/"

// layout is the architecture: the packages, and the own packages that each may
// import beside the types-only engine and engine/board. Data flow one way down the
// table. A row is amended when a real need shows, with the reason beside it.
var layout = map[string][]string{
	"engine/board":      {},
	"engine":            {},
	"eval":              {},
	"models":            {"eval"},
	"engine/enginetest": {},
	"engine/search":     {},
	"engine/uci":        {},
	// eval: a player is built from a model's weights; engine/uci: its client is a player;
	// the programs of the papers are players, one package each
	"engine/roster": {"engine/search", "engine/uci", "models", "eval",
		"engine/historic/bernstein", "engine/historic/nss", "engine/historic/random", "engine/historic/shannon", "engine/historic/turing",
		"engine/historic/torres", "engine/historic/losalamos", "engine/historic/machack",
	},
	"dataset/durable": {},
	"dataset":         {"dataset/durable"},
	// positions of games or of other positions; eval and engine/search: quiescence leaves and new scores need a search
	"dataset/positions": {"dataset", "dataset/internal/dedup", "dataset/internal/inorder", "dataset/durable", "eval", "engine/search"},
	// merge, split, shuffle, compare; eval: a summary counts positions by phase
	"dataset/arrange":  {"dataset", "dataset/internal/dedup", "dataset/durable", "eval"},
	"dataset/epd":      {"dataset"},
	"dataset/pgn":      {"dataset"},
	"dataset/source":   {}, // files, folders and compression: what every import begins with
	"dataset/table":    {"dataset"},
	"dataset/bullet":   {"dataset"}, // one converter a package
	"dataset/viri":     {"dataset"},
	"dataset/jsonl":    {"dataset"},
	"dataset/features": {"dataset", "dataset/internal/inorder", "dataset/durable", "eval"}, // eval: the phase, where an engine leaves it out; durable: checksums of its files
	// the one place that knows all converters: a format is looked up, not imported
	"dataset/convert": {"dataset", "dataset/internal/inorder", "dataset/durable", "dataset/source", "dataset/epd", "dataset/pgn", "dataset/table",
		"dataset/bullet", "dataset/jsonl", "dataset/viri"},
	"selfplay":         {"selfplay/opening"}, // Setup opens the openings that it names
	"selfplay/opening": {"dataset/epd", "dataset/pgn"},
	// what every run that plays games leaves in its folder: journal, data set, PGN
	"selfplay/gamelog": {"selfplay", "dataset", "dataset/pgn", "dataset/durable"},
	// what the tests of such runs have in common
	"selfplay/gamelog/gamelogtest": {"selfplay/gamelog", "dataset/durable"},
	"selfplay/datagen":             {"selfplay", "selfplay/opening", "selfplay/gamelog", "dataset", "dataset/durable"},
	"selfplay/sprt":                {},
	"selfplay/match":               {"selfplay", "selfplay/opening", "selfplay/gamelog", "selfplay/sprt", "dataset/durable", "dataset/pgn"}, // pgn: matches that other programs played
	// games kept as a match keeps them; its statistics are its own
	"selfplay/cluster":      {},                              // tests of its packages together
	"selfplay/cluster/wire": {"selfplay", "dataset/durable"}, // messages hold jobs and results; durable: checksums and signatures
	// durable: the ledger; roster and models: players are sent by the content of their weights
	"selfplay/cluster/coordinator": {"selfplay/cluster/wire", "selfplay", "dataset/durable", "engine/roster", "models"},
	// durable: fetched weights; roster: which part of a player's specification names its weights
	"selfplay/cluster/worker": {"selfplay/cluster/wire", "selfplay", "dataset/durable", "engine/roster"},
	"selfplay/cluster/broker": {"selfplay/cluster/wire"}, // the only package that links a NATS server: keys and their rights
	"selfplay/ladder":         {"selfplay", "selfplay/opening", "selfplay/gamelog", "dataset/durable"},
	// pure ask and tell; what plays the games of it is a package of its own
	"tuner/spsa": {},
	// as a match: openings, games on disk, and a match at the end
	"tuner/spsa/play": {"tuner/spsa", "selfplay", "selfplay/opening", "selfplay/gamelog", "selfplay/match", "dataset/durable"},
	// data sets and models' features become rows
	"tuner/rows":     {"dataset", "eval"},
	"tuner/optimize": {}, // functions of variables; knows nothing of rows
	// the loss of rows and the prior as a function that optimize minimizes within bounds
	"tuner/objective": {"tuner/rows", "tuner/optimize"},
	// eval: the name of the material group
	"tuner/stats": {"tuner/objective", "tuner/optimize", "tuner/rows", "eval"},
	// models: what a fit found is a weight file
	"tuner": {"tuner/rows", "tuner/objective", "tuner/optimize", "tuner/stats", "eval", "models"},
	// losses of weight files and of foreign engines, which engine/uci asks
	"tuner/heldout": {"tuner/objective", "dataset", "eval", "models", "engine/uci"},
	// selfplay and selfplay/sprt: limits, adjudication and the gate's test are what the
	// configurations of datagen and match consist of.
	"tuner/learn": {"selfplay/datagen", "dataset", "dataset/positions", "tuner", "tuner/rows", "tuner/stats", "selfplay/match",
		"models", "eval", "dataset/durable", "selfplay", "selfplay/sprt"},
	// What the programs of the papers share, and the programs; hsu needs board alone.
	"engine/historic":           {},
	"engine/historic/hsu":       {},
	"engine/historic/nim":       {},
	"engine/historic/prinz":     {},
	"engine/historic/draughts":  {}, // a game and a machine of its own
	"engine/historic/losalamos": {"engine/historic"},
	"engine/historic/torres":    {"engine/historic"},
	"engine/historic/machack":   {"engine/historic", "eval"},
	"engine/historic/bernstein": {"engine/historic"},
	"engine/historic/nss":       {"engine/historic"},
	// random lists moves in the order of Shannon's paper, which names its strategies
	"engine/historic/random":  {"engine/historic", "engine/historic/shannon"},
	"engine/historic/shannon": {"engine/historic", "eval"},
	"engine/historic/turing":  {"engine/historic"},
	// the work that the papers give times for: players are opened by name, the other programs called
	"engine/historic/times": {"engine/roster", "engine/historic/draughts", "engine/historic/losalamos", "engine/historic/machack", "engine/historic/prinz"},
	"notebooks/figure":      {}, // plots of the notebooks, which import what they like
}

// typesOnly may be imported by every package but engine/board itself.
var typesOnly = []string{"engine", "engine/board"}

func TestImportsFollowTheLayout(t *testing.T) {
	for _, p := range ownPackages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if path == "cmd/assay" || strings.HasPrefix(path, "cmd/assay/internal/") {
			continue // the command may import everything
		}
		if parent, _, internal := strings.Cut(path, "/internal/"); internal {
			path = parent
		}
		allowed, known := layout[path]
		if !known {
			t.Errorf("%s is not in the layout table; add its row, with what it may import", path)
			continue
		}
		for _, imported := range p.Imports {
			own, ok := strings.CutPrefix(imported, module)
			if !ok || slices.Contains(allowed, own) || strings.HasPrefix(own, path+"/internal/") {
				continue
			}
			if slices.Contains(typesOnly, own) && path != "engine/board" && path != "engine" {
				continue
			}
			if path == "engine" && own == "engine/board" {
				continue
			}
			t.Errorf("%s imports %s, which the layout table does not allow", path, own)
		}
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
	for row := range layout {
		if !slices.Contains(have, row) {
			t.Errorf("the layout table has a row for %s, but there is no such package", row)
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
	out, err := exec.Command("go", "list", "-json=ImportPath,Doc,Imports", module+"...").Output()
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
