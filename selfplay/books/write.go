package books

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/dataset/pgn"
	"github.com/assay-chess/assay/dataset/source"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// Exit is an opening, and its score from White's view, or engine.NoScore.
type Exit struct {
	Game  *board.Game
	Score engine.Score
}

// Write writes a book: the moves as PGN if the name of the file ends with .pgn, else the positions as EPD, with the
// counters (hmvc, fmvn) and the score from the side to move's view (ce).
func Write(path string, openings []Exit) error {
	asPGN := filepath.Ext(source.BaseName(path)) == ".pgn"
	var b strings.Builder
	for _, x := range openings {
		if asPGN {
			if err := writeGame(&b, x.Game); err != nil {
				return err
			}
			continue
		}
		p := x.Game.Position()
		fields := strings.Fields(p.FEN())
		b.WriteString(strings.Join(fields[:4], " "))
		if x.Score.Known() {
			fmt.Fprintf(&b, " ce %d;", x.Score*engine.Score(1-2*int(p.SideToMove())))
		}
		fmt.Fprintf(&b, " fmvn %s; hmvc %s;\n", fields[5], fields[4])
	}
	return durable.WriteFile(path, []byte(b.String()))
}

// writeGame writes the moves of an opening, without a result.
func writeGame(b *strings.Builder, g *board.Game) error {
	const unfinished = "*"
	start := g.Start()
	row := dataset.GameRow{Variant: dataset.Standard, Moves: g.Moves()}
	if start.Chess960() {
		row.Variant = dataset.Chess960
	}
	if start.FEN() != board.StartFEN {
		row.Start = start.FEN()
	}
	var one strings.Builder
	err := pgn.Write(&one, &row, pgn.Tag{Name: "Event", Value: "opening"}, pgn.Tag{Name: "Result", Value: unfinished})
	if err != nil {
		return err
	}
	b.WriteString(strings.TrimSuffix(one.String(), board.Draw.String()+"\n\n") + unfinished + "\n\n")
	return nil
}
