package pgn

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
)

// Results are read as programs and people spell them, in the tag and behind the moves. One that is not known is an
// error with its text.
func TestResultsAsTheyAreSpelled(t *testing.T) {
	spellings := map[string][]string{
		"1-0":      {"1-0", "1 - 0", "1–0", "1:0", "1 -0"},
		"0-1":      {"0-1", "0 - 1", "0—1", "0 : 1"},
		"1/2-1/2":  {"1/2-1/2", "1/2 - 1/2", "½-½", "½ – ½", "½", "1/2", "0.5-0.5", "0,5 - 0,5", "\xbd-\xbd", "½-1/2"},
		unfinished: {"*"},
	}
	for want, list := range spellings {
		for _, s := range list {
			for name, text := range map[string]string{
				"tag and moves": "[Event \"x\"]\n[Result \"" + s + "\"]\n\n1. e4 e5 10. d4 " + s,
				"moves":         "[Event \"x\"]\n\n1. e4 e5 {1-0} (1... c5 0-1) " + s + " ",
				"tag":           "[Event \"x\"]\n[result \" " + s + "\"]\n\n1. e4 e5 " + want + "\n",
				"two games":     "[Event \"x\"]\n\n1. e4 " + s + "\n[Event \"y\"]\n\n1. e4 e5 " + s + "\n",
				"one line":      "[Event \"x\"] 1. e4 " + s + " [Event \"y\"] 1. e4 e5 " + s + "\n",
			} {
				for _, only := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s %q, tags only %v", name, s, only), func(t *testing.T) {
						games := 0
						for g, err := range (Reading{TagsOnly: only}).games(sized(text, 24, only)) {
							if err != nil || g.Finished != (want != unfinished) || g.Row.Result != int8(results[want]) {
								t.Errorf("%+v, %v", g, err)
							}
							games++
						}
						if n := strings.Count(text, "Event"); games != n {
							t.Errorf("%d games of %d", games, n)
						}
					})
				}
			}
		}
	}
	for _, s := range []string{"0-0", "1-0 ff", "1/2-0", "draw", "1-0-0", "+-", "½-0", "1-1", "1/2 - 1", "2-0"} {
		for only, text := range map[bool]string{true: "[Result \"" + s + "\"]\n", false: "[Result \"" + s +
			"\"]\n\n1. e4 1-0"} {
			for g, err := range (Reading{TagsOnly: only}).Games(strings.NewReader(text)) {
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("the result %q is not known", s)) {
					t.Errorf("%q in %+v, tags only %v: %v", s, g, only, err)
				}
			}
		}
	}
}

func sized(text string, size int, only bool) *splitter {
	s := newSplitter(strings.NewReader(text), size)
	s.only = only
	return s
}

// A message names a character, not one of its bytes.
func TestUnexpectedCharacters(t *testing.T) {
	for in, want := range map[string]string{"é": "'é'", "\xe9": "'é'", "♞": "'♞'", "\x01": `'\x01'`} {
		for _, err := range Read(strings.NewReader("1. e4 " + in + " 1-0\n")) {
			if err == nil || err.Error() != "line 1: unexpected "+want {
				t.Errorf("%q: %v", in, err)
			}
		}
	}
}

// however are the forms in which programs and people leave the same games.
var however = map[string]func(string) string{
	"as it is":      func(s string) string { return s },
	"CR":            func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
	"CRLF":          func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"one line":      func(s string) string { return strings.ReplaceAll(s, "\n", " ") },
	"a mark":        func(s string) string { return "\ufeff" + s },
	"indented tags": func(s string) string { return strings.ReplaceAll(s, "[", " \t[") },
	"small letters": func(s string) string {
		return strings.NewReplacer("White ", "white ", "Result", "result").Replace(s)
	},
	"capitals": func(s string) string {
		return strings.NewReplacer("Black ", "BLACK ", "Result", "RESULT").Replace(s)
	},
	"line breaks lost": func(s string) string { return strings.ReplaceAll(s, "\n\n[Event", " [Event") },
	"empty lines lost": func(s string) string { return strings.ReplaceAll(s, "\n\n", "\n") },
	"more empty lines": func(s string) string { return strings.ReplaceAll(s, "\n", "\n\n") },
	"blanks in tags": func(s string) string {
		return strings.NewReplacer("[", "[ ", ` "`, `   "`, `"]`,
			`" ]`).Replace(s)
	},
	"no end":            strings.TrimSpace,
	"no Event, no Site": func(s string) string { return withoutLines(s, "[Event", "[Site") },
	"tags alone": func(s string) string {
		var b strings.Builder
		for line := range strings.Lines(s) {
			if strings.HasPrefix(line, "[") {
				b.WriteString(line)
			}
		}
		return b.String()
	},
	"no result behind the moves": func(s string) string {
		return strings.NewReplacer(" 1-0\n", "\n", " 0-1\n", "\n", " 1/2-1/2\n", "\n").Replace(s)
	},
	"no tag Result": func(s string) string { return withoutLines(s, "[Result") },
}

