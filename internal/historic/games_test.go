package historic

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// The games that the papers print are legal. Their final positions are those of an
// independent program, and they end in checkmate where the paper says so.
func TestPrintedGames(t *testing.T) {
	var file struct {
		Games []struct {
			PrintedGame
			Final string
			Plies int
			Mate  bool
		}
	}
	setup.Check(t, json.Unmarshal(gamesText, &file))
	for i, g := range file.Games {
		if PrintedGames()[i] != g.PrintedGame || (g.Side == "white" || g.Side == "black") != (g.Program != "") {
			t.Errorf("%+v", g.PrintedGame)
		}
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
