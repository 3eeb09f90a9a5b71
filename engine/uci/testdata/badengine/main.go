// Command badengine is a UCI engine that misbehaves, for tests of UCI clients. Its first
// argument is a list of modes, separated by commas; mode "good" does nothing wrong. Tests
// find their processes by further arguments, which are ignored.
//
// Start reading at modes.
package main

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assay-chess/assay/engine/board"
)

// modes are what the engine can do wrong, and nothing in mode good.
var modes = strings.Fields(`
	good wrong-start no-uciok no-readyok crash crash-often crash-rarely crash-later exit exit-ok hang
	hang-later deaf deaf-later stdout-closed ignores-quit illegal garbage empty null uppercase late
	too-late doubled doubled-late no-newline crlf nul long-line long-bestmove flood flood-forever absurd
	stderr odd-options many-options endless-options fork fork-crash fork-session fork-orphan fork-clean
	latin1 chatter exit-at-uci exit-at-isready exit-at-newgame exit-at-position exit-after
	exit-after-later exit-later segfault abort killed stops-itself stdin-closed stderr-only
	not-ready-later late-uciok late-readyok no-options uciok-twice readyok-twice no-info spaces
	half-lines move-uppercase promotion-upper promotion-missing promotion-king promotion-wrong
	illegal-later null-later none san other-side own-square off-board previous other-word mate-nonsense
	score-range score-word nodes-absurd time-absurd depth-absurd pv-illegal pv-endless ignores-term
	stderr-no-newline invalid-uciok binary fen-keys`)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "badengine: want a mode")
		os.Exit(2)
	}
	switch os.Args[1] {
	case "child":
		time.Sleep(time.Hour)
	case "parent":
		startInSession(false)
		return
	}
	e := &bad{out: bufio.NewWriter(os.Stdout), mode: map[string]bool{}, newline: "\n"}
	for mode := range strings.SplitSeq(os.Args[1], ",") {
		if !slices.Contains(modes, mode) {
			fmt.Fprintf(os.Stderr, "badengine: there is no mode %s\n", mode)
			os.Exit(2)
		}
		e.mode[mode] = true
	}
	if e.mode["crlf"] {
		e.newline = "\r\n"
	}
	if e.mode["nul"] {
		e.newline = "\x00\n\x00\x00"
	}
	if e.mode["wrong-start"] {
		fmt.Fprintln(os.Stderr, "badengine: cannot find my network")
		os.Exit(7)
	}
	if e.mode["ignores-term"] {
		signal.Ignore(syscall.SIGTERM)
	}
	e.run()
	if e.mode["ignores-quit"] || e.mode["ignores-term"] {
		time.Sleep(time.Hour)
	}
}

// bad is the engine.
type bad struct {
	out      *bufio.Writer
	mode     map[string]bool
	newline  string
	game     *board.Game
	searches int
	games    int
	readies  int
	fromFEN  bool // the last position
	last     string

	first        uint32 // hash of the first position of the game; 0: there was none yet
	gameSearches int
}

func (e *bad) say(format string, args ...any) {
	switch {
	case e.mode["half-lines"]:
		text := fmt.Sprintf(format, args...)
		e.out.WriteString(text[:len(text)/2])
		e.out.Flush()
		format, args = "%s", []any{text[len(text)/2:]}
	case e.mode["spaces"]:
		format = "  \t" + strings.ReplaceAll(format, " ", " \t ") + "  "
	}
	fmt.Fprintf(e.out, format, args...)
	e.out.WriteString(e.newline)
	e.out.Flush()
}

func (e *bad) run() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if e.mode["chatter"] {
			e.say("info string heard %s\nreadyok? not yet\nunknown words\n\n%s", words[0], "id name chatter")
		}
		switch words[0] {
		case "uci":
			e.introduce()
		case "isready":
			e.ready()
		case "ucinewgame":
			e.last, e.first, e.gameSearches = "", 0, 0
			if e.games++; e.games == 2 {
				e.exitIf("exit-at-newgame")
			}
		case "position":
			e.exitIf("exit-at-position")
			e.setUp(words)
			if e.first == 0 {
				e.first = crc32.ChecksumIEEE([]byte(line))
			}
		case "go":
			e.search()
		case "quit":
			return
		}
	}
}

// exitIf exits in a mode.
func (e *bad) exitIf(mode string) {
	if e.mode[mode] {
		os.Exit(4)
	}
}

func (e *bad) ready() {
	e.exitIf("exit-at-isready")
	e.readies++
	switch {
	case e.mode["no-readyok"], e.mode["not-ready-later"] && e.readies > 2:
		return
	case e.mode["late-readyok"]:
		time.Sleep(100 * time.Millisecond)
	case e.mode["readyok-twice"]:
		e.say("readyok")
	}
	e.say("readyok")
}

