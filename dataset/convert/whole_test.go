package convert

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/dataset/internal/records"
	"github.com/assay-chess/assay/internal/setup"
)

// real returns a sample of real data, of whole lines, up to that many bytes.
func real(t testing.TB, path string, most int) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if strings.HasSuffix(path, ".zst") && err == nil {
		var z *zstd.Decoder
		if z, err = zstd.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(z)
			z.Close()
		}
	}
	setup.Check(t, err)
	if len(data) > most {
		data = data[:bytes.LastIndexByte(data[:most], '\n')+1]
	}
	return data
}

// scoredList is lichess.epd with the spellings of results and scores in use.
func scoredList(t testing.TB) []byte {
	rng := rand.New(rand.NewPCG(1, 18))
	var b strings.Builder
	for line := range strings.Lines(string(real(t, "../lines/testdata/lichess.epd", 6000))) {
		fen, result, _ := strings.Cut(strings.TrimSpace(line), " [")
		result = strings.TrimSuffix(result, "]")
		score := rng.IntN(500) - 250
		word := map[string]string{"1.0": "1-0", "0.5": "1/2-1/2", "0.0": "0-1"}[result]
		switch rng.IntN(6) {
		case 0:
			fmt.Fprintf(&b, "%s [%s]\n", fen, result)
		case 1:
			fmt.Fprintf(&b, "%s [%s] %d\n", fen, result, score)
		case 2:
			fmt.Fprintf(&b, "%s c9 \"%s\";\n", fen, word)
		case 3:
			fmt.Fprintf(&b, "%s;%d;%s\n", fen, score, result)
		case 4:
			fmt.Fprintf(&b, "%s | %d | %s\n", fen, score, result)
		case 5:
			fmt.Fprintf(&b, "%s %s ce %d;\n", fen, word, score)
		}
	}
	return []byte(b.String())
}

var (
	lineBreak = regexp.MustCompile(`\r\n|\r|\n`)
	tagLine   = regexp.MustCompile(`^\[[A-Za-z]+ `)
	moveLine  = regexp.MustCompile(`\d\. ?\S|[01]-[01]$|1/2-1/2$`)
)

// countLines counts the rows of a list or of a table without a header.
func countLines(data []byte) (n int64) {
	for i, line := range lineBreak.Split(string(data), -1) {
		if i == 0 {
			line = strings.TrimPrefix(line, bom)
		}
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			n++
		}
	}
	return n
}

// countGames counts the blocks of tags.
// A torn tag does not end the tags of a game; moves do.
func countGames(data []byte) (n int64) {
	in := false
	for _, line := range lineBreak.Split(strings.TrimPrefix(string(data), bom), -1) {
		if line == "" {
			continue
		}
		is := tagLine.MatchString(line)
		if is && !in {
			n++
		}
		in = is || in && !moveLine.MatchString(line)
	}
	return n
}

