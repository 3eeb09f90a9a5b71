package quote

import (
	"encoding/json"
	"errors"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-chess/assay/internal/setup"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                    "",
		"Stockfish 17 é 象棋 ♞": "Stockfish 17 é 象棋 ♞",
		`C:\engines\x`:        `C:\engines\x`,
		"\x1b[2Ja\x1b]0;x\a":  `\u001b[2Ja\u001b]0;x\u0007`,
		"a\nb\tc\r":           `a\nb\tc\u000d`,
		"\u009b31m\x7f\x00":   `\u009b31m\u007f\u0000`,
		"\u202egnp.exe":       `\u202egnp.exe`,
		"\u2028\U000e0041":    `\u2028\udb40\udc41`,
		"\x9b\xff é":          `\x9b\xff é`,
		"\ufffd":              "\ufffd",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
		if got := string(Lines([]byte(in))); got != strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(want) {
			t.Errorf("Lines of %q: %q", in, got)
		}
	}
}

// Whatever the bytes are, only safe characters come out, and JSON means the same as before.
func FuzzQuote(f *testing.F) {
	f.Add("a\x1b[0m\n")
	f.Add("\xc2\x9b\u202e\U0001d173")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Text(s) {
			if !Safe(r) {
				t.Fatalf("%q: %q", s, Text(s))
			}
		}
		data := setup.Must(json.Marshal(strings.ToValidUTF8(s, "?")))
		quoted := Lines(append(data, '\n'))
		var again string
		if err := json.Unmarshal(quoted, &again); err != nil || !utf8.Valid(quoted) || again != strings.ToValidUTF8(s, "?") {
			t.Fatalf("%q is %q in JSON, %v", s, again, err)
		}
	})
}

func TestFprintf(t *testing.T) {
	type name string
	var b strings.Builder
	if _, err := Fprintf(&b, "%s\t%s|%v|%d|%-4s|\n", "a\tb", name("\x1b"), errors.New("x\ny"), 7, "é"); err != nil ||
		b.String() != "a\\tb\t\\u001b|x\\ny|7|é   |\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                             nil,
		" \t":                          nil,
		"./engine dump":                {"./engine", "dump"},
		`  "my engine"  --a='b c' '' `: {"my engine", "--a=b c", ""},
		`C:\engines\sf.exe a\ b \"c\?`: {`C:\engines\sf.exe`, "a b", `"c?`},
		`"x \"y\" \\z" it\'s \n`:       {`x "y" \z`, "it's", `\n`},
	} {
		if got, err := Split(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{"'a", `a "b\"`} {
		if got, err := Split(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}

// Words that are quoted are the same words for Split and for a shell.
func FuzzWord(f *testing.F) {
	f.Add("stockfish?Hash=16&Use NNUE=false", "it's")
	f.Add(`'a b' "c\"d" e\ f ? X = 'y`, "")
	f.Add("$HOME `ls` \n * ~ # !", `\`)
	f.Fuzz(func(t *testing.T, a, b string) {
		line := Word(a) + " \t" + Word(b)
		if words, err := Split(line); err != nil || !slices.Equal(words, []string{a, b}) {
			t.Errorf("%q, %q became %s: %q, %v", a, b, line, words, err)
		}
		if strings.Contains(a+b, "\x00") {
			return
		}
		out, err := exec.Command("sh", "-c", "printf '%s|%s|' "+line).Output()
		if err != nil || string(out) != a+"|"+b+"|" {
			t.Errorf("%s: a shell has %q, %v", line, out, err)
		}
	})
}