func (e *bad) introduce() {
	e.exitIf("exit-at-uci")
	switch {
	case e.mode["invalid-uciok"]:
		e.say("uciokay")
		return
	case e.mode["late-uciok"]:
		time.Sleep(100 * time.Millisecond)
	case e.mode["uciok-twice"]:
		e.say("uciok")
	}
	if e.mode["no-options"] {
		e.say("uciok")
		return
	}
	e.say("id name badengine")
	if e.mode["fork"] || e.mode["fork-crash"] {
		child := exec.Command(os.Args[0], append([]string{"child"}, os.Args[2:]...)...)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
	}
	if e.mode["fork-orphan"] {
		if err := exec.Command(os.Args[0], append([]string{"parent"}, os.Args[2:]...)...).Run(); err != nil {
			panic(err)
		}
	}
	if e.mode["fork-session"] || e.mode["fork-clean"] {
		startInSession(e.mode["fork-clean"])
	}
	if e.mode["odd-options"] {
		for _, o := range []string{"", " ", " name", " name type", " name Lonely",
			" name Kindless type", " name Bare type spin",
			" name Half type spin default", " name Worse type spin default x min y max z", " name Choice type combo",
			" name default type check default", " type spin name Backwards", " name A B  C type string default",
			" name Twice type spin min 1 max 2 min 3 max 4"} {
			e.say("option%s", o)
		}
	}
	for i := range map[bool]int{e.mode["many-options"]: 3000, e.mode["endless-options"]: 1 << 17}[true] {
		e.say("option name Term%d type spin default 0 min 0 max 9", i)
	}
	e.say("option name Hash type spin default 16 min 1 max 1024")
	e.say("option name Style type combo default Normal var Normal var Very Solid")
	e.say("option name Clear Hash type button")
	e.say("option name Use Book type check default true")
	e.say("option name Book File type string default <empty>")
	if !e.mode["no-uciok"] {
		e.say("uciok")
	}
}

// startInSession starts a child that leaves our process group.
func startInSession(clean bool) {
	child := exec.Command(os.Args[0], append([]string{"child"}, os.Args[2:]...)...)
	child.SysProcAttr = newSession()
	if clean {
		child.Env = []string{}
	}
	if err := child.Start(); err != nil {
		panic(err)
	}
}

func (e *bad) setUp(words []string) {
	start := board.StartPosition()
	e.fromFEN = words[1] == "fen"
	moves := len(words)
	for i, w := range words {
		if w == "moves" {
			moves = i
		}
	}
	if e.fromFEN {
		p, err := board.ParseFEN(strings.Join(words[2:moves], " "))
		if err != nil {
			panic(err)
		}
		start = p
	}
	e.game = board.NewGame(start)
	for _, w := range words[min(moves+1, len(words)):] {
		m, err := e.game.Position().ParseUCI(w)
		if err != nil {
			panic(err)
		}
		e.game.Push(m)
	}
}

// choose returns a legal move, selected by the position's key.
func (e *bad) choose() string {
	p := e.game.Position()
	moves := p.LegalMoves(nil)
	return p.UCI(moves[p.Key()>>32%uint64(len(moves))])
}

func (e *bad) search() {
	e.searches++
	e.gameSearches++
	third := e.searches == 3
	move := e.choose()
	e.die(third)
	if played, ok := e.wrongMove(move, third); ok {
		e.say("bestmove %s", played)
		return
	}
	switch {
	case e.mode["crash"], e.mode["fork-crash"], e.mode["crash-later"] && third:
		var nothing *bad
		nothing.searches++
	case e.mode["exit"]:
		os.Exit(3)
	case e.mode["exit-ok"]:
		os.Exit(0)
	case e.mode["hang"], e.mode["hang-later"] && third:
		return
	case e.gameSearches == 2 && (e.mode["crash-often"] && e.first%2 == 0 || e.mode["crash-rarely"] && e.first%100 == 0):
		panic("badengine: crashes as requested")
	case e.mode["deaf"], e.mode["deaf-later"] && third:
		time.Sleep(time.Hour)
	case e.mode["stdout-closed"]:
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case e.mode["illegal"]:
		move = "e1e8"
	case e.mode["garbage"]:
		move = "Nf3!?\x07\xff"
	case e.mode["empty"]:
		e.say("bestmove")
		return
	case e.mode["null"]:
		move = "0000"
	}
	e.inform(move)
	e.answer(move)
}

// die ends or stops the process in some modes.
func (e *bad) die(third bool) {
	switch {
	case e.mode["segfault"]:
		raise(syscall.SIGSEGV)
	case e.mode["abort"] && third:
		raise(syscall.SIGABRT)
	case e.mode["killed"] && third:
		raise(syscall.SIGKILL)
	case e.mode["stops-itself"] && third:
		stopSelf()
	case e.mode["exit-later"] && third:
		os.Exit(3)
	}
}

// raise ends this process as the signal does without the Go runtime.
func raise(s syscall.Signal) {
	signal.Reset(s)
	sendSelf(s)
	time.Sleep(time.Hour)
}

