package bernstein

import (
	"slices"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// question proposes moves, in order. If last is set and it proposes any, no further question
// is asked.
type question struct {
	text string
	ask  func(*situation) []board.Move
	last bool
}

// questions are the eight questions, the second in three parts.
var questions = []question{
	{"1 is the king in check?", (*situation).evasions, true},
	{"2a can material be gained?", (*situation).gains, false},
	{"2b can material be lost?", (*situation).rescues, false},
	{"2c can material be exchanged?", (*situation).exchanges, false},
	{"3 is castling possible?", (*situation).castling, true},
	{"4 can minor pieces be developed?", (*situation).developments, false},
	{"5 can key squares be occupied?", (*situation).keySquares, false},
	{"6 can open files be occupied?", (*situation).openFiles, false},
	{"7 can any pawn be moved?", (*situation).pawnMoves, false},
	{"8 can any piece be moved?", (*situation).pieceMoves, false},
}

// plausible asks the questions until there are width moves, and returns how many it has asked.
func plausible(pos *board.Position, legal []board.Move, width int) (list []board.Move, asked int) {
	s := newSituation(pos, legal)
	for i, q := range questions {
		moves := q.ask(s)
		for _, m := range moves {
			if len(list) < width && !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
		if len(list) == width || q.last && len(moves) > 0 {
			return list, i + 1
		}
	}
	if len(list) == 0 {
		list = append(list, legal[:min(width, len(legal))]...)
	}
	return list, len(questions)
}

// situation is a position with what several questions need.
type situation struct {
	*board.Position
	us, them board.Color
	legal    []board.Move // toward the center first; only promotions to a queen
}

func newSituation(pos *board.Position, legal []board.Move) *situation {
	s := &situation{Position: pos, us: pos.SideToMove(), them: pos.SideToMove().Other()}
	s.legal = historic.Filter(legal, historic.ToQueen)
	slices.SortStableFunc(s.legal, func(a, b board.Move) int { return distance(a.To()) - distance(b.To()) })
	return s
}

// distance returns how far a square is from the center of the board, 2 to 14.
func distance(sq board.Square) int {
	fromMiddle := func(x int) int { return max(2*x-7, 7-2*x) }
	return fromMiddle(sq.File()) + fromMiddle(sq.Rank())
}

func (s *situation) filter(keep func(board.Move) bool) []board.Move {
	return historic.Filter(s.legal, keep)
}

func (s *situation) piece(m board.Move) board.PieceType { return s.PieceAt(m.From()).Type() }

// safe reports whether the moving piece is safe on its new square.
func (s *situation) safe(m board.Move) bool {
	if s.IsCastling(m) {
		return true
	}
	occupied := s.Occupied()&^m.From().Bitboard() | m.To().Bitboard()
	touching := s.AttackersTo(m.To(), occupied) &^ (m.From().Bitboard() | m.To().Bitboard())
	return s.holds(s.piece(m), touching)
}

// holds reports whether our piece is safe, given the pieces of both sides that attack or
// defend its square.
func (s *situation) holds(piece board.PieceType, touching board.Bitboard) bool {
	attackers := touching & s.ByColor(s.them)
	return attackers == 0 || touching&s.ByColor(s.us) != 0 && attackers&historic.Cheaper(s.Position, piece) == 0
}

// evasions are the moves out of check: captures of the checking piece, interpositions, king
// moves.
func (s *situation) evasions() []board.Move {
	if !s.InCheck() {
		return nil
	}
	kind := func(m board.Move) int {
		switch {
		case s.piece(m) == board.King:
			return 2
		case s.IsCapture(m):
			return 0
		}
		return 1
	}
	moves := slices.Clone(s.legal)
	slices.SortStableFunc(moves, func(a, b board.Move) int { return kind(a) - kind(b) })
	return moves
}

// profit returns the material, in pawns, that a capture gains. If the captured piece is
// defended, the capturing piece is lost.
func (s *situation) profit(m board.Move) int {
	victim := historic.Victim(s.Position, m)
	occupied := s.Occupied() &^ m.From().Bitboard()
	if s.AttackersTo(m.To(), occupied)&s.ByColor(s.them) == 0 {
		return historic.Values[victim]
	}
	return historic.Values[victim] - historic.Values[s.piece(m)]
}

func (s *situation) captures(keep func(profit int) bool) []board.Move {
	moves := s.filter(func(m board.Move) bool { return s.IsCapture(m) && keep(s.profit(m)) })
	slices.SortStableFunc(moves, func(a, b board.Move) int { return s.profit(b) - s.profit(a) })
	return moves
}

func (s *situation) gains() []board.Move {
	return s.captures(func(profit int) bool { return profit > 0 })
}

func (s *situation) exchanges() []board.Move {
	return s.captures(func(profit int) bool { return profit == 0 })
}

// rescues move unsafe pieces to safe squares, the most valuable first.
func (s *situation) rescues() []board.Move {
	var hanging board.Bitboard
	for pieces := s.ByColor(s.us) &^ s.ByType(board.King); pieces != 0; {
		if sq := pieces.PopFirst(); !s.holds(s.PieceAt(sq).Type(), s.AttackersTo(sq, s.Occupied())) {
			hanging |= sq.Bitboard()
		}
	}
	moves := s.filter(func(m board.Move) bool { return hanging.Has(m.From()) && s.safe(m) })
	slices.SortStableFunc(moves, func(a, b board.Move) int {
		return historic.Values[s.piece(b)] - historic.Values[s.piece(a)]
	})
	return moves
}

func (s *situation) castling() []board.Move { return s.filter(s.IsCastling) }

// developments move knights and bishops off their first rank.
func (s *situation) developments() []board.Move {
	return s.filter(func(m board.Move) bool {
		t := s.piece(m)
		return (t == board.Knight || t == board.Bishop) && m.From().RelativeRank(s.us) == 0 &&
			m.To().RelativeRank(s.us) > 0 && s.safe(m)
	})
}

// keySquares put a piece on a square that a pawn of a chain controls: a pawn that defends
// another or is defended by one.
func (s *situation) keySquares() []board.Move {
	pawns := s.Pieces(s.us, board.Pawn)
	chained := pawns & (board.PawnAttackSet(s.us, pawns) | board.PawnAttackSet(s.them, pawns))
	key := board.PawnAttackSet(s.us, chained)
	return s.filter(func(m board.Move) bool {
		t := s.piece(m)
		return key.Has(m.To()) && !key.Has(m.From()) && t != board.Pawn && t != board.King && s.safe(m)
	})
}

// openFiles put a rook or queen on a file without pawns.
func (s *situation) openFiles() []board.Move {
	open := func(sq board.Square) bool { return s.ByType(board.Pawn)&(board.FileA<<(sq&7)) == 0 }
	return s.filter(func(m board.Move) bool {
		t := s.piece(m)
		return (t == board.Rook || t == board.Queen) && open(m.To()) && !open(m.From()) && s.safe(m)
	})
}

// pawnFiles is the order in which pawn moves are proposed.
const pawnFiles = "edcfgbha"

func (s *situation) pawnMoves() []board.Move {
	moves := s.filter(func(m board.Move) bool { return s.piece(m) == board.Pawn && s.safe(m) })
	place := func(m board.Move) int {
		n := 0
		for pawnFiles[n] != 'a'+byte(m.From().File()) {
			n++
		}
		return 8*n - max(m.To().Rank()-m.From().Rank(), m.From().Rank()-m.To().Rank())
	}
	slices.SortStableFunc(moves, func(a, b board.Move) int { return place(a) - place(b) })
	return moves
}

func (s *situation) pieceMoves() []board.Move {
	return s.filter(func(m board.Move) bool { return s.piece(m) != board.Pawn && s.safe(m) })
}
