package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
)

// damages calls try with single-bit flips and as many truncations of data,
// the same in every run, and always with those of the first and last bytes.
func damages(data []byte, try func(what string, changed []byte)) (tried int) {
	rng, flips := datatest.Rand(11), datatest.Often(1000)
	bits := make([]int, 0, flips)
	for i := range min(flips/8, len(data)*8) {
		bits = append(bits, i, len(data)*8-1-i)
	}
	for len(bits) < flips {
		bits = append(bits, rng.IntN(len(data)*8))
	}
	for _, bit := range bits {
		c := bytes.Clone(data)
		c[bit/8] ^= 1 << (bit % 8)
		try(fmt.Sprintf("bit %d flipped", bit), c)
	}
	for i := range flips {
		n := rng.IntN(len(data))
		if i < flips/16 {
			n = len(data) - 1 - i
		}
		try(fmt.Sprintf("cut to %d of %d bytes", n, len(data)), data[:n])
	}
	try("something appended", append(bytes.Clone(data), 0))
	try("twice", append(bytes.Clone(data), data...))
	return 2*flips + 2
}

// With a manifest, every damage is an error that names the file.
func TestDamagedShardsAreNoticed(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, gamesCodec, smallGames, randomGames(12, 20))
	path := filepath.Join(dir, "games-00001.arrow")
	whole := setup.Must(os.ReadFile(path))
	damages(whole, func(what string, changed []byte) {
		setup.Check(t, os.WriteFile(path, changed, 0o666))
		r := setup.Must(OpenGames(dir))
		rows, err := readAll(r)
		if !errors.Is(err, durable.ErrDamaged) || !bytes.Contains([]byte(err.Error()), []byte(path)) ||
			len(rows) != 10 {
			t.Fatalf("%s: %d rows, %v", what, len(rows), err)
		}
	})
	setup.Check(t, os.Remove(path))
	r := setup.Must(OpenGames(dir))
	if _, err := readAll(r); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing shard: %v", err)
	}
}

// Without a manifest a damaged file may be read, but it never panics, never has
// fewer rows than were written without an error, and never has an invalid one.
func TestDamagedBareFiles(t *testing.T) {
	games := randomGames(13, 12)
	rows := positionsOf(games)[:400]
	set := FeatureSet{Model: "m", Terms: []FeatureTerm{{Name: "a"}, {Name: "b"}}}
	features := make([]FeatureRow, 90)
	for i := range features {
		features[i] = FeatureRow{Terms: []uint16{0, 1}, Counts: []float32{float32(i), -3}, Phase: 1, Scale: 1,
			Eval: NoEval, Score: 5, Result: 0.5, Weight: 1}
	}
	fc := setup.Must(newFeaturesCodec(set))
	t.Run("games", func(t *testing.T) {
		damageBare(t, bareFile(t, gamesCodec, layout{GamesFormat, "x", 5, 12}, games), len(games),
			func(path string, opt OpenOption) (int, error) {
				return countRows(OpenGames(path, opt))(func(g *GameRow) error { return g.Check() })
			})
	})
	t.Run("positions", func(t *testing.T) {
		damageBare(t, bareFile(t, positionsCodec, layout{PositionsFormat, "x", 150, 400}, rows), len(rows),
			func(path string, opt OpenOption) (int, error) {
				return countRows(OpenPositions(path, opt))(func(p *PositionRow) error { return p.Check() })
			})
	})
	t.Run("uncompressed positions", func(t *testing.T) {
		data := bareFile(t, positionsCodec, layout{PositionsFormat, "x", 150, 400}, rows, Uncompressed())
		if len(data) < 103*len(rows) { // as many as the columns have
			t.Errorf("%d bytes for %d rows", len(data), len(rows))
		}
		damageBare(t, data, len(rows),
			func(path string, opt OpenOption) (int, error) {
				return countRows(OpenPositions(path, opt))(func(p *PositionRow) error { return p.Check() })
			})
	})
	t.Run("features", func(t *testing.T) {
		damageBare(t, bareFile(t, fc, layout{FeaturesFormat, "x", 50, 90}, features), len(features),
			func(path string, opt OpenOption) (int, error) {
				r, set, err := OpenFeatures(path, opt)
				return countRows(r, err)(func(f *FeatureRow) error { return f.check(&set) })
			})
	})
}

// bareFile writes rows as one file, and returns its bytes.
func bareFile[R any](t testing.TB, c *codec[R], l layout, rows []R, opts ...WriterOption) []byte {
	t.Helper()
	dir := t.TempDir()
	writeAll(t, dir, c, l, rows, opts...)
	data := setup.Must(os.ReadFile(filepath.Join(dir, "x-00000.arrow")))
	return data
}

// countRows reads all rows and asks check about each.
func countRows[R any](r *Reader[R], err error) func(check func(*R) error) (int, error) {
	return func(check func(*R) error) (int, error) {
		if err != nil {
			return 0, err
		}
		n := 0
		for row, err := range r.All() {
			if err != nil {
				return n, err
			}
			if err := check(&row); err != nil {
				return n, fmt.Errorf("INVALID ROW READ: %w", err)
			}
			n++
		}
		if r.Verified() {
			return n, errors.New("INVALID: a bare file is called verified")
		}
		return n, nil
	}
}

func damageBare(t *testing.T, whole []byte, rows int, read func(string, OpenOption) (int, error)) {
	path := filepath.Join(t.TempDir(), "bare.arrow")
	silent, noticed := 0, 0
	tried := damages(whole, func(what string, changed []byte) {
		setup.Check(t, os.WriteFile(path, changed, 0o666))
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		n, err := read(path, withMemory(mem))
		switch {
		case err == nil && n != rows:
			t.Fatalf("%s: %d rows of %d, and no error", what, n, rows)
		case err != nil && bytes.Contains([]byte(err.Error()), []byte("INVALID")):
			t.Fatalf("%s: %v", what, err)
		case err != nil && !bytes.Contains([]byte(err.Error()), []byte(path)):
			t.Fatalf("%s: the error does not name the file: %v", what, err)
		case err == nil:
			silent++
		default:
			noticed++
		}
	})
	t.Logf("%d noticed, %d read as valid rows", noticed, silent)
	if noticed < tried/2 { // all truncations, at least
		t.Errorf("only %d of %d noticed", noticed, tried)
	}
}

func FuzzBareFile(f *testing.F) {
	f.Add(bareFile(f, gamesCodec, layout{GamesFormat, "x", 2, 4}, randomGames(14, 4)))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.arrow")
		setup.Check(t, os.WriteFile(path, data, 0o666))
		r, err := OpenGames(path)
		if err != nil {
			return
		}
		if rows, err := readAll(r); err == nil && int64(len(rows)) != r.Len() {
			t.Errorf("%d rows of %d", len(rows), r.Len())
		}
	})
}
