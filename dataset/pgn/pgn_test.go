package pgn

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// fresh returns a row without moves, and its first position.
func fresh(start string) (dataset.GameRow, board.Position) {
	g := dataset.GameRow{Variant: dataset.Standard, Start: start, White: "A", Black: "B"}
	p := setup.Must(board.ParseFEN(cmp.Or(start, board.StartFEN)))
	if p.Chess960() {
		g.Variant = dataset.Chess960
	}
	return g, p
}

// game builds a row of the moves, in SAN.
func game(t testing.TB, start, result string, sans ...string) dataset.GameRow {
	t.Helper()
	g, p := fresh(start)
	for _, san := range sans {
		m := setup.Must(p.ParseSAN(san))
		p.Make(m)
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, dataset.NoScore)
	}
	r, ok := results[result]
	if !ok {
		t.Fatal(result)
	}
	g.Result = int8(r)
	return g
}

func TestWrite(t *testing.T) {
	mate := game(t, "", "0-1", "f3", "e5", "g4", "Qh4#")
	mate.Scores = []int16{dataset.NoScore, 34, -5, -31999}
	mate.Termination = "checkmate"
	mate.White = `assay "one\two"`
	black := game(t, "4k3/4n3/8/8/8/8/8/4K2R b K - 7 30", "1/2-1/2", "Kf8", "O-O+", "Kg7")
	for _, c := range []struct {
		g    dataset.GameRow
		tags []Tag
		want string
	}{
		{mate, []Tag{{"Event", "gate"}, {"Opening", "f3"}}, `[Event "gate"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "assay \"one\\two\""]
[Black "B"]
[Result "0-1"]
[PlyCount "4"]
[Termination "checkmate"]
[Annotator "assay"]
[Opening "f3"]

1. f3 e5 { [%eval 0.34] } 2. g4 { [%eval -0.05] } 2... Qh4# { [%eval #-1] } 0-1

`},
		{black, nil, `[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "4k3/4n3/8/8/8/8/8/4K2R b K - 7 30"]
[PlyCount "3"]

30... Kf8 31. O-O+ Kg7 1/2-1/2

`},
	} {
		var b strings.Builder
		if err := Write(&b, &c.g, c.tags...); err != nil {
			t.Error(err)
		}
		if b.String() != c.want {
			t.Errorf("got\n%s\nwant\n%s", b.String(), c.want)
		}
	}
}

func TestWriteRefusesIllegalMoves(t *testing.T) {
	g := game(t, "", "1-0", "e4", "e5")
	g.Moves[1] = g.Moves[0]
	var b strings.Builder
	if err := Write(&b, &g); err == nil || b.Len() > 0 || !strings.Contains(err.Error(), "ply 1") {
		t.Errorf("wrote %q, %v", b.String(), err)
	}
}

// randomGame plays random moves with random scores.
func randomGame(rng *rand.Rand, start string) dataset.GameRow {
	g, p := fresh(start)
	g.Termination = "test"
	over := board.NewGame(p)
	for n := rng.IntN(250); len(g.Moves) < n; {
		moves := over.Position().LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		m := moves[rng.IntN(len(moves))]
		score := rng.IntN(60001) - 30000
		switch n := rng.IntN(200) + 1; { // mates take an odd number of plies for the mover
		case rng.IntN(4) == 0 && (n%2 == 1) == (over.Position().SideToMove() == board.White):
			score = dataset.MateScore - n
		case rng.IntN(4) == 0 && (n%2 == 1) == (over.Position().SideToMove() == board.Black):
			score = n - dataset.MateScore
		case rng.IntN(8) == 0:
			score = dataset.NoScore
		}
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, int16(score))
		over.Push(m)
	}
	g.Result = int8(rng.IntN(3) - 1)
	if result, _, done := over.Outcome(); done {
		g.Result = int8(result)
	}
	return g
}

func TestWrittenGamesAreReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	var want []dataset.GameRow
	for i := range 200 {
		start := ""
		switch i % 3 {
		case 1:
			start = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 3 40"
		case 2:
			start = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
		}
		g := randomGame(rng, start)
		want = append(want, g)
		var notes Notes
		for range g.Moves {
			notes.Depths = append(notes.Depths, uint8(rng.IntN(40)))
			notes.Times = append(notes.Times, rng.Uint32N(2)*rng.Uint32N(5e6)) // half of them unknown
		}
		setup.Check(t, WriteNoted(&text, &g, notes))
	}
	for line := range strings.Lines(text.String()) {
		if tag := strings.HasSuffix(line, "\"]\n"); !tag && (len(line) > lineWidth+1 || line[0] == '[' || line[0] == '{') {
			t.Errorf("a line of %d bytes, or one that begins with a bracket: %s", len(line), line)
		}
	}
	i := 0
	for g, err := range Read(iotest.OneByteReader(&text)) {
		setup.Check(t, err)
		w := want[i]
		if w.Start != "" {
			p, _ := board.ParseFEN(w.Start)
			w.Start = p.FEN()
		}
		got := g.Row
		if !reflect.DeepEqual(got.Scores, w.Scores) && len(w.Moves) > 0 {
			t.Fatalf("game %d: scores\n%v, want\n%v", i, got.Scores, w.Scores)
		}
		got.Scores, w.Scores = nil, nil
		if len(w.Moves) == 0 {
			got.Moves, w.Moves = nil, nil
		}
		if !reflect.DeepEqual(got, w) || !g.Finished {
			t.Fatalf("game %d is\n%+v, want\n%+v", i, got, w)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d games of %d", i, len(want))
	}
}

const dirty = "\ufeff[Event \"one\"]\r\n[Result \"1-0\"]\r\n\r\n1.e4 {best ] by (test} e5 $1 2. Nf3 (2. f4 exf4 " +
	"(2... d5 {x}) 1-0) 2... Nc6\r\n" +
	"% a line for somebody else } [\r\n; and a comment\r\n3. Bb5! ?! a6 4. 0-0 {+0.31/12 0.1s} Nf6 {-0.10/9} 1-0\r\n" +
	"[Event \"two\"]\n[White \"x \\\"y\\\"\"]\n[Result \"*\"]\n\n1. d4 *\n" +
	"[Event \"three\"] 1. e4 e5 2. Qe5 Nc6 0-1\n\n" +
	"[Event \"four\"]\n[Result \"0-1\"]\n\n1. e4 1-0\n\n" +
	"[Event \"five\"]\n\n1. e4 {never closed e5 1-0\n\n" +
	"[Event \"six\"]\n\n1. e4 e5\n\n" +
	"[Event \"seven\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n" +
	"[Event \"eight\"]\n[Variant \"Atomic\"]\n\n*\n" +
	"[Event \"nine\"]\n\n1. e4) 1-0\n" +
	"[Event \"ten\"\n\n1. e4 1-0\n" +
	"[Event \"eleven\"]\n\n1. f3 e5 2. g4 Qh4# 1-0\n" +
	"[Event \"twelve\"]\n\n1. e4 \x01 e5 1-0\n" +
	"[Event \"last\"]\n[Annotator \"assay\"]\n1. e4 {%eval [%eval #2]} 1-0 {the end}"

func TestIrregularLists(t *testing.T) {
	var got []string
	for g, err := range Read(strings.NewReader(dirty)) {
		s := fmt.Sprint(g.Tag("Event"), " ", len(g.Row.Moves))
		if err != nil {
			s = err.Error()
			if gerr := new(GameError); !errors.As(err, &gerr) {
				t.Error(err)
			}
		}
		got = append(got, s)
	}
	want := []string{
		"one 8", "two 1",
		"line 13: ply 2: not a legal move: \"Qe5\"",
		"line 18: the result is \"0-1\" in the tags",
		"line 22: unexpected { without }",
		"line 28: the game has no result",
		"line 28: invalid position",
		"line 32: variant \"Atomic\"",
		"line 38: ) without (",
		"line 39: the tag [Event \"ten\" is not closed",
		"line 44: result 1, but the game ends 0-1",
		"line 47: unexpected '\\x01'",
		"last 1",
	}
	if len(got) != len(want) {
		t.Fatalf("%d games, want %d: %q", len(got), len(want), got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("game %d: %s\nwant %s", i+1, got[i], want[i])
		}
	}
}

