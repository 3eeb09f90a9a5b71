package board

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// oracle is chess once more, slow and plain: letters on a mailbox, moves tried out
// and taken back when the king hangs. It shares no table and no attack code with
// the package, so that the two can only agree where both are right.
type oracle struct {
	pieces   [8][8]byte // FEN letters by rank and file, 0 where empty
	black    bool
	castling Bitboard
	ep       Square
}

func newOracle(p *Position) *oracle {
	o := &oracle{black: p.SideToMove() == Black, castling: p.Castling(), ep: p.EnPassant()}
	placement, _, _ := strings.Cut(p.FEN(), " ")
	rank, file := 7, 0
	for _, c := range []byte(placement) {
		switch {
		case c == '/':
			rank, file = rank-1, 0
		case c <= '8':
			file += int(c - '0')
		default:
			o.pieces[rank][file] = c
			file++
		}
	}
	return o
}

func lower(c byte) byte   { return c | 0x20 }
func isBlack(c byte) bool { return c >= 'a' }

func (o *oracle) at(rank, file int) (byte, bool) {
	if rank < 0 || rank > 7 || file < 0 || file > 7 {
		return 0, false
	}
	return o.pieces[rank][file], true
}

// own reports whether the square holds a piece of the side to move.
func (o *oracle) own(c byte) bool { return c != 0 && isBlack(c) == o.black }

func (o *oracle) forward() int {
	if o.black {
		return -1
	}
	return 1
}

var (
	straight = [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
	oblique  = [][2]int{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}}
	around   = append(slices.Clone(straight), oblique...)
	jumps    = [][2]int{{2, 1}, {2, -1}, {-2, 1}, {-2, -1}, {1, 2}, {1, -2}, {-1, 2}, {-1, -2}}
)

// attacked reports whether a piece of the side attacks the square.
func (o *oracle) attacked(rank, file int, byBlack bool) bool {
	first := func(d [2]int, far bool) byte {
		for r, f := rank+d[0], file+d[1]; ; r, f = r+d[0], f+d[1] {
			c, ok := o.at(r, f)
			if !ok || !far && c == 0 {
				return 0
			}
			if c != 0 {
				if isBlack(c) == byBlack {
					return lower(c)
				}
				return 0
			}
		}
	}
	for _, d := range straight {
		if c := first(d, true); c == 'r' || c == 'q' || first(d, false) == 'k' {
			return true
		}
	}
	for _, d := range oblique {
		if c := first(d, true); c == 'b' || c == 'q' || first(d, false) == 'k' {
			return true
		}
		// A pawn attacks the square from the rank behind it.
		if first(d, false) == 'p' && (d[0] > 0) == byBlack {
			return true
		}
	}
	for _, d := range jumps {
		if first(d, false) == 'n' {
			return true
		}
	}
	return false
}

// inCheck reports whether the side's king is attacked.
func (o *oracle) inCheck(black bool) bool {
	for r := range 8 {
		for f := range 8 {
			if c := o.pieces[r][f]; c != 0 && lower(c) == 'k' && isBlack(c) == black {
				return o.attacked(r, f, !black)
			}
		}
	}
	return true
}

// make returns the position after the move.
func (o *oracle) make(m Move) *oracle {
	n := *o
	fr, ff, tr, tf := m.From().Rank(), m.From().File(), m.To().Rank(), m.To().File()
	c := o.pieces[fr][ff]
	n.ep = NoSquare
	n.pieces[fr][ff] = 0
	switch {
	case o.own(o.pieces[tr][tf]): // castling
		rook := o.pieces[tr][tf]
		n.pieces[tr][tf] = 0
		if tf > ff {
			n.pieces[tr][6], n.pieces[tr][5] = c, rook
		} else {
			n.pieces[tr][2], n.pieces[tr][3] = c, rook
		}
	case lower(c) == 'p' && tf != ff && o.pieces[tr][tf] == 0:
		n.pieces[tr][tf], n.pieces[fr][tf] = c, 0
	case m.Promotion() != NoPieceType:
		n.pieces[tr][tf] = NewPiece(Color(c>>5&1), m.Promotion()).Letter()
	default:
		n.pieces[tr][tf] = c
	}
	n.castling &^= m.From().Bitboard() | m.To().Bitboard()
	if lower(c) == 'k' {
		n.castling &^= Rank1 << (8 * fr)
	}
	n.black = !o.black
	if lower(c) == 'p' && (tr-fr == 2 || fr-tr == 2) {
		if ep := NewSquare(ff, (fr+tr)/2); n.mayPass(ep, tr) {
			n.ep = ep
		}
	}
	return &n
}

