package dataset_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// Write a game and read it back.
func ExampleNewGameWriter() {
	dir, err := os.MkdirTemp("", "games")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	game := board.NewGame(board.StartPosition())
	for _, san := range []string{"f3", "e5", "g4", "Qh4#"} {
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
	row.Scores[3] = dataset.NoScore // one score a move, White's view

	w, err := dataset.NewGameWriter(filepath.Join(dir, "games"), dataset.WriterConfig{Program: "example"})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	if err := w.Append(&row); err != nil {
		log.Fatal(err)
	}
	if _, err := w.Finish(nil); err != nil {
		log.Fatal(err)
	}

	r, err := dataset.OpenGames(filepath.Join(dir, "games"))
	if err != nil {
		log.Fatal(err)
	}
	for g, err := range r.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(g.Moves), "plies,", g.Termination, g.Result)
	}
	// Output: 4 plies, checkmate -1
}

// Write positions with their labels and read them back.
func ExampleNewPositionWriter() {
	dir, err := os.MkdirTemp("", "positions")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	w, err := dataset.NewPositionWriter(dir, dataset.WriterConfig{Program: "example"})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	p, err := board.ParseFEN("4k3/8/8/8/8/8/4P3/4K3 w - - 0 30")
	if err != nil {
		log.Fatal(err)
	}
	row := dataset.PositionRow{Board: p, Ply: 58, Score: 150, Result: 1, Weight: 1}
	if err := w.Append(&row); err != nil {
		log.Fatal(err)
	}
	if _, err := w.Finish(nil); err != nil {
		log.Fatal(err)
	}

	r, err := dataset.OpenPositions(dir)
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range r.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Board.FEN(), row.Score, row.Result)
	}
	// Output: 4k3/8/8/8/8/8/4P3/4K3 w - - 0 30 150 1
}

// Features are the counts of an evaluation's terms. Their sum under the terms' values is
// the engine's evaluation.
func ExampleFeatureSet_CheckRow() {
	set := dataset.FeatureSet{Version: 2, Model: "tiny", Terms: []dataset.FeatureTerm{
		{Name: "pawn", MG: 80, EG: 120},
		{Name: "tempo", MG: 10, EG: 10, Kind: dataset.FlatTerm},
	}, Evaluation: dataset.Evaluation{Unit: dataset.DefaultUnit, Tolerance: dataset.DefaultTolerance}}
	row := dataset.FeatureRow{Terms: []uint16{0, 1}, Counts: []float32{2, 1}, Phase: 0.5, Scale: 1, EGScale: 0.5,
		Eval: 150, Score: dataset.NoScore, Result: 1, Weight: 1}
	fmt.Println(set.Value(&row), set.CheckRow(&row))
	row.Eval = 190
	fmt.Println(set.CheckRow(&row))
	// Output:
	// 150 <nil>
	// the features and the evaluation have drifted apart: the terms add up to 150.00, eval is 190; the middlegame half is 160, the endgame half 240, phase 0.5, scale 1, eg_scale 0.5, flat terms 10, offset 0; largest terms: pawn 2 x (80, 120) = 140, tempo 1 x 10 after the taper = 10
}
