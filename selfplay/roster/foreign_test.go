package roster

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/internal/toy"
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
		setup.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		setup.Check(t, os.WriteFile(path, []byte(content), 0o755))
		return path
	}
	identify := func(spec string) string {
		id := setup.Must(identifyText(spec))
		if strings.Contains(id, dir) {
			t.Errorf("%s names the folder", id)
		}
		return id
	}
	one, same := program("a/engine", "one"), program("b/engine", "one")
	other, net := program("c/engine", "two"), program("d/x.nnue", "net")
	const hash, netHash = "@7692c3ad3540", "@a08a0fcbdeaf" // the beginnings of sha256("one") and of "net"
	for _, tt := range []struct{ spec, want string }{
		{"uci:" + quote.Word(one), "uci:engine" + hash},
		{"uci:timeout=9s:" + quote.Word(same), "uci:engine" + hash},
		{"uci:nodes=5:" + quote.Word(same) + " --log " + quote.Word(dir+"/log") + "?Hash=3&EvalFile=" + one + "&SyzygyPath=" +
			dir + "/tb&Clear Hash",
			"uci:engine" + hash + " --log log?Hash=3&EvalFile=engine" + hash + "&SyzygyPath=tb&Clear Hash:nodes=5"},
		{"uci:view=white:" + quote.Word(one), "uci:engine" + hash + ":view=white"},
		{"uci:depth=2:" + quote.Word(same) + " " + quote.Word(one) + " --net=" + quote.Word(net),
			"uci:engine" + hash + " engine" + hash + " --net=x.nnue" + netHash + ":depth=2"},
		{"uci:" + quote.Word(one) + " --net " + quote.Word(net) + "?NNUEFile=" + net + "&Debug Log File=" + net,
			"uci:engine" + hash + " --net x.nnue" + netHash + "?NNUEFile=x.nnue" + netHash + "&Debug Log File=x.nnue"},
	} {
		if got := identify(tt.spec); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.spec, got, tt.want)
		}
	}
	if identify("uci:"+quote.Word(one)) == identify("uci:"+quote.Word(other)) {
		t.Error("two programs with one name have the same identity")
	}
	was := identify("uci:" + quote.Word(other))
	setup.Check(t, os.Chtimes(program("c/engine", "six"), time.Time{}, time.Now().Add(time.Hour)))
	if identify("uci:"+quote.Word(other)) == was {
		t.Error("a changed program keeps its identity")
	}
	long := "uci:" + quote.Word(one) + " " + strings.Repeat("x", 2000)
	if a, b := identify(long+"a"), identify(long+"b"); a == b || len(a) > maxIdentity {
		t.Errorf("long names: %d and %d bytes, the same: %v", len(a), len(b), a == b)
	}
}

// An external engine with limits can still be started.
func TestForeignWithLimits(t *testing.T) {
	p := setup.Must(openText("uci:nodes=5:start=100ms:sh -c 'read x; exit 9'"))
	defer p.Close()
	s, ok := engine.As[engine.Starter](p)
	if !ok {
		t.Fatal("a limited player cannot be started")
	}
	if err := s.Start(); !errors.Is(err, uci.ErrStart) || !strings.Contains(err.Error(), "exit status 9") {
		t.Errorf("start: %v", err)
	}
}

