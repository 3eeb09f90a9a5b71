package roster

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/uci"
)

func TestParseForeign(t *testing.T) {
	list := func(nameValue ...string) (options []uci.Option) {
		for i := 0; i < len(nameValue); i += 2 {
			options = append(options, uci.Option{Name: nameValue[i], Value: nameValue[i+1]})
		}
		return options
	}
	for _, tt := range []struct {
		spec string
		want foreign
	}{
		{"uci:stockfish", foreign{command: uci.Command{Path: "stockfish"}}},
		{"uci:/usr/games/stockfish?Hash=16&Use NNUE=false", foreign{command: uci.Command{Path: "/usr/games/stockfish", Options: list("Hash", "16", "Use NNUE", "false")}}},
		{"uci:gnuchess --uci", foreign{command: uci.Command{Path: "gnuchess", Args: []string{"--uci"}}}},
		{"uci:  a\tb   ? Clear Hash & Hash = 3 ", foreign{command: uci.Command{Path: "a", Args: []string{"b"}, Options: list("Clear Hash", "", "Hash", "3")}}},
		{`uci:'/my engines/a b' "x \"y\" \\z" c\ d it\'s '' \n`, foreign{command: uci.Command{Path: "/my engines/a b", Args: []string{`x "y" \z`, "c d", "it's", "", `\n`}}}},
		{`uci:C:\engines\sf.exe?SyzygyPath=C:\tb;D:\tb`, foreign{command: uci.Command{Path: `C:\engines\sf.exe`, Options: list("SyzygyPath", `C:\tb;D:\tb`)}}},
		{`uci:'odd?name'?File='a&b'&Text=x\&y=z?`, foreign{command: uci.Command{Path: "odd?name", Options: list("File", "a&b", "Text", "x&y=z?")}}},
		{"uci:nodes=5000:depth=3:timeout=10s:start=500ms:e", foreign{limits: limits{5000, 3}, command: uci.Command{Path: "e", MoveTimeout: 10 * time.Second, StartTimeout: 500 * time.Millisecond}}},
		{"uci:view=white:e", foreign{command: uci.Command{Path: "e", WhiteView: true}}},
		{"uci:env A=b:c e?X=nodes=1:", foreign{command: uci.Command{Path: "env", Args: []string{"A=b:c", "e"}, Options: list("X", "nodes=1:")}}},
	} {
		got, err := parseForeign(tt.spec)
		if err != nil {
			t.Errorf("%s: %v", tt.spec, err)
			continue
		}
		got.command.Args = append([]string(nil), got.command.Args...)
		if !reflect.DeepEqual(*got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.spec, *got, tt.want)
		}
	}
}

func TestForeignErrors(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{"uci:", "the command is missing"},
		{"uci:nodes=5:", "the command is missing"},
		{"uci:?Hash=1", "the command is missing"},
		{"uci:''", "the command is missing"},
		{"uci:sh?Hash=4&uci_chess960=true", "option uci_chess960: assay sets it itself"},
		{"uci:sh?", "an option has no name"},
		{"uci:sh?=5", "an option has no name"},
		{"uci:sh?Hash=1&", "an option has no name"},
		{"uci:'sh", "the quote ' is not closed"},
		{`uci:sh?A="x\"`, `the quote " is not closed`},
		{"uci:nodes=0:sh", "nodes=0 is not a number"},
		{"uci:nodes=1:nodes=2:sh", "nodes is set twice"},
		{"uci:timeout=5:sh", "timeout=5 is not a time above zero, such as 500ms or 5s"},
		{"uci:start=-1s:sh", "start=-1s is not a time"},
		{"uci:view=mover:sh", "view=mover: want white"},
		{"uci:no-such-engine", `"no-such-engine": executable file not found`},
		{"uci:/no/such/engine", "/no/such/engine"},
	} {
		if p, err := Open(tt.spec); err == nil || p != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Open(%q): %v, want an error with %q", tt.spec, err, tt.want)
		}
		if id, err := Identify(tt.spec); err == nil && !strings.Contains(tt.want, "executable") {
			t.Errorf("Identify(%q): %q without an error", tt.spec, id)
		}
	}
	if _, err := Open("uci:'x"); !errors.Is(err, ErrSpec) {
		t.Errorf("error %v does not wrap ErrSpec", err)
	}
	if _, err := Open("/bin/sh"); err == nil || !strings.Contains(err.Error(), "/bin/sh is a program: uci:/bin/sh") {
		t.Errorf("the error about a bare program does not say how to name it: %v", err)
	}
}

