package pgn

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// table returns the table of dialects in Markdown.
func table() string {
	var b strings.Builder
	b.WriteString("| dialect | the game has | a comment | its score |\n|---|---|---|---|\n")
	for _, d := range dialects {
		ply := strings.TrimSuffix(strings.TrimPrefix(d.Ply.String(), "the position "), " the move")
		mark := ""
		for _, t := range d.tags {
			mark += ", `" + strings.TrimSpace(t.Name+" "+t.Value) + "`"
		}
		if d.only != "" {
			mark = ", no tags but `" + d.only + "`"
		}
		if d.has&hasWhole != 0 {
			mark = ", numbers without a point"
		}
		if d.Ply == 0 {
			ply = "unknown"
		}
		fmt.Fprintf(&b, "| %s | %s | `{%s}` | %s, %s, %s |\n", d.Name, strings.TrimPrefix(mark, ", "),
			d.Example, d.unit(), strings.TrimPrefix(strings.TrimSuffix(d.View.String(), " view"), "the "), ply)
	}
	return b.String()
}

// FORMAT.md has the table of the code.
func TestTableInFormat(t *testing.T) {
	const path = "../FORMAT.md"
	text := setup.Must(os.ReadFile(path))
	const head = "| dialect | the game has |"
	before, rest, found := strings.Cut(string(text), head)
	_, after, closed := strings.Cut(rest, "|\n\n")
	if !found || !closed {
		t.Fatalf("%s has no table that begins with %q", path, head)
	}
	want := before + table() + "\n" + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s does not have the table of dialects; run go test ./dataset/pgn -run TestTableInFormat -update", path)
	}
	setup.Check(t, os.WriteFile(path, []byte(want), 0o644))
}

// written is what a program writes behind a move: a score in centipawns from White's view, or a
// mate of that many moves by the side to move before the move.
type written struct {
	score func(white, mover int) string
	mate  func(moves int, whiteMoves bool) string
}

// sign is the sign of a mate by a side, from White's view.
func sign(white bool) string {
	if white {
		return ""
	}
	return "-"
}

func pawns(n int) string { return fmt.Sprintf("%.2f", float64(n)/100) }

func signed(n int) string { return fmt.Sprintf("%+.2f", float64(n)/100) }

func evalMate(moves int, white bool) string { return fmt.Sprintf("[%%eval #%s%d]", sign(white), moves) }

func runnerMate(format string) func(int, bool) string {
	return func(moves int, _ bool) string { return fmt.Sprintf(format, 2*moves-1) }
}

// writers has, for each dialect, how it writes; and the tags that it needs.
var writers = map[string]struct {
	tags string
	written
}{
	"assay": {"[Annotator \"assay\"]\n", written{func(w, _ int) string { return "[%eval " + pawns(w) + ",9]" },
		evalMate}},
	"Lichess games": {"[Site \"https://lichess.org/abcdefgh\"]\n",
		written{func(w, _ int) string { return "[%eval " + pawns(w) + "] [%clk 0:01:00]" }, evalMate}},
	"Lichess broadcasts": {"[Site \"Town\"]\n[GameURL \"https://lichess.org/broadcast/a/b/c/d\"]\n",
		written{func(w, _ int) string { return fmt.Sprintf("[%%eval %g]", float64(w)/100) }, evalMate}},
	"Lichess studies": {"[ChapterName \"one\"]\n",
		written{func(w, _ int) string { return "[%eval " + pawns(w) + "]" }, evalMate}},
	"ChessBase, engines at play": {"", written{func(w, _ int) string {
		return fmt.Sprintf("[%%eval %d,14] [%%emt 0:00:27]", w)
	}, evalMate}},
	"engines at play": {"", written{func(w, _ int) string {
		return "[%eval " + pawns(w) + ",14] [%emt 0:00:27.5]"
	}, evalMate}},
	"TCEC": {"", written{func(w, _ int) string {
		return "d=12, sd=20, mt=450, tl=1000, pv=e4 e5, R50=50, wv=" + pawns(w) + ", mb=+0+0+0+0+0,"
	},
		func(moves int, white bool) string {
			return fmt.Sprintf("d=12, wv=%sM%d, R50=1", sign(white), 2*moves-1)
		}}},
	"OpenBench": {"", written{func(_, m int) string { return signed(m) + " 12/18 450 67890" },
		runnerMate("+M%d 12/20 450 1")}},
	"OpenBench, compact": {"[White \"x\"]\n[Black \"y\"]\n[TimeControl \"8+0.08\"]\n",
		written{func(_, m int) string { return signed(m) }, nil}},
	"c-chess-cli": {"", written{func(_, m int) string { return fmt.Sprintf("%d/12 45ms", m) },
		func(moves int, _ bool) string { return fmt.Sprintf("M%d/12 45ms", moves) }}},
	"Arena, WinBoard": {"", written{func(_, m int) string { return "(Nf6 Nc3) " + signed(m) + "/12 4" },
		runnerMate("+M%d/12 4")}},
	"fastchess": {"", written{func(_, m int) string { return signed(m) + "/12 0.450s, n=67890, sd=20" },
		runnerMate("+M%d/12 0.450s, n=1, White mates")}},
	"cutechess-cli": {"", written{func(_, m int) string { return signed(m) + "/12 0.45s" },
		runnerMate("+M%d/12 0.045s, White mates")}},
}

