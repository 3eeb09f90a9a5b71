package convert

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// recipeData are the data sets positions and games in dir, and their exports.
func recipeData(t *testing.T, dir string) (list []dataset.PositionRow, games []dataset.GameRow) {
	t.Helper()
	_, text := randomList(12, 5000)
	text += good + " [0.5]\n" // no score
	if _, _, err := importFiles(t, filepath.Join(dir, "positions"), ImportConfig{InferGames: true},
		put(t, "list.epd", text)); err != nil {
		t.Fatal(err)
	}
	const pgn = "[Termination \"b\"]\n[Annotator \"assay\"]\n\n1. f3 {[%eval 0.1]} e5 2. g4 {[%eval #-1]} Qh4# " +
		"0-1\n\n[Termination \"a\"]\n[Annotator \"assay\"]\n\n1. e4 {[%eval 0.3]} 1-0\n\n[Termination " +
		"\"b\"]\n[Annotator \"assay\"]\n\n1. d4 d5 {[%eval 0.2]} 1/2-1/2\n"
	if _, refused, err := importFiles(t, filepath.Join(dir, "games"), ImportConfig{},
		put(t, "x.pgn", pgn)); err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	return positions(filepath.Join(dir, "positions")), gamesIn(filepath.Join(dir, "games"))
}

func count(scores []int16, of int16) (n int) {
	for _, s := range scores {
		if s == of {
			n++
		}
	}
	return n
}

// The script of FORMAT.md accepts a whole data set, and no damaged one.
func TestRecipe(t *testing.T) {
	dir := t.TempDir()
	recipeData(t, dir)
	python := pythonWith(t, "hashlib", "it is part of Python")
	_, script, _ := strings.Cut(string(setup.Must(os.ReadFile("../FORMAT.md"))), "```python\n")
	script, _, _ = strings.Cut(script, "```\n")
	runScript(t, dir, python, script)
	shard := filepath.Join(dir, "positions", "positions-00000.arrow")
	data := setup.Must(os.ReadFile(shard))
	data[len(data)/2] ^= 1
	setup.Check(t, os.WriteFile(shard, data, 0o666))
	cmd := exec.Command(python, "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "AssertionError") {
		t.Errorf("a damaged shard: %v, %s", err, out)
	}
}

// installChess says where python-chess comes from.
const installChess = "pip install chess, or put its folder into PYTHONPATH"

// python-chess reads every line of EPD that is exported, and finds what was exported.
func TestPythonChessReadsEPD(t *testing.T) {
	python := pythonWith(t, "chess", installChess)
	dir := t.TempDir()
	list, _ := recipeData(t, dir)
	setup.Must(Export(t.Context(), filepath.Join(dir, "positions"), filepath.Join(dir, "x.epd"), ExportConfig{}))
	lines := strings.Split(strings.TrimSpace(runScript(t, dir, python, `import chess
for line in open("x.epd"):
    board, ops = chess.Board.from_epd(line, chess960=True)
    print(board.fen(en_passant="legal"), ops["c9"], ops.get("ce"), board.is_valid())
`)), "\n")
	if len(lines) != len(list) {
		t.Fatalf("%d lines for %d positions", len(lines), len(list))
	}
	for i := range list {
		score := "None"
		if p := &list[i]; p.Score != dataset.NoScore {
			score = strconv.Itoa(int(p.Score) * (1 - 2*int(p.Board.SideToMove())))
		}
		got := strings.Fields(lines[i])
		want := append(strings.Fields(list[i].Board.FEN()), board.GameResult(2*list[i].Result-1).String(), score, "True")
		got[2], want[2] = "", "" // Chess960's castling rights are written as the files of rooks
		if !slices.Equal(got, want) {
			t.Fatalf("python-chess reads %q, want %q", got, want)
		}
	}
}

// What PGN the libraries of other languages find in ours.
func TestOthersReadPGN(t *testing.T) {
	dir := t.TempDir()
	_, games := recipeData(t, dir)
	setup.Must(Export(t.Context(), filepath.Join(dir, "games"), filepath.Join(dir, "x.pgn"), ExportConfig{}))
	var want []string
	for i := range games {
		g := &games[i]
		want = append(want, strings.Join([]string{strconv.Itoa(len(g.Moves)),
			strconv.Itoa(len(g.Moves) - count(g.Scores, dataset.NoScore)), g.Termination, board.GameResult(g.Result).String()},
			" "))
	}
	compare := func(t *testing.T, out string) {
		if got := strings.Split(strings.TrimSpace(out), "\n"); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	t.Run("python-chess", func(t *testing.T) {
		python := pythonWith(t, "chess", installChess)
		compare(t, runScript(t, dir, python, `import chess.pgn
file = open("x.pgn")
while (game := chess.pgn.read_game(file)) is not None:
    assert not game.errors, game.errors
    nodes = list(game.mainline())
    print(len(nodes), sum(n.eval() is not None for n in nodes), game.headers["Termination"], game.headers["Result"])
`))
	})
	t.Run("chess.js", func(t *testing.T) {
		datatest.LinkNode(t, dir, "chess.js")
		compare(t, runScript(t, dir, "node", `import { Chess } from 'chess.js';
import { readFileSync } from 'node:fs';
for (const text of readFileSync('x.pgn', 'utf8').split(/\n\n(?=\[Event )/)) {
  const game = new Chess();
  game.loadPgn(text, { strict: true });
  const evals = game.getComments().filter((c) => c.comment.includes('%eval'));
  console.log(game.history().length, evals.length, game.getHeaders().Termination, game.getHeaders().Result);
}
`))
	})
}

// pythonWith returns a Python that has a module. Where there is none, the test is skipped,
// and says how to install it. Debian's own Python is asked too, because others do not find
// Debian's packages.
func pythonWith(t *testing.T, module, install string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+module).Run() == nil {
			return name
		}
	}
	t.Skipf("needs Python with the module %s: %s", module, install)
	return ""
}

// runScript runs a script in a folder and returns what it prints.
func runScript(t *testing.T, dir, program, script string) string {
	t.Helper()
	file := filepath.Join(dir, "script.mjs") // a name that Node asks for, and Python does not mind
	setup.Check(t, os.WriteFile(file, []byte(script), 0o666))
	cmd := exec.Command(program, file)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return string(out)
}

// imported makes a data set of a random list.
func imported(t *testing.T, n int) (dir string, rows []dataset.PositionRow) {
	t.Helper()
	_, text := randomList(11, n)
	dir = filepath.Join(t.TempDir(), "data")
	if _, _, err := importFiles(t, dir, ImportConfig{InferGames: true}, put(t, "list.epd", text)); err != nil {
		t.Fatal(err)
	}
	return dir, positions(dir)
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
		for i, got := range positions(back) {
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
	for _, name := range []string{"x.pgn", "x.plain", "x.binpack"} {
		if _, err := Export(t.Context(), data, filepath.Join(dir, name), ExportConfig{}); !errors.Is(err, ErrKind) {
			t.Error(err)
		}
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
