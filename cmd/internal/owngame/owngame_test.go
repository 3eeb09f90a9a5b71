package owngame

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/data"
	"github.com/assay-chess/assay/cmd/internal/runs"
	"github.com/assay-chess/assay/tuner/gameloop"
)

// The program of the guide is the one that the other test runs, apart from its package and the number of games.
func TestGuideHasThisProgram(t *testing.T) {
	page, err := os.ReadFile("../../assay/guide/your-own-game.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("connectfour_test.go")
	if err != nil {
		t.Fatal(err)
	}
	source := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(page)
	if source == nil {
		t.Fatal("the guide has no program")
	}
	if n := strings.Count(string(source[1]), "\n"); n > 150 {
		t.Errorf("the game takes %d lines", n)
	}
	short := strings.NewReplacer("package main\n", "package owngame\n",
		"plan.Games, plan.FinalGames = 500, 500", "plan.Games, plan.FinalGames, plan.GateGames = 100, 60, 60")
	if short.Replace(string(source[1])) != string(program) {
		t.Error("connectfour_test.go differs from the guide: copy the guide's program, with fewer games")
	}
}

// The program learns, and assay report and assay data verify read what it wrote.
func TestYourOwnGame(t *testing.T) {
	t.Chdir(t.TempDir())
	main()
	var r gameloop.Result
	text, err := os.ReadFile(filepath.Join("runs", "first", "result.json"))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil || !(float64(r.Final.EloLo) > 0) || r.Terms[2].MG <= 0 {
		t.Errorf("%v, %+v", err, r.Final)
	}
	page := runs.WriteReport(filepath.Join("runs", "first"), io.Discard)
	report, err := os.ReadFile(page)
	for _, says := range []string{" a b c d e f g\n", "Elo over the generations"} {
		if err != nil || !strings.Contains(string(report), says) {
			t.Errorf("the report has no %q: %v", says, err)
		}
	}
	verify := data.New()
	verify.SetArgs([]string{"verify", "runs/first/gen-1/games"})
	verify.SetOut(io.Discard)
	if err := verify.Execute(); err != nil {
		t.Error(err)
	}
}
