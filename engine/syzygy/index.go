package syzygy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/assay-chess/assay/engine/board"
)

// layout says how positions of a table's material are numbered: which men form groups, in which order,
// and how many numbers each group needs. A number is the sum of each group's placement times its factor.
//
// The first group fixes the symmetry. With pawns it is all pawns of one side, and the tables of the four files
// that the first of them can be on are apart. Without pawns it is three different men, or the two kings
// if only they are single; all eight symmetries of the board are used.
type layout struct {
	men    []board.Piece // in the order of the groups
	groups []group
	file   int    // of the leading pawn, 0 to 3
	pawns  bool   // the first group is pawns
	size   uint64 // positions
}

// group is a run of men; from the second group on they are equal.
type group struct {
	first, n int
	factor   uint64
	pawns    bool // it stands on ranks 2 to 7
}

var errLayout = errors.New("men in an impossible order")

// newLayout returns the layout of the men in the file's order. lead is the number of pawns of the leading side,
// second the other's. order and order2 are the places of the first group, and of the second side's pawns, among
// the groups when their factors are multiplied.
func newLayout(men []board.Piece, lead, second, file, order, order2 int) (*layout, error) {
	l := &layout{men: men, file: file, pawns: lead > 0}
	if !l.pawns {
		lead = leadingMen(men)
	}
	l.groups = append(l.groups, group{n: lead})
	for i := lead; i < len(men); {
		n := 1
		for i+n < len(men) && men[i+n] == men[i] {
			n++
		}
		l.groups = append(l.groups, group{first: i, n: n, pawns: men[i].Type() == board.Pawn})
		i += n
	}
	if err := l.check(lead, second); err != nil {
		return nil, err
	}
	return l, l.multiply(second > 0, order, order2)
}

// leadingMen returns how many men lead a table without pawns.
func leadingMen(men []board.Piece) int {
	single := 0
	for _, m := range men {
		if count(men, m) == 1 {
			single++
		}
	}
	if single >= 3 {
		return 3
	}
	return 2
}

// count returns how many of the men are like m.
func count(men []board.Piece, m board.Piece) (n int) {
	for _, other := range men {
		if other == m {
			n++
		}
	}
	return n
}

// check reports men that are not in an order in which a position could be read: the leaders first, the
// other side's pawns next, equal men together.
func (l *layout) check(lead, second int) error {
	heads := map[board.Piece]int{}
	for i, m := range l.men {
		if i == 0 || m != l.men[i-1] {
			heads[m]++
		}
		if heads[m] > 1 || (m.Type() == board.Pawn) != (l.pawns && i < lead+second) {
			return errLayout
		}
	}
	for _, m := range l.men[:lead] {
		if want := map[bool]int{true: lead, false: 1}[l.pawns]; count(l.men, m) != want {
			return errLayout
		}
	}
	if second > 0 && l.groups[1].n != second {
		return errLayout
	}
	return nil
}

// multiply computes the factors of the groups.
func (l *layout) multiply(second bool, order, order2 int) error {
	rest := l.groups[1:]
	left := 64 - l.groups[0].n // squares for the other groups
	if second {
		rest, left = rest[1:], left-rest[0].n
	} else {
		order2 = -1
	}
	l.size = 1
	placed := 0
	for k := 0; placed < len(l.groups); k++ {
		g, span := &l.groups[0], uint64(0)
		switch {
		case k == order:
			span = l.leadSpan()
		case k == order2:
			g = &l.groups[1]
			span = choose[g.n][48-l.groups[0].n]
		case len(rest) == 0:
			return fmt.Errorf("%w: group %d of %d", errLayout, max(order, order2), len(l.groups))
		default:
			g, rest = &rest[0], rest[1:]
			span = choose[g.n][left]
			left -= g.n
		}
		g.factor = l.size
		l.size *= span
		placed++
	}
	return nil
}

// leadSpan returns how many placements the first group has.
func (l *layout) leadSpan() uint64 {
	switch n := l.groups[0].n; {
	case l.pawns:
		return pawnSpan[n][l.file]
	case n == 3:
		return threeMen
	}
	return twoKings
}

// Placements without pawns. Three men: the first on one of the six squares of the a1-d1-d4 triangle off its diagonal;
// or the first on the diagonal and the second below it; or the third; or all three on the diagonal.
const (
	threeFirst  = 6 * 63 * 62
	threeSecond = 4 * 28 * 62
	threeThird  = 4 * 7 * 28
	threeMen    = threeFirst + threeSecond + threeThird + 4*7*6
	twoKings    = 462
)

// index returns the number of the position whose men are on these squares, in the order of l.men. It
// changes the squares.
func (l *layout) index(squares []board.Square) uint64 {
	var first uint64
	if l.pawns {
		first = l.leadPawns(squares)
	} else {
		normalize(squares, l.groups[0].n)
		if l.groups[0].n == 3 {
			first = placeThree(squares)
		} else {
			first = kingPair[triangle[squares[0]]][squares[1]]
		}
	}
	sum := first * l.groups[0].factor
	for _, g := range l.groups[1:] {
		sum += g.place(squares) * g.factor
	}
	return sum
}

// place returns the placement of a group of equal men on the squares that the men before it left free.
func (g *group) place(squares []board.Square) (sum uint64) {
	own := squares[g.first : g.first+g.n]
	slices.Sort(own)
	for i, s := range own {
		free := int(s)
		for _, taken := range squares[:g.first] {
			if taken < s {
				free--
			}
		}
		if g.pawns {
			free -= 8
		}
		sum += choose[i+1][max(free, 0)]
	}
	return sum
}

