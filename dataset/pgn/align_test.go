package pgn

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// said is how a program writes [%eval] without saying so.
type said struct {
	view       View
	ply        Ply
	centipawns bool
}

// untold writes games whose moves lose 0 to 60 centipawns for the side that makes them, if they
// lose, with scores that are off by 20, and returns the scores that each should have.
func untold(seed uint64, games, plies int, how said, lose bool) (text string, want [][]int16) {
	rng := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for i := range games {
		start := [...]string{"", starts["Black first"], starts["FEN"]}[i%3]
		first, sans, row := play(rng, start, plies)
		value, values := 0.0, []int{0}
		for k := range sans {
			if loss := 60 * rng.Float64(); !lose {
				value = 200 * rng.NormFloat64()
			} else if (first.SideToMove() == board.White) == (k%2 == 0) {
				value -= loss
			} else {
				value += loss
			}
			values = append(values, int(value+20*rng.NormFloat64()))
		}
		scores := make([]int16, len(sans))
		comment := func(k int) string {
			to := k
			if how.ply == After {
				to++
			}
			n := values[to]
			if to < len(scores) {
				scores[to] = int16(n)
			}
			if how.view == Mover && (first.SideToMove() == board.White) != (k%2 == 0) {
				n = -n
			}
			if how.centipawns {
				return fmt.Sprintf("[%%eval %d,20]", n)
			}
			return "[%eval " + pawns(n) + "]"
		}
		if how.ply == After {
			scores[0] = dataset.NoScore
		}
		fmt.Fprintf(&b, "[Event \"%d\"]\n", i)
		if start != "" {
			fmt.Fprintf(&b, "[FEN %q]\n", row.Start)
		}
		b.WriteString("\n" + movetext(first, sans, comment, "1/2-1/2"))
		want = append(want, scores)
	}
	return b.String(), want
}

// readAll reads games that have no errors.
func readAll(t *testing.T, r Reading, text string) (games []*Game, tally Tally) {
	t.Helper()
	for g, err := range r.Games(strings.NewReader(text)) {
		setup.Check(t, err)
		games = append(games, g)
		tally.Add(g)
	}
	return games, tally
}

// Where no tag says it, the scores themselves show their view and their position.
func TestTheDataDecide(t *testing.T) {
	for _, view := range []View{White, Mover} {
		for _, ply := range []Ply{Before, After} {
			for _, centipawns := range []bool{false, true} {
				how := said{view, ply, centipawns}
				text, want := untold(1, 30, 60, how, true)
				games, tally := readAll(t, Reading{}, text)
				for i, g := range games {
					if g.View != view || g.Ply != ply || !slices.Equal(g.Row.Scores, want[i]) {
						t.Fatalf("%+v, game %d: %v, %v\n%v, want\n%v", how, i, g.View, g.Ply, g.Row.Scores, want[i])
					}
				}
				if len(tally.Taken) != 1 || tally.Taken[0].Left || tally.Taken[0].Games != 30 ||
					tally.Taken[0].Why != "as the scores show" {
					t.Errorf("%+v: %+v", how, tally)
				}
			}
		}
	}
}

// Times beside the scores say their position; the view is White's unless the scores show the mover's.
func TestEnginesAtPlay(t *testing.T) {
	for view, games := range map[View]int{White: 30, Mover: 30} {
		text, want := untold(4, games, 60, said{view, Before, true}, true)
		got, _ := readAll(t, Reading{}, strings.ReplaceAll(text, ",20]", ",20] [%emt 0:00:01]"))
		for i, g := range got {
			if g.Dialect.Name != "ChessBase, engines at play" || !slices.Equal(g.Row.Scores, want[i]) {
				t.Fatalf("%v, game %d: %+v\n%v, want\n%v", view, i, g.Dialect, g.Row.Scores, want[i])
			}
		}
	}
}

