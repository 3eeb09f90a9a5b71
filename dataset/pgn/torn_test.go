package pgn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
)

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
