package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
)

// match is a match between an engine and itself, which each runner plays.
type match struct {
	name, engine  string
	nodes         int // a move; 0: the clock below
	base, inc     string
	kings         bool // from the positions of writeKings
	games, atOnce int
}

// runner is a program that plays matches; args are its arguments for one, with its games in games.pgn at the end.
type runner struct {
	name, path string
	args       func(m *match, book string) []string
	games      string // the file, in its folder
}

// played is what a runner needed for a match.
type played struct {
	games, lost      int     // on time
	speed, own       float64 // plies a second; processor time a ply, in µs, of the runner's own process
	cores, busy, rss float64 // that it took, that all programs took; memory in MB
}

const (
	margin    = 50               // ms
	stopAfter = 90 * time.Second // a match
)

// matches are the rows of the table.
func matches(engines string) (list []match) {
	for _, n := range []struct{ atOnce, games int }{{16, 192}, {64, 512}, {128, 1000}, {250, 1000}} {
		list = append(list, match{name: fmt.Sprintf("sleeping engines, 0.2+0.002, %d at once", n.atOnce),
			engine: filepath.Join(engines, "sleeper"), kings: true, base: "0.2", inc: "0.002", games: n.games, atOnce: n.atOnce})
	}
	stockfish := find("STOCKFISH", "stockfish")
	return append(list,
		match{name: "engines that answer at once", engine: filepath.Join(engines, "nullengine"), nodes: 1000, games: 400,
			atOnce: 2},
		match{name: "Stockfish, 1,000 nodes", engine: stockfish, nodes: 1000, games: 100, atOnce: 2},
		match{name: "Stockfish, 1+0.01", engine: stockfish, base: "1", inc: "0.01", games: 10, atOnce: 2})
}

func runners(assay string) []runner {
	return []runner{
		{"assay", assay, assayArgs, "out/games.pgn"},
		{"fastchess", find("FASTCHESS", "fastchess"), fastchessArgs, "games.pgn"},
		{"c-chess-cli", find("C_CHESS_CLI", "c-chess-cli"), cliArgs, "games.pgn"},
	}
}

func assayArgs(m *match, book string) []string {
	spec := "uci:" + m.engine
	limit := []string{"--nodes", strconv.Itoa(m.nodes)}
	if m.nodes == 0 {
		limit = []string{"--tc", m.base + "+" + m.inc, "--time-margin", fmt.Sprintf("%dms", margin)}
	}
	return append(limit, "match", "name=a:"+spec, "name=b:"+spec, "--games", strconv.Itoa(m.games), "--concurrency",
		strconv.Itoa(m.atOnce), "--book", book, "--win-plies", "0", "--draw-plies", "0", "--max-plies", "5000", "--recover",
		"--out", "out")
}

func fastchessArgs(m *match, book string) []string {
	limit := fmt.Sprintf("nodes=%d", m.nodes)
	if m.nodes == 0 {
		limit = "tc=" + m.base + "+" + m.inc
	}
	engine := []string{"-engine", "cmd=" + m.engine}
	return slices.Concat(engine, []string{"name=a"}, engine, []string{"name=b", "-each", limit,
		fmt.Sprintf("timemargin=%d", margin), "-rounds", strconv.Itoa(m.games / 2), "-games", "2", "-repeat",
		"-recover", "-concurrency", strconv.Itoa(m.atOnce), "-force-concurrency",
		"-openings", "file=" + book, "format=epd", "order=sequential", "-pgnout", "file=games.pgn"})
}

func cliArgs(m *match, book string) []string {
	command, limit := "cmd="+m.engine, fmt.Sprintf("nodes=%d", m.nodes)
	if m.nodes == 0 {
		limit = "tc=" + m.base + "+" + m.inc // it has no margin
	}
	return []string{"-each", limit, "-engine", command, "name=a", "-engine", command, "name=b", "-games",
		strconv.Itoa(m.games), "-concurrency", strconv.Itoa(m.atOnce), "-openings", "file=" + book, "-repeat",
		"-pgn", "games.pgn", "1"}
}

