package losalamos

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/setup"
)

func TestConform(t *testing.T) {
	enginetest.Conform(t, func() engine.Player { return New() })
}

// A position worked out by hand.
func TestLineValue(t *testing.T) {
	p := setup.Must(board.ParseFEN("7k/8/8/8/8/8/8/K6R b - - 0 1"))
	s := rooted(p.LegalMoves(nil), 1, func() bool { return true })
	v := s.value(&p, 0, 0, -2*mate, 2*mate)
	// After either, Black is a rook down, and White's mobility counts for White:
	// 3 of the king and 13 of the rook.
	if want := -5*pawn - 16; v != want {
		t.Errorf("value %d, want %d", v, want)
	}
}

func TestExplain(t *testing.T) {
	p := board.StartPosition()
	var b strings.Builder
	player := New()
	setup.Check(t, player.SetOption("Plies", "2"))
	setup.Check(t, player.Explain(&b, &p))
	r := setup.Must(player.Search(context.Background(), board.NewGame(p), engine.Limits{}))
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 2+20+1 || !strings.Contains(lines[2], "  "+p.SAN(r.Move)+" ") {
		t.Errorf("Search chooses %s; the explanation is\n%s", p.SAN(r.Move), b.String())
	}
}
