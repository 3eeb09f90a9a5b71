package convert

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// importGames returns the games of a PGN and what the import says of its comments.
func importGames(t *testing.T, c ImportConfig, text string) (games []dataset.GameRow, n *Imported) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "d")
	n, refused, err := importFiles(t, dir, c, put(t, "x.pgn", text))
	if err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	r := setup.Must(dataset.OpenGames(dir))
	for g, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, g)
	}
	return games, n
}

// Book marks end the opening of each game where its line ends, unless the flag says where.
func TestMarkedOpenings(t *testing.T) {
	const text = "1. e4 {book} e5 {book} 2. Nf3 {book} Nc6 {book} 3. Bb5 {+0.35/12 0.1s} 1-0\n\n" +
		"1. e4 {book} c5 {book} 2. Nf3 {+0.31/12 0.1s} 1-0\n\n" +
		"1. d4 d5 1-0\n"
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
