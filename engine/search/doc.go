// Package search is the modern engine: an alpha-beta search with any evaluation.
//
// The search deepens iteratively (iterate.go) and visits the tree by principal variation
// search (search.go). Moves are ordered by ordering.go, lines end in a
// quiescence search (quiescence.go), and a transposition table stores results (table.go).
// Static evaluations are corrected by what searches of similar positions found (leaf.go).
// A search runs on one goroutine, uses integers only, and reads the clock only if it has a
// limit in time (clock.go): with a limit in nodes or depth, the same game gives the same
// answer on every machine.
//
// The package does not know UCI, weight files or matches: see engine/uci, models and
// selfplay/match.
//
// No promise of stability. Start reading at Engine, then read search.go from top to bottom.
package search