// leadPawns mirrors the board so that the first pawn is on the files a to d, and returns the placement of
// the leading pawns: the first has the lowest rankOf, the others follow by falling twist.
func (l *layout) leadPawns(squares []board.Square) uint64 {
	lead := squares[:l.groups[0].n]
	firstPawn(lead)
	if lead[0].File() > 3 {
		for i := range squares {
			squares[i] ^= 7
		}
	}
	slices.SortFunc(lead[1:], func(a, b board.Square) int { return twist(b) - twist(a) })
	sum := pawnStart[len(lead)][edge(lead[0])]
	for i, s := range lead[1:] {
		sum += choose[len(lead)-1-i][twist(s)]
	}
	return sum
}

// firstPawn moves the leading pawn to the front, and returns its file, 0 to 3.
func firstPawn(lead []board.Square) int {
	for i := range lead {
		if edge(lead[i]) < edge(lead[0]) {
			lead[0], lead[i] = lead[i], lead[0]
		}
	}
	return min(lead[0].File(), 7-lead[0].File())
}

// edge numbers the squares of pawns from the outer files to the inner, rank by rank: the leading pawn has
// the lowest number, 0 to 23.
func edge(s board.Square) int { return 6*min(s.File(), 7-s.File()) + (s.Rank()-1)%6 }

// twist numbers the squares of pawns from 0 (e7) to 47 (a2), those that the leading pawn may share the board
// with below its own number.
func twist(s board.Square) int {
	t := 12*(3-min(s.File(), 7-s.File())) + 2*(6-s.Rank())
	if s.File() < 4 {
		t++
	}
	return max(min(t, 47), 0)
}

// normalize mirrors the board so that the first man is in the a1-d1-d4 triangle and the first of the leading
// men that is off the diagonal is below it.
func normalize(squares []board.Square, lead int) {
	var flip board.Square
	if squares[0].File() > 3 {
		flip = 7
	}
	if squares[0].Rank() > 3 {
		flip |= 56
	}
	for i := range squares {
		squares[i] ^= flip
	}
	for _, s := range squares[:lead] {
		if s.Rank() < s.File() {
			return
		}
		if s.Rank() > s.File() {
			break
		}
	}
	for i, s := range squares {
		squares[i] = board.NewSquare(s.Rank(), s.File())
	}
}

// placeThree returns the placement of three different men.
func placeThree(squares []board.Square) uint64 {
	a, b, c := squares[0], squares[1], squares[2]
	beforeB, beforeC := uint64(0), uint64(0) // men that stand before b, and before c
	if a < b {
		beforeB++
	}
	if a < c {
		beforeC++
	}
	if b < c {
		beforeC++
	}
	diagonal := func(s board.Square) bool { return s.File() == s.Rank() }
	onA, onB := uint64(a.Rank()), uint64(b.Rank())-beforeB
	switch {
	case !diagonal(a):
		return uint64(triangle[a])*63*62 + (uint64(b)-beforeB)*62 + uint64(c) - beforeC
	case !diagonal(b):
		return threeFirst + onA*28*62 + below(b)*62 + uint64(c) - beforeC
	case !diagonal(c):
		return threeFirst + threeSecond + onA*7*28 + onB*28 + below(c)
	}
	return threeFirst + threeSecond + threeThird + onA*7*6 + onB*6 + uint64(c.Rank()) - beforeC
}

// below numbers the squares below the diagonal a1-h8, b1 to h7: 0 to 27.
func below(s board.Square) uint64 {
	r := s.Rank()
	return uint64(7*r - r*(r-1)/2 + s.File() - r - 1)
}

// triangle numbers the squares of the a1-d1-d4 triangle: b1 c1 d1 c2 d2 d3, then its diagonal.
var triangle = [64]uint8{0: 6, 1: 0, 2: 1, 3: 2, 9: 7, 10: 3, 11: 4, 18: 8, 19: 5, 27: 9}

// choose[k][n] is the number of ways to choose k of n.
var choose = newChoose()

func newChoose() (c [maxMen][64]uint64) {
	for n := range 64 {
		c[0][n] = 1
		for k := 1; k < maxMen && n > 0; k++ {
			c[k][n] = c[k][n-1] + c[k-1][n-1]
		}
	}
	return c
}

// kingPair numbers the pairs of kings: the first in the triangle, the second anywhere it may
// be, both on the diagonal last.
var kingPair = newKingPair()

func newKingPair() (pair [10][64]uint64) {
	next := uint64(0)
	for _, bothOnDiagonal := range []bool{false, true} {
		for i, first := range []board.Square{1, 2, 3, 10, 11, 19, 0, 9, 18, 27} {
			for second := board.A1; second <= board.H8; second++ {
				onDiagonal := first.File() == first.Rank()
				switch {
				case board.KingAttacks(first).Has(second) || first == second:
				case onDiagonal && second.Rank() > second.File():
				case bothOnDiagonal != (onDiagonal && second.File() == second.Rank()):
				default:
					pair[i][second] = next
					next++
				}
			}
		}
	}
	return pair
}

// pawnStart[n][edge] is the first placement of n leading pawns whose first is there; pawnSpan[n][file] is
// the number of placements with the first on that file.
var pawnStart, pawnSpan = newPawns()

func newPawns() (start [maxMen][24]uint64, span [maxMen][4]uint64) {
	for n := 1; n < maxMen-1; n++ {
		for e := range 24 {
			start[n][e] = span[n][e/6]
			span[n][e/6] += choose[n-1][twist(board.NewSquare(e/6, e%6+1))]
		}
	}
	return start, span
}
