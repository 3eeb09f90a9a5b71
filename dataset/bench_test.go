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
)

// realRows returns up to n scored positions of real games, in their order.
func realRows(t testing.TB, n int) []PositionRow {
	t.Helper()
	f, err := os.Open("../../shared/data/sf-scored-435k.tsv.zst")
	if err != nil {
		t.Skip("needs ../shared beside the project:", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var rows []PositionRow
	game, last := uint64(1), 0
	for lines := bufio.NewScanner(z); lines.Scan() && len(rows) < n; {
		cells := strings.Split(lines.Text(), "\t")
		p, err := board.ParseFEN(cells[0])
		if err != nil {
			t.Fatal(err)
		}
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

// size returns the bytes a row of rows as a data set.
func size(t testing.TB, rows []PositionRow, packed bool) float64 {
	t.Helper()
	var opts []WriterOption
	if packed {
		opts = append(opts, Packed())
	}
	w, err := NewPositionWriter(t.TempDir(), WriterConfig{}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := w.Append(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	m, err := w.Finish(nil)
	if err != nil {
		t.Fatal(err)
	}
	bytes := int64(0)
	for _, s := range m.Shards {
		bytes += s.Size
	}
	return float64(bytes) / float64(len(rows))
}

// The sizes that users pay: at most 14 bytes a row in game order, and 30 as Shuffle
// writes them: 4.7 of them are the names of game and opening.
func TestSizeOfRealPositions(t *testing.T) {
	rows := realRows(t, 150_000)
	ordered := size(t, rows, false)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	shuffled := size(t, rows, true)
	t.Logf("%.2f bytes a row in game order, %.2f shuffled", ordered, shuffled)
	if ordered > 14 || shuffled > 30 {
		t.Errorf("%.2f bytes a row in game order, %.2f shuffled; want 14 and 30 at most", ordered, shuffled)
	}
}

func BenchmarkReadPositions(b *testing.B) {
	rows := realRows(b, 300_000)
	dir := b.TempDir()
	writeAll(b, dir, positionsCodec{}, positionsLayout, rows)
	n := 0
	for b.Loop() {
		r, err := OpenPositions(dir)
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range r.All() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkWritePositions(b *testing.B) {
	rows := realRows(b, 300_000)
	n := 0
	for b.Loop() {
		writeAll(b, b.TempDir(), positionsCodec{}, positionsLayout, rows)
		n += len(rows)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