// wrongMove returns the word that some modes play in place of a move.
func (e *bad) wrongMove(move string, third bool) (string, bool) {
	for mode, played := range map[string]string{
		"none": "(none)", "san": "Nf3", "own-square": "e2e2", "off-board": "e2e9", "other-side": "e7e5",
		"promotion-wrong": move[:4] + "q", "move-uppercase": strings.ToUpper(move),
	} {
		if e.mode[mode] {
			return played, true
		}
	}
	_, noPromotion := e.game.Position().ParseUCI("a7a8q")
	switch {
	case noPromotion != nil:
	case e.mode["promotion-upper"]:
		return "a7a8Q", true
	case e.mode["promotion-missing"]:
		return "a7a8", true
	case e.mode["promotion-king"]:
		return "a7a8k", true
	}
	switch {
	case e.mode["illegal-later"] && third:
		return "e1e8", true
	case e.mode["null-later"] && third:
		return "0000", true
	case e.mode["previous"] && e.last != "":
		e.say("info depth 1 score cp 20 nodes 30")
		return e.last, true
	}
	return "", false
}

// inform writes the lines before bestmove.
func (e *bad) inform(move string) {
	for mode, line := range map[string]string{
		"mate-nonsense": "depth 1 score mate 0 nodes 1\ninfo depth 2 score mate 1000000",
		"score-range":   "depth 1 score cp 1000000000", "score-word": "depth 1 score cp good",
		"nodes-absurd": "depth 1 score cp 1 nodes 99999999999999999999999",
		"time-absurd":  "depth 1 score cp 1 time 31536000000000",
		"depth-absurd": "depth 1000000 seldepth 1000000 score cp 1", "pv-illegal": "depth 1 score cp 1 pv a1a1 zz 0000 \xff",
		"pv-endless": "depth 1 score cp 1 pv " + move + strings.Repeat(" e2e4", 100_000),
		"binary":     "string " + strings.Repeat("\x01\xfe\x00\x80\r", 13000),
	} {
		if e.mode[mode] {
			e.say("info %s", line)
			return
		}
	}
	switch {
	case e.mode["no-info"]:
		return
	case e.mode["stderr-no-newline"]:
		fmt.Fprint(os.Stderr, strings.Repeat("noise ", 1<<20/6))
	case e.mode["late"]:
		time.Sleep(200 * time.Millisecond)
	case e.mode["too-late"]:
		time.Sleep(3 * time.Second)
	case e.mode["long-line"]:
		e.say("info string %s", strings.Repeat("x", 5<<20))
	case e.mode["flood"], e.mode["flood-forever"]:
		for i := 0; i < 10000 || e.mode["flood-forever"]; i++ {
			fmt.Fprintf(e.out, "info depth %d score cp 10 nodes %d time 1 pv %s\n", i, i, move)
		}
	case e.mode["absurd"]:
		e.say("info depth 99999999999999999999 seldepth -5 multipv 1 score cp 99999999999999999999 nodes "+
			"18446744073709551615999 time -1 hashfull 123456789 nps x pv %s a1a1 zz", move)
		e.say("info depth x score mate 99999999999999 nodes -3 time 99999999999999999 pv")
		e.say("info depth score nodes pv")
		e.say("info score mate")
		e.say("info")
		return
	case e.mode["stderr"]:
		fmt.Fprintln(os.Stderr, strings.Repeat("noise\n", 1<<20/6))
	case e.mode["doubled-late"] && e.last != "":
		e.say("bestmove %s", e.last)
	case e.mode["fen-keys"] && e.fromFEN:
		e.say("info depth 1 score cp 96 nodes 30 time 1 pv %s", move)
		return
	case e.mode["latin1"]:
		e.say("info string \xe9\xff\xfe")
	}
	e.say("info depth 1 score cp 20 nodes 30 time 1 pv %s", move)
}

func (e *bad) answer(move string) {
	e.last = move
	defer e.afterAnswer()
	switch {
	case e.mode["stderr-only"]:
		fmt.Fprintln(os.Stderr, "bestmove", move)
	case e.mode["other-word"]:
		e.say("move %s", move)
	case e.mode["uppercase"]:
		e.say("BESTMOVE %s", strings.ToUpper(move))
	case e.mode["no-newline"]:
		e.out.WriteString("bestmove " + move)
		e.out.Flush()
	case e.mode["long-bestmove"]:
		e.say("bestmove %s %s", move, strings.Repeat(" ", 5<<20))
	case e.mode["doubled"]:
		e.say("bestmove %s%sbestmove %s", move, e.newline, move)
	default:
		e.say("bestmove %s ponder e7e5", move)
	}
}

// afterAnswer does what some modes do after bestmove.
func (e *bad) afterAnswer() {
	switch {
	case e.mode["exit-after"], e.mode["exit-after-later"] && e.searches == 3:
		os.Exit(0)
	case e.mode["stdin-closed"]:
		os.Stdin.Close()
		time.Sleep(time.Hour)
	}
}
