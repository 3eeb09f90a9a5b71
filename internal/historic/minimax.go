package historic

// Tree is the game tree that a program searches. N is a node: a position with whatever the
// program remembers of the way to it. M is a move. V is a value, always from the view of
// the program's side, which maximizes.
type Tree[N, M, V any] interface {
	// Expand returns the moves to search at n, in order, and the value of n itself. standPat
	// says that the side to move may also take this value instead of a move. Without moves
	// it is the value of a leaf in any case.
	Expand(n *N, ply int) (moves []M, value V, standPat bool)
	// Play returns the position after a move; false ends the whole search.
	Play(n *N, m M) (N, bool)
	// Better reports whether a is greater than b.
	Better(a, b V) bool
}

// Minimax returns the value of n, which is ply moves below the root, and the line that
// leads to it. max says that the program's side is to move. Alpha-beta cut-offs skip
// replies that cannot matter: the value is exact between low and high, inclusive, and
// otherwise a bound outside them; nil means no limit. ok is false, and the other results
// are meaningless, if Play has stopped the search.
func Minimax[N, M, V any](t Tree[N, M, V], n *N, ply int, max bool, low, high *V) (best V, line []M, ok bool) {
	moves, value, standPat := t.Expand(n, ply)
	best, found := value, standPat || len(moves) == 0
	for _, m := range moves {
		if found {
			if max && (low == nil || t.Better(best, *low)) {
				low = &best
			} else if !max && (high == nil || t.Better(*high, best)) {
				high = &best
			}
			if max && high != nil && t.Better(best, *high) || !max && low != nil && t.Better(*low, best) {
				break
			}
		}
		child, ok := t.Play(n, m)
		if !ok {
			return best, nil, false
		}
		v, rest, ok := Minimax(t, &child, ply+1, !max, low, high)
		if !ok {
			return best, nil, false
		}
		if !found || max && t.Better(v, best) || !max && t.Better(best, v) {
			best, found = v, true
			line = append([]M{m}, rest...)
		}
	}
	return best, line, true
}