// mayPass reports whether a pawn beside the one that just came to the rank can
// legally capture it on ep.
func (o *oracle) mayPass(ep Square, rank int) bool {
	for _, side := range []int{-1, 1} {
		c, ok := o.at(rank, ep.File()+side)
		if ok && o.own(c) && lower(c) == 'p' && !o.make(NewMove(NewSquare(ep.File()+side, rank), ep)).inCheck(o.black) {
			return true
		}
	}
	return false
}

func (o *oracle) isEnPassant(m Move) bool {
	c := o.pieces[m.From().Rank()][m.From().File()]
	return lower(c) == 'p' && m.To() == o.ep && m.From().File() != m.To().File()
}

// moves returns the legal moves in ascending order.
func (o *oracle) moves() (moves []Move) {
	try := func(m Move) {
		if !o.make(m).inCheck(o.black) {
			moves = append(moves, m)
		}
	}
	for from := A1; from <= H8; from++ {
		r, f := from.Rank(), from.File()
		c := o.pieces[r][f]
		if !o.own(c) {
			continue
		}
		switch lower(c) {
		case 'p':
			o.pawn(from, try)
		case 'n':
			o.piece(from, jumps, false, try)
		case 'b':
			o.piece(from, oblique, true, try)
		case 'r':
			o.piece(from, straight, true, try)
		case 'q':
			o.piece(from, around, true, try)
		case 'k':
			o.piece(from, around, false, try)
			for rook := A1; rook <= H8; rook++ {
				if o.castling.Has(rook) && o.own(o.pieces[rook.Rank()][rook.File()]) && o.mayCastle(from, rook) {
					try(NewMove(from, rook))
				}
			}
		}
	}
	slices.Sort(moves)
	return moves
}

func (o *oracle) piece(from Square, steps [][2]int, far bool, try func(Move)) {
	for _, d := range steps {
		for r, f := from.Rank()+d[0], from.File()+d[1]; ; r, f = r+d[0], f+d[1] {
			c, ok := o.at(r, f)
			if !ok || o.own(c) {
				break
			}
			try(NewMove(from, NewSquare(f, r)))
			if c != 0 || !far {
				break
			}
		}
	}
}

func (o *oracle) pawn(from Square, try func(Move)) {
	r, f, up := from.Rank(), from.File(), o.forward()
	add := func(r, f int) {
		to := NewSquare(f, r)
		if r != 0 && r != 7 {
			try(NewMove(from, to))
			return
		}
		for _, t := range []PieceType{Knight, Bishop, Rook, Queen} {
			try(NewPromotion(from, to, t))
		}
	}
	if o.pieces[r+up][f] == 0 {
		add(r+up, f)
		if start := (7 - 5*up) / 2; r == start && o.pieces[r+2*up][f] == 0 {
			add(r+2*up, f)
		}
	}
	for _, side := range []int{-1, 1} {
		c, ok := o.at(r+up, f+side)
		if ok && (c != 0 && !o.own(c) || NewSquare(f+side, r+up) == o.ep) {
			add(r+up, f+side)
		}
	}
}

