package app

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
)

// A run whose openings an engine makes asks for them once, and keeps them.
func TestGenfensBook(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the engine is a shell script")
	}
	t.Chdir(t.TempDir())
	engine := `#!/bin/sh
echo "$1" >> asked
echo 'info string genfens rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'
echo 'info string genfens bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/QNRKBBNR w HChf - 0 1'
`
	for name, text := range map[string]string{"engine": engine, "mute": "#!/bin/sh\necho id name mute\n"} {
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	play := func(more ...string) (int, string) {
		t.Helper()
		code, _, stderr := call(t, append([]string{"selfplay", "--games", "2", "--nodes", "20", "--max-plies", "4", "--out",
			"games"}, more...)...)
		return code, stderr
	}
	if code, stderr := play("--book", "genfens:./mute"); code != exitFailed ||
		!strings.Contains(stderr, `no line "info string genfens FEN"`) {
		t.Errorf("an engine without genfens: exit %d, %s", code, stderr)
	}
	for _, says := range []string{"asking ./engine for 2 openings", "nothing to do"} {
		if code, stderr := play("--book", "genfens:./engine?book=b.epd", "--seed", "5"); code != exitDone ||
			!strings.Contains(stderr, says) {
			t.Fatalf("exit %d, %s; want %q", code, stderr, says)
		}
	}
	if asked, err := os.ReadFile("asked"); err != nil || string(asked) != "genfens 18 seed 5 book b.epd\n" {
		t.Errorf("%v, asked %q", err, asked)
	}
	games, err := dataset.OpenGames("games")
	if err != nil {
		t.Fatal(err)
	}
	var starts []string
	for g, err := range games.All() {
		if err != nil {
			t.Fatal(err)
		}
		starts = append(starts, g.Start)
	}
	if len(starts) != 2 || !strings.HasPrefix(starts[0], "rnbqkbnr/pppp1ppp/") ||
		!strings.HasPrefix(starts[1], "bbqnnrkr/pppppppp/") {
		t.Errorf("games start at %q", starts)
	}
	if code, stderr := play("--book", "genfens:./engine", "--seed", "6"); code != exitFailed ||
		!strings.Contains(stderr, "the configuration has changed: seed") {
		t.Errorf("another seed: exit %d, %s", code, stderr)
	}
	if code, stderr := play("--out", "random"); code != exitDone {
		t.Fatal(stderr)
	}
	if code, stderr := play("--out", "random", "--book", "genfens:./engine"); code != exitFailed ||
		!strings.Contains(stderr, "random holds games with other openings") {
		t.Errorf("after random openings: exit %d, %s", code, stderr)
	}
}
