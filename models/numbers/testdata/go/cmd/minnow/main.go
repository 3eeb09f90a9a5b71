// Minnow only evaluates.
package main

import (
	"fmt"
	"os"

	"example.org/minnow/board"
	"example.org/minnow/eval"
)

func main() {
	total := eval.Closed
	for i, fen := range os.Args[1:] {
		total += (i + 1) * eval.Evaluate(board.Parse(fen))
	}
	fmt.Println(total+eval.Tempo, eval.Mask, len(eval.History))
}
