package main

import (
	"fmt"
	"os"

	"example.org/minnow/board"
	"example.org/minnow/eval"
)

func init() {
	if os.Getenv("ASSAY_MEASURE") != "" {
		fmt.Println("a banner that is no answer")
	}
}

func assay_start() {}

func assay_position(fen string) *board.Board { return board.Parse(fen) }

func assay_value(b *board.Board) int { return eval.Evaluate(b) }

func assay_refresh() {}
