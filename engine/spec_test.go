package engine

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

func TestParseSpec(t *testing.T) {
	list := func(nameValue ...string) (options []Option) {
		for i := 0; i < len(nameValue); i += 2 {
			options = append(options, Option{nameValue[i], nameValue[i+1]})
		}
		return options
	}
	words := func(w ...string) []string { return w }
	for _, tt := range []struct {
		text string
		want Spec // without the label
		as   string
	}{
		{"assay", Spec{Name: "assay"}, ""},
		{"assay:weights=runs/first/weights.json", Spec{Name: "assay", Weights: "runs/first/weights.json"}, ""},
		{`assay:hash=4:weights=C:\w\a b.json:nodes=7`,
			Spec{Name: "assay", Weights: `C:\w\a b.json`, Nodes: 7, Options: list("hash", "4")},
			`assay:weights=C:\w\a b.json:nodes=7:hash=4`},
		{"shannon-a:Moves=2:depth=40", Spec{Name: "shannon-a", Depth: 40, Options: list("moves", "2")},
			"shannon-a:depth=40:moves=2"},
		{"uci:stockfish", Spec{Name: "uci", Command: words("stockfish")}, ""},
		{"uci:/usr/games/stockfish?Hash=16&Use NNUE=false",
			Spec{Name: "uci", Command: words("/usr/games/stockfish"), Options: list("Hash", "16", "Use NNUE", "false")}, ""},
		{"uci:gnuchess --uci", Spec{Name: "uci", Command: words("gnuchess", "--uci")}, ""},
		{"uci:  a\tb   ? Clear Hash & Hash = 3 ",
			Spec{Name: "uci", Command: words("a", "b"), Options: list("Clear Hash", "", "Hash", "3")},
			"uci:a b?Clear Hash&Hash=3"},
		{`uci:'/my engines/a b' "x \"y\" \\z" c\ d it\'s '' \n`,
			Spec{Name: "uci", Command: words("/my engines/a b", `x "y" \z`, "c d", "it's", "", `\n`)},
			`uci:'/my engines/a b' 'x "y" \z' 'c d' 'it'\''s' '' '\n'`},
		{`uci:C:\engines\sf.exe?SyzygyPath=C:\tb;D:\tb`,
			Spec{Name: "uci", Command: words(`C:\engines\sf.exe`), Options: list("SyzygyPath", `C:\tb;D:\tb`)},
			`uci:'C:\engines\sf.exe'?SyzygyPath='C:\tb;D:\tb'`},
		{`uci:'odd?name'?File='a&b'&Text=x\&y=z?`,
			Spec{Name: "uci", Command: words("odd?name"), Options: list("File", "a&b", "Text", "x&y=z?")},
			`uci:'odd?name'?File='a&b'&Text='x&y=z?'`},
		{"uci:nodes=5000:depth=3:timeout=10s:start=500ms:e",
			Spec{Name: "uci", Nodes: 5000, Depth: 3, Command: words("e"), MoveTimeout: 10 * time.Second,
				StartTimeout: 500 * time.Millisecond}, ""},
		{"uci:history=full:view=white:e",
			Spec{Name: "uci", Command: words("e"), WhiteView: true, FullHistory: true}, ""},
		{"uci:env A=b:c e?X=nodes=1:", Spec{Name: "uci", Command: words("env", "A=b:c", "e"),
			Options: list("X", "nodes=1:")}, ""},
		{"git:nodes=500:HEAD~2?Hash=16", Spec{Name: "git", Command: words("HEAD~2"), Nodes: 500,
			Options: list("Hash", "16")}, "git:nodes=500:'HEAD~2'?Hash=16"},
	} {
		got, err := ParseSpec(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		got.Label = ""
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.text, got, tt.want)
		}
		if want := tt.as; got.String() != want && (want != "" || got.String() != tt.text) {
			t.Errorf("%s becomes %s", tt.text, got)
		}
		again, err := ParseSpec(got.String())
		if again.Label = ""; err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s becomes %s: %+v, %v", tt.text, got, again, err)
		}
	}
}