// textDamage changes a text as editors, scripts and disks do.
var textDamage = map[string]func(rng *rand.Rand, data []byte) []byte{
	"as it is": func(_ *rand.Rand, data []byte) []byte { return data },
	"CR":       func(_ *rand.Rand, data []byte) []byte { return bytes.ReplaceAll(data, []byte("\n"), []byte("\r")) },
	"CRLF":     func(_ *rand.Rand, data []byte) []byte { return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")) },
	"mark":     func(_ *rand.Rand, data []byte) []byte { return append([]byte(bom), data...) },
	"no end":   func(_ *rand.Rand, data []byte) []byte { return bytes.TrimRight(data, "\n") },
	"mixed line breaks": func(rng *rand.Rand, data []byte) (b []byte) {
		for _, c := range data {
			if c == '\n' {
				b = append(b, []string{"\r", "\n", "\r\n", "\n\n", "\r\r\n"}[rng.IntN(5)]...)
			} else {
				b = append(b, c)
			}
		}
		return b
	},
	"cut": func(rng *rand.Rand, data []byte) []byte { return data[:1+rng.IntN(len(data)-1)] },
	"changed bytes": func(rng *rand.Rand, data []byte) []byte {
		for range 1 + rng.IntN(20) {
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
		return data
	},
	"other characters": func(rng *rand.Rand, data []byte) []byte {
		const marks = "{}[]()\";#%|,\t\r\n\x00 *-"
		for range 1 + rng.IntN(20) {
			data[rng.IntN(len(data))] = marks[rng.IntN(len(marks))]
		}
		return data
	},
	"joined lines": func(rng *rand.Rand, data []byte) []byte {
		for i, c := range data {
			if c == '\n' && rng.IntN(8) == 0 {
				data[i] = ' '
			}
		}
		return data
	},
	"text behind lines": func(rng *rand.Rand, data []byte) (b []byte) {
		for line := range strings.Lines(string(data)) {
			if rng.IntN(6) == 0 && strings.TrimSpace(line) != "" {
				line = strings.TrimRight(line, "\n") + []string{" -M2", " junk", " 1-0",
					" rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1 [1.0]"}[rng.IntN(4)] + "\n"
			}
			b = append(b, line...)
		}
		return b
	},
	"lines lost, twice and out of order": func(rng *rand.Rand, data []byte) []byte {
		lines := bytes.SplitAfter(data, []byte("\n"))
		for range 1 + rng.IntN(8) {
			lines[rng.IntN(len(lines))] = lines[rng.IntN(len(lines))]
		}
		return bytes.Join(lines, nil)
	},
}

var binaryDamage = map[string]func(rng *rand.Rand, data []byte) []byte{
	"as it is":      textDamage["as it is"],
	"cut":           textDamage["cut"],
	"changed bytes": textDamage["changed bytes"],
}

// Whatever happened to a file, each of its rows is taken or refused, or the whole import is
// an error that leaves nothing on disk.
func TestNoRowIsLost(t *testing.T) {
	files := readers(t)
	for _, f := range []struct {
		name   string
		data   []byte
		config ImportConfig
		count  func([]byte) int64
		damage map[string]func(*rand.Rand, []byte) []byte
	}{
		{"x.epd", scoredList(t), ImportConfig{}, countLines, textDamage},
		{"x.tsv", real(t, "../testdata/scored.tsv.zst", 6000), ImportConfig{Columns: scoredColumns.Columns,
			Results: scoredColumns.Results}, countLines, textDamage},
		{"x.pgn", files["x.pgn"], ImportConfig{}, countGames, textDamage},
		{"x.bullet", files["x.bullet"], ImportConfig{}, func(b []byte) int64 {
			return int64(len(b) / records.BulletSize)
		}, binaryDamage},
	} {
		whole := f.count(f.data)
		for what, change := range f.damage {
			for seed := range uint64(max(1, datatest.Often(4))) {
				data := change(rand.New(rand.NewPCG(seed, 18)), bytes.Clone(f.data))
				dir := filepath.Join(t.TempDir(), "out")
				cut := int64(0) // tags at the end of the file
				f.config.Notice = func(string, string) { cut++ }
				n, refused, err := importFiles(t, dir, f.config, put(t, f.name, string(data)))
				label := fmt.Sprintf("%s, %s, seed %d", f.name, what, seed)
				if err != nil {
					if _, e := os.Stat(dir); what == "as it is" || what == "CR" || !errors.Is(e, os.ErrNotExist) {
						t.Errorf("%s: %v", label, err)
					}
					continue
				}
				want := f.count(data)
				// Pieces of a damaged game count for themselves.
				lost := n.Rows+n.Refused+cut < want || f.name != "x.pgn" && n.Rows+n.Refused != want
				if lost || int64(len(refused)) != n.Refused || onDisk(t, dir) != n.Rows || want == 0 {
					t.Errorf("%s: %d rows, %d taken, %d refused: %q", label, want, n.Rows, n.Refused, refused)
				}
				switch what {
				case "as it is", "CR", "CRLF", "mark", "no end", "mixed line breaks":
					if n.Rows != whole {
						t.Errorf("%s: %d rows of %d, refused %q", label, n.Rows, whole, refused)
					}
				case "joined lines":
					if want < whole && n.Refused == 0 && f.name != "x.pgn" {
						t.Errorf("%s: two positions on a line are taken as one", label)
					}
				}
			}
		}
	}
}

// onDisk counts the rows of a data set.
func onDisk(t testing.TB, dir string) int64 {
	t.Helper()
	v, err := dataset.Verify(t.Context(), dir, nil, nil)
	if err != nil || !v.OK() {
		t.Fatal(v, err)
	}
	return v.Rows
}

// No game is lost between two others.
func TestGamesInBadFiles(t *testing.T) {
	for _, c := range []struct {
		name, text    string
		taken, refuse int64
	}{
		{"a game of tags alone", "[Event \"a\"]\n[White \"x\"]\n\n[Event \"b\"]\n[White \"y\"]\n\n1. e4 1-0\n", 1, 1},
		{"moves behind a result", "[Event \"a\"]\n\n1. e4 1-0 1. d4 d5 0-1\n\n[Event \"b\"]\n\n1. c4 1-0\n", 2, 1},
		{"no tags", "1. e4 1-0\n1. e5 0-1\n1. d4 0-1\n", 2, 1},
		{"a comment that does not close, other first tag", "[White \"a\"]\n\n1. e4 {x 1-0\n\n[White \"b\"]\n\n1. d4 1-0\n",
			1, 1},
		{"an error in a variation with a result", "[Event \"a\"]\n\n1. e5 (1. d4 1-0) 1. c4 1-0\n\n[Event \"b\"]\n\n1. " +
			"c4 1-0\n", 1, 1},
		{"CR and a comment to the end of the line", "[Event \"a\"]\r\r1. e4 ; x\r1-0\r\r[Event \"b\"]\r\r% x\r1. c4 1-0\r",
			2, 0},
	} {
		n, refused, err := importFiles(t, filepath.Join(t.TempDir(), "out"), ImportConfig{}, put(t, "x.pgn", c.text))
		if err != nil || n.Rows != c.taken || n.Refused != c.refuse {
			t.Errorf("%s: %+v, refused %q, %v", c.name, n, refused, err)
		}
	}
}