// writeBook writes openings of eight random moves.
func writeBook(path string) error {
	var text strings.Builder
	for r := rand.New(rand.NewPCG(1, 1)); strings.Count(text.String(), "\n") < 600; {
		p := board.StartPosition()
		for range 8 {
			moves := p.LegalMoves(nil)
			p.Make(moves[r.IntN(len(moves))])
		}
		if p.CountLegal() > 0 {
			fmt.Fprintln(&text, strings.Join(strings.Fields(p.FEN())[:4], " "))
		}
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// writeKings writes positions whose moves testdata/sleeper.c knows: kings behind pawns that block each other.
func writeKings(path string) error {
	var text strings.Builder
	for n := 1; n <= 600; n++ {
		squares := []byte("111k1111/" + strings.Repeat("11111111/", 6) + "1111K111")
		for file, digits := 0, n; digits > 0; file, digits = file+1, digits/4 {
			if rank := digits%4 + 2; rank > 2 {
				squares[9*(8-rank)+file], squares[9*(7-rank)+file] = 'P', 'p'
			}
		}
		fen := string(squares)
		for empty := 8; empty > 1; empty-- {
			fen = strings.ReplaceAll(fen, strings.Repeat("1", empty), strconv.Itoa(empty))
		}
		fmt.Fprintln(&text, fen, "w - -")
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// playAll lets the runners play each match in turn, round after round, and prints a table of medians for Markdown.
func playAll(t *tools, pattern *regexp.Regexp, rounds int, w io.Writer) {
	book, kings := filepath.Join(t.work, "book.epd"), filepath.Join(t.work, "kings.epd")
	err := cmp.Or(writeBook(book), writeKings(kings))
	list := slices.DeleteFunc(matches(t.engines), func(m match) bool { return !pattern.MatchString(m.name) })
	programs := runners(t.assay)
	results, failed := map[[2]int][]played{}, map[[2]int]error{}
	for round := range rounds {
		for i := range list {
			for k := range programs {
				at := [2]int{i, k}
				from := book
				if list[i].kings {
					from = kings
				}
				p, e := programs[k].play(t.work, &list[i], from)
				fmt.Fprintf(os.Stderr, "round %d: %s, %s: %.0f plies/s, %.1f µs, %v\n", round+1, list[i].name,
					programs[k].name, p.speed, p.own, e)
				if failed[at] = cmp.Or(failed[at], e, err); e == nil {
					results[at] = append(results[at], p)
				}
			}
		}
	}
	fmt.Fprintf(w, "| match | runner | lost on time | plies/s | own µs a ply | own cores | cores busy, of %d | MB |\n%s\n",
		runtime.NumCPU(), "|---|---|---|---|---|---|---|---|")
	for i, m := range list {
		for k, r := range programs {
			at := [2]int{i, k}
			if len(results[at]) == 0 {
				fmt.Fprintf(w, "| %s | %s | not measured: %v |\n", m.name, r.name, failed[at])
				continue
			}
			if n := rounds - len(results[at]); n > 0 {
				r.name += fmt.Sprintf(" (%d of %d runs failed: %v)", n, rounds, failed[at])
			}
			games, lost := 0, 0
			for _, p := range results[at] {
				games, lost = games+p.games, lost+p.lost
			}
			of := func(figure func(p played) float64) float64 {
				var all []float64
				for _, p := range results[at] {
					all = append(all, figure(p))
				}
				return median(all)
			}
			fmt.Fprintf(w, "| %s | %s | %d of %d | %.0f | %.1f | %.2f | %.2f | %.0f |\n", m.name, r.name, lost, games,
				of(func(p played) float64 { return p.speed }), of(func(p played) float64 { return p.own }),
				of(func(p played) float64 { return p.cores }), of(func(p played) float64 { return p.busy }),
				of(func(p played) float64 { return p.rss }))
		}
	}
}

// play plays a match in a new folder.
func (r *runner) play(work string, m *match, book string) (p played, err error) {
	if r.path == "" || m.engine == "" {
		return p, errors.New("not installed")
	}
	dir, err := os.MkdirTemp(work, "match")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), stopAfter)
	defer stop()
	cmd := exec.CommandContext(ctx, r.path, r.args(m, book)...)
	var out bytes.Buffer
	cmd.Dir, cmd.WaitDelay, cmd.Stdout, cmd.Stderr = dir, time.Second, &out, &out
	began, before := time.Now(), busySeconds()
	if err := cmd.Start(); err != nil {
		return p, err
	}
	own := 0.0
	for zombie := false; !zombie; time.Sleep(10 * time.Millisecond) { // its own time is known until it is waited for
		var rss float64
		own, rss, zombie = ownSeconds(cmd.Process.Pid)
		p.rss = max(p.rss, rss)
	}
	took, busy := time.Since(began).Seconds(), busySeconds()-before
	if err := cmp.Or(cmd.Wait(), ctx.Err()); err != nil {
		return p, fmt.Errorf("%w: %s", err, lastLine(out.Bytes()))
	}
	plies, err := p.count(filepath.Join(dir, r.games))
	p.speed, p.own, p.cores, p.busy = plies/took, 1e6*own/plies, own/took, busy/took
	return p, err
}

// count counts games, those lost on time, and plies.
func (p *played) count(path string) (plies float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for g, err := range pgn.Read(f) {
		var bad *pgn.GameError
		if err != nil && !errors.As(err, &bad) {
			return 0, err
		}
		p.games++
		plies += float64(len(g.Row.Moves))
		if dataset.Forfeit(g.Row.Termination) == "time-forfeit" {
			p.lost++
		}
	}
	return plies, nil
}

// ownSeconds returns the processor time of a process without its children, its memory in MB while it runs, and whether
// it has ended.
func ownSeconds(pid int) (seconds, rss float64, ended bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if err != nil || len(fields) < 22 {
		return 0, 0, true
	}
	const ticks = 100 // a second, on Linux
	for _, f := range fields[11:13] {
		n, _ := strconv.ParseFloat(f, 64)
		seconds += n / ticks
	}
	pages, _ := strconv.ParseFloat(fields[21], 64)
	return seconds, pages * float64(os.Getpagesize()) / 1e6, fields[0] == "Z"
}

// busySeconds returns the processor time that all programs of the machine have taken.
func busySeconds() (sum float64) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, f := range strings.Fields(line) {
		if i > 0 && i < 8 && i != 4 && i != 5 { // not idle, not waiting for a disk
			n, _ := strconv.ParseFloat(f, 64)
			sum += n / 100
		}
	}
	return sum
}
