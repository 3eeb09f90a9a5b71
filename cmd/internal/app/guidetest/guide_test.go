package guidetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// guideBlocks returns the indented blocks of a guide: commands, and files.
func guideBlocks(t *testing.T, name string) (blocks []string) {
	t.Helper()
	code, page, stderr := call(t, "guide", name)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, block := range regexp.MustCompile(`(?m)(?:^    .*\n)+`).FindAllString(page, -1) {
		blocks = append(blocks, regexp.MustCompile(`(?m)^    `).ReplaceAllString(block, ""))
	}
	return blocks
}

// TestGuideDataWithMyEngine runs the commands of the guide with two short games.
func TestGuideDataWithMyEngine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the engine is a shell script")
	}
	t.Chdir(t.TempDir())
	setup.Check(t, os.WriteFile("my-engine", []byte("#!/bin/sh\nexec assay uci\n"), 0o777))
	short := strings.NewReplacer("--games 1000 ", "--games 2 --max-plies 60 ", "--games 100 ",
		"--games 2 --max-plies 60 ", "--games 20 ", "--games 2 --max-plies 60 ",
		"--nodes 5000", "--nodes 20", "50ms", "1ms")
	ran := 0
	for _, block := range guideBlocks(t, "data-with-my-engine") {
		for line := range strings.Lines(block) {
			ran++
			if out, err := exec.Command("sh", "-c", short.Replace(line)).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	}
	if info, err := os.Stat("train.bullet"); err != nil || info.Size() < 100 {
		t.Error(err)
	}
	if ran != 10 {
		t.Errorf("%d commands", ran)
	}
}

// withCompiler returns the C compiler and the folder of the header for C, and changes to an
// empty folder.
func withCompiler(t *testing.T) (cc, features string) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs a C compiler (on Debian: apt-get install gcc)")
	}
	if features, err = filepath.Abs("../../../../dataset/features"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	return cc, features
}

// TestGuideTuneMyEngine runs the commands of the guide on flint, to which every man is worth a
// pawn at the start: it ends with a stronger engine. The games are few and those of the embedded
// engine, which plays them faster: from the right values of the men the same takes five times as long.
func TestGuideTuneMyEngine(t *testing.T) {
	cc, features := withCompiler(t)
	source := setup.Must(os.ReadFile(filepath.Join(features, "testdata", "flint.c")))
	build := func(name string) {
		t.Helper()
		if out, err := exec.Command(cc, "-O2", "-I"+features, "-o", name, "engine.c").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	const men, pawns = "S(100, 100), S(300, 300), S(300, 300), S(500, 500), S(900, 900)",
		"S(100, 100), S(100, 100), S(100, 100), S(100, 100), S(100, 100)"
	head, rest, _ := strings.Cut(string(source), "static const int pst[")
	weights, tail, ok := strings.Cut(rest, "/* assay:end */")
	if !ok || !strings.Contains(head, men) {
		t.Fatal("flint.c has no weights")
	}
	weights = regexp.MustCompile(`S\(-?\d+, -?\d+\)`).ReplaceAllString(weights, "S(0, 0)")
	if err := os.WriteFile("engine.c", []byte(strings.Replace(head, men, pawns,
		1)+"static const int pst["+weights+"/* assay:end */"+tail), 0o666); err != nil {
		t.Fatal(err)
	}
	build("engine")
	short := strings.NewReplacer("--players uci:./engine --games 4000 --nodes 5000",
		"--games 400 --nodes 50 --hard-nodes --opening-nodes 50",
		"--sprt 0,10 --nodes 5000", "--games 20 --nodes 200")
	ran := 0
	for _, block := range guideBlocks(t, "tune-my-engine") {
		if !strings.HasPrefix(block, "assay ") {
			continue // what stands in the source
		}
		if strings.HasPrefix(block, "assay learn --engine ") {
			continue // of a repository: check_test.go has one
		}
		for line := range strings.Lines(block) {
			ran++
			if strings.Contains(line, " --check ") {
				build("tuned-engine")
			}
			code, stdout, stderr := call(t, quotedFields(strings.TrimSpace(short.Replace(line)))[1:]...)
			if code != exitDone {
				t.Fatalf("%s: exit %d: %s%s", line, code, stdout, stderr)
			}
			if strings.Contains(line, " tune ") && !strings.Contains(stdout, "Verdict: better") {
				t.Errorf("%s: %s", line, stdout)
			}
		}
	}
	code, _, stderr := call(t, "features", "--check", "tuned/weights.json", "--cmd", "./engine dump tuned/weights.json")
	if code != exitDone { // without a new build
		t.Errorf("assay_load: exit %d: %s", code, stderr)
	}
	var proof struct {
		Low float64 `json:"elo_lo"`
	}
	text, err := os.ReadFile("proof/result.json")
	if err == nil {
		err = json.Unmarshal(text, &proof)
	}
	if err != nil || ran != 8 || !(proof.Low > 0) {
		t.Errorf("%v, %d commands, at least %g Elo", err, ran, proof.Low)
	}
}

// TestGuideTuneMySearch runs the commands of the guide on flint, with a few short games.
func TestGuideTuneMySearch(t *testing.T) {
	cc, features := withCompiler(t)
	if out, err := exec.Command(cc, "-O2", "-I"+features, "-o", "engine",
		filepath.Join(features, "testdata", "flint.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	short := strings.NewReplacer("iterations     = 2000", "iterations     = 20", "nodes          = 2000",
		"nodes          = 100\nmax_plies      = 60", "validation     = 400", "validation     = 4",
		"--games 400 --nodes 2000", "--games 4 --nodes 100 --max-plies 60")
	ran := 0
	for _, block := range guideBlocks(t, "tune-my-search") {
		name := ""
		switch {
		case strings.HasPrefix(block, "ReduceFrom, "):
			name = "search.txt"
		case strings.HasPrefix(block, "player "):
			name = "search.toml"
		}
		if name != "" {
			setup.Check(t, os.WriteFile(name, []byte(short.Replace(block)), 0o666))
			continue
		}
		for line := range strings.Lines(block) {
			ran++
			code, stdout, stderr := call(t, quotedFields(strings.TrimSpace(short.Replace(line)))[1:]...)
			if code != exitDone {
				t.Fatalf("%s: exit %d: %s%s", line, code, stdout, stderr)
			}
			if strings.Contains(line, "--out tuned") &&
				!regexp.MustCompile(`(?m)^the answer as OpenBench reads it .*:\nReduceFrom, int, \d+, 1, 40, 4, 0.02\nFutilityMargin, int, \d+, 20, 1000, 80, 0.02\nDeltaMargin, int, `).MatchString(stdout) {
				t.Errorf("no answer in\n%s", stdout)
			}
		}
	}
	var tuned struct {
		Games      int `json:"games"`
		Parameters []struct {
			Start, Value float64
		} `json:"parameters"`
		Validation *struct {
			Games int `json:"games"`
		} `json:"validation"`
	}
	text, err := os.ReadFile("tuned/result.json")
	if err == nil {
		err = json.Unmarshal(text, &tuned)
	}
	if err != nil || ran != 2 || tuned.Games != 40 || tuned.Validation == nil || tuned.Validation.Games != 4 ||
		len(tuned.Parameters) != 3 || tuned.Parameters[0].Start != 20 || tuned.Parameters[0].Value == 20 {
		t.Errorf("%v, %d commands, %s", err, ran, text)
	}
}
