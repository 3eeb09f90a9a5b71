package search

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// problem is a position with its best moves.
type problem struct {
	text string
	pos  board.Position
	best []board.Move
}

// problems reads an EPD file of positions with best moves.
func problems(t *testing.T, path string) (list []problem) {
	data := setup.Must(os.ReadFile(path))
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

// TestWAC searches some positions of Win at Chess (Reinfeld 1945) with a limit in nodes.
// Experiments search all of them with a limit in time.
func TestWAC(t *testing.T) {
	solved := solve(t, "assay", problems(t, "testdata/wac.epd")[:40], engine.Limits{Nodes: 30_000, HardNodes: true})
	if solved < 35 {
		t.Errorf("only %d of 40 solved", solved)
	}
}

// solve returns how many of the problems are solved by two engines at a time.
func solve(t *testing.T, weights string, list []problem, limit engine.Limits) (solved int) {
	t.Helper()
	var wait sync.WaitGroup
	var lock sync.Mutex
	for worker := range 2 {
		e := New(evaluator(t, weights), 64)
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
	t.Logf("%d of %d solved", solved, len(list))
	return solved
}
