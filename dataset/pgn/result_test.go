package pgn

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
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
		for only, text := range map[bool]string{true: "[Result \"" + s + "\"]\n", false: "[Result \"" + s + "\"]\n\n1. e4 1-0"} {
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
	"as it is":          func(s string) string { return s },
	"CR":                func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
	"CRLF":              func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"one line":          func(s string) string { return strings.ReplaceAll(s, "\n", " ") },
	"a mark":            func(s string) string { return "\ufeff" + s },
	"indented tags":     func(s string) string { return strings.ReplaceAll(s, "[", " \t[") },
	"small letters":     func(s string) string { return strings.NewReplacer("White ", "white ", "Result", "result").Replace(s) },
	"capitals":          func(s string) string { return strings.NewReplacer("Black ", "BLACK ", "Result", "RESULT").Replace(s) },
	"line breaks lost":  func(s string) string { return strings.ReplaceAll(s, "\n\n[Event", " [Event") },
	"empty lines lost":  func(s string) string { return strings.ReplaceAll(s, "\n\n", "\n") },
	"more empty lines":  func(s string) string { return strings.ReplaceAll(s, "\n", "\n\n") },
	"blanks in tags":    func(s string) string { return strings.NewReplacer("[", "[ ", ` "`, `   "`, `"]`, `" ]`).Replace(s) },
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
	broken := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrClosedPipe))
	var last error
	for _, err := range (Reading{TagsOnly: true}).Games(broken) {
		last = err
	}
	if last == nil || !strings.HasSuffix(last.Error(), io.ErrClosedPipe.Error()) {
		t.Errorf("an error of reading is %v", last)
	}
}
