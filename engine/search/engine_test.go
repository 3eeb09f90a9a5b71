package search

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/setup"
)

func TestOptions(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	limit := strconv.Itoa(maxHashMB())
	for _, o := range [][2]string{{"Hash", "2"}, {"hash", "1"}, {"Clear Hash", ""},
		{"Move Overhead", "0"}, {"move overhead", "5000"}} {
		if err := e.SetOption(o[0], o[1]); err != nil {
			t.Errorf("%v: %v", o, err)
		}
	}
	for _, o := range [][2]string{
		{"Hash", "0"}, {"Hash", limit + "0"}, {"Hash", "many"}, {"Hash", "99999999999999999999"}, {"Hash", "-1"},
		{"Hash", ""},
		{"Move Overhead", "-1"}, {"Move Overhead", "5001"}, {"Move Overhead", "1.5"}, {"", ""},
	} {
		before, overhead := len(e.table.buckets), e.overhead
		if err := e.SetOption(o[0], o[1]); !errors.Is(err, ErrOption) {
			t.Errorf("%v: error %v, want ErrOption", o, err)
		}
		if len(e.table.buckets) != before || e.overhead != overhead {
			t.Errorf("%v changed the engine, though it is refused", o)
		}
	}
	if !slices.Contains(e.Options(), "option name Hash type spin default 16 min 1 max "+limit) {
		t.Errorf("options %q lack the maximum of Hash, %s", e.Options(), limit)
	}
	// The maximum leaves some of the machine's memory.
	if mb := int(machine.Memory() >> 20); mb > 0 && maxHashMB() >= mb {
		t.Errorf("a hash of %d MB on a machine of %d MB", maxHashMB(), mb)
	}
}

func TestHash(t *testing.T) {
	e := New(evaluator(t, "assay-start"), 1)
	size := func() int { return len(e.table.buckets) * bucketSize * 16 }
	g := board.NewGame(position(t, middlegame))
	for _, mb := range []int{1, 7, 3, 1, 1} {
		run(t, e, g, engine.Limits{Nodes: 5000})
		if err := e.SetOption("Hash", strconv.Itoa(mb)); err != nil || size() != mb<<20 || e.table.full() != 0 {
			t.Errorf("Hash %d: %v, %d bytes, %d per mille full", mb, err, size(), e.table.full())
		}
	}
	p := g.Position()
	run(t, e, g, engine.Limits{Nodes: 50000})
	if _, found := e.table.probe(p.Key()); !found || e.table.full() == 0 {
		t.Errorf("the root is not in the table after a search: %v, %d per mille full", found, e.table.full())
	}
	setup.Check(t, e.SetOption("Clear Hash", ""))
	if _, found := e.table.probe(p.Key()); found || e.table.full() != 0 {
		t.Errorf("the root is in the table after it was cleared: %v, %d per mille full", found, e.table.full())
	}
}

func TestSetEvaluator(t *testing.T) {
	g := board.NewGame(position(t, middlegame))
	answer := func(e *Engine) string {
		setup.Check(t, e.NewGame(0))
		return answerOf(run(t, e, g, engine.Limits{Nodes: 5000}))
	}
	e := New(evaluator(t, "shannon-1950"), 1)
	old, want := answer(e), answer(New(evaluator(t, "assay-start"), 1))
	e.SetEvaluator(evaluator(t, "assay-start"))
	if got := answer(e); got != want || got == old {
		t.Errorf("with other weights %s, want %s; with the old ones %s", got, want, old)
	}
}

// answerOf describes an answer, without its time.
func answerOf(r engine.Result) string {
	return fmt.Sprintf("%v %d depth %d nodes %d pv %v", r.Move, r.Score, r.Depth, r.Nodes, r.PV)
}
