// Command bench measures the speed of assay beside other programs, for .ci/bench. Each row of
// its table is a job that assay and its peers do in turn, round after round, on the same
// machine. It counts work per second of CPU time, not of the clock, so that other work
// on the machine matters little, and prints ratios with 95 % intervals. Every rate goes to a
// file in the format of Go benchmarks, so that benchstat compares two runs. With -runners, for .ci/runners, it has
// assay and other runners play the same matches.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	var tools tools
	flag.StringVar(&tools.assay, "assay", "", "the program assay")
	flag.StringVar(&tools.positions, "positions", "", "data set to tune on")
	flag.Float64Var(&tools.positionRows, "position-rows", 0, "its number of rows")
	out := flag.String("out", "", "file for the rates")
	about := flag.String("about", "", "first lines of this file, as \"key: value\"")
	rounds := flag.Int("rounds", 10, "rounds, at least 2")
	flag.StringVar(&tools.engines, "runners", "", "measure matches beside other runners instead, with engines of this folder")
	only := flag.String("rows", "", "regular expression of the rows to measure")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	if (*out == "") == (tools.engines == "") || tools.assay == "" || *rounds < 2 || flag.NArg() > 0 {
		return errors.New("usage: bench -assay PROGRAM (-out FILE or -runners FOLDER) [-rounds N] [-rows REGEXP]")
	}
	if tools.work, err = os.MkdirTemp("", "assay-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(tools.work)
	if tools.engines != "" {
		playAll(&tools, pattern, *rounds, os.Stdout)
		return nil
	}
	log, err := os.Create(*out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	fmt.Fprintln(log, *about)
	fmt.Println("row\trate a CPU-second, median\tratio of assay to the peer, 95 %")
	for _, r := range tools.rows() {
		if pattern.MatchString(r.name) {
			r.measure(*rounds)
			r.print(os.Stdout)
			r.log(log)
		}
	}
	return nil
}

// row is a job that assay and others do.
type row struct {
	name, unit string
	scale      float64 // a unit has this many pieces of work
	sides      []side  // assay first
}

// side is a program that does the job of a row; missing says why it cannot.
type side struct {
	name    string
	missing string
	prepare func() error                      // what comes first and is not measured; may be nil
	start   func() ([]byte, float64, error)   // does the job; returns the output and the CPU time
	work    func(out []byte) (float64, error) // how much work that was
	rates   []float64                         // of each round
}

// tools are the programs and folders that the rows need.
type tools struct {
	assay   string
	engines string // folder of those that play matches; "": none
	work    string // temporary folder

	positions    string // data set to tune on, or ""
	positionRows float64
}

// searched are the five positions of the row "search": an opening, three middlegames, an
// endgame.
var searched = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r1bq1rk1/pp2bppp/2n1pn2/2pp4/2PP4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 8",
	"2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
	"3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
}

// others are twenty positions that are in no other list, to see whether others are searched as fast.
var others = []string{
	// openings
	"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
	"r1bq1rk1/ppp1npbp/3p1np1/3Pp3/2P1P3/2N2N2/PP2BPPP/R1BQ1RK1 w - - 1 9",
	"r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9",
	"rnbqk1nr/pp3ppp/4p3/2ppP3/3P4/P1P5/2P2PPP/R1BQKBNR b KQkq - 0 6",
	"rn1qkb1r/pp2pppp/2p2n2/5b2/P1pP4/2N2N2/1P2PPPP/R1BQKB1R w KQkq - 1 6",
	"r2q1rk1/pp1bppbp/2np1np1/8/2BNP3/2N1BP2/PPPQ2PP/R3K2R w KQ - 6 10",
	// games of assay against itself
	"r2qk2r/1bp1ppbp/p1n2n2/Pp1p4/3P4/4PN2/1PP2PPP/RNBQKBR1 w Qkq - 2 9",
	"r4rk1/1bp1qpbp/p1n1p3/Pp1p4/3Pn3/2P1PN1P/1P1NBPP1/R1BQKR2 b Q - 0 13",
	"r3r1k1/ppq2b1p/2p2bp1/3p1p2/5P2/2PBP3/PPQB2PP/3R1RK1 w - - 4 18",
	"5r2/p3q1k1/1p3bp1/2pR4/2r5/Q1B1P1P1/PP5P/5RK1 w - - 1 33",
	// tactics: Anderssen 1852, Morphy 1858, Lasker 1912, Rubinstein 1907, Fischer 1956
	"1r2k1r1/pbppnp1p/1b3P2/8/Q7/B1PB1q2/P4PPP/3RR1K1 w - - 0 20",
	"rn2kb1r/p3qppp/2p2n2/1p2p1B1/2B1P3/1QN5/PPP2PPP/R3K2R w KQkq - 0 10",
	"rn3rk1/pbppq1pp/1p2pb2/4N2Q/3PN3/3B4/PPP2PPP/R3K2R w KQ - 7 11",
	"2rr2k1/1b3ppp/pb2p3/1p2P3/1P2BPnq/P1N3P1/1B2Q2P/R4R1K b - - 0 22",
	"r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 4 17",
	// endgames
	"8/5pk1/4p1p1/7p/R6P/4PPP1/r7/6K1 b - - 0 40",
	"8/2k3p1/1p1b1p1p/p2P4/P1B2P2/1P2K1PP/8/8 w - - 0 40",
	"3r2k1/pp3ppp/2p5/8/3rP3/P4P2/1P3KPP/R3R3 w - - 0 24",
	"8/5pk1/3n2p1/p2P3p/Pp3P1P/1P2B1P1/6K1/8 w - - 0 40",
	"8/4qpk1/p5p1/1p2P2p/3Q3P/1P4P1/P4PK1/8 b - - 0 40",
}

