package lines

import (
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

func TestPositionJSON(t *testing.T) {
	p := setup.Must(board.ParseFEN("4k3/8/8/8/8/8/4P3/4K3 b - - 3 17"))
	row := dataset.PositionRow{Board: p, Ply: 33, Score: -20, Result: 0.5, Game: 1<<64 - 1, Weight: 0.25}
	const want = `{"fen":"4k3/8/8/8/8/8/4P3/4K3 b - - 3 17","score":-20,"result":0.5,"ply":33,` +
		`"game":"18446744073709551615","opening":null,"weight":0.25}` + "\n"
	if got := string(AppendPositionJSON(nil, &row)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestGameJSON(t *testing.T) {
	game := board.NewGame(board.StartPosition())
	for _, san := range []string{"f3", "e5", "g4", "Qh4#"} {
		m := setup.Must(game.Position().ParseSAN(san))
		game.Push(m)
	}
	g := setup.Must(dataset.NewGameRow(game))
	g.Game, g.Opening, g.White, g.Scores[1] = 1<<63, 5, `a "b"`, 12
	got, err := AppendGameJSON([]byte("x"), &g)
	const want = `x{"game":"9223372036854775808","variant":"standard","start":null,"opening":"5","opening_plies":0,` +
		`"moves":["f2f3","e7e5","g2g4","d8h4"],"scores":[null,12,null,null],"nodes":0,"result":-1,` +
		`"termination":"checkmate","white":"a \"b\"","black":"","seed":"0"}` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}
