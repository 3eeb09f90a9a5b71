//go:build unix

package processtest

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/setup"
)

// wholeTable makes TestInterrupted run every row, one at a time, at each width, by the strict limits. Without it
// only the rows that leave the processor to the other tests run.
const wholeTable = "ASSAY_TERMINAL"

// atTerminal is a row of TestInterrupted: a command line at a terminal, until Ctrl-C.
type atTerminal struct {
	command, args string
	quick         string // why the command cannot take longer than a second, in place of args
	shows         string // what the line shows besides the time; default: the command
	heavy         bool   // takes the processor, or large data
	talks         string // what it answers a person or a program: there is no line
	typed         string // for that answer
	server        bool   // Ctrl-C is how it ends: exit code 0
}

const (
	readsLittle = "it reads some small files"
	prints      = "it prints texts of the program"
	printsHelp  = "it prints its help"
	slowPlayers = "{slow} assay --tc 600+1 --concurrency 2"
)

// atTerminals has every command of assay. Names in braces are what newTerminalPlace made.
var atTerminals = []atTerminal{
	{command: "bench", shows: `bench \d+/40`},
	{command: "check", args: "{slow}", shows: "check 0/"},
	{command: "data", quick: printsHelp},
	{command: "data export", args: "{positions} --out exported.csv", heavy: true},
	{command: "data head", quick: "it reads the first rows"},
	{command: "data import", args: "- --out streamed --format epd"},
	{command: "data import", args: "{epd} --out imported", heavy: true},
	{command: "data merge", args: "{positions} {others} --out merged", heavy: true},
	{command: "data positions", args: "{positions} --keep-duplicates --resolve keep --out refined", heavy: true},
	{command: "data relabel", args: "{few} --nodes 1000000000 --out relabeled"},
	{command: "data shuffle", args: "{positions} --out shuffled", heavy: true},
	{command: "data split", args: "{positions} --out parts", heavy: true},
	{command: "data stat", args: "{positions} {others}", heavy: true},
	{command: "data verify", args: "{positions}", heavy: true},
	{command: "eval", quick: "it evaluates one position"},
	{command: "features", args: "{few} --cmd {sleep} --out counted"},
	{command: "guide", quick: prints},
	{command: "historic", quick: printsHelp},
	{command: "historic draughts", quick: "its games take a second"},
	{command: "historic explain", quick: "it looks at the moves of one position"},
	{command: "historic list", quick: prints},
	{command: "historic losalamos", args: "--depth 10"},
	{command: "historic nim", quick: "it makes one move at nim"},
	{command: "historic prinz", quick: "it makes the 3,000 moves that took 15 minutes in 1951"},
	{command: "historic replay", args: "machack"},
	{command: "historic see", quick: "it looks at the captures on one square"},
	{command: "ladder", args: slowPlayers, shows: `ladder 0/\d+ .*2 games under way`},
	{command: "init", quick: "it builds a small engine and plays a few games"},
	{command: "learn", args: "--nodes 1000000000 --out run", shows: "generation 1"},
	{command: "match", args: slowPlayers + " --games 400", shows: `match 0/400 .*2 games under way`},
	{command: "match", args: "git:HEAD assay --repo {repo} --build {build}"},
	{command: "perft", args: "startpos 9", shows: `perft 0/20 `},
	{command: "report", quick: "it reads the files of a run"},
	{command: "runs", quick: readsLittle},
	{command: "screen", args: "assay LateBase=122,400 ReverseMargin=122,60 --nodes 1000000000 --out screened"},
	{command: "selfplay", args: "--players {slow} --tc 600+1 --concurrency 2 --games 100 --out played",
		shows: `selfplay 0/100 .*2 games under way`},
	{command: "serve", args: ". --listen 127.0.0.1:0", talks: "serve: .*Ctrl-C", server: true},
	{command: "sprt", quick: "it computes a few numbers"},
	{command: "spsa", args: "tuned.toml --out tuned"},
	{command: "translate", quick: prints},
	{command: "tune", args: "{positions} --out tuned.json", shows: "(features|tune)", heavy: true},
	{command: "uci", typed: "uci\n", talks: "uciok"},
	{command: "version", quick: prints},
	{command: "wdl", args: "{games} --resamples 100000", heavy: true},
	{command: "weights", quick: printsHelp},
	{command: "weights diff", quick: readsLittle},
	{command: "weights export", quick: readsLittle},
	{command: "weights list", quick: readsLittle},
	{command: "weights picture", quick: readsLittle},
	{command: "weights show", quick: readsLittle},
	{command: "work", args: "nats://{nobody}", server: true},
}

