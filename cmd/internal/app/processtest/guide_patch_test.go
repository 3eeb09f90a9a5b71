package processtest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/opts"
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

// TestGuideTestMyPatch runs the commands of the guide, with fewer and shorter games, in the
// repository of an engine.
func TestGuideTestMyPatch(t *testing.T) {
	r := newEngineRepo(t)
	if err := os.WriteFile("Makefile", []byte("EXE = toy\nall:\n\techo x >>\"$(BUILDS)\"\n\tcp engine.sh \"$(EXE)\"\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	r.git(t, "add", "Makefile")
	r.git(t, "commit", "--quiet", "-m", "Makefile")
	r.git(t, "checkout", "--quiet", "-b", "my-patch")
	r.commit(t, 2000, "Patch\n\nBench: 2000", "my patch")
	short := []string{"--games", "2", "--max-plies", "4", "--opening-score", "-1"}
	ran := 0
	for _, block := range guideBlocks(t, "test-my-patch") {
		if strings.HasPrefix(block, "on: ") {
			continue // .ci/action
		}
		if strings.HasPrefix(block, "build ") {
			setup.Check(t, os.WriteFile(opts.ProjectName, []byte(block), 0o666))
			continue
		}
		for line := range strings.Lines(block) {
			args := quotedFields(strings.TrimSpace(line))
			if args[0] != "assay" {
				t.Errorf("what is %q?", line)
				continue
			}
			ran++
			if args[1] == "match" {
				args = append(args, short...)
			}
			if at := strings.Index(line, " --serve "); at >= 0 {
				args = quotedFields(strings.TrimSpace(line[:at]))
				// by the clock, both sides measure their speed first
				run, url := startCoordinator(t, nil, "match", append(append(args[2:], short...), "--nodes", "20")...)
				worker := []string{url}
				for _, build := range regexp.MustCompile(`; ([^;]+), SHA-256`).FindAllStringSubmatch(run.stderr.String(), -1) {
					worker = append(worker, "--engine", build[1])
				}
				startWorker(t, nil, worker...)
				run.ends(exitDone)
				continue
			}
			code, stdout, stderr := call(t, args[1:]...)
			want := exitDone
			if strings.Contains(line, "--exit-status") {
				want = 4 // two games decide nothing
			}
			if code != want || strings.Contains(stderr, "has the same openings") {
				t.Errorf("%s: exit %d: %s%s", line, code, stdout, stderr)
			}
		}
	}
	if ran < 6 || r.built() != 3 {
		t.Errorf("%d commands, %d builds; want two commits and the working tree", ran, r.built())
	}
}
