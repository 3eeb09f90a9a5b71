package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/setup"
)

// The text of a run's configuration decides the ids of its games: keys, their order and omitted ones
// must not change. A new setting adds nothing at its default.
func TestIdentitiesStay(t *testing.T) {
	path := setup.Must(filepath.Abs("testdata/identities.txt"))
	t.Chdir(t.TempDir())
	book := "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n" +
		"rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2\n"
	engine := "#!/bin/sh\nexec assay uci\n"
	for name, text := range map[string]string{"book.epd": book, "engine": engine,
		"spsa.toml": "player = \"assay:hash=1\"\niterations = 1\npairs = 1\nnodes = 40\n" +
			"[[parameter]]\nname = \"ReverseMargin\"\nstart = 70\nmin = 10\nmax = 200\nc_end = 10\n"} {
		setup.Check(t, os.WriteFile(name, []byte(text), 0o777))
	}
	var out bytes.Buffer
	for _, line := range []string{
		"match assay:hash=1 assay:weights=shannon-1950:hash=1 --games 2 --nodes 30 --max-plies 20",
		"match assay:hash=1:ReverseMargin=60 name=old:assay:nodes=20 --sprt=0,10 --games 2 --nodes 30 " +
			"--max-plies 20 --seed 9",
		"match assay:hash=1 shannon-a:moves=2:depth=1 --games 2 --nodes 30 --max-plies 10 --book book.epd --book-order " +
			"random --win-one-sided --draw-plies 8 --play-on 0.2 --hard-nodes=false",
		"match assay:hash=1 turing-1951 --games 2 --max-plies 4",
		"match assay:hash=1 ./engine?Hash=2 --games 2 --nodes 30 --max-plies 8 --book book.epd --book-start 1",
		"match uci:nodes=9:view=white:./engine random --games 2 --depth 1 --max-plies 8 --random-plies 6",
		"ladder assay:hash=1 random first-move --games 6 --nodes 30 --max-plies 10",
		"ladder assay:hash=1 random --schedule gauntlet --games 2 --tc 1+0.01 --max-plies 4",
		"selfplay --players assay:hash=1 --games 2 --nodes 30 --max-plies 20",
		"selfplay --players assay:hash=1,./engine --games 2 --depth 2 --max-plies 20 --opening-score -1",
		"spsa spsa.toml",
	} {
		setup.Check(t, os.RemoveAll("out"))
		args := append(strings.Fields(line), "--out", "out")
		code, _, stderr := call(t, args...)
		out.WriteString(line + "\n")
		if code != exitDone {
			t.Errorf("%s: exit %d", line, code)
			out.WriteString(strings.ReplaceAll(stderr, "\n", " ") + "\n")
			continue
		}
		setup.Check(t, json.Compact(&out, setup.Must(os.ReadFile(filepath.Join("out", "config.json")))))
		out.WriteString("\n")
	}
	golden(t, path, strings.ReplaceAll(out.String(), ui.Version(), "VERSION"))
}
