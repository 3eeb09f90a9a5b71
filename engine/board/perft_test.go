package board

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var perftDepth = flag.Int("perft-depth", 0, "count the shared perft suites to this depth (default 4, and 3 for the 960 positions of fischer.epd)")

// perftCase is a position with the known leaf counts by depth; 0 is not known.
type perftCase struct {
	name   string
	fen    string
	leaves [16]uint64
}

// run counts the leaves of every known depth up to the given one.
func (c *perftCase) run(t *testing.T, maxDepth int, maxLeaves uint64) (total uint64) {
	t.Helper()
	p, err := ParseFEN(c.fen)
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return 0
	}
	for depth := 1; depth <= min(maxDepth, len(c.leaves)-1); depth++ {
		want := c.leaves[depth]
		if want == 0 || want > maxLeaves {
			continue
		}
		total += want
		if got := Perft(&p, depth); got != want {
			t.Errorf("%s: %s: perft(%d) = %d, want %d", c.name, c.fen, depth, got, want)
			return total
		}
	}
	return total
}

// perftLeaves bounds the leaves of one count, so that the race detector does not
// take minutes.
func perftLeaves() uint64 {
	if raceEnabled {
		return 100_000
	}
	return 1 << 62
}

// readPerftEPD reads lines of the form "FEN ;D1 20 ;D2 400".
func readPerftEPD(t *testing.T, file string) (cases []perftCase) {
	t.Helper()
	for i, text := range readLines(t, file) {
		if text == "" || text[0] == '#' {
			continue
		}
		fields := strings.Split(text, ";")
		c := perftCase{name: filepath.Base(file) + ":" + strconv.Itoa(i+1), fen: strings.TrimSpace(fields[0])}
		for _, f := range fields[1:] {
			d, count, ok := strings.Cut(strings.TrimSpace(f), " ")
			depth, err1 := strconv.Atoi(strings.TrimPrefix(d, "D"))
			leaves, err2 := strconv.ParseUint(count, 10, 64)
			if !ok || err1 != nil || err2 != nil || depth < 1 || depth >= len(c.leaves) {
				t.Fatalf("%s: cannot read %q", c.name, f)
			}
			c.leaves[depth] = leaves
		}
		cases = append(cases, c)
	}
	return cases
}

// readTrickyPerft reads blocks of the lines "id", "epd" and "perft DEPTH COUNT".
func readTrickyPerft(t *testing.T, file string) (cases []perftCase) {
	t.Helper()
	for i, text := range readLines(t, file) {
		key, value, _ := strings.Cut(text, " ")
		switch key {
		case "id":
			cases = append(cases, perftCase{name: value})
		case "epd":
			cases[len(cases)-1].fen = value
		case "perft":
			d, count, _ := strings.Cut(value, " ")
			depth, err1 := strconv.Atoi(d)
			leaves, err2 := strconv.ParseUint(count, 10, 64)
			if err1 != nil || err2 != nil {
				t.Fatalf("%s:%d: cannot read %q", file, i+1, text)
			}
			cases[len(cases)-1].leaves[depth] = leaves
		case "", "#":
		default:
			t.Fatalf("%s:%d: cannot read %q", file, i+1, text)
		}
	}
	return cases
}

// readLines returns a text file's lines. A file of the shared data that is not there
// skips the test.
func readLines(t testing.TB, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(file, sharedData) {
		t.Skipf("the shared data are not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// sharedData is the folder of data beside the project that some tests read.
const sharedData = "../../../shared/data/"

func TestPerft(t *testing.T) {
	t.Parallel()
	total := uint64(0)
	for _, c := range readPerftEPD(t, "testdata/perft.epd") {
		total += c.run(t, 16, perftLeaves())
	}
	if total < 90_000_000 && !raceEnabled {
		t.Errorf("counted %d leaves in all: testdata/perft.epd has lost some", total)
	}
}

func TestPerftSuites(t *testing.T) {
	for _, suite := range []struct {
		file  string
		cases int
		depth int
		read  func(*testing.T, string) []perftCase
	}{
		{"standard.epd", 128, 4, readPerftEPD},
		{"fischer.epd", 960, 3, readPerftEPD},
		{"tricky.perft", 19, 5, readTrickyPerft},
	} {
		t.Run(suite.file, func(t *testing.T) {
			t.Parallel()
			depth := suite.depth
			if *perftDepth > 0 {
				depth = *perftDepth
			}
			cases := suite.read(t, sharedData+"perft/"+suite.file)
			if len(cases) < suite.cases {
				t.Errorf("read %d positions, want %d", len(cases), suite.cases)
			}
			for _, c := range cases {
				c.run(t, depth, perftLeaves())
			}
		})
	}
}

// TestPerftMirrored counts some trees from the other side of the board.
func TestPerftMirrored(t *testing.T) {
	t.Parallel()
	for _, c := range readPerftEPD(t, "testdata/perft.epd") {
		p, err := ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		m := p.Mirror()
		c.fen = m.FEN()
		c.name += " mirrored"
		c.run(t, 3, perftLeaves())
	}
}