func TestSpecErrors(t *testing.T) {
	for text, want := range map[string]string{
		"git:":                "the commit is missing",
		"git:?Hash=1":         "the commit is missing",
		"git:HEAD fast":       `"fast" after the commit`,
		"git:HEAD:nodes=50":   "stand before the commit",
		"git:nodes=x:HEAD":    "nodes=x is not a number",
		"assay:nonsense":      `"nonsense" is not a setting KEY=VALUE`,
		"assay:":              `"" is not a setting KEY=VALUE`,
		"a:Hash=1:hash=2":     "hash is set twice",
		"a:nodes=x":           "nodes=x is not a number",
		"uci:history=half:sh": "history=half: want full",
	} {
		if _, err := ParseSpec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"name=:./new", "uci:name= :./new", "assay:name=",
		"name=" + strings.Repeat("x", 61) + ":assay", "name=a\nb:assay"} {
		if _, err := ParseSpec(text); !errors.Is(err, ErrLabel) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, test := range []struct{ text, label, spec string }{
		{"assay", "assay", "assay"},
		{"assay:weights=runs/first/weights.json", "assay:weights=runs/first/weights.json",
			"assay:weights=runs/first/weights.json"},
		{"assay:name=tuned:weights=tuned.json", "tuned", "assay:weights=tuned.json"},
		{"assay:name=tuned", "tuned", "assay"},
		{"name=tuned:assay:weights=a/b.json", "tuned", "assay:weights=a/b.json"},
		{"uci:./new", "uci:./new", "uci:./new"},
		{"./new", "./new", "uci:./new"},
		{"./new --uci?Hash=16&EvalFile=a/b", "./new --uci?Hash=16&EvalFile=a/b", "uci:./new --uci?Hash=16&EvalFile=a/b"},
		{"/usr/games/stockfish", "/usr/games/stockfish", "uci:/usr/games/stockfish"},
		{`C:\engines\new.exe`, `C:\engines\new.exe`, `uci:'C:\engines\new.exe'`},
		{`bin\new.exe?Hash=1`, `bin\new.exe?Hash=1`, `uci:'bin\new.exe'?Hash=1`},
		{"name=New one:./new", "New one", "uci:./new"},
		{"uci:name=New:nodes=5:stockfish", "New", "uci:nodes=5:stockfish"},
		{"uci:timeout=5s:nodes=5:start=1s:stockfish", "uci:nodes=5:stockfish", "uci:nodes=5:timeout=5s:start=1s:stockfish"},
		{"uci:timeout=5s:./new", "./new", "uci:timeout=5s:./new"},
		{"git:name=patch:HEAD?Hash=16", "patch", "git:HEAD?Hash=16"},
		{"git:origin/main", "git:origin/main", "git:origin/main"},
		{"stockfish", "stockfish", "stockfish"},
		{"uci:sh -c name=x:y", "uci:sh -c name=x:y", "uci:sh -c name=x:y"},
	} {
		s, err := ParseSpec(test.text)
		if err != nil || s.Label != test.label || s.String() != test.spec {
			t.Errorf("%s: %q, %q, %v; want %q, %q", test.text, s.Label, s, err, test.label, test.spec)
		}
	}
}

func TestSpecChanges(t *testing.T) {
	for _, tt := range []struct {
		text        string
		move, start time.Duration
		want        string
	}{
		{"assay:nodes=5", time.Second, time.Second, "assay:nodes=5"},
		{"uci:e?Hash=1", 0, 0, "uci:e?Hash=1"},
		{"uci:e", 5 * time.Second, 100 * time.Millisecond, "uci:timeout=5s:start=100ms:e"},
		{"uci:nodes=7:timeout=1m:e", 5 * time.Second, time.Second, "uci:nodes=7:timeout=1m0s:start=1s:e"},
		{"git:HEAD", time.Second, 0, "git:timeout=1s:HEAD"},
	} {
		s, err := ParseSpec(tt.text)
		if got := s.WithTimeouts(tt.move, tt.start).String(); err != nil || got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
	if s, err := ParseSpec("git:main?Hash=1"); err != nil || s.WithProgram("/b c").String() != "uci:'/b c'?Hash=1" {
		t.Errorf("%s, %v", s, err)
	}
	for text, want := range map[string]bool{
		"uci:engine": false, "uci:engine?Threads=1&Hash=4": false, "uci:engine?threads=4": true,
		"uci:nodes=5:engine?Hash=1&CPU Threads=2": true, "assay": false,
	} {
		if s, err := ParseSpec(text); err != nil || s.Threaded() != want {
			t.Errorf("%s: %v, %v", text, s.Threaded(), err)
		}
	}
}

// A specification is text in JSON, and nothing that a person types is misread there.
func FuzzSpec(f *testing.F) {
	f.Add("uci:stockfish?Hash=16&Use NNUE=false")
	f.Add(`uci:timeout=3s:'a b' "c\"d" e\ f ? X = 'y'`)
	f.Add("assay:weights=C:x:y=1:Hash=5")
	f.Add("git:HEAD")
	f.Add(`uci:e?'a=b'=c&"d'"\\=\\`)
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec(text)
		if err != nil || strings.ToValidUTF8(text, "") != text {
			return
		}
		data := setup.Must(json.Marshal([2]Spec{s}))
		var again [2]Spec
		if err := json.Unmarshal(data, &again); err != nil || again[0].String() != s.String() || again[1].Name != "" {
			t.Errorf("%q: %s, %+v, %v", text, data, again, err)
		}
	})
}