func TestScoresInComments(t *testing.T) {
	for g, err := range Read(strings.NewReader(dirty)) {
		if err != nil {
			continue
		}
		switch g.Tag("Event") {
		case "one":
			if s := g.Row.Scores; s[6] != 31 || s[7] != 10 || s[0] != dataset.NoScore {
				t.Errorf("scores %v", s)
			}
		case "two":
			if g.Finished || g.Tag("White") != `x "y"` {
				t.Errorf("game %+v", g)
			}
		case "last":
			if s := g.Row.Scores[0]; s != dataset.MateScore-3 {
				t.Errorf("mate in two is %d", s)
			}
		}
	}
}

// After 1. e4 the mover is White, after 1... e5 Black.
func TestMatesOfMatchRunners(t *testing.T) {
	const m = dataset.MateScore
	for comment, want := range map[string][2]int16{
		"+M5/20 0.31s":             {m - 5, 5 - m}, // cutechess and fastchess: plies
		"-M4/12 0.1s, n=10, sd=30": {4 - m, m - 4},
		"+M12/20 1.2s":             {m - 23, 23 - m}, // moves: the mover does not mate after 12 plies
		"-M3/7 12ms":               {6 - m, m - 6},   // c-chess-cli
		"M-3":                      {6 - m, m - 6},
		"#5":                       {m - 5, 5 - m},
		"[%eval #3]":               {m - 5, m - 6}, // White's view, moves
		"[%eval #-3,18]":           {6 - m, 5 - m},
		"Mate":                     {dataset.NoScore, dataset.NoScore},
		"#":                        {dataset.NoScore, dataset.NoScore},
	} {
		text := "[Annotator \"assay\"]\n1. e4 {" + comment + "} e5 {" + comment + "} 1-0\n"
		for g, err := range Read(strings.NewReader(text)) {
			if err != nil || [2]int16(g.Row.Scores) != want {
				t.Errorf("{%s}: %v, %v; want %v", comment, g.Row.Scores, err, want)
			}
		}
	}
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	return setup.Must(os.ReadFile(filepath.Join("testdata", name)))
}

// Real files are read whole.
func TestRealFiles(t *testing.T) {
	for _, name := range []string{"lichess.pgn", "8moves_v3.pgn"} {
		data := sample(t, name)
		games := 0
		for g, err := range Read(bytes.NewReader(data)) {
			setup.Check(t, err)
			if name == "8moves_v3.pgn" && len(g.Row.Moves) != 16 {
				t.Fatalf("line %d: %d plies", g.Line, len(g.Row.Moves))
			}
			games++
		}
		if want := bytes.Count(data, []byte("[Event ")); games != want {
			t.Errorf("%s: %d games of %d", name, games, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(dirty)
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		for g, err := range Read(strings.NewReader(text)) {
			if err == nil && g.Finished {
				if err := g.Row.Check(); err != nil {
					t.Error(err)
				}
			}
			n++
		}
		if n > len(text)+1 {
			t.Errorf("%d games in %d bytes", n, len(text))
		}
	})
}

// Names in the standard's own encoding are read as what they are.
func TestLatin1Names(t *testing.T) {
	for g, err := range Read(strings.NewReader("[White \"R\xe9ti\"]\n[Black \"Gr\u00fcnfeld\"]\n\n1. Nf3 1-0\n")) {
		if err != nil || g.Row.White != "R\u00e9ti" || g.Row.Black != "Gr\u00fcnfeld" {
			t.Errorf("%+v, %v", g, err)
		}
	}
}

// fastchess can write moves as UCI does. A null move, 0000, is no move number: behind it the
// other side would move.
func TestMovesOfUCI(t *testing.T) {
	for text, moves := range map[string]int{
		"1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 a7a6 4. e1g1 1-0": 7,
		"1. e4 0000 2. e5 1-0":                               -1,
		"1. e4 {x} 0000 1-0":                                 -1,
	} {
		for g, err := range Read(strings.NewReader(text + "\n")) {
			if (err != nil) != (moves < 0) || err == nil && len(g.Row.Moves) != moves {
				t.Errorf("%s: %d moves, %v", text, len(g.Row.Moves), err)
			}
		}
	}
}
