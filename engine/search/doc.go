// Package search is the modern engine: it chooses moves by an alpha-beta search with
// any evaluation of package eval.
//
// A search deepens iteratively (iterate.go), visits the tree by principal variation
// search (search.go) in the order that ordering.go and history.go give, ends every
// line in a quiescence search (quiescence.go) and remembers positions in a
// transposition table (table.go). It runs on one goroutine, in integers, and looks at
// the clock only where a limit in time is set (clock.go): with a limit in nodes or depth
// the same game gives the same answer on every machine.
//
// The package knows nothing of UCI, weight files or matches: see engine/uci, models
// and selfplay/match.
//
// Start reading at Engine, then search.go from top to bottom.
package search
