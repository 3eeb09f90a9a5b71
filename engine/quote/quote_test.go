package quote

import (
	"encoding/json"
	"errors"
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
