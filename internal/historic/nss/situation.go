package nss

import (
	"cmp"
	"slices"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
)

// situation is the current position with what the move generators of the goals need.
type situation struct {
	*board.Position
	us, them board.Color
	legal    []board.Move // only promotions to a queen
	player   *Player      // for its options
	// noMove reports whether the null move would lose no material; theirMove whether a move
	// of the opponent, if it were its turn, would be acceptable to it.
	noMove    func() bool
	theirMove func(board.Move) bool
}

func (s *situation) filter(keep func(board.Move) bool) []board.Move {
	return historic.Filter(s.legal, keep)
}

func (s *situation) piece(m board.Move) board.PieceType { return s.PieceAt(m.From()).Type() }

// cheaper compares moves by the value of the moving piece.
func cheaper(p *board.Position) func(a, b board.Move) int {
	return func(a, b board.Move) int {
		return historic.Values[p.PieceAt(a.From()).Type()] - historic.Values[p.PieceAt(b.From()).Type()]
	}
}

// safe reports whether the moving piece is not lost on its new square, or only for at least
// as much as it captures.
func (s *situation) safe(m board.Move) bool { return safe(s.Position, m) }

func safe(p *board.Position, m board.Move) bool {
	if p.IsCastling(m) {
		return true
	}
	taken := 0
	if piece := p.PieceAt(m.To()); piece != board.NoPiece {
		taken = historic.Values[piece.Type()]
	}
	child := *p
	child.Make(m)
	return playOut(&child, m.To(), child.SideToMove(), 0) <= taken
}

// adds reports whether the moving piece newly attacks sq.
func adds(p *board.Position, m board.Move, sq board.Square) bool {
	if p.IsCastling(m) || m.To() == sq {
		return false
	}
	after := p.Occupied()&^m.From().Bitboard() | m.To().Bitboard()
	return historic.Reach(p, m.From(), m.To(), after).Has(sq) && !historic.Reach(p, m.From(), m.From(), p.Occupied()).Has(sq)
}

// pins reports whether the move pins the enemy piece on sq to a more valuable one, from a
// square where the pinned piece cannot capture it.
func pins(p *board.Position, m board.Move, sq board.Square) bool {
	t := p.PieceAt(m.From()).Type()
	if t < board.Bishop || t > board.Queen || m.To() == sq {
		return false
	}
	occupied := p.Occupied()&^m.From().Bitboard() | m.To().Bitboard()
	near := board.Attacks(t, m.To(), occupied)
	if !near.Has(sq) || historic.Reach(p, sq, sq, occupied).Has(m.To()) {
		return false
	}
	beyond := board.Attacks(t, m.To(), occupied&^sq.Bitboard()) &^ near & p.ByColor(p.SideToMove().Other())
	return beyond&historic.Dearer(p, p.PieceAt(sq).Type()) != 0
}

func centerOperative(p *board.Position, us board.Color) bool { return waiting(p, us) != 0 }

// primary returns the moves of the center pawns to the fourth rank, the queen's pawn first or
// the king's.
func primary(p *board.Position, legal []board.Move, kingFirst bool) (moves []board.Move) {
	us := p.SideToMove()
	pawns := waiting(p, us)
	for _, m := range legal {
		if pawns.Has(m.From()) && m.To() == fourth(m.From(), us) {
			moves = append(moves, m)
		}
	}
	slices.SortFunc(moves, func(a, b board.Move) int { return a.To().File() - b.To().File() })
	if kingFirst {
		slices.Reverse(moves)
	}
	return moves
}

// centerMoves proposes the primary moves, then moves that prevent the opponent's, then moves
// that prepare its own.
func centerMoves(s *situation, offer func(board.Move, string) bool) {
	for _, m := range primary(s.Position, s.legal, s.player.primary == king) {
		if offer(m, "primary move") {
			return
		}
	}
	if !s.prevent(offer) {
		s.prepare(offer)
	}
}

