package pgn

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// listed reads a file in chunks of a size and returns what each game or error says.
func listed(r io.Reader, size, workers int) (list []string) {
	for g, err := range (Reading{Workers: workers}).games(newSplitter(r, size)) {
		if g == nil {
			g = &Game{}
		}
		list = append(list, fmt.Sprintf("%d %v %+v %v %d %d %v", g.Line, g.Tags, g.Row, g.Finished, g.Book, g.strange, err))
	}
	return list
}

// Where chunks end changes nothing: neither in whole files, nor in damaged ones, nor where games are
// longer than chunks, have no tags, or end with an error of reading.
func TestChunksChangeNothing(t *testing.T) {
	moves := strings.Repeat("1. e4 {a comment [Event \"x\"]} 1-0\n\n1. d4 d5 (1... e5) *\n", 40)
	broken := errors.New("broken")
	goods := map[string]int{"first tag": 30, "tags alone": 20, "remarks": 21, "no tags": 80}
	remarks := "[White \"x\"]\n; 1-0\n[Event \"x\"]\n\n1. e4 1-0\n% 0-1\n"
	for name, text := range map[string]string{
		"games":          string(sample(t, "lichess.pgn")[:30_000]),
		"book":           string(sample(t, "8moves_v3.pgn")[:20_000]),
		"irregular":      strings.Repeat(dirty, 3),
		"tags torn":      strings.Repeat(tagged([]string{`[Event "x`, `[FEN "` + oddsFEN, `"]`, "{", `[White "w"]`}), 4),
		"first tag":      strings.Repeat("[White \"a\"]\n; 1-0\n[Event \"b\"]\n\n1. e4 1-0 {won}\n\n", 30),
		"tags alone":     strings.Repeat("[Event \"x\"]\n\n1. e4 1-0\n", 20) + "[Event \"x\"]\n[White \"a\"]\n",
		"remarks":        "[Event \"a\"]\n\n1-0\n" + strings.Repeat(remarks, 20),
		"no tags":        moves,
		"a long comment": "[Event \"x\"]\n\n1. e4 {" + strings.Repeat("much, and } { more\n", 100) + "} 1-0\n\n" + dirty,
		"open comment":   dirty + "[Event \"x\"]\n\n1. e4 {" + strings.Repeat("much\n", 900),
	} {
		t.Run(name, func(t *testing.T) {
			whole := listed(strings.NewReader(text), 1<<20, 1)
			torn := listed(io.MultiReader(strings.NewReader(text[:len(text)/2]), iotest.ErrReader(broken)), 1<<20, 1)
			if n := len(torn) - 1; !slices.Equal(torn[:n], whole[:n]) {
				t.Errorf("torn by an error of reading, games differ:\n%s", differing(torn[:n], whole))
			}
			n := strings.Count(strings.Join(whole, "\n")+"\n", "<nil>\n")
			if want := goods[name]; want > 0 && (n != want || len(whole) > n+1) {
				t.Errorf("%d of %d games are good, want %d", n, len(whole), want)
			}
			if !strings.Contains(torn[len(torn)-1], "pgn: line ") || !strings.HasSuffix(torn[len(torn)-1], "broken") {
				t.Errorf("an error of reading is %q", torn[len(torn)-1])
			}
			for _, size := range []int{40, 333, 1000, 4096, 20_000} {
				if got := listed(strings.NewReader(text), size, 2); !slices.Equal(got, whole) {
					t.Errorf("chunks of %d bytes: %d games, whole %d:\n%s", size, len(got), len(whole), differing(got, whole))
				}
				r := io.MultiReader(strings.NewReader(text[:len(text)/2]), iotest.ErrReader(broken))
				if got := listed(r, size, 3); !slices.Equal(got, torn) {
					t.Errorf("torn, chunks of %d bytes: %d games, whole %d:\n%s", size, len(got), len(torn), differing(got, torn))
				}
			}
		})
	}
}

// differing is the first of two lists in which they differ.
func differing(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + "\n" + b[i]
		}
	}
	return "one is longer"
}

// A reader that is left early has returned before its caller goes on.
func TestReadEndsEarly(t *testing.T) {
	in := strings.NewReader(strings.Repeat("[Event \"x\"]\n\n1. e4 1-0\n\n", 100_000))
	for _, err := range Read(in) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if left := in.Len(); left == 0 || left != in.Len() {
		t.Errorf("%d bytes left, then %d", left, in.Len())
	}
}

// A game beyond the bound is refused with the bound.
func TestLongGame(t *testing.T) {
	text := "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 {" + strings.Repeat("a long comment \n", (maxGame+1<<20)>>4) + "} 1-0\n"
	for _, err := range Read(strings.NewReader(text)) {
		if err == nil || err.Error() != "line 1: the game is longer than 8 MiB" {
			t.Error(err)
		}
		return
	}
	t.Error("nothing")
}