func TestThreaded(t *testing.T) {
	for spec, want := range map[string]bool{
		"uci:engine": false, "uci:engine?Threads=1&Hash=4": false, "uci:engine?threads=4": true, "uci:nodes=5:engine?Hash=1&CPU Threads=2": true,
		"assay": false, "uci:": false,
	} {
		if got := Threaded(spec); got != want {
			t.Errorf("%s: %v", spec, got)
		}
	}
}

func TestWithTimeouts(t *testing.T) {
	for _, tt := range []struct {
		spec        string
		move, start time.Duration
		want        string
	}{
		{"assay:nodes=5", time.Second, time.Second, "assay:nodes=5"},
		{"uci:e?Hash=1", 0, 0, "uci:e?Hash=1"},
		{"uci:e", 5 * time.Second, 100 * time.Millisecond, "uci:timeout=5s:start=100ms:e"},
		{"uci:nodes=7:timeout=1m:e", 5 * time.Second, time.Second, "uci:start=1s:nodes=7:timeout=1m:e"},
		{"uci:", time.Second, 0, "uci:"},
	} {
		if got := WithTimeouts(tt.spec, tt.move, tt.start); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.spec, got, tt.want)
		}
	}
}

// A program's identity does not depend on its folder, and changes with its content.
func TestIdentifyForeign(t *testing.T) {
	dir := t.TempDir()
	program := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	identify := func(spec string) string {
		id, err := Identify(spec)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(id, dir) {
			t.Errorf("%s names the folder", id)
		}
		return id
	}
	one, same := program("a/engine", "one"), program("b/engine", "one")
	other, net := program("c/engine", "two"), program("d/x.nnue", "net")
	const hash = "@7692c3ad3540" // the beginning of sha256("one")
	for _, tt := range []struct{ spec, want string }{
		{"uci:" + one, "uci:engine" + hash},
		{"uci:timeout=9s:" + same, "uci:engine" + hash},
		{"uci:nodes=5:" + same + " --log " + dir + "/log?Hash=3&EvalFile=" + one + "&SyzygyPath=" + dir + "/tb&Clear Hash",
			"uci:engine" + hash + " --log log?Hash=3&EvalFile=engine" + hash + "&SyzygyPath=tb&Clear Hash:nodes=5"},
		{"uci:view=white:" + one, "uci:engine" + hash + ":view=white"},
		{"uci:depth=2:" + same + " " + one + " --net=" + net, "uci:engine" + hash + " engine" + hash + " --net=x.nnue:depth=2"},
	} {
		if got := identify(tt.spec); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.spec, got, tt.want)
		}
	}
	if identify("uci:"+one) == identify("uci:"+other) {
		t.Error("two programs with one name have the same identity")
	}
	was := identify("uci:" + other)
	if err := os.Chtimes(program("c/engine", "six"), time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if identify("uci:"+other) == was {
		t.Error("a changed program keeps its identity")
	}
	long := "uci:" + one + " " + strings.Repeat("x", 2000)
	if a, b := identify(long+"a"), identify(long+"b"); a == b || len(a) > maxIdentity {
		t.Errorf("long names: %d and %d bytes, the same: %v", len(a), len(b), a == b)
	}
}

// A foreign engine with limits can still be started.
func TestForeignWithLimits(t *testing.T) {
	p, err := Open("uci:nodes=5:start=100ms:sh -c 'read x; exit 9'")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, ok := engine.As[engine.Starter](p)
	if !ok {
		t.Fatal("a limited player cannot be started")
	}
	if err := s.Start(); !errors.Is(err, uci.ErrStart) || !strings.Contains(err.Error(), "exit status 9") {
		t.Errorf("start: %v", err)
	}
}

func FuzzSplitCommand(f *testing.F) {
	f.Add("stockfish?Hash=16&Use NNUE=false")
	f.Add(`'a b' "c\"d" e\ f ? X = 'y`)
	f.Fuzz(func(t *testing.T, s string) {
		words, _, err := SplitCommand(s)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, quoteWord(w))
		}
		again, options, err := SplitCommand(strings.Join(quoted, " "))
		if err != nil || len(options) > 0 || !slices.Equal(words, again) {
			t.Errorf("%q: words %q, quoted again %q (%v)", s, words, again, err)
		}
	})
}
