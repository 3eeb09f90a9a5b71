package main

import (
	"example.org/minnow/board"
	"example.org/minnow/eval"
)

func assay_start() {}

func assay_position(fen string) *board.Board { return board.Parse(fen) }

func assay_value(b *board.Board) int { return eval.Evaluate(b) }

func assay_refresh() {}