func withoutLines(s string, beginnings ...string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if !slices.ContainsFunc(beginnings, func(x string) bool { return strings.HasPrefix(line, x) }) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Tags alone give the players and results that whole games have, in every form and wherever the text is cut.
func TestTagsOnly(t *testing.T) {
	text := string(sample(t, "lichess.pgn")[:30_000])
	text = text[:strings.LastIndex(text, "[Event ")]
	text = strings.Replace(text, " 1-0\n", " {\n [White \"no tag\n} 1-0\n", 1)
	who := func(s *splitter) (list []string) {
		for g, err := range (Reading{TagsOnly: s.only}).games(s) {
			list = append(list, fmt.Sprint(g.Row.White, " ", g.Row.Black, " ", g.Row.Result, " ", g.Finished, " ", err))
		}
		return list
	}
	want := who(sized(text, 1<<20, false))
	if len(want) < 10 || strings.Count(strings.Join(want, "\n"), "<nil>") != len(want) {
		t.Fatalf("the whole games are %q", want)
	}
	for name, form := range however {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{300, 5000, 1 << 20} {
				if got := who(sized(form(text), size, true)); !slices.Equal(got, want) {
					t.Errorf("chunks of %d bytes: %d games, want %d:\n%s", size, len(got), len(want), differing(got, want))
				}
			}
		})
	}
	for _, c := range []struct{ text, want string }{
		{"[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 0-1\n", `line 1: the result is "1-0" in the tags`},
		{"[White \"a\"]\n[Black \"b\"]\n[Black \"c\"]\n[Result \"1-0\"]\n", "line 1: two tags [Black]"},
		{"[White \"a\"]\n[Black \"b\"\n[Result \"1-0\"]\n", "line 2: the tag [Black"},
	} {
		for _, err := range (Reading{TagsOnly: true}).Games(strings.NewReader(c.text)) {
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%q: %v, want %s", c.text, err, c.want)
			}
		}
	}
}

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
		setup.Check(t, err)
		break
	}
	if left := in.Len(); left == 0 || left != in.Len() {
		t.Errorf("%d bytes left, then %d", left, in.Len())
	}
}

// A game beyond the bound is refused with the bound.
func TestLongGame(t *testing.T) {
	text := "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 {" + strings.Repeat("a long comment \n",
		(maxGame+1<<20)>>4) + "} 1-0\n"
	for _, err := range Read(strings.NewReader(text)) {
		if err == nil || err.Error() != "line 1: the game is longer than 8 MiB" {
			t.Error(err)
		}
		return
	}
	t.Error("nothing")
}

const oddsFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"

// tagged is a game with a start of its own, and the games around it.
func tagged(tags []string) string {
	plain := "[Event \"%s\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n"
	return fmt.Sprintf(plain, "before") + strings.Join(tags, "\n") + "\n\n1. e4 d5 2. Nf3 0-1\n\n" +
		fmt.Sprintf(plain, "after")
}

// TestTornTags damages one tag of a game in every way. Wherever the damage is, the game is
// refused once, whole, or read from its own start; the games around it are read.
func TestTornTags(t *testing.T) {
	header := []string{`[Event "odds"]`, `[Site "a \"b\" c"]`, `[White "w"]`, `[Result "0-1"]`, `[SetUp "1"]`,
		`[FEN "` + oddsFEN + `"]`, `[Variant "Standard"]`}
	cuts := map[string]func(tag string, i int) string{
		"line break":    func(s string, i int) string { return s[:i] + "\n" + s[i:] },
		"CRLF":          func(s string, i int) string { return s[:i] + "\r\n" + s[i:] },
		"empty line":    func(s string, i int) string { return s[:i] + "\n\n" + s[i:] },
		"letter lost":   func(s string, i int) string { return s[:i] + s[min(i+1, len(s)):] },
		"end lost":      func(s string, i int) string { return s[:i] },
		"beginning":     func(s string, i int) string { return s[i:] },
		"three lines":   func(s string, i int) string { return s[:i] + "\nx y\n" + s[i:] },
		"blanks":        func(s string, i int) string { return s[:i] + "  " + s[i:] },
		"quote":         func(s string, i int) string { return s[:i] + `"` + s[i:] },
		"closing brace": func(s string, i int) string { return s[:i] + "]" + s[i:] },
	}
	refused, read := 0, 0
	for name, cut := range cuts {
		for n := range header {
			for i := 1; i < len(header[n]); i++ {
				tags := append([]string(nil), header...)
				tags[n] = cut(header[n], i)
				text := tagged(tags)
				bad, middle, plain := 0, 0, 0
				for g, err := range Read(strings.NewReader(text)) {
					switch {
					case err != nil:
						bad++
					case g.Row.Start == "" && len(g.Row.Moves) == 2:
						plain++
					case g.Row.Start == oddsFEN && len(g.Row.Moves) == 3:
						middle++
					case n == 5 && g.Row.Start != "" && name == "letter lost": // another valid position
						middle++
					default:
						t.Errorf("%s in %s: a game from %q with %d moves", name, tags[n], g.Row.Start, len(g.Row.Moves))
					}
				}
				if plain != 2 || bad+middle != 1 {
					t.Errorf("%s: %d plain games, %d refusals, %d from the FEN, in\n%s", name, plain, bad, middle, text)
				}
				refused, read = refused+bad, read+middle
			}
		}
	}
	if refused < 800 || read < 200 {
		t.Errorf("%d refused, %d read: the test tests little", refused, read)
	}
}

