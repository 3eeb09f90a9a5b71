package opening

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
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
	setup.Check(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func load(t *testing.T, spec Spec, seed uint64) *book {
	t.Helper()
	source := setup.Must(spec.Open(t.Context(), seed))
	return source.(*book)
}

// all returns the FENs of all openings in their order.
func all(t *testing.T, b *book) (list []string) {
	t.Helper()
	for n := range b.Len() {
		game := setup.Must(b.Propose(n, 1))
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

func TestBooksAsTheyAre(t *testing.T) {
	text := "\ufeff" + strings.ReplaceAll(threeLines, "\n", "\r\n")
	if b := load(t, Spec{Book: writeBook(t, "dos.epd", text)}, 1); b.Len() != 3 {
		t.Errorf("%d openings", b.Len())
	}
	_, err := Spec{Book: writeBook(t, "long.epd", text+strings.Repeat("x", 1<<20))}.Open(t.Context(), 1)
	if !errors.Is(err, errBook) || !strings.Contains(err.Error(), "long.epd:7: ") {
		t.Errorf("error %v, want line 7", err)
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
	_, err = Spec{Book: writeBook(t, "bad.pgn", games+"\n[Event \"x\"]\n\n1. e5 *\n")}.Open(t.Context(), 1)
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
		_, err := Spec{Book: writeBook(t, "bad.epd", c.text)}.Open(t.Context(), 1)
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
		if _, err := spec.Open(t.Context(), 1); err == nil {
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
		_, err := Spec{Book: writeBook(t, "whole.pgn", text)}.Open(t.Context(), 1)
		if !errors.Is(err, ErrWholeGames) || !errors.Is(err, errBook) || !strings.Contains(err.Error(), "whole.pgn:") {
			t.Errorf("%s: error %v, want one that says that these are whole games", name, err)
		}
	}
	if _, err := (Spec{Book: writeBook(t, "three.epd", threeLines), BookPlies: 2}).Open(t.Context(),
		1); !errors.Is(err, errBook) {
		t.Errorf("a list of positions with plies: %v", err)
	}
	if _, err := (Spec{BookPlies: 2}).Open(t.Context(), 1); err == nil {
		t.Error("plies of a book without a book")
	}
}

const (
	packedList = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 " +
		"1\nrnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n"
	packedGames = "[Event \"x\"]\n\n1. e4 *\n\n[Event \"x\"]\n\n1. d4 *\n"
)

// A packed book, and one without an ending of its name, has the openings, and the checksum, of the book in it. What
// cannot be read is named.
func TestPackedBooks(t *testing.T) {
	dir := t.TempDir()
	load := func(name, content string) (*book, error) {
		path := filepath.Join(dir, name)
		setup.Check(t, os.WriteFile(path, []byte(content), 0o666))
		return loadBook(t.Context(), Spec{Book: path}, 1)
	}
	for plain, text := range map[string]string{"b.epd": packedList, "b.pgn": packedGames} {
		want := setup.Must(load(plain, text))
		var gz bytes.Buffer
		w := gzip.NewWriter(&gz)
		_, err := w.Write([]byte(text))
		setup.Check(t, errors.Join(err, w.Close()))
		for name, content := range map[string]string{plain + ".gz": gz.String(), "c": text} {
			b, err := load(name, content)
			if err != nil || b.Len() != 2 || b.Describe().SHA256 != want.Describe().SHA256 ||
				!slices.Equal(all(t, b), all(t, want)) {
				t.Errorf("%s as %s: %v, %v", plain, name, b, err)
			}
		}
	}
	for want, content := range map[string]string{
		"a Parquet file":            "PAR1",
		"byte 117 is NUL":           packedList[:117] + "\x00" + packedList,
		"bad.x:2: not a book: want": packedList[:59] + "8/8\n",
	} {
		if b, err := load("bad.x", content); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "bad.x") {
			t.Errorf("%v, %v, want %q", b, err, want)
		}
	}
}

// random returns openings of that many random plies, or one more.
func random(t *testing.T, plies int, seed uint64) func(number uint64, try int) *board.Game {
	t.Helper()
	source := setup.Must(Spec{Plies: plies}.Open(t.Context(), seed))
	return func(number uint64, try int) *board.Game { return setup.Must(source.Propose(number, try)) }
}

// Runs on disk began with these: they must never change.
func TestRandomOpeningsArePinned(t *testing.T) {
	propose := random(t, 8, 7)
	for number, want := range []string{
		"r1bqkb1r/1ppppppp/2n4n/pQ6/1P6/4P1P1/P1PP1P1P/RNB1KBNR b KQkq - 1 5",
		"rn1qkbnr/pb1pppp1/8/1pp4p/2P3P1/7P/PP1PPPB1/RNBQK1NR w KQkq - 1 5",
		"1nbqkb1r/rpppp1pp/5p1n/p7/4P3/N2P3N/PPP1QPPP/R1B1KB1R b KQk - 4 5",
	} {
		if got := propose(uint64(number), 1).Position().FEN(); got != want {
			t.Errorf("opening %d: %s, want %s", number, got, want)
		}
	}
}

func TestRandomOpenings(t *testing.T) {
	propose := random(t, 8, 1)
	lengths := map[int]int{}
	keys := map[uint64]bool{}
	for number := range uint64(2000) {
		for try := 1; try <= 2; try++ {
			game := propose(number, try)
			if again := propose(number, try); !slices.Equal(game.Moves(), again.Moves()) {
				t.Fatalf("opening %d, try %d: two answers", number, try)
			}
			if _, why, over := game.Outcome(); over {
				t.Errorf("opening %d, try %d is over by %s", number, try, why)
			}
			lengths[len(game.Moves())]++
			keys[game.Position().Key()] = true
		}
	}
	if len(lengths) != 2 || lengths[8] < 1850 || lengths[9] < 1850 { // 2000 expected, standard deviation 32
		t.Errorf("lengths %v, want 8 and 9 equally often", lengths)
	}
	if len(keys) < 3990 {
		t.Errorf("%d different positions of 4,000", len(keys))
	}
}

// After one ply there are 20 positions, and each must come up.
func TestRandomMovesReachEverything(t *testing.T) {
	propose := random(t, 1, 9)
	count := map[board.Move]int{}
	for number := range uint64(4000) {
		count[propose(number, 1).Moves()[0]]++
	}
	for m, n := range count {
		if n < 130 || n > 270 { // 200 expected, standard deviation 14
			t.Errorf("%s came %d times in 4,000, want about 200", m, n)
		}
	}
	if len(count) != 20 {
		t.Errorf("%d first moves, want 20", len(count))
	}
}

func TestRandomWithoutAnyMove(t *testing.T) {
	mated := setup.Must(board.ParseFEN("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"))
	for plies := range 2 {
		if _, ok := walk(mated, plies, nil); ok {
			t.Errorf("%d plies from a position that is mate", plies)
		}
	}
}

// The 960 starts are different, and each keeps to the rules of Chess960.
func TestFischerStarts(t *testing.T) {
	for n, want := range map[int]string{0: "BBQNNRKR", 518: "RNBQKBNR", 959: "RKRNNQBB"} {
		if got := backRank(n); got != want {
			t.Errorf("start %d is %s, want %s", n, got, want)
		}
	}
	if fischer(518, 518) != board.StartPosition() {
		t.Error("start 518 is not standard chess")
	}
	seen := map[string]bool{}
	for n := range fischerStarts {
		row := backRank(n)
		seen[row] = true
		pieces := []byte(row)
		slices.Sort(pieces)
		king := strings.Index(row, "K")
		if string(pieces) != "BBKNNQRR" || king < strings.Index(row, "R") || king > strings.LastIndex(row, "R") ||
			(strings.Index(row, "B")+strings.LastIndex(row, "B"))%2 == 0 {
			t.Errorf("start %d: %s", n, row)
		}
		if p := fischer(n, 959-n); p.Castling().Count() != 4 {
			t.Errorf("%s: not all sides can castle", p.FEN())
		}
	}
	if len(seen) != fischerStarts {
		t.Errorf("%d different starts", len(seen))
	}
}

// Both sides start alike in Chess960, seldom in double Chess960; random plies follow.
func TestVariants(t *testing.T) {
	for variant, alike := range map[string]int{Standard: 300, Chess960: 300, DFRC: 0} {
		source := setup.Must(Spec{Plies: 3, Variant: variant}.Open(t.Context(), 5))
		starts, same := map[string]bool{}, 0
		for number := range uint64(300) {
			game := setup.Must(source.Propose(number, 1))
			start := game.Start()
			ranks := strings.Split(strings.Fields(start.FEN())[0], "/")
			starts[ranks[7]] = true
			if strings.ToUpper(ranks[0]) == ranks[7] {
				same++
			}
			if n := len(game.Moves()); n != 3 && n != 4 {
				t.Errorf("%s: %d random plies", variant, n)
			}
		}
		if same < alike || same > alike+5 || variant == Standard != (len(starts) == 1) ||
			variant != Standard && len(starts) < 200 { // 258 expected
			t.Errorf("%s: %d starts of White, %d of 300 the same for Black", variant, len(starts), same)
		}
		if d := source.Describe(); d.Variant != strings.Replace(variant, Standard, "", 1) {
			t.Errorf("%s is described as %q", variant, d.Variant)
		}
	}
	for want, spec := range map[string]Spec{
		`variant "shogi": want standard, chess960 or dfrc`:              {Variant: "shogi"},
		"book b.epd and random openings of dfrc: want one or the other": {Variant: DFRC, Book: "b.epd"},
		"-1 random plies: want 1 to 39":                                 {Plies: -1},
		"40 random plies: want 1 to 39":                                 {Plies: MaxRandomPlies},
	} {
		if _, err := spec.Open(t.Context(), 1); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A book has a bound, which the error names, and a done context ends its reading.
func TestBookIsBounded(t *testing.T) {
	line := "4k3/8/8/8/8/8/8/4K2R w K - 0 1\n"
	r := &bookReader{r: strings.NewReader(line), n: maxBook - int64(len(line)) + 1}
	if _, err := io.ReadAll(r); err == nil || err.Error() != "not a book: it has more than 1024 MiB unpacked" {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := (Spec{Book: writeBook(t, "book.epd", line)}).Open(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
