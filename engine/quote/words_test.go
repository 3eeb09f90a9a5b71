package quote

import (
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
)

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
