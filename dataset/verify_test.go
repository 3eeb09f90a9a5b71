package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
)

func TestDetect(t *testing.T) {
	games, positions := t.TempDir(), t.TempDir()
	rows := randomGames(30, 3)
	writeAll(t, games, gamesCodec, smallGames, rows)
	writeAll(t, positions, positionsCodec, smallPositions, positionsOf(rows))
	for path, want := range map[string]string{
		games:     GamesFormat,
		positions: PositionsFormat,
		filepath.Join(games, "games-00000.arrow"):         GamesFormat,
		filepath.Join(positions, "positions-00000.arrow"): PositionsFormat,
	} {
		if got, err := Detect(path); got != want || err != nil {
			t.Errorf("%s is %q, %v", path, got, err)
		}
	}
	setup.Check(t, os.Remove(filepath.Join(games, durable.ManifestName)))
	if got, err := Detect(games); got != GamesFormat || err != nil {
		t.Errorf("without manifest: %q, %v", got, err)
	}
	if _, err := Detect(t.TempDir()); !errors.Is(err, ErrNoData) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestVerifyFindsEverythingWrong(t *testing.T) {
	dir := t.TempDir()
	games := randomGames(33, 40)
	games[17].Game = games[2].Game
	writeAll(t, dir, gamesCodec, smallGames, games)
	datatest.FlipBit(t, filepath.Join(dir, "games-00000.arrow"), 9000)
	datatest.FlipBit(t, filepath.Join(dir, "games-00003.arrow"), 9000)
	setup.Check(t, os.WriteFile(filepath.Join(dir, "stray.arrow"), nil, 0o666))
	var problems []string
	v := setup.Must(Verify(t.Context(), dir, func(err error) { problems = append(problems, err.Error()) }, nil))
	// The game that is there twice is not found: its twin's file is damaged.
	if v.OK() || v.Rows != 20 || v.BadFiles != 3 || v.BadRows != 0 || len(problems) != 3 {
		t.Errorf("%+v\n%s", v, strings.Join(problems, "\n"))
	}
	for i, want := range []string{"stray.arrow", "games-00000.arrow", "games-00003.arrow"} {
		if !strings.Contains(problems[i], want) {
			t.Errorf("problem %d: %s", i, problems[i])
		}
	}
}

func TestVerifyFindsGamesTwice(t *testing.T) {
	dir := t.TempDir()
	games := randomGames(34, 20)
	games[17].Game = games[2].Game
	writeAll(t, dir, gamesCodec, smallGames, games)
	var problems []error
	v, err := Verify(t.Context(), dir, func(err error) { problems = append(problems, err) }, nil)
	if err != nil || v.Rows != 19 || v.BadRows != 1 || len(problems) != 1 {
		t.Fatalf("%+v, %v, %v", v, problems, err)
	}
	var row *rowError
	if !errors.As(problems[0], &row) || row.Row != 7 || !strings.HasSuffix(row.File, "games-00001.arrow") ||
		!errors.Is(row, ErrDuplicate) {
		t.Errorf("problem %v", problems[0])
	}
}

// unchecked writes rows as they are, as another program might.
func unchecked[R any](c codec[R]) *codec[R] {
	c.check = func(*R) error { return nil }
	return &c
}

func TestBadRowsOfOthersAreNamed(t *testing.T) {
	dir := t.TempDir()
	games := randomGames(35, 30)
	games[4].Result = 9
	games[12].Moves[3] = 0
	games[12].Termination = "x"
	games[29].OpeningPlies = 60000
	writeAll(t, dir, unchecked(*gamesCodec), smallGames, games)
	var problems []string
	v, err := Verify(t.Context(), dir, func(err error) { problems = append(problems, err.Error()) }, nil)
	if err != nil || v.Rows != 27 || v.BadRows != 3 || v.BadFiles != 0 {
		t.Fatalf("%+v, %v\n%s", v, err, strings.Join(problems, "\n"))
	}
	for i, want := range []string{"games-00000.arrow, row 5: result 9", "games-00001.arrow, row 3: ply 3: move 0",
		"games-00002.arrow, row 10: 60000 opening plies"} {
		if !strings.Contains(problems[i], want) {
			t.Errorf("problem %d: %s, want %s", i, problems[i], want)
		}
	}
	r := setup.Must(OpenGames(dir))
	rows, err := datatest.ReadAll(r)
	var row *rowError
	if len(rows) != 4 || !errors.As(err, &row) || row.Row != 4 {
		t.Errorf("a reader gives %d rows, then %v", len(rows), err)
	}
}

func TestImpossiblePositionsAreNamed(t *testing.T) {
	dir, rows := t.TempDir(), positionsOf(randomGames(36, 2))[:50]
	rows[20].Board = board.Position{}
	writeAll(t, dir, unchecked(*positionsCodec), smallPositions, rows)
	v, err := Verify(t.Context(), dir, nil, nil)
	if err != nil || v.Rows != 49 || v.BadRows != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestVerifyReportsInterruptedData(t *testing.T) {
	dir := interrupted(t, randomGames(37, 25))
	v, err := Verify(t.Context(), dir, nil, nil)
	if err != nil || v.OK() || v.Rows != 20 || v.Complete {
		t.Errorf("%+v, %v", v, err)
	}
}

// damages calls try with single-bit flips and as many truncations of data,
// the same in every run, and always with the first and last bytes.
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
		rows, err := datatest.ReadAll(r)
		if !errors.Is(err, durable.ErrDamaged) || !bytes.Contains([]byte(err.Error()), []byte(path)) ||
			len(rows) != 10 {
			t.Fatalf("%s: %d rows, %v", what, len(rows), err)
		}
	})
	setup.Check(t, os.Remove(path))
	r := setup.Must(OpenGames(dir))
	if _, err := datatest.ReadAll(r); !errors.Is(err, os.ErrNotExist) {
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
	readPositions := func(path string) (int, error) { return countRows(OpenPositions(path))((*PositionRow).Check) }
	t.Run("games", func(t *testing.T) {
		damageBare(t, bareFile(t, gamesCodec, layout{GamesFormat, "x", 5, 12}, games), len(games),
			func(path string) (int, error) { return countRows(OpenGames(path))((*GameRow).Check) })
	})
	t.Run("positions", func(t *testing.T) {
		damageBare(t, bareFile(t, positionsCodec, layout{PositionsFormat, "x", 150, 400}, rows), len(rows), readPositions)
	})
	t.Run("uncompressed positions", func(t *testing.T) {
		data := bareFile(t, positionsCodec, layout{PositionsFormat, "x", 150, 400}, rows, Uncompressed())
		if len(data) < 103*len(rows) { // as many as the columns have
			t.Errorf("%d bytes for %d rows", len(data), len(rows))
		}
		damageBare(t, data, len(rows), readPositions)
	})
	t.Run("features", func(t *testing.T) {
		damageBare(t, bareFile(t, fc, layout{FeaturesFormat, "x", 50, 90}, features), len(features),
			func(path string) (int, error) {
				r, set, err := OpenFeatures(path)
				return countRows(r, err)(func(f *FeatureRow) error { return f.check(&set) })
			})
	})
}

// bareFile writes rows as one file, and returns its bytes.
func bareFile[R any](t testing.TB, c *codec[R], l layout, rows []R, opts ...WriterOption) []byte {
	t.Helper()
	dir := t.TempDir()
	writeAll(t, dir, c, l, rows, opts...)
	return setup.Must(os.ReadFile(filepath.Join(dir, "x-00000.arrow")))
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

func damageBare(t *testing.T, whole []byte, rows int, read func(string) (int, error)) {
	path := filepath.Join(t.TempDir(), "bare.arrow")
	silent, noticed := 0, 0
	tried := damages(whole, func(what string, changed []byte) {
		setup.Check(t, os.WriteFile(path, changed, 0o666))
		n, err := read(path)
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
		if rows, err := datatest.ReadAll(r); err == nil && int64(len(rows)) != r.Len() {
			t.Errorf("%d rows of %d", len(rows), r.Len())
		}
	})
}
