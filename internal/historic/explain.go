// Package historic holds what the programs of the papers have in common: limits, options,
// minimax, an opening book, weights, a hash table, explanations, the printed games and an exchange evaluation. Each
// program has a package of its own below this one, named after its author or
// place; README.md lists them.
//
// It does not play. No promise of stability. Start reading at Explainer, then at Budget and Option.
package historic

import (
	"context"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// Explainer is a player that can explain its choice of a move.
type Explainer interface {
	// Explain says, as plain text, what the program computes about the position for the
	// side to move, in the terms of its paper. It does not affect later searches. It
	// fails if the position cannot be explained.
	Explain(p *board.Position) (string, error)
}

// Line writes the moves of a line that starts in the position as SAN. A null move is
// written as two dashes.
func Line(p *board.Position, moves []board.Move) string {
	pos, words := *p, make([]string, len(moves))
	for i, m := range moves {
		if m == board.NullMove {
			words[i] = "--"
			pos.MakeNull()
			continue
		}
		words[i] = pos.SAN(m)
		pos.Make(m)
	}
	return strings.Join(words, " ")
}

// Reasoner is a player that can say in a line why it chooses a move, and why not the move
// that its paper prints.
type Reasoner interface {
	engine.Player
	// Reason chooses a move in the current position of the game as Search does without
	// limits. printed is a legal move of that position. It fails if the context ends.
	Reason(ctx context.Context, game *board.Game, printed board.Move) (Reason, error)
}

// Reason is a chosen move with its reason, in the terms of the paper.
type Reason struct {
	Move    board.Move
	Why     string // a line of at most ReasonWidth characters
	Printed string // likewise, what speaks against the printed move; "" if it is the chosen one
}

// ReasonWidth is the greatest length of a reason.
const ReasonWidth = 51

// MateBound is the least score that means a mate.
const MateBound = engine.MateScore - 1000

// Table is a transposition table, in which a new entry replaces the old one. Keys are mixed with the number
// of the search, so that entries of earlier searches are not found.
type Table struct {
	entries []Entry
	search  uint64
}

// Entry is the value of a position, or a bound, and the depth of the search that found it. Depth 0 marks an
// empty entry.
type Entry struct {
	key   uint64
	score int32 // the distance to a mate counts from the position
	Move  board.Move
	Depth uint8
	bound int8 // 1: the value is at least the score, -1: at most, 0: it is the score
}

// Next prepares a table of some size for the next search.
func (t *Table) Next(size int) {
	if len(t.entries) != size {
		t.entries = make([]Entry, size)
	}
	t.search++
}

func (t *Table) mixed(key uint64) uint64 { return key ^ t.search*0x9e3779b97f4a7c15 }

// At returns the entry of a position, if this search has stored one.
func (t *Table) At(key uint64) (Entry, bool) {
	e := t.entries[key%uint64(len(t.entries))]
	return e, e.key == t.mixed(key) && e.Depth != 0
}

// Put stores what a search with a window found ply plies below the root.
func (t *Table) Put(key uint64, m board.Move, value, depth, ply, alpha, beta int) {
	bound := int8(0)
	switch {
	case value >= beta:
		bound = 1
	case value <= alpha:
		bound = -1
	}
	t.entries[key%uint64(len(t.entries))] = Entry{t.mixed(key), int32(fromRoot(value, -ply)), m, uint8(depth), bound}
}

// Decides returns the value ply plies below the root, if the entry decides a search with the window.
func (e *Entry) Decides(ply, alpha, beta int) (value int, ok bool) {
	v := fromRoot(int(e.score), ply)
	return v, e.bound == 0 || e.bound > 0 && v >= beta || e.bound < 0 && v <= alpha
}

// fromRoot converts a mate score from counting plies at a position to counting them at the
// root, ply plies above it. With a negative ply it converts back.
func fromRoot(v, ply int) int {
	switch {
	case v >= MateBound:
		return v - ply
	case v <= -MateBound:
		return v + ply
	}
	return v
}