var starts = map[string]string{
	"White first": "",
	"Black first": "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1",
	"FEN":         "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
}

// play makes a game of random moves from a start, which ends before mate or stalemate.
func play(rng *rand.Rand, start string, plies int) (first board.Position, sans []string, row dataset.GameRow) {
	row, first = fresh(start)
	p := first
	for range plies {
		moves := p.LegalMoves(nil)
		m := moves[rng.IntN(len(moves))]
		san, next := p.SAN(m), p
		if next.Make(m); len(next.LegalMoves(nil)) == 0 {
			break
		}
		sans, row.Moves, p = append(sans, san), append(row.Moves, m), next
	}
	return first, sans, row
}

// movetext writes moves with comments.
func movetext(p board.Position, sans []string, comment func(i int) string, result string) string {
	var b strings.Builder
	white, number := p.SideToMove() == board.White, p.Fullmove()
	for i, san := range sans {
		if white {
			fmt.Fprintf(&b, "%d. ", number)
		} else {
			if i == 0 {
				fmt.Fprintf(&b, "%d... ", number)
			}
			number++
		}
		white = !white
		b.WriteString(san + " ")
		if c := comment(i); c != "" {
			b.WriteString("{" + c + "} ")
		}
	}
	return b.String() + result + "\n\n"
}

// Every dialect that needs no data, from every start: the scores are the ones that were written.
// testdata/dialects has a file of each.
func TestDialects(t *testing.T) {
	for i := range dialects {
		d := &dialects[i]
		w, ok := writers[d.Name]
		if !ok {
			if d.Ply != 0 {
				t.Errorf("%s: no test writes it", d.Name)
			}
			continue
		}
		var text string
		var want [][]int16
		for _, name := range []string{"White first", "Black first", "FEN"} {
			game, scores := writeGame(d, w.tags, &w.written, starts[name])
			text, want = text+game, append(want, scores)
		}
		path := filepath.Join("testdata", "dialects", strings.Map(func(r rune) rune {
			if r == ' ' || r == ',' || r == '[' || r == ']' || r == '%' {
				return -1
			}
			return r
		}, d.Name)+".pgn")
		if *update {
			setup.Check(t, os.WriteFile(path, []byte(text), 0o644))
		}
		file := setup.Must(os.ReadFile(path))
		games, tally := readAll(t, Reading{}, string(file))
		for i, g := range games {
			book := 0
			if d.Book != "" {
				book = 2
			}
			if g.Dialect != d || g.Book != book || g.View != d.View || g.Ply != d.Ply || !slices.Equal(g.Row.Scores, want[i]) {
				t.Errorf("%s, game %d: dialect %+v\n%v, want\n%v", path, i, g.Dialect, g.Row.Scores, want[i])
			}
		}
		if len(games) != 3 || len(tally.Taken) != 1 || tally.Unknown != 0 {
			t.Errorf("%s: %d games, %+v", path, len(games), tally)
		}
	}
}

// writeGame writes a game of random moves in a dialect, and returns the scores that it has.
func writeGame(d *dialect, tags string, w *written, start string) (text string, want []int16) {
	rng := rand.New(rand.NewPCG(3, 4))
	first, sans, row := play(rng, start, 13)
	white := func(i int) bool { return (first.SideToMove() == board.White) == (i%2 == 0) }
	want = make([]int16, len(sans))
	comments := make([]string, len(sans))
	for i := range want {
		want[i] = dataset.NoScore
	}
	for i := range sans {
		to := i
		if d.Ply == After {
			to++
		}
		if i < 2 && d.Book != "" {
			comments[i] = d.Book
			continue
		}
		cp, mover := rng.IntN(4001)-2000, 1
		if !white(i) {
			mover = -1
		}
		comments[i] = w.score(cp, mover*cp)
		if i%5 == 4 && w.mate != nil { // the side to move in the position that is meant mates
			moves := 1 + rng.IntN(6)
			comments[i] = w.mate(moves, white(to))
			if cp = dataset.MateScore - (2*moves - 1); !white(to) {
				cp = -cp
			}
		}
		if to < len(want) {
			want[to] = int16(cp)
		}
	}
	if start != "" {
		tags += "[FEN \"" + row.Start + "\"]\n"
	}
	return tags + "[Result \"1-0\"]\n\n" + movetext(first, sans, func(i int) string { return comments[i] }, "1-0"), want
}
