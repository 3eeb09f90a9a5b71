package historic

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
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
	options := Base{[]Option{Number("Moves", &moves, 1, 5), Switch("Book", &book),
		Choice("Style", &style, "plain", "bold"), Text("File", func(s string) error {
			if s == "bad" {
				return errors.New("no such file")
			}
			text = s
			return nil
		})}}
	want := []string{
		"option name Moves type spin default 2 min 1 max 5",
		"option name Book type check default false",
		"option name Style type combo default plain var plain var bold",
		"option name File type string default <empty>",
	}
	if got := options.Options(); !slices.Equal(got, want) {
		t.Errorf("lines %q", got)
	}
	for _, s := range [][2]string{{"moves", "5"}, {"BOOK", "true"}, {"Style", "bold"}, {"file", "<empty>"}} {
		if err := options.SetOption(s[0], s[1]); err != nil {
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
		if err := options.SetOption(s[0], s[1]); err == nil || !strings.Contains(err.Error(), s[2]) {
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

func TestBook(t *testing.T) {
	b := setup.Must(ParseBook("# a comment\n\nKing's pawn: e4 e5 Nf3\nQueen's pawn: d4\nagain: e4 c5"))
	p := board.StartPosition()
	list, count := p.LegalMoves(nil), map[string]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		m, ok := b.Move(&p, list, rng)
		if !ok {
			t.Fatal("no move in the start position")
		}
		count[p.SAN(m)]++
	}
	// Two of three lines play e4.
	if len(count) != 2 || count["e4"] < 1800 || count["e4"] > 2200 {
		t.Errorf("moves played %v", count)
	}
	if m, ok := b.Move(&p, []board.Move{board.NewMove(6, 21)}, rng); ok {
		t.Errorf("%v is not in the list of allowed moves", m)
	}
	for text, want := range map[string]string{"x: e4 e5 Ke3": "line 1, x: move 2", "\ne4 e5": "line 2"} {
		if _, err := ParseBook(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// The games that the papers print are legal. Their final positions are as from an
// independent program, and they end in checkmate where the paper says so.
func TestPrintedGames(t *testing.T) {
	var file struct {
		Games []struct {
			PrintedGame
			Final string
			Plies int
			Mate  bool
		}
	}
	setup.Check(t, json.Unmarshal(gamesText, &file))
	for i, g := range file.Games {
		if PrintedGames()[i] != g.PrintedGame || (g.Side == "white" || g.Side == "black") != (g.Program != "") {
			t.Errorf("%+v", g.PrintedGame)
		}
		game := board.NewGame(board.StartPosition())
		for _, uci := range strings.Fields(g.Moves) {
			if _, _, over := game.Outcome(); over {
				t.Errorf("%s is over before %s", g.Name, uci)
			}
			m, err := game.Position().ParseUCI(uci)
			if err != nil {
				t.Fatalf("%s, ply %d: %v", g.Name, len(game.Moves())+1, err)
			}
			game.Push(m)
		}
		if n := len(game.Moves()); n != g.Plies {
			t.Errorf("%s has %d plies, want %d", g.Name, n, g.Plies)
		}
		if fen := game.Position().FEN(); fen != g.Final {
			t.Errorf("%s ends with %s, want %s", g.Name, fen, g.Final)
		}
		if _, why, _ := game.Outcome(); (why == board.Checkmate) != g.Mate {
			t.Errorf("%s ends by %q, want checkmate: %v", g.Name, why, g.Mate)
		}
	}
	if len(file.Games) != 8 {
		t.Errorf("%d games, want 8", len(file.Games))
	}
}

// figure is a tree as the papers draw it: named nodes, with vectors as the values of the
// leaves. The first component of a vector dominates, as in the paper of Newell, Shaw and
// Simon.
type figure struct {
	branches map[string][]string
	values   map[string][]float64
	played   []string
	limit    int // number of moves after which Play stops the search
}

func (d *figure) Expand(n *string, _ int) ([]string, []float64, bool) {
	v, standPat := d.values[*n]
	return d.branches[*n], v, standPat
}

func (d *figure) Play(_ *string, m string) (string, bool) {
	if len(d.played) == d.limit {
		return "", false
	}
	d.played = append(d.played, m)
	return m, true
}

func (d *figure) Better(a, b []float64) bool { return slices.Compare(a, b) > 0 }

// The figures whose values the papers give. Shannon 1950, section 4, fig. 2: the three moves
// have the values +.1, -7 and -6 (the other replies are ours). Newell, Shaw and Simon 1958,
// fig. 2: the first move draws and the others lose; fig. 4: the analysis of a move that
// leads to P1.
func TestMinimaxOfFigures(t *testing.T) {
	shannon := &figure{branches: map[string][]string{
		"": {"1", "2", "3"}, "1": {"1a", "1b", "1c"}, "2": {"2a", "2b", "2c"}, "3": {"3a", "3b", "3c"},
	}, values: map[string][]float64{
		"1a": {0.5}, "1b": {0.1}, "1c": {3}, "2a": {-7}, "2b": {0.2}, "2c": {-1}, "3a": {8}, "3b": {-5}, "3c": {-6},
	}}
	nss2 := &figure{branches: map[string][]string{
		"": {"1", "2", "3"}, "1": {"a", "b"}, "2": {"c", "d"}, "3": {"e", "f"},
	}, values: map[string][]float64{"a": {0}, "b": {0}, "c": {-1}, "d": {-1}, "e": {1}, "f": {-1}}}
	figure4 := func(p3 ...string) *figure {
		return &figure{branches: map[string][]string{"P1": {"P2", "P3"}, "P3": p3},
			values: map[string][]float64{"P2": {4, 3, 1}, "P4": {2, 8, 1}, "P5": {4, 7, 3}}}
	}
	for _, test := range []struct {
		name   string
		tree   *figure
		root   string
		max    bool
		want   []float64
		line   string
		played string
	}{
		{"Shannon 2", shannon, "", true, []float64{0.1}, "1 1b", "1 1a 1b 1c 2 2a 3 3a 3b"},
		{"NSS 2", nss2, "", true, []float64{0}, "1 a", "1 a b 2 c 3 e f"},
		{"NSS 4", figure4("P4", "P5"), "P1", false, []float64{4, 3, 1}, "P2", "P2 P3 P4 P5"},
		{"NSS 4, P3", figure4("P4", "P5"), "P3", true, []float64{4, 7, 3}, "P5", "P4 P5"},
		// "If P5 had been generated prior to P4 no further moves would have been generated."
		{"NSS 4, P5 first", figure4("P5", "P4"), "P1", false, []float64{4, 3, 1}, "P2", "P2 P3 P5"},
	} {
		test.tree.limit = 1000
		v, line, ok := Minimax(test.tree, &test.root, 0, test.max, nil, nil)
		if !ok || !slices.Equal(v, test.want) || strings.Join(line, " ") != test.line {
			t.Errorf("%s: %v by %v, want %v by %s", test.name, v, line, test.want, test.line)
		}
		if strings.Join(test.tree.played, " ") != test.played {
			t.Errorf("%s: searched %v, want %s", test.name, test.tree.played, test.played)
		}
	}
}

// On random trees, in which some inner nodes allow standing pat, Minimax agrees with its
// definition.
func TestMinimaxAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cut := 0
	for range 500 {
		d := &figure{branches: map[string][]string{}, values: map[string][]float64{}, limit: 1 << 30}
		grow(d, "", 5, rng)
		root, max := "", rng.IntN(2) == 0
		want := define(d, root, max)
		v, line, ok := Minimax(d, &root, 0, max, nil, nil)
		if !ok || !slices.Equal(v, want) {
			t.Fatalf("value %v, want %v", v, want)
		}
		// The line must end at a node with the value.
		end := ""
		if len(line) > 0 {
			end = line[len(line)-1]
		}
		if !slices.Equal(d.values[end], want) {
			t.Fatalf("the line %v does not end at %v", line, want)
		}
		if len(d.played) < len(d.branches)+len(d.values) {
			cut++
		}
		// If the search is stopped, ok must be false.
		d.limit, d.played = len(d.played)-1, nil
		if _, _, ok := Minimax(d, &root, 0, max, nil, nil); ok && d.limit >= 0 {
			t.Fatal("a stopped search returns ok")
		}
	}
	if cut < 100 {
		t.Errorf("only %d of 500 trees were cut", cut)
	}
}

func grow(d *figure, n string, depth int, rng *rand.Rand) {
	branches := rng.IntN(4)
	if depth == 0 || branches == 0 || rng.IntN(3) == 0 {
		d.values[n] = []float64{float64(rng.IntN(5)), float64(rng.IntN(3))}
	}
	if depth == 0 {
		return
	}
	for i := range branches {
		child := n + string(rune('a'+i))
		d.branches[n] = append(d.branches[n], child)
		grow(d, child, depth-1, rng)
	}
}

func define(d *figure, n string, max bool) []float64 {
	best := d.values[n]
	for _, child := range d.branches[n] {
		v := define(d, child, !max)
		if best == nil || max && d.Better(v, best) || !max && d.Better(best, v) {
			best = v
		}
	}
	return best
}
