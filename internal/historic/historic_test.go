package historic

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

func TestBudgetNodes(t *testing.T) {
	for _, test := range []struct {
		lim  engine.Limits
		want uint64
	}{
		{engine.Limits{Nodes: 1, HardNodes: true}, 1},
		{engine.Limits{Nodes: 300, HardNodes: true}, 300},
		{engine.Limits{Nodes: 300}, 2400},
		{engine.Limits{Nodes: 1<<64 - 1}, 5000}, // no overflow
		{engine.Limits{}, 5000},
	} {
		b := NewBudget(context.Background(), board.White, test.lim)
		for range 5000 {
			b.Spend()
		}
		if b.Nodes() != test.want || b.Stopped() != (test.want < 5000) {
			t.Errorf("%+v: %d nodes, stopped %v", test.lim, b.Nodes(), b.Stopped())
		}
	}
}

func TestBudgetEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := NewBudget(ctx, board.White, engine.Limits{Nodes: 10})
	for range 9 {
		b.Spend()
	}
	if b.Enough() {
		t.Error("enough after 9 of 10 nodes")
	}
	b.Spend()
	if !b.Enough() || b.Stopped() {
		t.Error("a soft limit must prevent a new iteration, and not stop a running one")
	}
	cancel()
	for i := 0; b.Spend(); i++ {
		if i > pollNodes {
			t.Fatal("the search does not stop when the context ends")
		}
	}

	b = NewBudget(context.Background(), board.Black, engine.Limits{Clock: [2]time.Duration{time.Hour, time.Millisecond}})
	time.Sleep(2 * time.Millisecond)
	if b.Spend() {
		t.Error("Black's clock does not stop the search")
	}
	b = NewBudget(context.Background(), board.Black, engine.Limits{Ponder: true, MoveTime: time.Nanosecond, Depth: 3})
	if !b.Spend() || b.Enough() || b.Depth(6) != 3 || b.Depth(2) != 2 {
		t.Error("pondering must ignore the clock, and a depth limit only lowers the depth")
	}
}

func TestOptions(t *testing.T) {
	moves, book, style, text := 2, false, "plain", "x"
	options := Options{Number("Moves", &moves, 1, 5), Switch("Book", &book), Choice("Style", &style, "plain", "bold"),
		Text("File", func(s string) error {
			if s == "bad" {
				return errors.New("no such file")
			}
			text = s
			return nil
		})}
	want := []string{
		"option name Moves type spin default 2 min 1 max 5",
		"option name Book type check default false",
		"option name Style type combo default plain var plain var bold",
		"option name File type string default <empty>",
	}
	if got := options.Lines(); !slices.Equal(got, want) {
		t.Errorf("lines %q", got)
	}
	for _, s := range [][2]string{{"moves", "5"}, {"BOOK", "true"}, {"Style", "bold"}, {"file", "<empty>"}} {
		if err := options.Set(s[0], s[1]); err != nil {
			t.Error(err)
		}
	}
	for _, s := range [][3]string{
		{"Moves", "6", `option Moves: "6" is not a number from 1 to 5`},
		{"Moves", "two", "not a number"},
		{"Book", "yes", "neither true nor false"},
		{"Style", "wild", "not one of plain, bold"},
		{"File", "bad", "option File: no such file"},
		{"Speed", "1", `"Speed" is unknown; the options are moves, book, style, file`},
	} {
		if err := options.Set(s[0], s[1]); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), s[2]) {
			t.Errorf("%s=%s: error %v, want %s", s[0], s[1], err, s[2])
		}
	}
	if moves != 5 || !book || style != "bold" || text != "" {
		t.Errorf("values %d %v %s %q", moves, book, style, text)
	}
}

func TestLine(t *testing.T) {
	p := board.StartPosition()
	line := []board.Move{board.NewMove(12, 28), board.NullMove, board.NewMove(6, 21)} // e2e4, g1f3
	if got := Line(&p, line); got != "e4 -- Nf3" || Line(&p, nil) != "" {
		t.Errorf("line %q", got)
	}
}