const searchedNodes = 500_000 // for each position

// rows lists all rows, in the order of the table in RESULTS.md.
func (t *tools) rows() []row {
	return []row{
		{"legal moves: perft of the start position to 6", "M nodes", 1e6, t.perft()},
		t.search("search of five positions", searched),
		t.search("search of twenty other positions", others),
		{"import of PGN", "MB", 1e6, t.imports()},
		{"self-play, 5,000 nodes a move", "plies", 1, []side{t.selfplay()}},
		{"tune", "rows", 1, t.tune()},
	}
}

func (t *tools) perft() []side {
	const nodes = 119_060_324
	ours := process("assay", t.assay, "perft", "startpos", "6")
	ours.work = always(nodes)
	talk := exchange{"position startpos\ngo perft 6", "Nodes searched"}
	return []side{ours, dialogue("Stockfish", always(nodes), find("STOCKFISH", "stockfish"), nil, []exchange{talk})}
}

// search is the search of positions to a number of nodes over UCI. The time of the start is not counted:
// Stockfish loads its network even if it does not use it.
func (t *tools) search(name string, positions []string) row {
	var talk []exchange
	for _, fen := range positions {
		talk = append(talk, exchange{"ucinewgame\nisready", "readyok"},
			exchange{fmt.Sprintf("position fen %s\ngo nodes %d", fen, searchedNodes), "bestmove"})
	}
	talk[0].ask = "setoption name Hash value 64\nsetoption name Use NNUE value false\n" + talk[0].ask
	return row{name, "M nodes", 1e6, []side{
		dialogue("assay", searchNodes, t.assay, []string{"uci"}, talk),
		dialogue("Stockfish, NNUE off", searchNodes, find("STOCKFISH", "stockfish"), nil, talk),
	}}
}

var nodesOrMove = regexp.MustCompile(`(?m)^info .*\bnodes ([0-9]+)|^bestmove`)

// searchNodes adds up the nodes that an engine reports before each best move. A search may end before its limit,
// where it reaches the greatest depth.
func searchNodes(out []byte) (sum float64, err error) {
	last := 0.
	for _, m := range nodesOrMove.FindAllSubmatch(out, -1) {
		if m[1] == nil {
			sum, last = sum+last, 0
		} else if last, err = strconv.ParseFloat(string(m[1]), 64); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// imports read 48 MB of human games with clocks and scores in comments. pgn-extract parses them and writes them
// nowhere.
func (t *tools) imports() []side {
	pgn, out := filepath.Join(t.work, "import.pgn"), filepath.Join(t.work, "import")
	sides := []side{process("assay", t.assay, "data", "import", pgn, "--out", out),
		process("pgn-extract", find("PGN_EXTRACT", "pgn-extract"), "-s", "-o", os.DevNull, pgn)}
	text, err := os.ReadFile("dataset/pgn/testdata/lichess.pgn")
	for i := range sides {
		sides[i].prepare = func() error {
			return errors.Join(err, os.RemoveAll(out), os.WriteFile(pgn, bytes.Repeat(text, 1000), 0o644))
		}
		sides[i].work = always(float64(1000 * len(text)))
	}
	return sides
}

func (t *tools) selfplay() side {
	out := filepath.Join(t.work, "selfplay")
	s := process("assay", t.assay, "selfplay", "--games", "12", "--nodes", "5000", "--seed", "1", "--concurrency", "1",
		"--json", "--out", out)
	s.prepare = func() error { return os.RemoveAll(out) }
	s.work = selfplayPlies
	return s
}

var plies = regexp.MustCompile(`"plies":([0-9]+)`)

// selfplayPlies reads how many plies assay selfplay --json played.
func selfplayPlies(out []byte) (float64, error) {
	m := plies.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no plies in: %s", out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

// tune fits positions, from files to weights with errors.
func (t *tools) tune() []side {
	ours := side{name: "assay", missing: "without ../shared/data"}
	if t.positions != "" {
		out := filepath.Join(t.work, "tuned")
		ours = process("assay", t.assay, "tune", t.positions, "--out", out)
		ours.prepare, ours.work = func() error { return os.RemoveAll(out) }, always(t.positionRows)
	}
	return []side{ours}
}
