package opening

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const threeLines = `# three openings, one of them twice
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2;

rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 5 9
rnbqkbnr/pp1ppppp/8/2p5/2P5/8/PP1PPPPP/RNBQKBNR w KQkq -
`

func writeBook(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, spec Spec, seed uint64) *book {
	t.Helper()
	source, err := spec.Open(seed)
	if err != nil {
		t.Fatal(err)
	}
	return source.(*book)
}

// all returns the FENs of all openings in their order.
func all(t *testing.T, b *book) (list []string) {
	t.Helper()
	for n := range b.Len() {
		game, err := b.Propose(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, game.Position().FEN())
	}
	return list
}

func TestBookInOrder(t *testing.T) {
	path := writeBook(t, "three.epd", threeLines)
	b := load(t, Spec{Book: path}, 1)
	want := []string{
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
		"rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2",
		"rnbqkbnr/pp1ppppp/8/2p5/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 0 1",
	}
	if got := all(t, b); !slices.Equal(got, want) {
		t.Errorf("openings %q, want %q", got, want)
	}
	if got := all(t, load(t, Spec{Book: path, Skip: 2}, 1)); !slices.Equal(got, want[2:]) {
		t.Errorf("after two: %q, want %q", got, want[2:])
	}
	d := b.Describe()
	if d.Book != "three.epd" || d.Lines != 3 || d.Order != "sequential" || len(d.SHA256) != 64 {
		t.Errorf("described as %+v", d)
	}
}

func TestBookAtRandom(t *testing.T) {
	path := writeBook(t, "three.epd", threeLines)
	sorted := slices.Sorted(slices.Values(all(t, load(t, Spec{Book: path}, 0))))
	orders := map[string]bool{}
	for seed := range uint64(100) {
		got := all(t, load(t, Spec{Book: path, Random: true}, seed))
		if again := all(t, load(t, Spec{Book: path, Random: true}, seed)); !slices.Equal(got, again) {
			t.Fatalf("seed %d gives two orders", seed)
		}
		orders[strings.Join(got, "\n")] = true
		if slices.Sort(got); !slices.Equal(got, sorted) {
			t.Fatalf("seed %d: openings %q", seed, got)
		}
	}
	if len(orders) != 6 {
		t.Errorf("%d orders of three threeLines, want 6", len(orders))
	}
}

const games = `[Event "one"]
[Result "*"]

1. e4 e5 2. Nf3 *

[Event "the same position by other moves"]
[Result "*"]

1. Nf3 e5 2. e4 *

[Event "from another start"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[SetUp "1"]
[Result "1-0"]

1. e4 Kd7 1-0
`

func TestBookOfGames(t *testing.T) {
	b := load(t, Spec{Book: writeBook(t, "games.PGN", games)}, 1)
	want := []string{
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
		"8/3k4/8/8/4P3/8/8/4K3 w - - 1 2",
	}
	if got := all(t, b); !slices.Equal(got, want) {
		t.Errorf("openings %q, want %q", got, want)
	}
	game, err := b.Propose(0, 1)
	if err != nil || len(game.Moves()) != 3 {
		t.Errorf("the first opening has the moves %v, error %v", game.Moves(), err)
	}
	_, err = Spec{Book: writeBook(t, "bad.pgn", games+"\n[Event \"x\"]\n\n1. e5 *\n")}.Open(1)
	if !errors.Is(err, errBook) || !strings.Contains(err.Error(), "bad.pgn:20") {
		t.Errorf("error %v, want one that names line 20", err)
	}
}

func TestBookRunsOut(t *testing.T) {
	b := load(t, Spec{Book: writeBook(t, "three.epd", threeLines)}, 1)
	if _, err := b.Propose(3, 1); !errors.Is(err, ErrExhausted) || !strings.Contains(err.Error(), "three.epd") {
		t.Errorf("error %v, want ErrExhausted that names the book", err)
	}
	if _, err := b.Propose(0, 2); err == nil {
		t.Error("a line has a second try")
	}
}

func TestFilesThatAreNotBooks(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"empty":      {"\n# nothing\n", "no openings"},
		"a bad line": {threeLines + "rnbqkbnr/8/8 w - -\n", "bad.epd:7"},
		"prose":      {"e4 is best by test\n", "bad.epd:1"},
		"mate":       {"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1\n", "bad.epd:1"},
	} {
		_, err := Spec{Book: writeBook(t, "bad.epd", c.text)}.Open(1)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
	path := writeBook(t, "three.epd", threeLines)
	for name, spec := range map[string]Spec{
		"all skipped":     {Book: path, Skip: 3},
		"book and chance": {Book: path, Plies: 8},
		"order of chance": {Random: true},
	} {
		if _, err := spec.Open(1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The games of a book end where the spec says. Shorter ones stay; of two with one beginning the first counts; a
// game that is over by then is left out. Without a number, whole games are refused by name.
func TestBookPlies(t *testing.T) {
	const mate = "\n[Event \"mate\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n"
	path := writeBook(t, "games.pgn", games+mate)
	b := load(t, Spec{Book: path, BookPlies: 2}, 1)
	want := []string{
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
		"rnbqkbnr/pppp1ppp/8/4p3/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2",
		"8/3k4/8/8/4P3/8/8/4K3 w - - 1 2",
		"rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
	}
	if got := all(t, b); !slices.Equal(got, want) || b.Describe().BookPlies != 2 {
		t.Errorf("openings %q, want %q; described as %+v", got, want, b.Describe())
	}
	if got := all(t, load(t, Spec{Book: path, BookPlies: 4}, 1)); len(got) != 2 {
		t.Errorf("openings %q, want two: one is twice, one is over", got)
	}
	long := "[Event \"long\"]\n\n"
	for _, pair := range strings.Fields("3,6 4,5") {
		white, black, _ := strings.Cut(pair, ",")
		for _, file := range strings.Split("cdefgh", "") { // 72 plies, no position three times
			long += file + white + " " + file + black + " Na3 Na6 Nb1 Nb8 "
		}
	}
	for name, text := range map[string]string{"over": games + mate, "long": long + "*\n"} {
		_, err := Spec{Book: writeBook(t, "whole.pgn", text)}.Open(1)
		if !errors.Is(err, ErrWholeGames) || !errors.Is(err, errBook) || !strings.Contains(err.Error(), "whole.pgn:") {
			t.Errorf("%s: error %v, want one that says that these are whole games", name, err)
		}
	}
	if _, err := (Spec{Book: writeBook(t, "three.epd", threeLines), BookPlies: 2}).Open(1); !errors.Is(err, errBook) {
		t.Errorf("a list of positions with plies: %v", err)
	}
	if _, err := (Spec{BookPlies: 2}).Open(1); err == nil {
		t.Error("plies of a book without a book")
	}
}
