package convert

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/records"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// What a search may say, from the mover's view. A client makes no score of "mate 0" in a
// position with legal moves, nor of a bound.
var saidScores = []engine.Score{engine.NoScore, 0, 34, engine.MaxScore, -engine.MaxScore, engine.MateScore - 5,
	-(engine.MateScore - 4)}

// scored makes data sets of positions and of one game with these scores, for each side to move.
func scored(t *testing.T) (positionsDir, gamesDir string, scores []int16) {
	t.Helper()
	positionsDir, gamesDir = filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "g")
	rows := setup.Must(dataset.NewPositionWriter(positionsDir, dataset.WriterConfig{}))
	games := setup.Must(dataset.NewGameWriter(gamesDir, dataset.WriterConfig{}))
	g := dataset.GameRow{Game: 7, Variant: dataset.Standard, Termination: "move-limit"}
	play := board.NewGame(board.StartPosition())
	for i := range 2 * len(saidScores) { // each score twice, once for either side
		p := play.Position()
		score := saidScores[i/2].White(p.SideToMove())
		scores = append(scores, score)
		row := dataset.PositionRow{Board: *p, Ply: uint16(i), Score: score, Result: 0.5, Game: 7, Weight: 1}
		setup.Check(t, rows.Append(&row))
		m := p.LegalMoves(nil)[0]
		play.Push(m)
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, score)
	}
	setup.Check(t, games.Append(&g))
	for _, finish := range []func() error{
		func() error { _, err := rows.Finish(nil); return err }, rows.Close,
		func() error { _, err := games.Finish(nil); return err }, games.Close,
	} {
		setup.Check(t, finish())
	}
	return positionsDir, gamesDir, scores
}

// export returns a data set in a format.
func export(t *testing.T, data string, f Format) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := Export(t.Context(), data, "-", ExportConfig{Format: f, Stdout: &out}); err != nil {
		t.Fatal(f, err)
	}
	return out.String()
}

// A missing score is missing in every format: null, an empty field, or left out, and never 0;
// all others are read back as they were. A format that cannot say so refuses the row.
func TestScoresOf(t *testing.T) {
	positionsDir, gamesDir, scores := scored(t)
	none := 0
	for _, s := range scores {
		if s == dataset.NoScore {
			none++
		}
	}
	for _, f := range []Format{formatCSV, formatTSV, formatEPD, formatJSONL} {
		text := export(t, positionsDir, f)
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
		ExportConfig{Format: formatBullet, Stdout: new(bytes.Buffer)}); !errors.Is(err, records.ErrNoScore) {
		t.Errorf("bulletformat takes a row without a score: %v", err)
	}
	text := export(t, gamesDir, formatPGN)
	if n := strings.Count(text, "%eval"); n != len(scores)-none {
		t.Errorf("PGN has %d scores, want %d:\n%s", n, len(scores)-none, text)
	}
	back := filepath.Join(t.TempDir(), "back")
	if _, refused, err := importFiles(t, back, ImportConfig{}, put(t, "x.pgn", text)); err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	r := setup.Must(dataset.OpenGames(back))
	for g, err := range r.All() {
		if err != nil || fmt.Sprint(g.Scores) != fmt.Sprint(scores) {
			t.Errorf("scores %d, want %d (%v)", g.Scores, scores, err)
		}
	}
	var list []string
	for _, s := range scores {
		list = append(list, orNull(s))
	}
	if text := export(t, gamesDir, formatJSONL); !strings.Contains(text, `"scores":[`+strings.Join(list, ",")+"]") {
		t.Errorf("scores of a game are not %s: %s", list, text)
	}
}

func orNull(s int16) string {
	if s == dataset.NoScore {
		return "null"
	}
	return fmt.Sprint(s)
}
