package opening

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine/board"
)

// TestMain is also the engine that the tests ask for openings, by the word after "engine".
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "engine" && os.Args[4] == "quit" {
		genfensEngine(os.Args[2], os.Args[3])
		return
	}
	os.Exit(m.Run())
}

// genfensEngine prints openings of its own, or does something wrong.
func genfensEngine(how, request string) {
	var n int
	var seed uint64
	var book string
	if _, err := fmt.Sscanf(request, "genfens %d seed %d book %s", &n, &seed, &book); err != nil {
		panic(err)
	}
	fmt.Println("Engine 1.0 by no one")
	r, err := NewRandom(6, seed)
	if err != nil {
		panic(err)
	}
	for i := range n {
		g, err := r.Propose(uint64(i), 1)
		if err != nil {
			panic(err)
		}
		fen := g.Position().FEN()
		switch {
		case how == "illegal" && i == 2:
			fen = "8/8/8/8/8/8/8/8 w - - 0 1"
		case how == "over" && i == 2:
			fen = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
		case how == "few" && i == 3:
			fmt.Fprintln(os.Stderr, "out of ideas")
			os.Exit(3)
		case how == "same":
			fen = board.StartFEN
		case how == "silent" && i == 2:
			time.Sleep(time.Minute)
		case how == "book" && i == 0:
			fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 " + strings.TrimPrefix(book, "b")
		}
		if how == "talk" {
			fmt.Println("info string nothing")
			continue
		}
		fmt.Println("info string genfens", fen)
	}
	if how == "stays" { // although it was told to quit
		time.Sleep(time.Minute)
	}
}

func genfensOf(t *testing.T, how string) *Genfens {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Genfens{Command: []string{self, "engine", how}}
}

func TestGenfens(t *testing.T) {
	t.Parallel()
	one, err := genfensOf(t, "good").Ask(t.Context(), 50, 7)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := genfensOf(t, "stays").Ask(t.Context(), 50, 7); err != nil || !slices.Equal(one, again) {
		t.Errorf("the same seed: %v, %q", err, again)
	}
	other, err := genfensOf(t, "good").Ask(t.Context(), 50, 8)
	if err != nil || slices.Equal(one, other) {
		t.Errorf("another seed: %v, %q", err, other)
	}
	seen := map[string]bool{}
	for _, fen := range one {
		if p, err := board.ParseFEN(fen); err != nil || p.FEN() != fen || seen[fen] {
			t.Errorf("%q: %v, twice: %v", fen, err, seen[fen])
		}
		seen[fen] = true
	}
	if len(one) != 50 {
		t.Errorf("%d openings", len(one))
	}
	g := genfensOf(t, "book")
	g.Book = "b77"
	if list, err := g.Ask(t.Context(), 2, 1); err != nil || list[0] != "4k3/8/8/8/8/8/4P3/4K3 w - - 0 77" {
		t.Errorf("with a book: %v, %q", err, list)
	}
}

// What an engine does wrong is said.
func TestGenfensErrors(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"illegal": `opening 3: "8/8/8/8/8/8/8/8 w - - 0 1": `,
		"over":    "opening 3: \"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\": the game is over: stalemate",
		"few":     `3 after "genfens 38 seed 1 book None", 3 of them different, but 20 are needed; it ended with exit status 3; its last words: out of ideas`,
		"same":    `38 after "genfens 38 seed 1 book None", 1 of them different, but 20 are needed`,
		"talk":    `no line "info string genfens FEN" after "genfens 38 seed 1 book None"`,
		"silent":  ` of 38 after "genfens 38 seed 1 book None", then nothing for 2s`,
	} {
		g := genfensOf(t, how)
		if how == "silent" {
			g.Timeout = 2 * time.Second
		}
		if _, err := g.Ask(t.Context(), 20, 1); !errors.Is(err, errGenfens) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", how, err, want)
		}
	}
	if _, err := (&Genfens{Command: []string{"./no-such-engine"}}).Ask(t.Context(), 1, 1); !errors.Is(err, errGenfens) ||
		!errors.Is(err, os.ErrNotExist) {
		t.Errorf("no engine: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := genfensOf(t, "good").Ask(ctx, 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
