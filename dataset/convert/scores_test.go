package convert

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// What a search may say, from the mover's view. A client makes no score of "mate 0" in a
// position with legal moves, nor of a bound.
var saidScores = []engine.Score{engine.NoScore, 0, 34, engine.MaxScore, -engine.MaxScore, engine.MateScore - 5,
	-(engine.MateScore - 4)}

// A game's missing score is missing in PGN, and never 0; all others are read back as they were. The tests of package
// lines show it for positions.
func TestScoresOfGames(t *testing.T) {
	g := dataset.GameRow{Game: 7, Variant: dataset.Standard, Termination: "move-limit"}
	play := board.NewGame(board.StartPosition())
	for i := range 2 * len(saidScores) { // each score twice, once for either side
		p := play.Position()
		m := p.LegalMoves(nil)[0]
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, saidScores[i/2].White(p.SideToMove()))
		play.Push(m)
	}
	data, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "x.pgn")
	w, err := dataset.NewGameWriter(data, dataset.WriterConfig{})
	datatest.Write(t, w, err, []dataset.GameRow{g})
	setup.Must(Export(t.Context(), data, file, ExportConfig{}))
	games, _ := importGames(t, ImportConfig{}, string(setup.Must(os.ReadFile(file))))
	if len(games) != 1 || !slices.Equal(games[0].Scores, g.Scores) {
		t.Errorf("%+v, want scores %d", games, g.Scores)
	}
}

// importGames returns the games of a PGN and what the import says of its comments.
func importGames(t *testing.T, c ImportConfig, text string) (games []dataset.GameRow, n *Imported) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "d")
	n, refused, err := importFiles(t, dir, c, put(t, "x.pgn", text))
	if err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	return gamesIn(dir), n
}

// Book marks end the opening of each game where its line ends, unless the flag says where.
func TestMarkedOpenings(t *testing.T) {
	const text = "1. e4 {book} e5 {book} 2. Nf3 {book} Nc6 {book} 3. Bb5 {+0.35/12 0.1s} 1-0\n\n" +
		"1. e4 {book} c5 {book} 2. Nf3 {+0.31/12 0.1s} 1-0\n\n1. d4 d5 1-0\n"
	for _, c := range []struct {
		config ImportConfig
		want   [3]int
		books  int64
	}{
		{ImportConfig{}, [3]int{4, 2, 0}, 2},
		{ImportConfig{OpeningPlies: 1, NoBookMarks: true}, [3]int{1, 1, 1}, 0},
		{ImportConfig{NoBookMarks: true}, [3]int{}, 0},
	} {
		games, n := importGames(t, c.config, text)
		for i := range games {
			p := board.StartPosition()
			for _, m := range games[i].Moves[:c.want[i]] {
				p.Make(m)
			}
			if int(games[i].OpeningPlies) != c.want[i] || games[i].Opening != p.Key() {
				t.Errorf("%+v, game %d: %d opening plies, want %d; key %x, want %x", c.config, i, games[i].OpeningPlies,
					c.want[i], games[i].Opening, p.Key())
			}
		}
		if n.Comments == nil || n.Comments.Books != c.books {
			t.Errorf("%+v: %+v", c.config, n.Comments)
		}
	}
}