// The names of files do not make players differ; their contents, arguments and settings do.
func TestSameProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"new": "#!/bin/sh", "old": "#!/bin/sh", "x.nnue": "net", "y.nnue": "net",
		"other": "#!/bin/false", "z.nnue": "another net"} {
		setup.Check(t, os.WriteFile(name, []byte(text), 0o777))
	}
	same := func(text string) string {
		t.Helper()
		spec := setup.Must(Parse(text))
		id, same, err := Identify(spec)
		if err != nil || spec.External() == (id == same) {
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

func TestWeightsName(t *testing.T) {
	for text, want := range map[string]string{
		"assay":                                 "assay",
		"assay:hash=1:nodes=700":                "assay",
		"assay:weights=shannon-1950":            "shannon-1950",
		"assay:depth=3:weights=a/b.json:hash=4": "a/b.json",
		`assay:weights=C:\w\gen2.json:hash=4`:   `C:\w\gen2.json`,
		"assay:weights=x.json:ReverseMargin=95": "x.json",
		"shannon-a:moves=2":                     "shannon-1950",
		"random":                                "",
		"uci:/usr/games/stockfish":              "",
	} {
		if spec, err := Parse(text); err != nil || WeightsName(spec) != want {
			t.Errorf("%s: %q, %v", text, WeightsName(spec), err)
		}
	}
	for _, text := range []string{"", "nobody", "assay:weights=x:weights=y", "assay:color=red", "assay:weights="} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestCheckPortable(t *testing.T) {
	for text, want := range map[string]string{
		"?Hash=16&Threads=1&Clear Hash": "",
		" --quiet":                      "arguments",
		"?Debug Log File=x":             "Debug Log File",
		"?SyzygyPath=x":                 "SyzygyPath",
		"?OwnBook=true&RookOpenFile=12": "",
		"?OwnBook=gm":                   "OwnBook",
		"?Style=/etc/passwd":            "Style",
		`?Hash=1&Style=..\autoexec`:     "Style",
	} {
		err := CheckPortable(toy.Spec("uci:/usr/games/engine" + text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if CheckPortable(toy.Spec("uci:engine"), options("BookFile", "x")...) == nil {
		t.Error("an option of a job may name a file")
	}
}

// An engine that was built from a commit is identified by what was built.
func TestIdentifyBuilt(t *testing.T) {
	for text, want := range map[string]string{
		"git:HEAD": "git:abc make",
		"git:nodes=500:HEAD~2?Hash=16&Use NNUE=false": "git:abc make?Hash=16&Use NNUE=false:nodes=500",
		"git:timeout=5s:v1.0^{}":                      "git:abc make",
		"git:main?Book='a & b'":                       "git:abc make?Book=a & b",
	} {
		if got := IdentifyBuilt(toy.Spec(text), "abc make"); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// realEngines are engines that Debian packages, by the name of the package. Toga and GNU
// Chess, which descend from Fruit, ignore a limit in nodes, and Glaurung may answer a small
// one with no move.
var realEngines = []struct {
	debian, spec string
	nodes        bool
}{
	{"stockfish", "uci:stockfish?Hash=4&Threads=1", true},
	{"glaurung", "uci:glaurung?Threads=1&OwnBook=false", false},
	{"toga2", "uci:toga2?OwnBook=false", false},
	{"gnuchess", "uci:gnuchess --uci?OwnBook=false", false},
	{"ethereal-chess", "uci:ethereal-chess?Hash=4", true},
}

// installed returns the specification with the program's full path and long timeouts.
// Debian's folder of games is not in every PATH.
func installed(t *testing.T, debian, spec string) engine.Spec {
	t.Helper()
	name := debian
	path, err := exec.LookPath(name)
	if err != nil {
		if path, err = exec.LookPath("/usr/games/" + name); err != nil {
			t.Skipf("%s is not installed: apt-get install %s", name, debian)
		}
	}
	return toy.Spec(strings.Replace(spec, name, path, 1)).WithTimeouts(10*time.Minute, 10*time.Minute)
}

// realLimits are the limits of the games; a soak adds limits in time.
var realLimits = []selfplay.Limits{{Nodes: 2000}, {Depth: 4}}

// Each real engine plays games without a fault: with limits in nodes and depth, and in
// Chess960 if it can. Limits in time are tested in soak_test.go.
func TestRealEngines(t *testing.T) {
	for _, e := range realEngines {
		t.Run(e.debian, func(t *testing.T) {
			spec := installed(t, e.debian, e.spec)
			p := setup.Must(Open(spec))
			us := setup.Must(Open(toy.Spec("assay:hash=1")))
			for i, lim := range realLimits {
				if lim.Nodes > 0 && !e.nodes {
					continue
				}
				job := selfplay.Job{Number: uint64(i), Limits: [2]selfplay.Limits{lim, lim},
					Players: [2]engine.Spec{spec, {Name: "assay"}}, Plies: 16}
				playFaultless(t, &job, [2]engine.Player{p, us})
			}
			if supports960(p) {
				job := selfplay.Job{Start: "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1", Plies: 24,
					Limits: [2]selfplay.Limits{{Depth: 5}, {Depth: 5}}, Players: [2]engine.Spec{{Name: "assay"}, spec}}
				playFaultless(t, &job, [2]engine.Player{us, p})
				job.Start = "" // and standard chess again
				playFaultless(t, &job, [2]engine.Player{us, p})
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if err := us.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func supports960(p engine.Player) bool {
	return p.SetOption("UCI_Chess960", "false") == nil
}

func playFaultless(t *testing.T, job *selfplay.Job, players [2]engine.Player) {
	t.Helper()
	r := setup.Must(selfplay.Play(t.Context(), job, players, false))
	if r.Fault != "" {
		t.Errorf("%+v: %s: %s", job.Limits[0], r.Termination, r.Fault)
	}
	foreign := 0
	if job.Players[0].Name == "assay" {
		foreign = 1
	}
	deep := 0
	for i := foreign; i < len(r.Depths); i += 2 {
		deep += int(r.Depths[i])
	}
	if deep == 0 || r.Nodes[foreign] == 0 {
		t.Errorf("%+v: depths %v, %d nodes: the engine's info lines are not parsed", job.Limits[0], r.Depths,
			r.Nodes[foreign])
	}
	if r.Termination == board.Checkmate && len(r.Moves) < 4 {
		t.Errorf("mated in %d plies", len(r.Moves))
	}
	t.Logf("%+v: %d plies, %s, depths %v, scores %v", job.Limits[0], len(r.Moves), r.Termination, r.Depths, r.Scores)
}
