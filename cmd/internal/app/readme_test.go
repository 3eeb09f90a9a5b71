//go:build readme

package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// TestReadmeRuns runs the commands of the README, as they are committed, in a fresh clone, with
// fewer games where a mark says so.
//
//	go test -tags readme ./cmd/internal/app -run TestReadmeRuns -v
func TestReadmeRuns(t *testing.T) {
	clone, bin := filepath.Join(t.TempDir(), "assay"), t.TempDir()
	if out, err := exec.Command("git", "clone", "--quiet", root, clone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := setup.Must(os.ReadFile(filepath.Join(clone, "README.md")))
	for _, b := range pageBlocks(string(text)) {
		var lines []string
		for _, line := range b.Text {
			lines = append(lines, readmeLine(b, line))
		}
		script := strings.TrimSpace(strings.Join(lines, "\n"))
		if script == "" {
			continue
		}
		start := time.Now()
		cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
		cmd.Dir = clone
		cmd.Env = append(os.Environ(), "GOBIN="+bin, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\n%v\n%s", script, err, out)
		}
		for _, line := range b.Output {
			if b.Mark == "" && !strings.Contains(timeless(string(out)), timeless(strings.TrimSuffix(line, "..."))) {
				t.Errorf("%s\ndoes not print %q, but\n%s", script, line, out)
			}
		}
		t.Logf("%3.0f s\n%s", time.Since(start).Seconds(), script)
	}
	reports, err := filepath.Glob(filepath.Join(clone, "runs", "*", "report.html"))
	if err != nil || len(reports) < 4 { // of learn, the games, the fit, the match
		t.Errorf("reports: %q %v", reports, err)
	}
}

// timeless replaces the seconds that stages took.
func timeless(text string) string {
	return regexp.MustCompile(` +[0-9]+\.[0-9] s `).ReplaceAllString(text, " N s ")
}