// The names of tags have any capitals, and a game whose start or variant is not certain is refused.
func TestStartIsCertain(t *testing.T) {
	fen := func(name string) string { return fmt.Sprintf("[%s \"%s\"]", name, oddsFEN) }
	for _, c := range []struct {
		tags  string // between Event and the moves
		start string
		want  string // of the refusal; "": none
	}{
		{fen("Fen"), oddsFEN, ""},
		{fen("fen") + "\n[Setup \"1\"]", oddsFEN, ""},
		{"[setup \"1\"]\n" + fen("FEN"), oddsFEN, ""},
		{strings.Replace(fen("FEN"), " ", "", 1), oddsFEN, ""}, // [FEN"..."]
		{strings.Replace(fen("FEN"), " ", "\t", 1), oddsFEN, ""},
		{"[SETUP \"0\"]", "", ""},
		{`[FEN ""]`, "", ""},
		{`[SetUp "1"]`, "", "no [FEN]"},
		{"[SetUp \"1\"]\n[FEN \"\"]", "", "no [FEN]"},
		{`[Variant "From Position"]`, "", "no [FEN]"},
		{`[Variant "Chess960"]`, "", "no [FEN]"},
		{`[VARIANT "Crazyhouse"]`, "", "not chess"},
		{"[Variant \"Standard\"]\n[variant \"Atomic\"]", "", "two tags [Variant]"},
		{fen("FEN") + "\n[fen \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]", "", "two tags [FEN]"},
		{fen("FEN") + "\n" + fen("Fen"), oddsFEN, ""},
		{"[SetUp \"0\"]\n" + fen("FEN"), "", "contradict"},
		{`[FEN "?"]`, "", "invalid position"},
		{`[FEN x]`, "", "is not [Name"},
	} {
		text := "[EVENT \"x\"]\n" + c.tags + "\n[RESULT \"1-0\"]\n\n1. e4 e5 1-0\n"
		n := 0
		for g, err := range Read(strings.NewReader(text)) {
			if n++; c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: %v, want %q", c.tags, err, c.want)
				}
			} else if err != nil || g.Row.Start != c.start || g.Row.Variant != dataset.Standard {
				t.Errorf("%s: %v from %q", c.tags, err, g.Row.Start)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d games", c.tags, n)
		}
	}
}

// A tag within the moves does not make two games of one.
func TestStrayTag(t *testing.T) {
	const game = "[Event \"a\"]\n\n1. e4 e5\n[White \"x\"]\n2. Nf3 Nc6 1-0\n\n[Event \"b\"]\n\n1. d4 1-0\n"
	read, refused := 0, 0
	for g, err := range Read(strings.NewReader(game)) {
		if err != nil {
			refused++
		} else if read++; g.Tag("Event") != "b" {
			t.Errorf("read %v", g)
		}
	}
	if read != 1 || refused != 2 {
		t.Errorf("%d read, %d refused", read, refused)
	}
}

// Depths and times stand beside the scores.
func TestWriteNoted(t *testing.T) {
	g := game(t, "", "0-1", "f3", "e5", "g4", "Qh4#")
	g.Scores = []int16{dataset.NoScore, 34, -5, -31999}
	notes := Notes{Depths: []uint8{0, 12, 0}, Times: []uint32{0, 1250, 1, 3_600_000 + 61_007}}
	var b strings.Builder
	setup.Check(t, WriteNoted(&b, &g, notes))
	want := `1. f3 e5 { [%eval 0.34,12] [%emt 0:00:01.250] } 2. g4 { [%eval -0.05] [%emt
0:00:00.001] } 2... Qh4# { [%eval #-1] [%emt 1:01:01.007] } 0-1
`
	if !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