// A loser whose engine counts a pawn twice seems to lose whenever its engine speaks. That must
// not decide that scores are of the position after the move.
func TestEnginesOfDifferentScales(t *testing.T) {
	for seed := range uint64(20) {
		var b strings.Builder
		rng := rand.New(rand.NewPCG(5, seed))
		for i := range 40 {
			first, sans, _ := play(rng, "", 60)
			value := 0.0
			b.WriteString("[Event \"x\"]\n\n" + movetext(first, sans, func(k int) string {
				n := int(value + 30*rng.NormFloat64())
				if k%2 == i%2 { // the loser moves
					n *= 2
					value += 20 * rng.Float64()
				}
				if i%2 == 0 {
					n = -n
				}
				return "[%eval " + pawns(n) + "]"
			}, "1/2-1/2"))
		}
		if games, _ := readAll(t, Reading{}, b.String()); games[0].Ply == After {
			t.Errorf("seed %d: scores of the position before the move are read as %v", seed, games[0].Ply)
		}
	}
}

// Below 500 scores, or where the scores show nothing, they are left out and counted; a Reading decides.
func TestUndecidedScoresAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		name  string
		games int
		lose  bool
	}{{"few", 8, true}, {"noise", 100, false}} {
		text, want := untold(2, c.games, 60, said{White, After, false}, c.lose)
		games, tally := readAll(t, Reading{}, text)
		scores := 0
		for _, g := range games {
			scores += len(g.Row.Moves)
			if slices.ContainsFunc(g.Row.Scores, func(s int16) bool { return s != dataset.NoScore }) {
				t.Errorf("%s: a score is taken: %v", c.name, g.Row.Scores)
			}
		}
		if len(tally.Taken) != 1 || !tally.Taken[0].Left || tally.Taken[0].Scores != int64(scores) {
			t.Errorf("%s: %+v, want %d left out", c.name, tally, scores)
		}
		games, _ = readAll(t, Reading{Ply: After}, text)
		for i, g := range games {
			if !slices.Equal(g.Row.Scores, want[i]) {
				t.Fatalf("%s, with a ply: %v, want %v", c.name, g.Row.Scores, want[i])
			}
		}
	}
}

// A Reading comes before the table.
func TestReadingComesFirst(t *testing.T) {
	const text = "[Site \"https://lichess.org/x\"]\n\n1. e4 {[%eval 0.2]} e5 {[%eval 0.3]} 2. Nf3 {[%eval 0.4]} 1-0\n"
	for r, want := range map[Reading][]int16{
		{}:                         {dataset.NoScore, 20, 30},
		{Ply: Before}:              {20, 30, 40},
		{View: Mover}:              {dataset.NoScore, 20, -30},
		{View: Mover, Ply: Before}: {20, -30, 40},
	} {
		if games, _ := readAll(t, r, text); !slices.Equal(games[0].Row.Scores, want) {
			t.Errorf("%+v: %v, want %v", r, games[0].Row.Scores, want)
		}
	}
}

