package positions_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/positions"
	"github.com/assay-chess/assay/engine/board"
)

// Make positions of a data set of games.
func ExampleExtract() {
	dir, err := os.MkdirTemp("", "extract")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	writeScholarsMate(filepath.Join(dir, "games"))

	games, err := dataset.OpenGames(filepath.Join(dir, "games"))
	if err != nil {
		log.Fatal(err)
	}
	_, counts, err := positions.Extract(context.Background(), []*dataset.Reader[dataset.GameRow]{games},
		filepath.Join(dir, "positions"),
		positions.Config{Filter: positions.Filter{Resolve: positions.ResolveKeep, SkipPlies: 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d positions: %d too early, %d kept\n", counts.Positions, counts.Early, counts.Kept)
	// Output: 7 positions: 2 too early, 5 kept
}

func writeScholarsMate(dir string) {
	game := board.NewGame(board.StartPosition())
	for _, san := range []string{"e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"} {
		m, err := game.Position().ParseSAN(san)
		if err != nil {
			log.Fatal(err)
		}
		game.Push(m)
	}
	row, err := dataset.NewGameRow(game)
	if err != nil {
		log.Fatal(err)
	}
	row.Game = dataset.GameID("example", 0)
	w, err := dataset.NewGameWriter(dir, dataset.WriterConfig{})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Append(&row); err != nil {
		log.Fatal(err)
	}
	if _, err := w.Finish(nil); err != nil {
		log.Fatal(err)
	}
}
