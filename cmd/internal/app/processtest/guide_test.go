package processtest

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

// TestGuideTuneMyEngine runs the commands of the guide on flint as its author has it: without the two files, which are
// written. A run of an hour is left out: TestLearnEngine has one. The engine plays with a third of the nodes that it is
// given.
func TestGuideTuneMyEngine(t *testing.T) {
	f := newFlint(t, `number_after(line, "nodes ")`, `number_after(line, "nodes ") / 3`)
	f.git("rm", "--quiet", "assay.toml", "assay.c")
	f.git("commit", "--quiet", "-m", "without what assay needs")
	var ran []string
	for _, block := range guideBlocks(t, "tune-my-engine") {
		if strings.Contains(block, "--hours") {
			continue
		}
		ran = append(ran, strings.TrimSpace(block))
		code, stdout, stderr := call(t, strings.Fields(block)[1:]...)
		if code != exitDone || !strings.Contains(stdout, "a run plays:") {
			t.Fatalf("%s: exit %d: %s%s", block, code, stdout, stderr)
		}
	}
	if len(ran) != 2 || ran[0] != "assay init" {
		t.Errorf("the guide's commands are %q", ran)
	}
}

// TestGuideTuneMySearch runs the commands of the guide on flint, with a few short games.
func TestGuideTuneMySearch(t *testing.T) {
	from := flintFolder(t)
	t.Chdir(t.TempDir())
	if out, err := exec.Command("cc", "-O2", "-o", "engine", filepath.Join(from, "flint.c")).CombinedOutput(); err != nil {
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