// mayCastle checks castling by the words of the rules: nothing between, the king
// not in check, and not attacked on any square that it crosses; try looks at the
// square where it ends.
func (o *oracle) mayCastle(king, rook Square) bool {
	rank := king.Rank()
	kingTo, rookTo := 2, 3
	if rook > king {
		kingTo, rookTo = 6, 5
	}
	clear := func(a, b int) bool {
		for f := min(a, b); f <= max(a, b); f++ {
			if f != king.File() && f != rook.File() && o.pieces[rank][f] != 0 {
				return false
			}
		}
		return true
	}
	if !clear(king.File(), kingTo) || !clear(rook.File(), rookTo) {
		return false
	}
	lifted := *o
	lifted.pieces[rank][king.File()] = 0
	for f := king.File(); f != kingTo; {
		if lifted.attacked(rank, f, !o.black) {
			return false
		}
		if f < kingTo {
			f++
		} else {
			f--
		}
	}
	return !o.attacked(rank, king.File(), !o.black)
}

// matches reports whether the position is the oracle's: pieces, side, rights, en passant.
func (o *oracle) matches(p *Position) bool { return *o == *newOracle(p) }

// startFENs are where random games begin: the standard position, everything in the
// perft table, where the rules are tricky, and en passant while another piece gives
// check, which no game reaches but a FEN may say.
func startFENs(t testing.TB) []string {
	t.Helper()
	fens := []string{
		StartFEN,
		"4k3/8/8/3pP3/8/3n4/8/4K3 w - d6 0 1",
		"4k3/8/8/3pP3/8/8/5p2/4K3 w - d6 0 1",
		"4k3/8/8/8/3pP3/5N2/6B1/4K3 b - e3 0 1",
		"4k3/8/8/b2pP3/8/8/8/4K3 w - d6 0 1",
	}
	for _, text := range readLines(t, "testdata/perft.epd") {
		if fen, _, ok := strings.Cut(text, ";"); ok && text[0] != '#' {
			fens = append(fens, strings.TrimSpace(fen))
		}
	}
	return fens
}

// fischerStart returns a random start position of double Chess960: each side has a row of its own.
func fischerStart(r *rand.Rand) Position {
	row := func() string {
		var row [8]byte
		place := func(c byte, files ...int) {
			free := slices.DeleteFunc(files, func(f int) bool { return row[f] != 0 })
			row[free[r.IntN(len(free))]] = c
		}
		all := func() []int { return []int{0, 1, 2, 3, 4, 5, 6, 7} }
		place('b', 0, 2, 4, 6)
		place('b', 1, 3, 5, 7)
		place('q', all()...)
		place('n', all()...)
		place('n', all()...)
		for _, c := range []byte("rkr") {
			row[slices.Index(row[:], 0)] = c
		}
		return string(row[:])
	}
	return setup.Must(ParseFEN(row() + "/pppppppp/8/8/8/8/PPPPPPPP/" + strings.ToUpper(row()) + " w KQkq - 0 1"))
}

// eachPosition plays random games, from each of startFENs and of starts of double
// Chess960, and calls f for every position in them: about 50 a game. The
// rare moves are preferred, or random games would hardly see them.
func eachPosition(t testing.TB, seed uint64, games int, f func(p *Position)) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 960))
	fens := startFENs(t)
	for g := range games {
		var p Position
		if g%3 == 2 {
			p = fischerStart(r)
		} else {
			p = setup.Must(ParseFEN(fens[r.IntN(len(fens))]))
		}
		for range 60 {
			f(&p)
			moves := p.LegalMoves(nil)
			if len(moves) == 0 || p.InsufficientMaterial() {
				break
			}
			m := moves[r.IntN(len(moves))]
			for range 3 {
				if p.IsCastling(m) || p.IsEnPassant(m) || m.Promotion() != NoPieceType {
					break
				}
				m = moves[r.IntN(len(moves))]
			}
			p.Make(m)
		}
		if t.Failed() {
			return
		}
	}
}
