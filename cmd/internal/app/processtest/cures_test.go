package processtest

import (
	"os"
	"strings"
	"testing"

	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
)

// What an error advises works when it is done literally, in the same folder where it names no
// other.
func TestCuresWork(t *testing.T) {
	engine := testengine.Build(t, "badengine")
	t.Chdir(t.TempDir())
	setup.Check(t, os.Link(engine, "bad"))
	for name, text := range map[string]string{
		"bad.epd":  "this is no position\n",
		"good.epd": "4k3/8/8/8/8/8/4P3/4K3 w - - c9 \"1-0\";\n",
		"one.epd":  "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n",
		"three.epd": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\nrnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR " +
			"b KQkq -\nrnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -\n",
	} {
		setup.Check(t, os.WriteFile(name, []byte(text), 0o666))
	}
	fast := []string{"--nodes", "20", "--max-plies", "8", "--opening-nodes", "20"}
	book := []string{"--nodes", "20", "--max-plies", "8", "--sprt", "0,400"}
	for _, step := range []struct {
		args string
		more []string
		says string // of an error; empty: success
	}{
		// Too many forfeits: the error sends the user to another folder, or to --recover.
		{"selfplay --players 'assay:hash=1,uci:./bad crash-later' --games 2 --out failed", fast,
			"or resume this run with --recover"},
		{"selfplay --players 'assay:hash=1,uci:./bad crash-later' --games 2 --out failed --recover", fast, ""},
		{"selfplay --players assay:hash=1 --games 2 --out played", fast, ""},
		{"data import bad.epd --out imported", nil, "bad.epd"},
		{"data import good.epd --out imported", nil, ""},
		{"data relabel imported --player 'uci:./bad crash' --nodes 20 --out scored", nil, "it ended with exit status"},
		{"data relabel imported --nodes 30 --out scored", nil, ""},
		// Rows are there: the error sends the user to another folder, or back to the flags.
		{"selfplay --players assay:hash=1 --games 2 --out played --seed 2", fast,
			"use the flags it was started with, or another --out"},
		{"selfplay --players assay:hash=1 --games 2 --out played", fast, ""},
		{"selfplay --players assay:hash=1 --games 4 --out played", fast, ""},
		{"selfplay --players assay:hash=1 --games 2 --out played", fast, "games can be added, but not taken away"},
		{"selfplay --players assay:hash=1 --games 4 --out another", fast, ""},
		{"match assay:hash=1 assay:hash=2 --book one.epd --out m", book,
			"use a larger --book, or none for random openings, with another --out"},
		{"match assay:hash=1 assay:hash=2 --book three.epd --games 6 --out m", book, "another --out"},
		{"match assay:hash=1 assay:hash=2 --book three.epd --games 6 --out m2", book, ""},
		// A folder with other files.
		{"match assay:hash=1 assay:hash=2 --games 2 --out .", fast, "choose a new or empty folder with --out"},
		{"match assay:hash=1 assay:hash=2 --games 2 --out new", fast, ""},
	} {
		args := append(quotedFields(step.args), step.more...)
		code, _, stderr := call(t, args...)
		if (code == exitDone) != (step.says == "") || !strings.Contains(stderr, step.says) {
			t.Errorf("assay %s: exit %d, %s; want %q", step.args, code, stderr, step.says)
		}
	}
}