// prevent proposes moves against the primary moves that are acceptable to the opponent: one
// more attacker of the square, or a pin of a piece that defends it.
func (s *situation) prevent(offer func(board.Move, string) bool) bool {
	if s.InCheck() {
		return false
	}
	turn := *s.Position
	turn.MakeNull()
	for _, theirs := range primary(&turn, turn.LegalMoves(nil), s.player.primary == king) {
		if !s.theirMove(theirs) {
			continue
		}
		sq := theirs.To()
		for _, m := range s.bear(sq, s.them) {
			if offer(m, "prevents "+turn.SAN(theirs)) {
				return true
			}
		}
	}
	return false
}

// bear returns the safe moves that newly attack a square, by knights and pawns first, then
// those that pin a piece of the given side that defends it.
func (s *situation) bear(sq board.Square, defender board.Color) []board.Move {
	moves := s.filter(func(m board.Move) bool { return s.piece(m) != board.King && adds(s.Position, m, sq) && s.safe(m) })
	rank := [6]int{board.Pawn: 1, board.Knight: 0, board.Bishop: 2, board.Rook: 3, board.Queen: 4}
	slices.SortStableFunc(moves, func(a, b board.Move) int { return rank[s.piece(a)] - rank[s.piece(b)] })
	defenders := squares(s.AttackersTo(sq, s.Occupied()) & s.ByColor(defender))
	return append(moves, s.filter(func(m board.Move) bool {
		return slices.ContainsFunc(defenders, func(g board.Square) bool { return pins(s.Position, m, g) }) && s.safe(m)
	})...)
}

// prepare proposes moves that unblock own center pawns, or that attack the square to which
// such a pawn cannot go yet.
func (s *situation) prepare(offer func(board.Move, string) bool) {
	for _, pawn := range squares(waiting(s.Position, s.us)) {
		to := fourth(pawn, s.us)
		inWay := path(pawn, s.us) & s.ByColor(s.us)
		moves, why := s.bear(to, s.them), "prepares "+to.String()
		if inWay != 0 {
			moves = s.filter(func(m board.Move) bool { return inWay.Has(m.From()) && s.safe(m) })
			why = "unblocks " + to.String()
		}
		for _, m := range moves {
			if offer(m, why) {
				return
			}
		}
	}
}

// developmentMoves proposes moves of minor pieces from their home squares, castling, and
// rooks for the center files, in the order in which CP-I developed against Simon: kingside
// first, moves to the third rank first, then nearer to the center.
func developmentMoves(s *situation, offer func(board.Move, string) bool) {
	for _, step := range []struct {
		why  string
		keep func(board.Move) bool
	}{
		{"develops", func(m board.Move) bool { return develops(s.Position, m) && s.safe(m) }},
		{"castles", s.IsCastling},
		{"takes a center file", func(m board.Move) bool {
			return s.piece(m) == board.Rook && !s.IsCastling(m) && m.From().RelativeRank(s.us) == 0 &&
				center.Has(m.To()) && !center.Has(m.From()) && s.safe(m)
		}},
	} {
		moves := s.filter(step.keep)
		slices.SortStableFunc(moves, func(a, b board.Move) int {
			return cmp.Or(b.From().File()-a.From().File(), s.offThird(a)-s.offThird(b),
				offCenter(a.To())-offCenter(b.To()), b.To().File()-a.To().File())
		})
		for _, m := range moves {
			if offer(m, step.why) {
				return
			}
		}
	}
}

// offCenter returns how far a file is from the middle of the board.
func offCenter(sq board.Square) int { return max(sq.File()-4, 3-sq.File()) }

// offThird returns the distance of the target square from the third rank.
func (s *situation) offThird(m board.Move) int {
	r := m.To().RelativeRank(s.us) - 2
	return max(r, -r)
}

// develops reports whether a move takes a minor piece from its home square.
func develops(p *board.Position, m board.Move) bool {
	from := m.From().Relative(p.SideToMove())
	switch p.PieceAt(m.From()).Type() {
	case board.Knight:
		return minorHome[0].Has(from)
	case board.Bishop:
		return minorHome[1].Has(from)
	}
	return false
}

