package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-chess/assay/tuner/gameloop"
)

// TestGuideYourOwnGame follows the guide from an empty folder, with fewer games. The clone is this tree.
func TestGuideYourOwnGame(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a shell")
	}
	tree, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	_, page, _ := call(t, "guide", "your-own-game")
	source := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(page)
	if source == nil {
		t.Fatal("the guide has no program")
	}
	if n := strings.Count(source[1], "\n"); n > 150 {
		t.Errorf("the game takes %d lines", n)
	}
	short := strings.NewReplacer("plan.Games, plan.FinalGames = 500, 500", "plan.Games, plan.FinalGames, plan.GateGames = 100, 60, 60")
	script := []string{"set -e"}
	for _, line := range strings.Split(strings.Join(guideBlocks(t, "your-own-game"), ""), "\n") {
		switch {
		case strings.HasPrefix(line, "git clone "):
			continue
		case strings.HasPrefix(line, "go work init "):
			// Not a link to the tree: for files of another path the compiler would run again.
			line = strings.ReplaceAll(line, "../assay", "'"+tree+"'")
		case line == "go run .":
			if err := os.WriteFile("main.go", []byte(short.Replace(source[1])), 0o666); err != nil {
				t.Fatal(err)
			}
			line = "cp ../main.go .\n" + line
		}
		script = append(script, line)
	}
	cmd := exec.Command("sh", "-c", strings.Join(script, "\n"))
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -ldflags=-w")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "against the start weights, 30 pairs on fresh openings: Elo ") {
		t.Fatalf("%v\n%s", err, out)
	}
	var r gameloop.Result
	text, err := os.ReadFile("connectfour/runs/first/result.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil || !(float64(r.Final.EloLo) > 0) || r.Terms[2].MG <= 0 {
		t.Errorf("%v, %+v", err, r.Final)
	}
	report, err := os.ReadFile("connectfour/runs/first/report.html")
	if err != nil || !strings.Contains(string(report), " a b c d e f g\n") || !strings.Contains(string(report), "Elo over the generations") {
		t.Errorf("the report has no board or no Elo: %v", err)
	}
}
