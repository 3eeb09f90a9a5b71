package dataset

import (
	"bufio"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// realRows returns up to n scored positions of real games, in their order. The sample is
// the first 125 games of a file of 435,000 positions.
func realRows(t testing.TB, path string, n int) []PositionRow {
	t.Helper()
	f := setup.Must(os.Open(path))
	defer f.Close()
	z := setup.Must(zstd.NewReader(f))
	defer z.Close()
	var rows []PositionRow
	game, last := uint64(1), 0
	for lines := bufio.NewScanner(z); lines.Scan() && len(rows) < n; {
		cells := strings.Split(lines.Text(), "\t")
		p := setup.Must(board.ParseFEN(cells[0]))
		score, _ := strconv.Atoi(cells[1])
		result, _ := strconv.Atoi(cells[2])
		ply, _ := strconv.Atoi(cells[3])
		if ply <= last {
			game++
		}
		last = ply
		rows = append(rows, PositionRow{Board: p, Ply: uint16(ply), Score: int16(max(-MaxScore, min(MaxScore, score))),
			Result: ResultOf(int8(result)), Game: GameID("x", game), Opening: GameID("y", game), Weight: 1})
	}
	return rows
}

// size returns how many bytes a row takes on disk.
func size(t testing.TB, rows []PositionRow, packed bool) float64 {
	t.Helper()
	var opts []WriterOption
	if packed {
		opts = append(opts, Packed())
	}
	w := setup.Must(NewPositionWriter(t.TempDir(), WriterConfig{}, opts...))
	for i := range rows {
		setup.Check(t, w.Append(&rows[i]))
	}
	m := setup.Must(w.Finish(nil))
	bytes := int64(0)
	for _, s := range m.Shards {
		bytes += s.Size
	}
	return float64(bytes) / float64(len(rows))
}

const sampleFile = "testdata/scored.tsv.zst"

func TestSizeOfRealPositions(t *testing.T) { testSize(t, realRows(t, sampleFile, 150_000), 14, 30) }

// testSize checks how many bytes a row takes in game order, and as arrange.Shuffle writes
// it. About 4.7 of the latter are the ids of game and opening.
func testSize(t *testing.T, rows []PositionRow, maxOrdered, maxShuffled float64) {
	ordered := size(t, rows, false)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	shuffled := size(t, rows, true)
	t.Logf("%.2f bytes a row in game order, %.2f shuffled", ordered, shuffled)
	if ordered > maxOrdered || shuffled > maxShuffled {
		t.Errorf("%.2f bytes a row in game order, %.2f shuffled; want %v and %v at most", ordered, shuffled,
			maxOrdered, maxShuffled)
	}
}

func BenchmarkReadPositions(b *testing.B) {
	rows := realRows(b, sampleFile, 300_000)
	dir := b.TempDir()
	writeAll(b, dir, positionsCodec, positionsCodec.layout, rows)
	n := 0
	for b.Loop() {
		r := setup.Must(OpenPositions(dir))
		for _, err := range r.All() {
			setup.Check(b, err)
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
