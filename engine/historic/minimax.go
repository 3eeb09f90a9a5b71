package historic

// Tree is a game as a program considers it. N is a position, with what the program
// remembers of the way to it; M a move; V what the program values positions by, always
// from the view of the one side that it maximizes for.
type Tree[N, M, V any] interface {
	// Expand returns the moves that are considered at n, in their order, the value of n
	// itself, and whether that value stands: as the value of a position that is not
	// followed further, or as one more choice of the side to move.
	Expand(n *N, ply int) (moves []M, value V, stands bool)
	// Play returns the position after a move; false ends the whole search.
	Play(n *N, m M) (N, bool)
	// Better reports whether a is greater than b.
	Better(a, b V) bool
}

// Minimax returns the value of n, ply moves below the root, and the moves that lead to
// it. Max tells whose turn it is. Replies that cannot matter are left out: the value is
// exact if it is not less than low and not greater than high, and otherwise a bound
// that lies beyond them; nil is no limit. It returns false, and nothing else of use, if
// Play has ended the search.
func Minimax[N, M, V any](t Tree[N, M, V], n *N, ply int, max bool, low, high *V) (best V, line []M, ok bool) {
	moves, value, stands := t.Expand(n, ply)
	best, some := value, stands || len(moves) == 0
	for _, m := range moves {
		if some {
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
		if !some || max && t.Better(v, best) || !max && t.Better(best, v) {
			best, some = v, true
			line = append([]M{m}, rest...)
		}
	}
	return best, line, true
}
