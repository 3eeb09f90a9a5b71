package convert

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/file"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/bullet"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// What a search may say, from the mover's view. A client makes no score of "mate 0" in a
// position with legal moves, nor of a bound.
var saidScores = []engine.Score{engine.NoScore, 0, 34, engine.MaxScore, -engine.MaxScore, engine.MateScore - 5,
	-(engine.MateScore - 4)}

// scored makes data sets of positions and of one game with these scores, for each side to move.
func scored(t *testing.T) (positionsDir, gamesDir string, scores []int16) {
	t.Helper()
	positionsDir, gamesDir = filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "g")
	rows, err := dataset.NewPositionWriter(positionsDir, dataset.WriterConfig{})
	if err != nil {
		t.Fatal(err)
	}
	games, err := dataset.NewGameWriter(gamesDir, dataset.WriterConfig{})
	if err != nil {
		t.Fatal(err)
	}
	g := dataset.GameRow{Game: 7, Variant: dataset.Standard, Termination: "move-limit"}
	play := board.NewGame(board.StartPosition())
	for i := range 2 * len(saidScores) { // each score twice, once for either side
		p := play.Position()
		score := saidScores[i/2].White(p.SideToMove())
		scores = append(scores, score)
		row := dataset.PositionRow{Board: *p, Ply: uint16(i), Score: score, Result: 0.5, Game: 7, Weight: 1}
		if err := rows.Append(&row); err != nil {
			t.Fatal(err)
		}
		m := p.LegalMoves(nil)[0]
		play.Push(m)
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, score)
	}
	if err := games.Append(&g); err != nil {
		t.Fatal(err)
	}
	for _, finish := range []func() error{
		func() error { _, err := rows.Finish(nil); return err }, rows.Close,
		func() error { _, err := games.Finish(nil); return err }, games.Close,
	} {
		if err := finish(); err != nil {
			t.Fatal(err)
		}
	}
	return positionsDir, gamesDir, scores
}

// export returns a data set in a format.
func export(t *testing.T, data string, f Format) (text string, warned string) {
	t.Helper()
	var out bytes.Buffer
	if _, err := Export(t.Context(), data, "-", ExportConfig{Format: f, Stdout: &out,
		Warn: func(s string) { warned += s }}); err != nil {
		t.Fatal(f, err)
	}
	return out.String(), warned
}

// A missing score is missing in every format: null, an empty field, or left out, and never 0;
// all others are read back as they were. A format that cannot say so refuses the row, or
// reports how many scores were lost.
func TestScoresOf(t *testing.T) {
	positionsDir, gamesDir, scores := scored(t)
	none := 0
	for _, s := range scores {
		if s == dataset.NoScore {
			none++
		}
	}
	for _, f := range []Format{formatCSV, formatTSV, formatEPD, formatJSONL} {
		text, warned := export(t, positionsDir, f)
		if warned != "" {
			t.Errorf("%s: %s", f, warned)
		}
		if f == formatJSONL {
			for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
				if want := `"score":` + orNull(scores[i]) + ","; !strings.Contains(line, want) {
					t.Errorf("row %d lacks %s: %s", i, want, line)
				}
			}
			continue
		}
		back := filepath.Join(t.TempDir(), "back")
		if _, refused, err := importFiles(t, back, ImportConfig{}, put(t, "x."+string(f), text)); err != nil ||
			refused != nil {
			t.Fatal(f, refused, err)
		}
		for i, r := range positions(t, back) {
			if r.Score != scores[i] {
				t.Errorf("%s, row %d: score %d, want %d", f, i, r.Score, scores[i])
			}
		}
	}
	if _, err := Export(t.Context(), positionsDir, "-",
		ExportConfig{Format: formatBullet, Stdout: new(bytes.Buffer)}); !errors.Is(err, bullet.ErrNoScore) {
		t.Errorf("bulletformat takes a row without a score: %v", err)
	}
	for _, f := range []Format{formatPGN, formatViri} {
		text, warned := export(t, gamesDir, f)
		if (f == formatViri) != strings.Contains(warned, fmt.Sprintf("%d of %d moves", none, len(scores))) {
			t.Errorf("%s warns %q", f, warned)
		}
		if n := strings.Count(text, "%eval"); f == formatPGN && n != len(scores)-none {
			t.Errorf("PGN has %d scores, want %d:\n%s", n, len(scores)-none, text)
		}
		back := filepath.Join(t.TempDir(), "back")
		if _, refused, err := importFiles(t, back, ImportConfig{}, put(t, "x."+string(f), text)); err != nil ||
			refused != nil {
			t.Fatal(f, refused, err)
		}
		r, err := dataset.OpenGames(back)
		if err != nil {
			t.Fatal(err)
		}
		for g, err := range r.All() {
			if err != nil || fmt.Sprint(g.Scores) != fmt.Sprint(scores) {
				t.Errorf("%s: scores %d, want %d (%v)", f, g.Scores, scores, err)
			}
		}
	}
	var list []string
	for _, s := range scores {
		list = append(list, orNull(s))
	}
	if text, _ := export(t, gamesDir, formatJSONL); !strings.Contains(text, `"scores":[`+strings.Join(list, ",")+"]") {
		t.Errorf("scores of a game are not %s: %s", list, text)
	}
	for _, data := range []string{positionsDir, gamesDir} {
		text, _ := export(t, data, formatParquet)
		if got := parquetScores(t, text); fmt.Sprint(got) != fmt.Sprint(list) {
			t.Errorf("Parquet has %s, want %s", got, list)
		}
	}
}

func orNull(s int16) string {
	if s == dataset.NoScore {
		return "null"
	}
	return fmt.Sprint(s)
}

// parquetScores reads the column of scores with the library's reader.
func parquetScores(t *testing.T, text string) (list []string) {
	t.Helper()
	r, err := file.NewParquetReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	schema := r.MetaData().Schema
	for i := range schema.NumColumns() {
		if !strings.HasPrefix(schema.Column(i).Path(), "score") {
			continue
		}
		c, err := r.RowGroup(0).Column(i)
		if err != nil {
			t.Fatal(err)
		}
		values, def, rep := make([]int32, 100), make([]int16, 100), make([]int16, 100)
		levels, _, err := c.(*file.Int32ColumnChunkReader).ReadBatch(100, values, def, rep)
		if err != nil {
			t.Fatal(err)
		}
		for k := range levels {
			if def[k] < schema.Column(i).MaxDefinitionLevel() {
				list = append(list, "null")
				continue
			}
			list = append(list, fmt.Sprint(values[0]))
			values = values[1:]
		}
	}
	return list
}

// Data of older programs, and other files, may say "mate 0" of a position with a legal move.
func TestMateInNoMoves(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	text := "[Annotator \"assay\"]\n\n1. e4 {[%eval #0]} e5 {[%eval #-0]} 2. Nf3 {[%eval 0.00]} *\n"
	if _, _, err := importFiles(t, dir, ImportConfig{},
		put(t, "x.pgn", strings.Replace(text, "*", "1-0", 1))); err != nil {
		t.Fatal(err)
	}
	r, err := dataset.OpenGames(dir)
	if err != nil {
		t.Fatal(err)
	}
	for g, err := range r.All() {
		if want := []int16{dataset.NoScore, dataset.NoScore, 0}; err != nil || fmt.Sprint(g.Scores) != fmt.Sprint(want) {
			t.Error(g.Scores, err)
		}
	}
}
