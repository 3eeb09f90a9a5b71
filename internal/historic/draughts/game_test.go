package draughts

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

func perft(p *Position, depth int) (n int) {
	moves := p.Moves(nil)
	if depth == 1 {
		return len(moves)
	}
	for _, m := range moves {
		after := *p
		after.Make(m)
		n += perft(&after, depth-1)
	}
	return n
}

// The counts are the well-known ones of English draughts.
func TestPerft(t *testing.T) {
	for i, want := range []int{7, 49, 302, 1469, 7361, 36768, 179740, 845931} {
		p := Start()
		if got := perft(&p, i+1); got != want {
			t.Errorf("%d lines of %d moves, want %d", got, i+1, want)
		}
	}
}

// shift and slide agree with a computation by rows and columns.
func TestSquares(t *testing.T) {
	column := func(n int) int { return 2*(n%4) + 1 - n/4%2 }
	for n := range 32 {
		at := map[[2]int]int{}
		for m := range 32 {
			at[[2]int{m/4 - n/4, column(m) - column(n)}] = m
		}
		for d, step := range [directions][2]int{{1, -1}, {1, 1}, {-1, -1}, {-1, 1}} {
			want := uint32(0)
			if m, ok := at[step]; ok {
				want = 1 << m
			}
			if got := slide(1<<n, d); got != want {
				t.Errorf("square %d, direction %d: %08x, want %08x", n, d, got, want)
			}
		}
		if got, want := shift(1<<n, plus4)|shift(1<<n, plusSide), slide(1<<n, 0)|slide(1<<n, 1); got != want {
			t.Errorf("square %d down: %08x, want %08x", n, got, want)
		}
		if got, want := shift(1<<n, minus4)|shift(1<<n, minusSide), slide(1<<n, 2)|slide(1<<n, 3); got != want {
			t.Errorf("square %d up: %08x, want %08x", n, got, want)
		}
	}
}

// check returns an error if the words are not a possible position.
func check(p *Position) error {
	switch {
	case p.B&p.W != 0:
		return fmt.Errorf("draughts: squares %08X are occupied by both colors", p.B&p.W)
	case p.K&^(p.B|p.W) != 0:
		return fmt.Errorf("draughts: kings on empty squares %08X", p.K&^(p.B|p.W))
	case p.B&blackGoal&^p.K != 0 || p.W&whiteGoal&^p.K != 0:
		return fmt.Errorf("draughts: men on squares %08X should be kings", p.B&blackGoal&^p.K|p.W&whiteGoal&^p.K)
	}
	return nil
}

// The printed game is legal.
func TestPrintedGame(t *testing.T) {
	p, words := Start(), printedGame()
	for i, word := range words {
		m, err := p.Parse(word)
		if err != nil {
			t.Fatalf("ply %d: %v\n%+v", i+1, err, p)
		}
		p.Make(m)
		setup.Check(t, check(&p))
	}
	if len(words) != 67 || p.B != 0x80900000 || p.W != 0x12420000 || p.K != 0x80020000 {
		t.Errorf("the game ends after %d plies in B=%08X W=%08X K=%08X", len(words), p.B, p.W, p.K)
	}
}

// Best moves and values agree with an independent program. The machine's moves are among the best of its second
// strategy in all turns but the 26th, where it could gain a king. So the remarks hold that Strachey printed beside his
// game: in turn 6 "better than 5-21(9,17)", in 7 and 9 random moves of zero value, in 23 "sacrifice in order to get a
// King".
func TestReferenceChoices(t *testing.T) {
	var file struct {
		Moves []struct {
			Move    int
			B, W, K string
			Played  string
			Best    float64
			BestSet []string `json:"best_set"`
			N       int      `json:"n_legal"`
		}
	}
	data, err := os.ReadFile("testdata/strachey_strategy2.json")
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	setup.Check(t, err)
	if len(file.Moves) != 34 {
		t.Fatalf("%d turns", len(file.Moves))
	}
	for _, turn := range file.Moves {
		p := Position{B: word(t, turn.B), W: word(t, turn.W), K: word(t, turn.K)}
		if n := len(p.Moves(nil)); n != turn.N {
			t.Errorf("turn %d: %d moves, want %d", turn.Move, n, turn.N)
		}
		c, ok := Strategy2().Choose(&p, rand.New(rand.NewPCG(1, 2)))
		if m := setup.Must(p.Parse(turn.Played)); !ok || slices.Contains(c.Best, m) == (turn.Move == 26) {
			t.Errorf("turn %d: the best moves are %v, played is %s", turn.Move, c.Best, m)
		}
		var best []string
		for _, m := range c.Best {
			best = append(best, m.ends())
		}
		slices.Sort(best)
		slices.Sort(turn.BestSet)
		if gain := float64(c.Value-Strategy2().Value(&p)) / Man; gain != turn.Best || !slices.Equal(best, turn.BestSet) {
			t.Errorf("turn %d: %v gain %v, want %v gain %v", turn.Move, best, gain, turn.BestSet, turn.Best)
		}
	}
}

func word(t *testing.T, hex string) uint32 {
	t.Helper()
	n := setup.Must(strconv.ParseUint(hex, 16, 32))
	return uint32(n)
}

// The first strategy sacrifices man after man to delay a king that it cannot stop; the
// second does not. The position is ours, since the book's diagram is lost.
func TestPostponing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := Position{B: 1<<16 | 1<<19 | 1<<3, W: 1<<6 | 1<<27 | 1<<28 | 1<<31}
	c1, _ := Strategy1().Choose(&p, rng)
	c2, _ := Strategy2().Choose(&p, rng)
	offers := func(c Choice) bool {
		for _, m := range c.Best {
			after := p
			after.Make(m)
			reply := after.Moves(nil)
			if len(reply) == 0 || len(reply[0].Taken()) == 0 {
				return false
			}
		}
		return true
	}
	if !offers(c1) || offers(c2) {
		t.Errorf("the best moves are %v for the first strategy, %v for the second", c1.Best, c2.Best)
	}
}

func TestParseErrors(t *testing.T) {
	p := Start()
	for text, want := range map[string]string{"11-14": "not legal; the legal moves are 11-15 10-14", "": "not legal",
		"9": "not legal"} {
		if _, err := p.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	none := Position{W: 1 << 20}
	if _, ok := Strategy2().Choose(&none, nil); ok {
		t.Error("Choose finds a move for a side that has none")
	}
}

func TestPlay(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 9))
		start := Start()
		for range 8 {
			moves := start.Moves(nil)
			start.Make(moves[rng.IntN(len(moves))])
		}
		g := Play(start, Strategy1(), Strategy2(), rng)
		p := start
		for _, m := range g.Moves {
			p.Make(m)
			setup.Check(t, check(&p))
		}
		if over := len(p.Moves(nil)) == 0; over != (g.Result != 0.5) {
			t.Errorf("result %v, no move left: %v", g.Result, over)
		}
	}
}
