package convert

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// imported makes a data set of a random list.
func imported(t *testing.T, n int) (dir string, rows []dataset.PositionRow) {
	t.Helper()
	_, text := randomList(11, n)
	dir = filepath.Join(t.TempDir(), "data")
	if _, _, err := importFiles(t, dir, ImportConfig{InferGames: true}, put(t, "list.epd", text)); err != nil {
		t.Fatal(err)
	}
	return dir, positions(t, dir)
}

// What is exported is imported again: tables whole, others but for what they lack.
func TestExportedIsImported(t *testing.T) {
	dir, rows := imported(t, 9000)
	for _, name := range []string{"x.csv", "x.tsv.gz", "x.csv.zst", "x.epd", "x.fen", "x.bullet", "x.bullet.zst"} {
		file, back := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), "back")
		if n, err := Export(t.Context(), dir, file, ExportConfig{}); err != nil || n != 9000 {
			t.Fatal(name, n, err)
		}
		n, refused, err := importFiles(t, back, ImportConfig{}, file)
		if err != nil || refused != nil || n.Rows != 9000 {
			t.Fatal(name, n, refused, err)
		}
		for i, got := range positions(t, back) {
			want := rows[i]
			switch name {
			case "x.epd":
				want.Game = 0
			case "x.fen":
				want.Score, want.Game = dataset.NoScore, 0
			case "x.bullet", "x.bullet.zst":
				if want.Board.SideToMove() == board.Black {
					want.Board, want.Score, want.Result = want.Board.Mirror(), -want.Score, 1-want.Result
				}
				if got.Board.Pieces(board.White, board.King) != want.Board.Pieces(board.White, board.King) ||
					got.Board.ByColor(board.Black) != want.Board.ByColor(board.Black) {
					t.Fatalf("%s, row %d: %s, want %s", name, i, got.Board.FEN(), want.Board.FEN())
				}
				want.Board, want.Ply, want.Game = got.Board, 0, 0
			}
			if got != want {
				t.Fatalf("%s, row %d: %+v, want %+v", name, i, got, want)
			}
		}
	}
	var out bytes.Buffer
	if n, err := Export(t.Context(), dir, "-", ExportConfig{Format: formatJSONL, Stdout: &out}); err != nil ||
		n != 9000 || strings.Count(out.String(), "\n") != 9000 {
		t.Error(n, err)
	}
}

func TestGamesGoToPGNAndBack(t *testing.T) {
	const text = "[Event \"?\"]\n[Annotator \"assay\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K2R w K - 0 1\"]\n\n1. O-O {[%eval " +
		"0.34]} Kd7 {[%eval #3]} 1-0\n\n" +
		"[Event \"?\"]\n[White \"a\\\"b\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n"
	dir, back, file := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two"), filepath.Join(t.TempDir(),
		"x.pgn")
	if _, refused, err := importFiles(t, dir, ImportConfig{}, put(t, "x.pgn", text)); err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	if n, err := Export(t.Context(), dir, file, ExportConfig{}); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	if _, refused, err := importFiles(t, back, ImportConfig{}, file); err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	var games [2][]dataset.GameRow
	for i, d := range []string{dir, back} {
		r := setup.Must(dataset.OpenGames(d))
		for g, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			games[i] = append(games[i], g)
		}
	}
	for i, a := range games[0] {
		b := games[1][i]
		if !slices.Equal(a.Moves, b.Moves) || !slices.Equal(a.Scores, b.Scores) || a.Start != b.Start ||
			a.Result != b.Result || a.White != b.White {
			t.Errorf("%+v is read back as %+v", a, b)
		}
	}
	if games[0][0].Scores[0] != 34 {
		t.Error(games[0][0].Scores)
	}
}

// A failed export leaves nothing behind, and none replaces a file.
func TestExportLeavesNothingBehind(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	if _, _, err := importFiles(t, data, ImportConfig{}, put(t, "x.epd", good+";5;0.5\n"+good+" [0.5]\n")); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "x.bullet")
	stale := filepath.Join(dir, ".x.bullet.999999-0.tmp")
	setup.Check(t, os.WriteFile(stale, nil, 0o666))
	if _, err := Export(t.Context(), data, file, ExportConfig{}); err == nil ||
		!strings.Contains(err.Error(), "row 2: the position has no score") {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%v is left behind", entries)
	}
	setup.Check(t, os.WriteFile(file, []byte("mine"), 0o666))
	if _, err := Export(t.Context(), data, file, ExportConfig{}); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	if _, err := Export(t.Context(), data, filepath.Join(dir, "x.pgn"), ExportConfig{}); !errors.Is(err, ErrKind) {
		t.Error(err)
	}
	if _, err := Export(t.Context(), data, filepath.Join(dir, "x"), ExportConfig{}); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	// A cut file of records is not taken for a shorter one.
	if _, _, err := importFiles(t, filepath.Join(t.TempDir(), "out"), ImportConfig{},
		put(t, "x.bullet", strings.Repeat("\x00", 33))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