// commandTree returns the names of all commands, as the completion of shells finds them.
func commandTree(t *testing.T, path ...string) (names []string) {
	t.Helper()
	_, words, _ := call(t, append(append([]string{"__complete"}, path...), "")...)
	for line := range strings.Lines(words) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(name, ":") || len(path) == 0 && (name == "help" || name == "completion") {
			continue
		}
		child := append(path[:len(path):len(path)], name)
		_, help, _ := call(t, append(child, "--help")...)
		if full := strings.Join(child, " "); regexp.MustCompile(`(?m)^  assay ` + full + `( .*)?$`).MatchString(help) {
			names = append(append(names, full), commandTree(t, child...)...)
		}
	}
	return names
}

// newTerminalPlace makes a folder for the commands, and returns the names in braces and what they stand for.
func newTerminalPlace(t *testing.T, whole bool) (dir string, names *strings.Replacer) {
	t.Helper()
	dir = setup.Must(os.MkdirTemp("", "t"))
	t.Cleanup(func() { os.RemoveAll(dir) })
	write := func(name, text string) string {
		setup.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
		return name
	}
	write("slow", `#!/bin/sh
while read -r line; do
  case $line in
  uci) echo uciok ;;
  isready) echo readyok ;;
  position*) game=${line#position startpos} ;;
  go*) [ -z "$game" ] || exec sleep 60; echo bestmove g1f3 ;; # the first move of a check answers at once
  quit) exit ;;
  esac
done
`)
	epd := func(n int) string {
		var b strings.Builder
		for i := range n {
			result := []string{"1.0", "0.5", "0.0"}[i/50%3]
			fmt.Fprintf(&b, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 %d [%s]\n", 1+i%50, result)
		}
		return b.String()
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	write("tuned.toml", "player = \"assay:hash=1\"\niterations = 50000\nnodes = 1000000000\n"+
		"[[parameter]]\nname = \"queen\"\nstart = 500\nmin = 100\nmax = 2000\n")
	works(t, "data", "import", at(write("few.epd", epd(100))), "--out", at("few"))
	if whole {
		works(t, "selfplay", "--out", at("fewgames"), "--games", "200", "--depth", "1")
		works(t, "data", "import", at(write("many.epd", epd(2_000_000))), "--out", at("positions"), "--infer-games")
		works(t, "data", "import", at(write("more.epd", epd(1_900_000))), "--out", at("others"), "--infer-games")
	}
	for _, args := range []string{"init -q repo",
		"-C repo -c user.name=me -c user.email=me@here commit -q --allow-empty -m first"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v %s", args, err, out)
		}
	}
	nobody := setup.Must(net.Listen("tcp", "127.0.0.1:0"))
	nobody.Close()
	return dir, strings.NewReplacer("{slow}", "./slow", "{few}", "few", "{epd}", "many.epd",
		"{positions}", "positions", "{games}", "fewgames",
		"{others}", "others", "{sleep}", "'sleep 60'", "{build}", "'sleep 60 #{out}'",
		"{repo}", "repo", "{nobody}", nobody.Addr().String())
}

// TestInterrupted runs every command that can take longer than a second at a terminal: a line that shows the time
// is there at once and never wraps, and Ctrl-C at a random moment ends the command at once, or it says what it
// finishes; it says what was kept, and has an exit code of its own.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts every command")
	}
	whole := os.Getenv(wholeTable) != ""
	known := map[string]bool{}
	for _, row := range atTerminals {
		known[row.command] = true
	}
	there := map[string]bool{}
	for _, name := range commandTree(t) {
		if there[name] = true; !known[name] {
			t.Errorf("no row for assay %s: add one to atTerminals", name)
		}
	}
	for name := range known {
		if !there[name] {
			t.Errorf("there is no command assay %s", name)
		}
	}
	dir, names := newTerminalPlace(t, whole)
	widths := []int{80}
	if whole {
		widths = []int{80, 100, 160}
	}
	for _, columns := range widths {
		for i, row := range atTerminals {
			if row.quick != "" || row.heavy && !whole {
				continue
			}
			t.Run(fmt.Sprintf("%s %d", row.command, columns), func(t *testing.T) {
				limit := time.Second
				if !whole {
					t.Parallel()
					limit = 20 * time.Second // on a busy machine
				}
				args := setup.Must(quote.Split(row.command + " " + names.Replace(row.args)))
				for j, arg := range args { // each run has a folder of its own
					if j > 0 && args[j-1] == "--out" {
						args[j] = fmt.Sprintf("%d-%d-%s", columns, i, arg)
					}
				}
				row.run(t, startAtTerminal(t, dir, columns, args), limit)
			})
		}
	}
}