// Games that wait come in their order, with the errors between them and at the end.
func TestHeldGamesKeepTheirOrder(t *testing.T) {
	text, _ := untold(3, 12, 60, said{White, Before, false}, true)
	text = strings.Replace(text, "[Event \"2\"]", "[Event \"bad\"]\n\n1. e5 1-0\n\n[Event \"2\"]", 1)
	text += "[Event \"none\"]\n\n1. e4 1-0\n\n[Event \"end\"]\n\n1. e4"
	var got []string
	for g, err := range Read(strings.NewReader(text)) {
		var bad *GameError
		if err != nil && !errors.As(err, &bad) {
			t.Fatal(err)
		}
		got = append(got, g.Tag("Event")+fmt.Sprint(err != nil))
	}
	want := []string{"0false", "1false", "badtrue"}
	for i := 2; i < 12; i++ {
		want = append(want, fmt.Sprint(i)+"false")
	}
	if want = append(want, "nonefalse", "endtrue"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// countedReader counts the bytes that goroutines of the reader took.
type countedReader struct {
	in io.Reader
	n  atomic.Int64
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.n.Add(int64(n))
	return n, err
}

// A file that never shows how to read its scores is not held in memory.
func TestHeldGamesAreLimited(t *testing.T) {
	text := "[Event \"x\"]\n\n1. e4 {[%eval 0.3]} 1-0\n\n"
	for plain := "[Event \"x\"]\n\n1. e4 1-0\n\n"; len(text) < 6*maxHeldGames*len(plain); {
		text += strings.Repeat(plain, 1000)
	}
	in := &countedReader{in: strings.NewReader(text)}
	games := 0
	for g, err := range Read(in) {
		read := int(in.n.Load())
		if games++; err != nil || games == 1 && (g.Ply != 0 || read > 2*len(text)/3) {
			t.Fatalf("the first game comes after %d bytes of %d: %v, %v", read, len(text), g.Ply, err)
		}
	}
	if want := strings.Count(text, "[Event"); games != want {
		t.Errorf("%d games of %d", games, want)
	}
}

// Comments with scores in no known dialect are counted, and one is named; others are not.
func TestUnknownDialects(t *testing.T) {
	for comment, want := range map[string]int64{
		"s=+0.21 d=12": 0, "0.35|12": 1, "+0.35": 1, "eval: -0.31": 1, "score=12": 1, "[%ce 25]": 1, "cp 31 depth 12": 1,
		"-0.31;14": 1, "a fine move": 0, "[%clk 0:05:00]": 0, "1/2 point would be fair": 0, "12 minutes": 0, "0.45s": 0,
		"book": 0, "": 0,
		"every 5 moves": 0, "2. Nf3 was better": 0, "Draw by 3-fold repetition": 0,
	} {
		text := "[Event \"x\"]\n\n1. e4 {" + comment + "} 1-0\n"
		games, tally := readAll(t, Reading{}, text)
		if tally.Unknown != want || games[0].Row.Scores[0] != dataset.NoScore || want > 0 &&
			(tally.Example != comment || tally.Line != 3) {
			t.Errorf("{%s}: %+v, %v; want %d", comment, tally, games[0].Row.Scores, want)
		}
	}
}

// A comment may break over lines where a word ends; tags decide before numbers do.
func TestKnownComments(t *testing.T) {
	for _, c := range []struct {
		text, dialect string
		want          int16
	}{
		{"1. e4 {+0.35/12\n0.1s} 1-0\n", "cutechess-cli", 35},
		{"1. e4 {+0.57 17/28\r\n583 12} 1-0\n", "OpenBench", 57},
		{"1. e4 {-M4\n17/28 583 12} 1-0\n", "OpenBench", 4 - dataset.MateScore},
		{"1. e4 {\t+0.35/12 1:23} 1-0\n", "Arena, WinBoard", 35},
		{"1. e4 {23/12} 1-0\n", "c-chess-cli", 23},
		{"1. e4 {[%eval\n23,\n14] [%emt 0:\n00:22]} 1-0\n", "ChessBase, engines at play", 23},
		{"[Site \"https://lichess.org/x\"]\n\n1. e4 {[%eval 23,14] [%emt 0:00:22]} 1-0\n", "ChessBase, engines at play", 23},
		{"[Site \"https://lichess.org/x\"]\n\n1. e4 {[%eval 0.2]} e5 {[%eval 1]} 2. Nf3 1-0\n", "Lichess games", 100},
		{"1. e4 {wv=-0.31 d=12} 1-0\n", "TCEC", -31},
		{"1. e4 {d=1, sd=1,\nmt=0, wv=-0.31} 1-0\n", "TCEC", -31},
	} {
		games, _ := readAll(t, Reading{}, c.text)
		g := games[0]
		if g.Dialect == nil || g.Dialect.Name != c.dialect || g.Row.Scores[len(g.Row.Scores)-1] != c.want {
			t.Errorf("%q: %+v, %v; want %s, %d", c.text, g.Dialect, g.Row.Scores, c.dialect, c.want)
		}
	}
}

// Only scores are read as scores.
func TestNoScores(t *testing.T) {
	for _, comment := range []string{"0.00/0 0.100s", "0/0 5ms", "+M0/12 0.1s", "/12 0.1s", "0.1s", "[%eval #0]",
		"[%eval 0,0]", "[%eval ]", "[%eval nan]", "1/2",
		"[%eval 1e3]", "--1/2 3ms", "[%eval 31000,20]", "d=1, wv=-, mb=+0"} {
		text := "[Annotator \"x\"]\n\n1. e4 {" + comment + "} 1-0\n"
		games, _ := readAll(t, Reading{Ply: Before}, text)
		if s := games[0].Row.Scores[0]; s != dataset.NoScore {
			t.Errorf("{%s} is %d", comment, s)
		}
	}
}

// Book marks give the length of the opening, up to the last one before the first score.
func TestBookMarks(t *testing.T) {
	for _, c := range []struct {
		moves string
		want  int
	}{
		{"1. e4 {book} e5 {book} 2. Nf3 {+0.3/9 0.1s}", 2},
		{"1. e4 e5 {book} 2. Nf3 {+0.3/9 0.1s}", 2},
		{"1. e4 { Book } e5 {book, mb=+0+0+0+0+0,} 2. Nf3 {d=9, wv=0.31, mb=+0}", 2},
		{"1. e4 {(Book)} e5 {+0.3/9 0.1s} 2. Nf3 {book}", 1}, // White's own book goes on
		{"1. e4 {book} e5 {book} 2. Nf3 {book}", 3},
		{"1. e4 {book 0s} e5 {Book move} 2. Nf3", 2},
		{"1. e4 {bookish} e5 {a book move} 2. Nf3 {Book is c4} Nc6 {book says d6}", 0},
		{"1. e4 (1. d4 {book}) 1... e5", 0},
		{"{book} 1. e4 e5", 0},
	} {
		games, _ := readAll(t, Reading{}, c.moves+" 1-0\n")
		if games[0].Book != c.want {
			t.Errorf("%s: %d, want %d", c.moves, games[0].Book, c.want)
		}
	}
}

// All pairs of a match are found, in any order of its games, whatever its rounds say, by first position or first moves.
func TestPairsInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	play := func(from []board.Move, most int) []board.Move {
		p := board.StartPosition()
		for _, m := range from {
			p.Make(m)
		}
		moves := slices.Clone(from)
		for range most {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			moves = append(moves, legal[rng.IntN(len(legal))])
			p.Make(moves[len(moves)-1])
		}
		return moves
	}
	rounds := map[string]func(pair, game int) string{
		"none":          func(int, int) string { return "" },
		"one a pair":    func(pair, _ int) string { return strconv.Itoa(pair) },
		"one a game":    func(pair, game int) string { return strconv.Itoa(2*pair + game) },
		"one for all":   func(int, int) string { return "1" },
		"of two rounds": func(pair, _ int) string { return strconv.Itoa(pair % 2) },
	}
	for name, round := range rounds {
		for _, fen := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, FEN %v", name, fen), func(t *testing.T) {
				var games []Half
				var openings []int
				const n, alone = 100, 5
				for pair := range n {
					opening := play(nil, 4+rng.IntN(12))
					for game := range 2 {
						h := Half{round(pair, game), "", play(opening, rng.IntN(40)), game == 0}
						if fen {
							h.Start, h.Moves = fmt.Sprint(opening), h.Moves[len(opening):]
						}
						if game == 1 && pair < alone {
							continue // it was not finished
						}
						games, openings = append(games, h), append(openings, pair)
					}
				}
				rng.Shuffle(len(games), func(i, j int) {
					games[i], games[j] = games[j], games[i]
					openings[i], openings[j] = openings[j], openings[i]
				})
				right, before := 0, -1
				for _, p := range Pairs(games) {
					if games[p[0]].White == games[p[1]].White || p[0] >= p[1] || p[1] <= before {
						t.Errorf("the pair %v behind %d", p, before)
					}
					before = p[1]
					if openings[p[0]] == openings[p[1]] {
						right++
					} else if openings[p[0]] >= alone || openings[p[1]] >= alone {
						t.Errorf("games of the openings %d and %d are a pair", openings[p[0]], openings[p[1]])
					}
				}
				if right != n-alone {
					t.Errorf("%d pairs of %d", right, n-alone)
				}
			})
		}
	}
}
