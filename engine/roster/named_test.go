package roster

import (
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, test := range []struct{ text, shown, spec string }{
		{"assay", "assay", "assay"},
		{"assay:weights=runs/first/weights.json", "assay:weights=runs/first/weights.json", "assay:weights=runs/first/weights.json"},
		{"assay:name=tuned:weights=tuned.json", "tuned", "assay:weights=tuned.json"},
		{"assay:name=tuned", "tuned", "assay"},
		{"name=tuned:assay:weights=a/b.json", "tuned", "assay:weights=a/b.json"},
		{"uci:./new", "uci:./new", "uci:./new"},
		{"./new", "./new", "uci:./new"},
		{"./new --uci?Hash=16&EvalFile=a/b", "./new --uci?Hash=16&EvalFile=a/b", "uci:./new --uci?Hash=16&EvalFile=a/b"},
		{"/usr/games/stockfish", "/usr/games/stockfish", "uci:/usr/games/stockfish"},
		{`C:\engines\new.exe`, `C:\engines\new.exe`, `uci:C:\engines\new.exe`},
		{`bin\new.exe?Hash=1`, `bin\new.exe?Hash=1`, `uci:bin\new.exe?Hash=1`},
		{"name=New one:./new", "New one", "uci:./new"},
		{"uci:name=New:nodes=5:stockfish", "New", "uci:nodes=5:stockfish"},
		{"git:name=patch:HEAD?Hash=16", "patch", "git:HEAD?Hash=16"},
		{"git:origin/main", "git:origin/main", "git:origin/main"},
		{"stockfish", "stockfish", "stockfish"},
		{"uci:sh -c name=x:y", "uci:sh -c name=x:y", "uci:sh -c name=x:y"},
	} {
		shown, spec, err := Named(test.text)
		if err != nil || shown != test.shown || spec != test.spec {
			t.Errorf("%s: got %q, %q, %v; want %q, %q", test.text, shown, spec, err, test.shown, test.spec)
		}
	}
	for _, text := range []string{"name=:./new", "uci:name= :./new", "name=" + strings.Repeat("x", 61) + ":assay", "name=a\nb:assay"} {
		if _, _, err := Named(text); err == nil || !strings.Contains(err.Error(), "name") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
