package eval

import "github.com/assay-chess/assay/engine/board"

// The model machack-1967: the static evaluation of Mac Hack VI, Greenblatt, Eastlake
// and Crocker, "The Greenblatt Chess Program" (1967; AIM-174),
//
//	S = B + R + P + K + C
//
// with B material, R the ratio of material compared with the root's, P pawns, K the ranks
// of the kings while queens are on the board, C pawns in the center. The program counts in
// points of 1/128 pawn; a point is 100/128 centipawns. Material converts exactly (325, 350,
// 500, 975). A rank of a king, 8 points, is 6.25 centipawns and starts at 6; a center pawn,
// 1 point, is 0.78 and starts at 1.
//
// The paper prints no numbers for P. Our own, in points, are 24 for tripled, 16 for
// isolated, 24 for passed and 12 for backward pawns, and 8 more for a backward pawn on an
// open file or facing rooks or queens.
//
// By the letter of the decision list for backward pawns, a pawn is backward if it would be
// defended after advancing beside or behind a neighbor, which makes all eight pawns of a side
// backward on their home squares: the program then opens with 1.f3 or 1.c3. Here the letter
// holds only off the second rank; backward.home, which starts at zero, counts the rest. With
// this reading it plays the move of the printed games in 78 of 158 turns, by the letter in
// 71 (see package machack).
//
// Where the text has two readings, both are terms, and the reading that we did not choose
// starts at zero: backward.home, backward.strict and king-rank.both-queens.

const (
	machackMaterial       = 0                   // pawn, knight, bishop, rook, queen
	machackRatio          = machackMaterial + 5 // R
	machackTripled        = machackRatio + 1
	machackIsolated       = machackTripled + 1
	machackPassed         = machackIsolated + 1
	machackBackward       = machackPassed + 1
	machackBackwardWeak   = machackBackward + 1
	machackBackwardHome   = machackBackwardWeak + 1
	machackBackwardStrict = machackBackwardHome + 1
	machackKingRank       = machackBackwardStrict + 1
	machackKingRankQueens = machackKingRank + 1
	machackCenter         = machackKingRankQueens + 1
	machackTerms          = machackCenter + 1
)

// machackPoints holds the piece values of B in 1/128 pawn; a king counts 1 in R.
var machackPoints = [6]int64{128, 416, 448, 640, 1248, 1}

func machackModel() *Model {
	t := newTable(machackTerms)
	const source = "Greenblatt et al. 1967, static evaluation"
	const guess = source + "; start weight our own"
	for i, f := range []struct {
		name, group, source string
		start               int32
	}{
		{"pawn", GroupMaterial, source, 100},
		{"knight", GroupMaterial, source, 325},
		{"bishop", GroupMaterial, source, 350},
		{"rook", GroupMaterial, source, 500},
		{"queen", GroupMaterial, source, 975},
		{"ratio", GroupMaterial, source + "; garbled in print, the fraction of a fourth is our own", 1},
		{"tripled", groupPawns, guess, -19},
		{"isolated", groupPawns, guess, -12},
		{"passed", groupPassed, guess, 19},
		{"backward", groupPawns, guess, -9},
		{"backward.exposed", groupPawns, guess, -6},
		{"backward.home", groupPawns, "by the letter of " + source, 0},
		{"backward.strict", groupPawns, "our own, for " + source, 0},
		{"king-rank", groupKing, source, -6},
		{"king-rank.both-queens", groupKing, "our own, for " + source, 0},
		{"centre", groupPawns, source, 1},
	} {
		t.set(i, Term{Name: f.name, Group: f.group, Source: f.source, Rooted: i == machackRatio}, f.start)
	}
	return newModel("machack-1967", t, traceMacHack, nil)
}

// traceMacHack counts the terms of S.
func traceMacHack(p *board.Position, s tracer) tracer {
	both := p.Pieces(board.White, board.Queen) != 0 && p.Pieces(board.Black, board.Queen) != 0
	ratio := s.root().ratio(p)
	mirror := p.Mirror()
	s = traceMacHackSide(&mirror, both, max(0, -ratio), s).turn()
	return traceMacHackSide(p, both, max(0, ratio), s)
}

// traceMacHackSide counts for White. Weaknesses of the owner have negative weights, where
// the paper counts them as strengths of the other side.
func traceMacHackSide(p *board.Position, bothQueens bool, ratio int, s tracer) tracer {
	var v view
	v.set(p, board.White)
	s = s.add(machackMaterial, v.pawns.Count())
	s = s.add(machackMaterial+1, v.knights.Count())
	s = s.add(machackMaterial+2, v.bishops.Count())
	s = s.add(machackMaterial+3, v.rooks.Count())
	s = s.add(machackMaterial+4, v.queens.Count())
	s = s.add(machackRatio, ratio)
	s = s.add(machackTripled, tripled(v.pawns))
	s = s.add(machackIsolated, isolated(v.pawns).Count())
	s = s.add(machackPassed, passed(v.pawns, v.theirPawns).Count())
	facing := p.Pieces(board.Black, board.Rook) | p.Pieces(board.Black, board.Queen)
	open := ^up(down(v.theirPawns))
	for b := v.pawns; b != 0; {
		sq := b.PopFirst()
		literal, strict := machackIsBackward(p, sq)
		if literal.backward() && sq.Rank() == 1 {
			s = s.one(machackBackwardHome)
		} else if literal.backward() {
			s = s.one(machackBackward)
			if facing != 0 || open.Has(sq) {
				s = s.one(machackBackwardWeak)
			}
		}
		if strict.backward() {
			s = s.one(machackBackwardStrict)
		}
	}
	if p.ByType(board.Queen) != 0 {
		s = s.add(machackKingRank, v.king.Rank())
	}
	if bothQueens {
		s = s.add(machackKingRankQueens, v.king.Rank())
	}
	const center = (board.Rank4 | board.Rank5) & (board.FileD | board.FileE)
	if v.pawns&center != 0 { // pawns of both sides cancel: +1, -1 or 0
		s = s.one(machackCenter)
	}
	return s
}