// The report says what was taken and what was left out; only games that were imported count.
func TestReportOfComments(t *testing.T) {
	const text = "[Site \"https://lichess.org/x\"]\n\n1. e4 {[%eval 0.2]} e5 {[%eval 0.3]} 2. Nf3 1-0\n\n" +
		"[Event \"x\"]\n\n1. e4 {[%eval 23,14]} e5 {[%eval 17,27]} 2. Nf3 1-0\n\n" +
		"[Event \"x\"]\n\n1. e4 {0.20|12} e5 {34/12 5ms} 2. Nf3 1-0\n\n"
	games, n := importGames(t, ImportConfig{}, text)
	none := int16(dataset.NoScore)
	for i, want := range [][]int16{{none, 20, 30}, {none, none, none}, {none, -34, none}} {
		if !slices.Equal(games[i].Scores, want) {
			t.Errorf("game %d: %v, want %v", i, games[i].Scores, want)
		}
	}
	var got []string
	for _, r := range n.Comments.Taken {
		got = append(got, fmt.Sprint(r.Dialect, " ", r.Scores, r.Left))
	}
	if want := []string{"Lichess games 2 false", "ChessBase 2 true", "c-chess-cli 1 false"}; !slices.Equal(got, want) ||
		n.Comments.Unknown != 1 || n.Comments.Example != "0.20|12" {
		t.Errorf("%q %+v", got, n.Comments)
	}
	games, _ = importGames(t, ImportConfig{Comments: pgn.Reading{Ply: pgn.Before}}, text)
	if want := []int16{23, 17, none}; !slices.Equal(games[1].Scores, want) {
		t.Errorf("with a ply: %v, want %v", games[1].Scores, want)
	}
}

// scoredGames are random games whose scores and results follow the material. The comments are those
// of cutechess-cli; players in white have them from White's view.
func scoredGames(number int, white ...string) (table, games string) {
	rng := rand.New(rand.NewPCG(5, uint64(number)))
	var rows, text strings.Builder
	rows.WriteString("fen,score,result,ply\n")
	for n := range number {
		game, names := board.NewGame(board.StartPosition()), [2]string{"one", "two"}
		if n%2 == 1 {
			names = [2]string{"two", "one"}
		}
		var lines, moves []string
		score := 0
		for range 80 {
			p := *game.Position()
			list := p.LegalMoves(nil)
			if len(list) == 0 {
				break
			}
			score = balance(&p) + rng.IntN(60) - 30
			lines = append(lines, fmt.Sprintf("%s,%d,", p.FEN(), score))
			said := score
			if side := p.SideToMove(); side == board.Black && !strings.Contains(strings.Join(white, " "), names[side]) {
				said = -score
			}
			m := list[rng.IntN(len(list))]
			for _, x := range list { // greedy, so that one side gets ahead
				if p.IsCapture(x) && rng.IntN(2) == 0 {
					m = x
				}
			}
			moves = append(moves, fmt.Sprintf("%s {%+.2f/9 0.10s}", p.SAN(m), float64(said)/100))
			game.Push(m)
		}
		result, label := "1/2-1/2", "0.5"
		if score > 150 {
			result, label = "1-0", "1"
		} else if score < -150 {
			result, label = "0-1", "0"
		}
		if end, _, over := game.Outcome(); over {
			result = end.String()
			label = map[string]string{"1-0": "1", "0-1": "0", "1/2-1/2": "0.5"}[result]
		}
		for i, line := range lines {
			fmt.Fprintf(&rows, "%s%s,%d\n", line, label, i)
		}
		fmt.Fprintf(&text, "[Event \"%d\"]\n[White \"%s\"]\n[Black \"%s\"]\n[Result \"%s\"]\n\n%s %s\n\n", n, names[0],
			names[1], result, strings.Join(moves, " "), result)
	}
	return rows.String(), text.String()
}

func balance(p *board.Position) (cp int) {
	for t, value := range map[board.PieceType]int{board.Pawn: 100, board.Knight: 300, board.Bishop: 300, board.Rook: 500,
		board.Queen: 900} {
		cp += value * (p.Pieces(board.White, t).Count() - p.Pieces(board.Black, t).Count())
	}
	return cp
}