// developmentDisturb returns the safe moves that develop a piece and attack an enemy queen or
// rook.
func developmentDisturb(p *board.Position) []board.Move {
	us := p.SideToMove()
	targets := p.ByColor(us.Other()) & (p.ByType(board.Queen) | p.ByType(board.Rook))
	if targets == 0 {
		return nil
	}
	return movesThat(p, func(m board.Move) bool {
		after := p.Occupied()&^m.From().Bitboard() | m.To().Bitboard()
		return develops(p, m) && historic.Reach(p, m.From(), m.To(), after)&targets != 0 && safe(p, m)
	})
}

// materialMoves proposes moves for the possible exchanges of both sides, the largest gain or
// loss first.
func materialMoves(s *situation, offer func(board.Move, string) bool) {
	ours, theirs := exchanges(s.Position, s.us), exchanges(s.Position, s.them)
	for len(ours)+len(theirs) > 0 {
		var enough bool
		if len(ours) == 0 || len(theirs) > 0 && theirs[0].value >= ours[0].value {
			enough = (theirs[0].value > 0 || s.player.even) && s.capture(theirs[0], offer)
			theirs = theirs[1:]
		} else {
			// An even exchange of an own piece need not be prevented.
			enough = ours[0].value > 0 && s.defend(ours[0], offer)
			ours = ours[1:]
		}
		if enough {
			return
		}
	}
}

// capture proposes the capture with the least valuable piece that can move.
func (s *situation) capture(x exchange, offer func(board.Move, string) bool) bool {
	moves := s.filter(func(m board.Move) bool {
		return m.To() == x.square && !s.IsCastling(m) && x.attackers.Has(m.From())
	})
	if len(moves) == 0 {
		return false
	}
	return offer(slices.MinFunc(moves, cheaper(s.Position)), "takes")
}

// defend proposes moves that save an own piece, if doing nothing would lose material.
func (s *situation) defend(x exchange, offer func(board.Move, string) bool) bool {
	if s.noMove() {
		return false
	}
	free := func(m board.Move) bool { return !employed(s.Position, m.From(), x.square) && s.safe(m) }
	attacker := s.attackerOf(x)
	between := board.Between(attacker, x.square)
	for _, step := range []struct {
		why  string
		keep func(board.Move) bool
	}{
		{"takes the attacker", func(m board.Move) bool { return x.attackers.Has(m.To()) && s.safe(m) }},
		{"adds a defender", func(m board.Move) bool {
			return m.From() != x.square && adds(s.Position, m, x.square) && free(m)
		}},
		{"moves the attacked piece", func(m board.Move) bool { return m.From() == x.square && s.safe(m) }},
		{"interposes", func(m board.Move) bool { return between.Has(m.To()) && s.piece(m) != board.King && free(m) }},
		{"pins the attacker", func(m board.Move) bool {
			return free(m) && slices.ContainsFunc(squares(x.attackers),
				func(sq board.Square) bool { return pins(s.Position, m, sq) })
		}},
	} {
		moves := s.filter(step.keep)
		slices.SortStableFunc(moves, cheaper(s.Position))
		for _, m := range moves {
			if offer(m, step.why) {
				return true
			}
		}
	}
	return false
}

// attackerOf returns the square of the least valuable attacker.
func (s *situation) attackerOf(x exchange) board.Square {
	return slices.MinFunc(squares(x.attackers), func(a, b board.Square) int {
		return historic.Values[s.PieceAt(a).Type()] - historic.Values[s.PieceAt(b).Type()]
	})
}

func squares(b board.Bitboard) (list []board.Square) {
	for b != 0 {
		list = append(list, b.PopFirst())
	}
	return list
}