// root is what the term R of Mac Hack needs of the position that a search started from:
// the material of both sides in 1/128 pawn, a king counting 1. The zero value means no
// root.
type root struct{ white, black int64 }

func (r *root) set(p *board.Position) {
	*r = root{}
	if p != nil {
		r.white, r.black = machackSideMaterial(p, board.White), machackSideMaterial(p, board.Black)
	}
}

// machackSideMaterial returns the material of a side in 1/128 pawn, its king counting 1.
func machackSideMaterial(p *board.Position, c board.Color) (sum int64) {
	for t, points := range machackPoints {
		sum += points * int64(p.Pieces(c, board.PieceType(t)).Count())
	}
	return sum
}

// ratio returns the term R in whole centipawns, truncated toward zero,
//
//	R = (N/T - 1) x M/4
//
// with N the ratio of White's material to Black's in p, T the same at the root, and M one
// side's material at the start of a game. It makes exchanges good for the side that is
// ahead. The form follows the paper's prose. The fraction lost in print (a fourth) and the
// bound of ten pawns (without it a bare king's ratio has none) are our own. R is "slightly
// asymmetric with respect to color", so with a root mirrored positions may have values
// that are not each other's negative.
func (r *root) ratio(p *board.Position) int {
	if r.white == 0 {
		return 0
	}
	node, top := r.of(p)
	cp := (node - top) * machackStartMaterial * centipawnsPerPawn / (top * pointsPerPawn * ratioFraction)
	return int(max(-maxRatio, min(cp, maxRatio)))
}

// of returns N and T over their common denominator.
func (r *root) of(p *board.Position) (n, t int64) {
	return machackSideMaterial(p, board.White) * r.black, machackSideMaterial(p, board.Black) * r.white
}

const (
	machackStartMaterial = 5281 // in points of 1/128 pawn
	pointsPerPawn        = 128
	centipawnsPerPawn    = 100
	ratioFraction        = 4
	maxRatio             = 1000 // centipawns
)

// tripled counts the files with three pawns or more, or with two that are isolated.
func tripled(p board.Bitboard) (n int) {
	alone := isolated(p)
	for file := range board.Square(8) {
		on := p & (board.FileA << file)
		if on.Count() > 2 || on.Many() && on&alone != 0 {
			n++
		}
	}
	return n
}

// backwardRule is the line of Mac Hack's decision list that decides whether a pawn is
// backward, in the order of the paper.
type backwardRule uint8

const (
	ruleDefended        backwardRule = iota // 1: a pawn defends it
	ruleDefendable                          // 2: a pawn can defend it in one move
	ruleBlocked                             // 3a: such a move is blocked, and so is the pawn
	ruleHelperBlocked                       // 3b: such a move is blocked, the pawn is not
	ruleWouldBeDefended                     // 4: it would be defended after advancing
	ruleOtherwise                           // 5
)

func (r backwardRule) backward() bool { return r == ruleBlocked || r == ruleWouldBeDefended }

// machackIsBackward decides whether White's pawn on sq is backward. For line 4 the literal
// reading wants an own pawn on an adjacent file that is level with it or ahead, which makes
// the base of every pawn chain backward. The strict reading wants a pawn ahead, and none on
// adjacent files that is level or behind.
func machackIsBackward(p *board.Position, sq board.Square) (literal, strict backwardRule) {
	pawns, their := p.Pieces(board.White, board.Pawn), p.ByColor(board.Black)
	pawn := sq.Bitboard()
	helpers := beside(pawn >> 8) // a pawn on these defends it
	if pawns&helpers != 0 {
		return ruleDefended, ruleDefended
	}
	one := helpers & (pawns << 8)
	two := helpers & ((pawns & board.Rank2) << 16)
	barred := two & (their | their<<8)
	risky := beside(p.Pieces(board.Black, board.Pawn)) // capture en passant
	if one&^their != 0 || two&^barred&^risky != 0 {
		return ruleDefendable, ruleDefendable
	}
	if one|barred != 0 {
		if their&(pawn<<8) != 0 {
			return ruleBlocked, ruleBlocked
		}
		return ruleHelperBlocked, ruleHelperBlocked
	}
	files := beside(up(down(pawn)))
	level := up(pawn) | beside(up(pawn))
	friends := pawns & files
	literal, strict = ruleOtherwise, ruleOtherwise
	if friends&level != 0 {
		literal = ruleWouldBeDefended
	}
	if friends != 0 && friends&^beside(up(pawn<<8)) == 0 {
		strict = ruleWouldBeDefended
	}
	return literal, strict
}
