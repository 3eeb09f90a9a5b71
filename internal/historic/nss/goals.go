package nss

import (
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// goal is one goal of the program, with the four processes of the paper's figure 3.
type goal struct {
	name string
	// operative is the specification: whether the goal is on the list.
	operative func(p *board.Position, us board.Color) bool
	// propose calls offer with moves, the most promising first, until offer returns true
	// because an acceptable one has been found.
	propose func(s *situation, offer func(m board.Move, why string) (enough bool))
	// value is the static evaluation from the view of side us.
	value func(p *board.Position, us board.Color) int
	// disturb returns the moves that must be analyzed. A dead position has none.
	disturb func(p *board.Position) []board.Move
}

// goals are the goals of the opening, the most important first.
var goals = [...]goal{
	{"material balance", always, materialMoves, material, materialDisturb},
	{"center control", centerOperative, centerMoves,
		func(p *board.Position, us board.Color) int { return -blocks(p, us) }, nil},
	{"development", always, developmentMoves, development, developmentDisturb},
	{"pawn structure", always, nil, structure, nil},
}

func always(*board.Position, board.Color) bool { return true }

// worth is the value of a position from the view of the machine. Mate comes before the
// goals: up to 1 for mating, down to -1 for being mated, nearer to 0 the later the mate.
type worth struct {
	Mate  float64
	Goals [len(goals)]int
}

func (v worth) better(w worth) bool {
	if v.Mate != w.Mate {
		return v.Mate > w.Mate
	}
	for i := range v.Goals {
		if v.Goals[i] != w.Goals[i] {
			return v.Goals[i] > w.Goals[i]
		}
	}
	return false
}

// rejects returns the index of the first goal for which v is below the level, or -1.
func (v worth) rejects(level worth) int {
	if v.Mate < level.Mate {
		return 0
	}
	for i := range v.Goals {
		if v.Mate <= level.Mate && v.Goals[i] < level.Goals[i] {
			return i
		}
	}
	return -1
}

// material returns the material balance in pawns.
func material(p *board.Position, us board.Color) (sum int) {
	for t := board.Pawn; t < board.King; t++ {
		sum += historic.Values[t] * (p.Pieces(us, t).Count() - p.Pieces(us.Other(), t).Count())
	}
	return sum
}

// center is the d- and e-file.
const center = (board.FileA << 3) | (board.FileA << 4)

// waiting returns the center pawns that have not reached the fourth rank.
func waiting(p *board.Position, us board.Color) (b board.Bitboard) {
	for pawns := p.Pieces(us, board.Pawn) & center; pawns != 0; {
		if sq := pawns.PopFirst(); sq.RelativeRank(us) < 3 {
			b |= sq.Bitboard()
		}
	}
	return b
}

// fourth returns the square of the fourth rank ahead of a pawn.
func fourth(sq board.Square, us board.Color) board.Square {
	return board.NewSquare(sq.File(), 3).Relative(us)
}

// path returns the squares of a waiting pawn's file up to the fourth rank.
func path(sq board.Square, us board.Color) board.Bitboard {
	return board.Between(sq, fourth(sq, us)) | fourth(sq, us).Bitboard()
}

// blocks counts the own pieces in the way of own center pawns.
func blocks(p *board.Position, us board.Color) (n int) {
	for pawns := waiting(p, us); pawns != 0; {
		n += (path(pawns.PopFirst(), us) & p.ByColor(us)).Count()
	}
	return n
}

// development returns our tempi less the opponent's.
func development(p *board.Position, us board.Color) int {
	t := tempi(p, us) - tempi(p, us.Other())
	if mover := p.SideToMove(); attackedByLess(p, mover) {
		if mover == us {
			t--
		} else {
			t++
		}
	}
	return t
}

// minorHome holds the home squares of White's knights and bishops.
var minorHome = [2]board.Bitboard{0x42, 0x24}

func tempi(p *board.Position, us board.Color) int {
	home := func(b board.Bitboard) board.Bitboard {
		if us == board.Black {
			return b.Mirror()
		}
		return b
	}
	n := (p.Pieces(us, board.Knight) &^ home(minorHome[0])).Count() +
		(p.Pieces(us, board.Bishop) &^ home(minorHome[1])).Count()
	n += 2 - (p.Pieces(us, board.Pawn) & center & home(board.Rank2)).Count()
	king := p.KingSquare(us)
	switch {
	case p.Castling()&p.ByColor(us) != 0:
		n += 2
	case king.RelativeRank(us) == 0 && (king.File() < 3 || king.File() > 5):
		n += 3
	}
	return n
}

// attackedByLess reports whether a piece of the side, pawns and king excepted, is attacked by
// one of less value.
func attackedByLess(p *board.Position, c board.Color) bool {
	for pieces := p.ByColor(c) &^ p.ByType(board.Pawn) &^ p.ByType(board.King); pieces != 0; {
		sq := pieces.PopFirst()
		attackers := p.AttackersTo(sq, p.Occupied()) & p.ByColor(c.Other())
		if attackers&historic.Cheaper(p, p.PieceAt(sq).Type()) != 0 {
			return true
		}
	}
	return false
}

// structure returns the negative number of our doubled and isolated pawns.
func structure(p *board.Position, us board.Color) (n int) {
	pawns := p.Pieces(us, board.Pawn)
	for file := range 8 {
		on := (pawns & (board.FileA << file)).Count()
		if on == 0 {
			continue
		}
		n -= on - 1
		beside := (board.FileA << file).East() | (board.FileA << file).West()
		if pawns&beside == 0 {
			n -= on
		}
	}
	return n
}
