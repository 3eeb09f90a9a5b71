//go:build experiment

package board

import (
	"bufio"
	"flag"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/assay-chess/assay/internal/setup"
)

var perftDepth = flag.Int("perft-depth", 5, "depth to which TestPerftSuitesDeep counts")

// TestPerftSuitesDeep counts the perft suites deeper than the normal tests.
func TestPerftSuitesDeep(t *testing.T) {
	for _, suite := range perftSuites {
		for _, c := range suite.read(t, "testdata/"+suite.file) {
			c.run(t, *perftDepth, math.MaxUint64)
		}
	}
}

// TestPerftDeep counts everything in perft.epd, up to 16 million leaves at once.
func TestPerftDeep(t *testing.T) {
	for _, c := range readPerftEPD(t, "testdata/perft.epd") {
		c.run(t, 16, math.MaxUint64)
	}
}

// TestRealPositions parses and writes 434,921 positions of real games. By their keys,
// exactly 34,980 are repetitions. The file is not part of the project.
func TestRealPositions(t *testing.T) {
	f := setup.Must(os.Open("../../../shared/data/sf-scored-435k.tsv.zst"))
	defer f.Close()
	z := setup.Must(zstd.NewReader(f))
	defer z.Close()
	keys := map[uint64]bool{}
	rows, again := 0, 0
	for lines := bufio.NewScanner(z); lines.Scan(); rows++ {
		fields := strings.Split(lines.Text(), "\t")
		p := setup.Must(ParseFEN(fields[0]))
		if keys[p.Key()] {
			again++
		}
		keys[p.Key()] = true
		// The file gives an en-passant square after every double step, we only where
		// the capture is legal; and it numbers the moves of some games from 0.
		got, want := strings.Fields(p.FEN()), strings.Fields(fields[0])
		if got[3] == "-" {
			want[3] = "-"
		}
		if want[5] == "0" {
			want[5] = "1"
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%s is written %s", fields[0], p.FEN())
		}
		if check := fields[5] == "1"; check != p.InCheck() {
			t.Fatalf("%s: InCheck() = %v", fields[0], p.InCheck())
		}
	}
	if rows != 434_921 || again != 34_980 {
		t.Errorf("%d positions, %d repetitions; want 434921 and 34980", rows, again)
	}
}

var (
	pgnComment = regexp.MustCompile(`\{[^}]*\}`)
	pgnNumber  = regexp.MustCompile(`^\d+\.+$`)
)

// TestSANOfAllHumanGames is TestSANOfHumanGames for a whole PGN file beside the project.
func TestSANOfAllHumanGames(t *testing.T) {
	games, moves := 0, 0
	for _, text := range readLines(t, "../../../shared/data/pgn/lichess-438-games.pgn") {
		if text == "" || text[0] == '[' {
			continue
		}
		tokens := slices.DeleteFunc(strings.Fields(pgnComment.ReplaceAllString(text, " ")), func(word string) bool {
			return pgnNumber.MatchString(word) || strings.Contains(word, "1/2") ||
				slices.Contains([]string{"1-0", "0-1", "*"}, word)
		})
		for i, san := range tokens {
			tokens[i] = strings.TrimRight(san, "!?")
		}
		games++
		moves += checkSAN(t, tokens)
	}
	if games != 438 || moves < 20000 {
		t.Errorf("read %d games and %d moves", games, moves)
	}
}
