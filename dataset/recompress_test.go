package dataset

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/assay-chess/assay/dataset/internal/guard"
)

// packedFile writes rows as one packed file, and returns its bytes.
func packedFile[R any](t testing.TB, c *codec[R], l layout, rows []R) []byte {
	t.Helper()
	dir := t.TempDir()
	w, err := newWriter(dir, WriterConfig{}, c, l)
	if err != nil {
		t.Fatal(err)
	}
	w.packed = true // and batches as the layout has them, for several
	for i := range rows {
		if err := w.Append(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "x-00000.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Packed files hold what others do, and are smaller.
func TestPackedFilesHoldTheSameRows(t *testing.T) {
	games := randomGames(80, 40)
	t.Run("games", func(t *testing.T) {
		testPacked(t, gamesCodec, layout{GamesFormat, "x", 15, 40}, games,
			func(path string) (*Reader[GameRow], error) { return OpenGames(path) })
	})
	t.Run("positions", func(t *testing.T) {
		testPacked(t, positionsCodec, layout{PositionsFormat, "x", 900, 100000}, positionsOf(games),
			func(path string) (*Reader[PositionRow], error) { return OpenPositions(path) })
	})
	t.Run("features", func(t *testing.T) {
		set := FeatureSet{Model: "m", Terms: []FeatureTerm{{Name: "a"}, {Name: "b"}}}
		c, err := newFeaturesCodec(set)
		if err != nil {
			t.Fatal(err)
		}
		var rows []FeatureRow
		for i := range 3000 {
			rows = append(rows, FeatureRow{Terms: []uint16{0, 1}, Counts: []float32{float32(i % 7), -3}, Phase: 1,
				Scale: 1, Eval: NoEval, Score: int16(i), Weight: 1})
		}
		testPacked(t, c, layout{FeaturesFormat, "x", 1000, 100000}, rows,
			func(path string) (*Reader[FeatureRow], error) {
				r, _, err := OpenFeatures(path)
				return r, err
			})
	})
	t.Run("none", func(t *testing.T) {
		if _, err := guard.Recompress(bareFile(t, gamesCodec, layout{GamesFormat, "x", 15, 40}, nil)); err != nil {
			t.Error(err)
		}
	})
}

func testPacked[R any](t *testing.T, c *codec[R], l layout, rows []R, open func(string) (*Reader[R], error)) {
	data, plain := packedFile(t, c, l, rows), bareFile(t, c, l, rows)
	if len(data) >= len(plain) {
		t.Errorf("%d bytes, %d as others", len(data), len(plain))
	}
	path := filepath.Join(t.TempDir(), "x.arrow")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readAll(r)
	if err != nil || !reflect.DeepEqual(got, rows) {
		t.Errorf("%d rows of %d, %v", len(got), len(rows), err)
	}
}