// typed is a command that runs at a terminal.
type typed struct {
	*exec.Cmd
	tty     *os.File
	columns int
	started time.Time
	ended   chan error
	written processOutput
}

func startAtTerminal(t *testing.T, dir string, columns int, args []string) *typed {
	t.Helper()
	c := &typed{Cmd: exec.Command("assay", args...), columns: columns, started: time.Now(), ended: make(chan error, 1)}
	c.Dir = dir
	c.Env = append(os.Environ(), "ASSAY_CACHE="+filepath.Join(dir, "cache"), "TERM=xterm", "NO_COLOR=")
	var err error
	c.tty, err = pty.StartWithSize(c.Cmd, &pty.Winsize{Rows: 40, Cols: uint16(columns)})
	setup.Check(t, err)
	go func() {
		_, _ = io.Copy(&c.written, c.tty) // an error of input and output when the program ends
		c.ended <- c.Wait()
	}()
	t.Cleanup(func() { _ = c.Process.Kill(); c.tty.Close() })
	return c
}

// shown returns the terminal as it is now.
func (c *typed) shown() *terminal {
	shown := &terminal{columns: c.columns}
	shown.write(c.written.String())
	return shown
}

// awaits waits until the lines have a text, and reports whether that was before the limit and the end.
func (c *typed) awaits(text *regexp.Regexp, limit time.Duration) bool {
	for time.Since(c.started) < limit+50*time.Millisecond { // of the test itself
		if text.MatchString(c.shown().text()) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func (row *atTerminal) run(t *testing.T, c *typed, limit time.Duration) {
	what := "assay " + strings.Join(c.Args[1:], " ")
	line := regexp.MustCompile(`(?m)^` + cmp.Or(row.shows, row.command) + `.* \d+(s|m|m\d+s)(<\d+\w+)?$`)
	if row.talks != "" {
		line = regexp.MustCompile(row.talks)
		_, _ = c.tty.WriteString(row.typed)
	}
	if !c.awaits(line, limit) {
		t.Errorf("%s: no line %v within %v:\n%s", what, line, limit, c.shown().text())
	}
	time.Sleep(rand.N(500 * time.Millisecond))
	pressed := time.Now()
	_, err := c.tty.Write([]byte{3})
	setup.Check(t, err)
	select {
	case <-c.ended:
	case <-time.After(soonEnough):
		t.Fatalf("%s: does not end:\n%s", what, c.shown().text())
	}
	took, shown := time.Since(pressed), c.shown()
	text := shown.text()
	if took > limit && !strings.Contains(text, "finishing") {
		t.Errorf("%s: Ctrl-C took %v in silence:\n%s", what, took, text)
	}
	want, code := exitInterrupted, c.ProcessState.ExitCode()
	if row.server {
		want = exitDone
	}
	// The last line ends with a command to copy, so the terminal wraps it and nothing is folded.
	last := strings.ReplaceAll(strings.TrimSpace(text[max(0, strings.LastIndex(text, "assay: interrupted;")):]), "\n", "")
	if code != want || !row.server && !endOfInterrupted.MatchString(last) {
		t.Errorf("%s: exit code %d, want %d:\n%s", what, code, want, text)
	}
	for _, line := range shown.wrapped {
		if strings.HasPrefix(line, "assay: interrupted;") {
			break
		}
		t.Errorf("%s at %d columns: wrapped %q", what, c.columns, line)
	}
	if testing.Verbose() {
		t.Logf("%s: ended after %v with %d:\n%s", what, took, code, text)
	}
}

// endOfInterrupted is the last line of an interrupted command.
var endOfInterrupted = regexp.MustCompile(`^assay: interrupted; (nothing was written|` +
	`finished work is in .*, resume with: assay .*|the best weights so far, .*: assay .*)$`)
