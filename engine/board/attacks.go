package board

// Attacks of knights, kings and pawns come from tables by square, those of bishops and
// rooks from fancy magic bitboards (Kannan 2007): the relevant occupancy, multiplied by a
// magic number and shifted, is the index into a table of attack sets.

// slider looks up the attacks of a bishop or rook on one square.
type slider struct {
	mask   Bitboard // squares whose occupancy matters
	magic  uint64
	offset uint32 // first entry in sliderTable
	shift  uint8
}

// sliderEntries is the size of the attack table, a power of two so that masking an
// index replaces its bounds check. 107,648 entries are used.
const sliderEntries = 1 << 17

var (
	bishopSliders, rookSliders, sliderTable = newSliders()

	knightAttacks = newStepTable([][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}})
	kingAttacks   = newStepTable([][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}})
	pawnAttacks   = [2][64]Bitboard{
		newStepTable([][2]int{{-1, 1}, {1, 1}}),
		newStepTable([][2]int{{-1, -1}, {1, -1}}),
	}

	// between[a][b] has the squares strictly between a and b, line[a][b] the whole line
	// through both. They are empty if a and b share no rank, file or diagonal.
	between, line = newLineTables()
)

var (
	bishopDirections = [][2]int{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}}
	rookDirections   = [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
)

// KnightAttacks returns the squares a knight on s attacks.
func KnightAttacks(s Square) Bitboard { return knightAttacks[s&63] }

// KingAttacks returns the squares a king on s attacks.
func KingAttacks(s Square) Bitboard { return kingAttacks[s&63] }

// PawnAttacks returns the squares a pawn of the side on s attacks.
func PawnAttacks(c Color, s Square) Bitboard { return pawnAttacks[c&1][s&63] }

// BishopAttacks returns the squares that a bishop on s attacks: on each diagonal, up to
// and including the first piece.
func BishopAttacks(s Square, occupied Bitboard) Bitboard {
	m := &bishopSliders[s&63]
	return sliderTable[(m.offset+uint32(uint64(occupied&m.mask)*m.magic>>(m.shift&63)))&(sliderEntries-1)]
}

// RookAttacks returns the squares that a rook on s attacks: in each direction, up to and
// including the first piece.
func RookAttacks(s Square, occupied Bitboard) Bitboard {
	m := &rookSliders[s&63]
	return sliderTable[(m.offset+uint32(uint64(occupied&m.mask)*m.magic>>(m.shift&63)))&(sliderEntries-1)]
}

// QueenAttacks returns the squares a queen on s attacks.
func QueenAttacks(s Square, occupied Bitboard) Bitboard {
	return BishopAttacks(s, occupied) | RookAttacks(s, occupied)
}

// Attacks returns the squares that a piece of the type on s attacks. For pawns, whose
// attacks depend on their color, use PawnAttacks.
func Attacks(t PieceType, s Square, occupied Bitboard) Bitboard {
	switch t {
	case Knight:
		return KnightAttacks(s)
	case Bishop:
		return BishopAttacks(s, occupied)
	case Rook:
		return RookAttacks(s, occupied)
	case Queen:
		return QueenAttacks(s, occupied)
	case King:
		return KingAttacks(s)
	}
	return 0
}

// Between returns the squares strictly between a and b if they share a rank, file or
// diagonal, and otherwise the empty set.
func Between(a, b Square) Bitboard { return between[a&63][b&63] }

// Line returns the whole rank, file or diagonal through a and b, and the empty set if they
// share none.
func Line(a, b Square) Bitboard { return line[a&63][b&63] }

func newStepTable(steps [][2]int) (t [64]Bitboard) {
	for s := A1; s <= H8; s++ {
		for _, d := range steps {
			if to, ok := step(s, d); ok {
				t[s] |= to.Bitboard()
			}
		}
	}
	return t
}

// step returns the square one step away, and false if that is off the board.
func step(s Square, d [2]int) (Square, bool) {
	f, r := s.File()+d[0], s.Rank()+d[1]
	if f < 0 || f > 7 || r < 0 || r > 7 {
		return NoSquare, false
	}
	return NewSquare(f, r), true
}

// walk returns the squares in the directions, up to and including the first occupied one.
// It is slow, and only fills the tables.
func walk(s Square, directions [][2]int, occupied Bitboard) (b Bitboard) {
	for _, d := range directions {
		for to, ok := step(s, d); ok; to, ok = step(to, d) {
			b |= to.Bitboard()
			if occupied.Has(to) {
				break
			}
		}
	}
	return b
}

// innerMask returns the squares whose occupancy can change a slider's attacks: its rays
// without the last square of each.
func innerMask(s Square, directions [][2]int) (b Bitboard) {
	for _, d := range directions {
		for to, ok := step(s, d); ok; to, ok = step(to, d) {
			if _, more := step(to, d); more {
				b |= to.Bitboard()
			}
		}
	}
	return b
}

func newSliders() (bishops, rooks *[64]slider, table *[sliderEntries]Bitboard) {
	bishops, rooks, table = new([64]slider), new([64]slider), new([sliderEntries]Bitboard)
	offset := uint32(0)
	for s := A1; s <= H8; s++ {
		offset = fillSlider(&bishops[s], s, bishopDirections, bishopMagics[s], offset, table)
		offset = fillSlider(&rooks[s], s, rookDirections, rookMagics[s], offset, table)
	}
	return bishops, rooks, table
}

func fillSlider(m *slider, s Square, directions [][2]int, magic uint64, offset uint32, table *[sliderEntries]Bitboard) uint32 {
	m.mask, m.magic, m.offset = innerMask(s, directions), magic, offset
	n := m.mask.Count()
	m.shift = uint8(64 - n)
	for occ := Bitboard(0); ; {
		table[offset+uint32(uint64(occ)*magic>>m.shift)] = walk(s, directions, occ)
		if occ = (occ - m.mask) & m.mask; occ == 0 { // next subset of the mask
			return offset + 1<<n
		}
	}
}

func newLineTables() (between, line *[64][64]Bitboard) {
	between, line = new([64][64]Bitboard), new([64][64]Bitboard)
	for a := A1; a <= H8; a++ {
		for _, d := range append(append([][2]int{}, bishopDirections...), rookDirections...) {
			whole := walk(a, [][2]int{d, {-d[0], -d[1]}}, 0) | a.Bitboard()
			path := Bitboard(0)
			for b, ok := step(a, d); ok; b, ok = step(b, d) {
				between[a][b], line[a][b] = path, whole
				path |= b.Bitboard()
			}
		}
	}
	return between, line
}
