package eval_test

import (
	"fmt"
	"log"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// lookup returns a model and a position.
func lookup(model, fen string) (*eval.Model, *board.Position) {
	m, err := eval.Lookup(model)
	if err != nil {
		log.Fatal(err)
	}
	p, err := board.ParseFEN(fen)
	if err != nil {
		log.Fatal(err)
	}
	return m, &p
}

// Evaluate a position with a model and its start weights.
func ExampleModel_NewEvaluator() {
	m, p := lookup("shannon-1950", "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1")
	ev, err := m.NewEvaluator(m.Start)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ev.Evaluate(p), "centipawns, White's view")
	// Output: 60 centipawns, White's view
}

// List the features of a position: the counts that a tuner fits weights to.
func ExampleModel_Features() {
	m, p := lookup("shannon-1950", "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1")
	var f eval.Features
	m.Features(p, &f)
	for _, e := range f.Entries {
		fmt.Println(m.Terms[e.Term].Name, e.Count)
	}
	fmt.Println("phase", f.Phase, "value", f.Value(m.Start))
	// Output:
	// pawn 2
	// doubled 1
	// isolated 2
	// mobility 1
	// phase 0 value 60
}

// Explain a value: what each term adds to it.
func ExampleModel_Explain() {
	m, p := lookup("shannon-1950", "4k3/4p3/8/8/8/P7/P7/4K3 w - - 0 1")
	e, err := m.Explain(p, m.Start)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range e.Terms {
		if t.White != 0 || t.Black != 0 {
			fmt.Printf("%-9s White %2d, Black %2d, weight %3d, adds %+.0f\n", t.Name, t.White, t.Black, t.MG, t.Adds)
		}
	}
	fmt.Println("value", e.Value)
	// Output:
	// pawn      White  2, Black  1, weight 100, adds +100
	// doubled   White  1, Black  0, weight -50, adds -50
	// isolated  White  2, Black  1, weight -50, adds -50
	// mobility  White  6, Black  6, weight  10, adds +0
	// value 0
}
