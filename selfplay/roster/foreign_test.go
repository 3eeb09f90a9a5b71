package roster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/uci"
)

func TestForeignErrors(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{"uci:", "the command is missing"},
		{"uci:nodes=5:", "the command is missing"},
		{"uci:?Hash=1", "the command is missing"},
		{"uci:''", "the command is missing"},
		{"uci:sh?Hash=4&uci_chess960=true", "option uci_chess960: assay sets it for each game"},
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
		if p, err := openText(tt.spec); err == nil || p != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Open(%q): %v, want an error with %q", tt.spec, err, tt.want)
		}
		if id, err := identifyText(tt.spec); err == nil && !strings.Contains(tt.want, "executable") {
			t.Errorf("Identify(%q): %q without an error", tt.spec, id)
		}
	}
	if _, err := openText("uci:'x"); !errors.Is(err, engine.ErrSpec) {
		t.Errorf("error %v does not wrap ErrSpec", err)
	}
	if _, err := openText("sh"); err == nil || !strings.Contains(err.Error(), "sh is a program: uci:sh") {
		t.Errorf("the error about a bare program does not say how to name it: %v", err)
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
		id, err := identifyText(spec)
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
		{"uci:" + quote.Word(one), "uci:engine" + hash},
		{"uci:timeout=9s:" + quote.Word(same), "uci:engine" + hash},
		{"uci:nodes=5:" + quote.Word(same) + " --log " + quote.Word(dir+"/log") + "?Hash=3&EvalFile=" + one + "&SyzygyPath=" + dir + "/tb&Clear Hash",
			"uci:engine" + hash + " --log log?Hash=3&EvalFile=engine" + hash + "&SyzygyPath=tb&Clear Hash:nodes=5"},
		{"uci:view=white:" + quote.Word(one), "uci:engine" + hash + ":view=white"},
		{"uci:depth=2:" + quote.Word(same) + " " + quote.Word(one) + " --net=" + quote.Word(net),
			"uci:engine" + hash + " engine" + hash + " --net=x.nnue:depth=2"},
	} {
		if got := identify(tt.spec); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.spec, got, tt.want)
		}
	}
	if identify("uci:"+quote.Word(one)) == identify("uci:"+quote.Word(other)) {
		t.Error("two programs with one name have the same identity")
	}
	was := identify("uci:" + quote.Word(other))
	if err := os.Chtimes(program("c/engine", "six"), time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if identify("uci:"+quote.Word(other)) == was {
		t.Error("a changed program keeps its identity")
	}
	long := "uci:" + quote.Word(one) + " " + strings.Repeat("x", 2000)
	if a, b := identify(long+"a"), identify(long+"b"); a == b || len(a) > maxIdentity {
		t.Errorf("long names: %d and %d bytes, the same: %v", len(a), len(b), a == b)
	}
}

// A foreign engine with limits can still be started.
func TestForeignWithLimits(t *testing.T) {
	p, err := openText("uci:nodes=5:start=100ms:sh -c 'read x; exit 9'")
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

// The names of files do not make players differ; what is in them, arguments and settings do.
func TestSameProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"new": "#!/bin/sh", "old": "#!/bin/sh", "x.nnue": "net", "y.nnue": "net",
		"other": "#!/bin/false", "z.nnue": "another net"} {
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	same := func(text string) string {
		t.Helper()
		spec, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		id, same, err := Identify(spec)
		if err != nil || spec.Foreign() == (id == same) {
			t.Errorf("%s: %q, %q, %v", text, id, same, err)
		}
		return same
	}
	for _, tt := range []struct {
		x, y string
		want bool
	}{
		{"uci:./new", "uci:./old", true},
		{"uci:./new", "uci:./other", false},
		{"uci:./new?EvalFile=x.nnue", "uci:./old?EvalFile=y.nnue", true},
		{"uci:./new?EvalFile=x.nnue", "uci:./old?EvalFile=z.nnue", false},
		{"uci:./new -eval one", "uci:./old -eval two", false},
		{"uci:nodes=200:./new", "uci:nodes=300:./old", false},
		{"assay", "assay:weights=shannon-1950", false},
	} {
		if x, y := same(tt.x), same(tt.y); (x == y) != tt.want {
			t.Errorf("%s is %s, %s is %s", tt.x, x, tt.y, y)
		}
	}
}
