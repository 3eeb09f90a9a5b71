package board

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// perftCase is a position with its leaf counts by depth; 0 means unknown.
type perftCase struct {
	name   string
	fen    string
	leaves [16]uint64
}

// run compares the leaf counts up to a depth, and returns their sum. It skips counts
// above maxLeaves.
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

// perftLeaves bounds the leaves of one count. TestPerftDeep has no bound.
func perftLeaves() uint64 {
	if raceEnabled {
		return 100_000
	}
	return 2_000_000
}

// readPerftEPD parses lines of the form "FEN ;D1 20 ;D2 400".
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
				t.Fatalf("%s: cannot parse %q", c.name, f)
			}
			c.leaves[depth] = leaves
		}
		cases = append(cases, c)
	}
	return cases
}

// readTrickyPerft parses blocks of the lines "id", "epd" and "perft DEPTH COUNT".
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
				t.Fatalf("%s:%d: cannot parse %q", file, i+1, text)
			}
			cases[len(cases)-1].leaves[depth] = leaves
		case "", "#":
		default:
			t.Fatalf("%s:%d: cannot parse %q", file, i+1, text)
		}
	}
	return cases
}

func readLines(t testing.TB, file string) []string {
	t.Helper()
	data := setup.Must(os.ReadFile(file))
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestPerft(t *testing.T) {
	t.Parallel()
	counted, known := uint64(0), uint64(0)
	for _, c := range readPerftEPD(t, "testdata/perft.epd") {
		counted += c.run(t, 16, perftLeaves())
		for _, n := range c.leaves {
			known += n
		}
	}
	if known < 90_000_000 {
		t.Errorf("testdata/perft.epd has only %d leaves: it is incomplete", known)
	}
	if counted < 40_000_000 && !raceEnabled {
		t.Errorf("counted only %d leaves", counted)
	}
}

// perftSuites are public suites for standard chess and Chess960.
var perftSuites = []struct {
	file  string
	cases int
	depth int // of the normal tests
	read  func(*testing.T, string) []perftCase
}{
	{"standard.epd", 128, 4, readPerftEPD},
	{"fischer.epd", 960, 3, readPerftEPD},
	{"tricky.perft", 19, 5, readTrickyPerft},
}

func TestPerftSuites(t *testing.T) {
	for _, suite := range perftSuites {
		t.Run(suite.file, func(t *testing.T) {
			t.Parallel()
			cases := suite.read(t, "testdata/"+suite.file)
			if len(cases) < suite.cases {
				t.Errorf("read %d positions, want %d", len(cases), suite.cases)
			}
			for _, c := range cases {
				c.run(t, suite.depth, perftLeaves())
			}
		})
	}
}

// Mirrored positions have the same leaf counts.
func TestPerftMirrored(t *testing.T) {
	t.Parallel()
	for _, c := range readPerftEPD(t, "testdata/perft.epd") {
		p := setup.Must(ParseFEN(c.fen))
		m := p.Mirror()
		c.fen = m.FEN()
		c.name += " mirrored"
		c.run(t, 3, perftLeaves())
	}
}

func BenchmarkPerft(b *testing.B) {
	for _, c := range []struct {
		name, fen string
		depth     int
	}{
		{"start", StartFEN, 5},
		{"kiwipete", kiwipeteFEN, 4},
		{"endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5},
		{"promotions", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 5},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := mustParse(b, c.fen)
			n := uint64(0)
			for b.Loop() {
				n += Perft(&p, c.depth)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}