// Scores of another view than the flags say are an error, which leaves nothing behind; scores of the
// right view are the same rows as ever.
func TestImportTestsViews(t *testing.T) {
	right, games := scoredGames(100)
	_, byTwo := scoredGames(100, "two")
	_, byBoth := scoredGames(100, "one", "two")
	var mover strings.Builder
	for line := range strings.Lines(right) {
		if f := strings.SplitN(line, ",", 3); strings.Contains(f[0], " b ") {
			line = fmt.Sprintf("%s,%s,%s", f[0], strings.TrimPrefix("-"+f[1], "--"), f[2])
		}
		mover.WriteString(line)
	}
	whites := pgn.Reading{View: pgn.White}
	ces := func(table string) string {
		var b strings.Builder
		for line := range strings.Lines(table[strings.Index(table, "\n")+1:]) {
			f := strings.Split(line, ",")
			fmt.Fprintf(&b, "%s c9 \"%s\"; ce %s;\n", strings.Join(strings.Fields(f[0])[:4], " "),
				map[string]string{"1": "1-0", "0.5": "1/2-1/2", "0": "0-1"}[f[2]], f[1])
		}
		return b.String()
	}
	var moverResults, sample strings.Builder
	for line := range strings.Lines(right) {
		if f := strings.Split(line, ","); strings.Contains(f[0], " b ") {
			f[2] = map[string]string{"1": "0", "0": "1", "0.5": "0.5"}[f[2]]
			line = strings.Join(f, ",")
		}
		moverResults.WriteString(line)
	}
	for line := range strings.Lines(mover.String()[strings.Index(right, "\n")+1:]) {
		f := strings.Split(line, ",")
		won := map[string]int{"0": 0, "0.5": 1, "1": 2}[f[2]]
		if strings.Contains(f[0], " b ") {
			won = 2 - won
		}
		fmt.Fprintf(&sample, "%s,%s,%d\n", f[0], f[1], won)
	}
	for _, c := range []struct {
		name, text string
		config     ImportConfig
		wrong      bool
		flipped    bool
		players    int
	}{
		{"a.csv", right, ImportConfig{InferGames: true}, false, false, 0},
		{"a.csv", right, ImportConfig{InferGames: true, Mover: true}, true, true, 0},
		{"a.csv", mover.String(), ImportConfig{InferGames: true}, true, false, 0},
		{"a.csv", mover.String(), ImportConfig{}, true, false, 0},
		{"a.csv", mover.String(), ImportConfig{InferGames: true, Mover: true}, false, false, 0},
		{"a.csv", moverResults.String(), ImportConfig{MoverResults: true}, false, false, 0},
		{"a.csv", sample.String(), ImportConfig{}, false, false, 0},
		{"a.csv", sample.String(), ImportConfig{MoverResults: true}, false, false, 0},
		{"a.epd", ces(mover.String()), ImportConfig{}, false, false, 0},
		{"a.epd", ces(right), ImportConfig{}, true, true, 0},
		{"a.epd", ces(right), ImportConfig{Comments: whites}, false, false, 0},
		{"a.epd", ces(mover.String()), ImportConfig{Comments: whites}, true, false, 0},
		{"a.pgn", games, ImportConfig{}, false, false, 0},
		{"a.pgn", games, ImportConfig{Comments: whites}, true, false, 0},
		{"a.pgn", byBoth, ImportConfig{}, true, true, 0},
		{"a.pgn", byBoth, ImportConfig{Comments: whites}, false, false, 0},
		{"a.pgn", byTwo, ImportConfig{}, true, true, 1},
		{"a.pgn", byTwo, ImportConfig{OtherView: []string{"two"}}, false, false, 0},
		{"a.pgn", byTwo, ImportConfig{OtherView: []string{"one"}}, true, true, 0},
	} {
		dir := t.TempDir() + "/out"
		n, _, err := importFiles(t, dir, c.config, put(t, c.name, c.text))
		var fault *dataset.ViewFault
		if errors.As(err, &fault) != c.wrong || !c.wrong && (err != nil || n.Views != nil) {
			t.Errorf("%s with %+v: %v", c.name, c.config, err)
			continue
		}
		if !c.wrong {
			continue
		}
		if fault.Kind != dataset.OneSide || fault.Flipped != c.flipped || len(fault.Players) != c.players {
			t.Errorf("%s with %+v: %+v", c.name, c.config, fault)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s with %+v: something stays on disk", c.name, c.config)
		}
	}
	if _, _, err := importFiles(t, t.TempDir()+"/out", ImportConfig{OtherView: []string{"three"}},
		put(t, "a.pgn", games)); err == nil || !strings.Contains(err.Error(), `"three"`) {
		t.Errorf("a player that is not there: %v", err)
	}
}
