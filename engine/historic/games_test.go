package historic

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

// The games that the papers print are legal. Their final positions are those of an
// independent program, and they end in checkmate where the paper says so.
func TestPrintedGames(t *testing.T) {
	var file struct {
		Games []struct {
			Name, Moves, Final string
			Plies              int
			Mate               bool
		}
	}
	data, err := os.ReadFile("testdata/games.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Games {
		game := board.NewGame(board.StartPosition())
		for _, uci := range strings.Fields(g.Moves) {
			if _, _, over := game.Outcome(); over {
				t.Errorf("%s is over before %s", g.Name, uci)
			}
			m, err := game.Position().ParseUCI(uci)
			if err != nil {
				t.Fatalf("%s, ply %d: %v", g.Name, len(game.Moves())+1, err)
			}
			game.Push(m)
		}
		if n := len(game.Moves()); n != g.Plies {
			t.Errorf("%s has %d plies, want %d", g.Name, n, g.Plies)
		}
		if fen := game.Position().FEN(); fen != g.Final {
			t.Errorf("%s ends with %s, want %s", g.Name, fen, g.Final)
		}
		if _, why, _ := game.Outcome(); (why == board.Checkmate) != g.Mate {
			t.Errorf("%s ends by %q, want checkmate: %v", g.Name, why, g.Mate)
		}
	}
	if len(file.Games) != 8 {
		t.Errorf("%d games, want 8", len(file.Games))
	}
}