// materialDisturb returns the captures that do not lose material, one for each square, by the
// least valuable piece that can move.
func materialDisturb(p *board.Position) (moves []board.Move) {
	list := exchanges(p, p.SideToMove().Other())
	if len(list) == 0 {
		return nil
	}
	captures := p.LegalCaptures(make([]board.Move, 0, 32))
	for _, x := range list {
		if on := historic.Filter(captures, func(m board.Move) bool { return m.To() == x.square }); len(on) > 0 {
			moves = append(moves, slices.MinFunc(on, cheaper(p)))
		}
	}
	return moves
}

// exchange is a possible exchange on a square.
type exchange struct {
	square               board.Square
	attackers, defenders board.Bitboard // direct ones only
	value                int            // pawns that the attacking side wins
}

// exchanges lists the pieces of a side that the other side can capture without a loss, the
// largest gain first.
func exchanges(p *board.Position, owner board.Color) (list []exchange) {
	other := owner.Other()
	for pieces := p.ByColor(owner) &^ p.ByType(board.King); pieces != 0; {
		sq := pieces.PopFirst()
		touching := p.AttackersTo(sq, p.Occupied())
		if touching&p.ByColor(other) == 0 {
			continue
		}
		if v := playOut(p, sq, other, 0); v >= 0 {
			list = append(list, exchange{sq, touching & p.ByColor(other), touching & p.ByColor(owner), v})
		}
	}
	slices.SortStableFunc(list, func(a, b exchange) int { return cmp.Compare(b.value, a.value) })
	return list
}

// playOut returns the material, in pawns, that side c wins by capturing the piece on sq. The
// cheapest pieces capture first, pieces behind them join in, and after the first capture
// either side may stop. Pieces in without take no part. If c cannot capture, it is -1.
func playOut(p *board.Position, sq board.Square, c board.Color, without board.Bitboard) int {
	occupied := p.Occupied() &^ without
	first := cheapest(p, sq, c, occupied)
	if first == board.NoSquare {
		return -1
	}
	return historic.Values[p.PieceAt(sq).Type()] - retake(p, sq, c.Other(), occupied&^first.Bitboard(),
		p.PieceAt(first).Type())
}

// retake returns what side c wins by capturing the piece that is now on sq, or 0.
func retake(p *board.Position, sq board.Square, c board.Color, occupied board.Bitboard, piece board.PieceType) int {
	next := cheapest(p, sq, c, occupied)
	if next == board.NoSquare {
		return 0
	}
	occupied &^= next.Bitboard()
	kind := p.PieceAt(next).Type()
	if kind == board.King && cheapest(p, sq, c.Other(), occupied) != board.NoSquare {
		return 0 // a king cannot capture a defended piece
	}
	return max(0, historic.Values[piece]-retake(p, sq, c.Other(), occupied, kind))
}

// cheapest returns the square of the least valuable piece of c that attacks sq.
func cheapest(p *board.Position, sq board.Square, c board.Color, occupied board.Bitboard) board.Square {
	touching := p.AttackersTo(sq, occupied) & occupied & p.ByColor(c)
	for t := board.Pawn; t <= board.King; t++ {
		if b := touching & p.ByType(t); b != 0 {
			return b.First()
		}
	}
	return board.NoSquare
}

// loses reports whether side c loses the piece on sq if the other side captures it.
func loses(p *board.Position, sq board.Square, c board.Color, without board.Bitboard) bool {
	return p.AttackersTo(sq, p.Occupied()&^without)&p.ByColor(c.Other()) != 0 && playOut(p, sq, c.Other(), without) > 0
}

// employed reports whether the piece on sq is needed to defend a piece other than the one on
// except.
func employed(p *board.Position, sq, except board.Square) bool {
	c := p.PieceAt(sq).Color()
	for pieces := p.ByColor(c) &^ p.ByType(board.King) &^ sq.Bitboard() &^ except.Bitboard(); pieces != 0; {
		other := pieces.PopFirst()
		if !loses(p, other, c, 0) && loses(p, other, c, sq.Bitboard()) {
			return true
		}
	}
	return false
}
