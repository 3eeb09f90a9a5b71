package search

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

var (
	wacTime    = flag.Duration("wac", 0, "let TestWAC search every position for so long, as in -wac 1s")
	wacWeights = flag.String("wac-weights", "assay", "weight file or embedded weights of TestWAC")
	wacSolved  = flag.Int("wac-solved", 0, "positions that TestWAC must solve")
)

// shared returns the path of a file of the data shared with the project, and skips
// the test where it is not there.
func shared(t testing.TB, path ...string) string {
	t.Helper()
	name := filepath.Join(append([]string{"..", "..", "..", "shared"}, path...)...)
	if _, err := os.Stat(name); err != nil {
		t.Skipf("shared data are absent: %v", err)
	}
	return name
}

// problem is one line of an EPD file of positions with best moves.
type problem struct {
	text string
	pos  board.Position
	best []board.Move
}

func problems(t *testing.T, path string) (list []problem) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		text := strings.TrimSpace(line)
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		_, moves, found := strings.Cut(text, " bm ")
		if !found {
			t.Fatalf("%s: no best move in %q", path, text)
		}
		x := problem{text: text, pos: position(t, strings.Join(fields[:4], " ")+" 0 1")}
		moves, _, _ = strings.Cut(moves, ";")
		for _, san := range strings.Fields(moves) {
			m, err := x.pos.ParseSAN(san)
			if err != nil {
				t.Fatalf("%s: %q: %v", path, text, err)
			}
			x.best = append(x.best, m)
		}
		list = append(list, x)
	}
	return list
}

// TestWAC counts the positions of Win at Chess (Reinfeld 1945) that are solved in a
// given time each: go test ./engine/search -run WAC -v -wac 1s. In the normal tests
// it looks at a few only, with a limit in nodes.
func TestWAC(t *testing.T) {
	list := problems(t, shared(t, "data", "suites", "wac.epd"))
	limit := engine.Limits{MoveTime: *wacTime}
	if *wacTime == 0 {
		list = list[:40]
		limit = engine.Limits{Nodes: 30_000, HardNodes: true}
	}
	solved := solve(t, list, limit)
	t.Logf("%d of %d solved", solved, len(list))
	if *wacTime == 0 && solved < 35 || solved < *wacSolved {
		t.Errorf("only %d of %d solved", solved, len(list))
	}
}

// solve returns how many of the problems two engines at a time solve.
func solve(t *testing.T, list []problem, limit engine.Limits) (solved int) {
	var wait sync.WaitGroup
	var lock sync.Mutex
	start := time.Now()
	for worker := range 2 {
		e := New(evaluator(t, *wacWeights), 64)
		wait.Go(func() {
			for i := worker; i < len(list); i += 2 {
				x := &list[i]
				if err := e.NewGame(0); err != nil {
					t.Error(err)
					return
				}
				r, err := e.Search(t.Context(), board.NewGame(x.pos), limit)
				lock.Lock()
				switch {
				case err != nil:
					t.Errorf("%s: %v", x.text, err)
				case slices.Contains(x.best, r.Move):
					solved++
				default:
					t.Logf("missed: %s: played %s (depth %d, score %d)", x.text, x.pos.SAN(r.Move), r.Depth, r.Score)
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	t.Logf("%v", time.Since(start).Round(time.Millisecond))
	return solved
}
