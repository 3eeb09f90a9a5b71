package dataset

import (
	"errors"
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
		!errors.Is(row, ErrTwice) {
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
	rows, err := readAll(r)
	var row *rowError
	if len(rows) != 4 || !errors.As(err, &row) || row.Row != 4 {
		t.Errorf("a reader gives %d rows, then %v", len(rows), err)
	}
}

func TestImpossiblePositionsAreNamed(t *testing.T) {
	good := positionsOf(randomGames(36, 2))[:50]
	w := setup.Must(newWriter(t.TempDir(), testConfig, unchecked(*positionsCodec), smallPositions))
	for i := range good {
		if i == 20 {
			good[i].Board = board.Position{}
		}
		setup.Check(t, w.Append(&good[i]))
	}
	if _, err := w.Finish(nil); err != nil {
		t.Fatal(err)
	}
	v, err := Verify(t.Context(), w.Dir(), nil, nil)
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
