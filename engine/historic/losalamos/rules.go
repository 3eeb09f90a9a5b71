package losalamos

import (
	"math/rand/v2"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/game"
)

// Rules are those of the small board for programs that learn it; see package game. White is the
// first player. Unlike Game, a game is drawn after 25 moves of each side without a capture or a
// pawn move, and repetition does not end it.
type Rules struct{}

// State is a position with what decides when a game ends as drawn.
type State struct {
	Position
	barren uint8 // plies since the last capture or pawn move
}

// maxBarren ends a game of Rules as drawn.
const maxBarren = 50

// The terms of the evaluation, in the order of Count.
const (
	termPawn = iota
	termKnight
	termRook
	termQueen
	termKnightMoves
	termRookMoves
	termQueenMoves
	termAdvanced
	termDoubled
	termIsolated
	termPassed
	termNear
	termPawnMoves
	termShield
	termAttack
	terms
)

// About implements game.Rules. The start weights are the program's: our guess at its material,
// and a tenth of a pawn for a move.
func (Rules) About() game.About {
	return game.About{
		Name: "losalamos", Title: "Los Alamos chess", Players: [2]string{"White", "Black"}, Plies: [2]int{4, 8}, Depth: 1,
		Terms: []game.Term{
			termPawn:        {Name: "pawn", Start: 100, About: "pawns"},
			termKnight:      {Name: "knight", Start: 300, About: "knights"},
			termRook:        {Name: "rook", Start: 500, About: "rooks"},
			termQueen:       {Name: "queen", Start: 900, About: "queens"},
			termKnightMoves: {Name: "mobility.knight", Start: 10, About: "moves of knights, pins not regarded"},
			termRookMoves:   {Name: "mobility.rook", Start: 10, About: "moves of rooks"},
			termQueenMoves:  {Name: "mobility.queen", Start: 10, About: "moves of queens"},
			termAdvanced:    {Name: "pawns.advanced", About: "ranks that pawns have advanced"},
			termDoubled:     {Name: "pawns.doubled", About: "pawns behind a pawn of their own side on the file"},
			termIsolated:    {Name: "pawns.isolated", About: "pawns without one of their own side on the files beside"},
			termPassed:      {Name: "pawns.passed", About: "ranks that pawns have advanced which no enemy pawn can stop or take"},
			termNear:        {Name: "pawns.near", About: "passed pawns one step from promotion"},
			termPawnMoves:   {Name: "pawns.free", About: "pawns that no piece blocks"},
			termShield:      {Name: "king.shield", About: "own pawns beside the king or before it"},
			termAttack:      {Name: "king.attack", About: "attacks of pieces on the squares around the enemy king"},
		},
	}
}

// Start implements game.Rules.
func (Rules) Start(*rand.Rand) State { return State{Position: Start()} }

// Moves implements game.Rules.
func (Rules) Moves(p *State, buf []Move) []Move { return p.Moves(buf) }

// SecondToMove implements game.Rules.
func (Rules) SecondToMove(p *State) bool { return p.black }

// Make implements game.Rules.
func (Rules) Make(p *State, m Move) {
	p.barren++
	if p.irreversible(m) {
		p.barren = 0
	}
	p.Position.Make(m)
}

// Over implements game.Rules.
func (Rules) Over(p *State, moves int) (result int, over bool) {
	switch {
	case moves > 0:
		return 0, p.barren >= maxBarren
	case !p.InCheck():
		return 0, true
	case p.black:
		return 1, true
	}
	return -1, true
}

// Loud implements game.Rules: captures, of large pieces by small ones first, and promotions.
func (Rules) Loud(p *State, m Move) int {
	n := 0
	if victim := p.at[m.To]; victim != board.NoPiece {
		n = 16*pieceValues[victim.Type()] - pieceValues[p.at[m.From].Type()]
	}
	if m.Promotion == board.Queen {
		n += 16 * pieceValues[board.Queen]
	}
	return n
}

// pieceTerms are the terms of pieces.
var pieceTerms = [...]int{board.Pawn: termPawn, board.Knight: termKnight, board.Rook: termRook, board.Queen: termQueen}

// moveTerms are the terms of their mobility.
var moveTerms = [...]int{board.Knight: termKnightMoves, board.Rook: termRookMoves, board.Queen: termQueenMoves}

// Count implements game.Rules.
func (Rules) Count(p *State, counts []int32) {
	var pawns [2][Size]uint8 // by color and file: bit r for a pawn on rank r
	for rank := range Square(Size) {
		for file := range Square(Size) {
			piece := p.at[rank<<4|file]
			if piece == board.NoPiece {
				continue
			}
			c, kind := piece.Color(), piece.Type()
			sign := int32(1)
			if c == board.Black {
				sign = -1
			}
			switch kind {
			case board.Pawn:
				pawns[c][file] |= 1 << rank
				counts[termPawn] += sign
				if ahead := rank + 1 - 2*Square(c); p.at[ahead<<4|file] == board.NoPiece {
					counts[termPawnMoves] += sign
				}
			case board.King:
				counts[termShield] += sign * p.shield(rank<<4|file, c)
			default:
				counts[pieceTerms[kind]] += sign
				moves, attacks := p.reach(kind, rank<<4|file, c)
				counts[moveTerms[kind]] += sign * moves
				counts[termAttack] += sign * attacks
			}
		}
	}
	countPawns(counts, &pawns)
}

// reach counts the squares that a piece can move to, and those around the enemy king that it
// attacks.
func (p *Position) reach(kind board.PieceType, from Square, us board.Color) (moves, attacks int32) {
	steps, far := around[:], true
	switch kind {
	case board.Knight:
		steps, far = leaps[:], false
	case board.Rook:
		steps = straight[:]
	}
	king := p.kings[us.Other()]
	for _, step := range steps {
		for to := from + Square(step); to.onBoard(); to += Square(step) {
			if near(to, king) {
				attacks++
			}
			piece := p.at[to]
			if piece == board.NoPiece || piece.Color() != us {
				moves++
			}
			if !far || piece != board.NoPiece {
				break
			}
		}
	}
	return moves, attacks
}

// near reports whether two squares are at most a king's move apart.
func near(a, b Square) bool {
	file, rank := int(a&15)-int(b&15), int(a>>4)-int(b>>4)
	return file >= -1 && file <= 1 && rank >= -1 && rank <= 1
}

// shield counts the pawns of a side beside its king or before it.
func (p *Position) shield(king Square, us board.Color) (n int32) {
	steps := [...]Square{1, 0xff, 16, 17, 15} // 0xff is -1
	if us == board.Black {
		steps = [...]Square{1, 0xff, 0xf0, 0xef, 0xf1}
	}
	for _, step := range steps {
		if at := king + step; at.onBoard() && p.at[at] == board.NewPiece(us, board.Pawn) {
			n++
		}
	}
	return n
}

// countPawns counts what depends on pawns alone.
func countPawns(counts []int32, pawns *[2][Size]uint8) {
	for c, files := range pawns {
		sign := int32(1 - 2*c)
		for file, own := range files {
			var beside, enemy uint8 = 0, pawns[1-c][file]
			for _, f := range [2]int{file - 1, file + 1} {
				if f >= 0 && f < Size {
					beside |= files[f]
					enemy |= pawns[1-c][f]
				}
			}
			for rank := range Size {
				if own>>rank&1 == 0 {
					continue
				}
				behind, ahead := own&(1<<rank-1), enemy>>(rank+1)
				advanced := int32(rank - 1)
				if c == int(board.Black) {
					behind, ahead = own>>(rank+1), enemy&(1<<rank-1)
					advanced = int32(Size - 2 - rank)
				}
				counts[termAdvanced] += sign * advanced
				if behind != 0 {
					counts[termDoubled] += sign
				}
				if beside == 0 {
					counts[termIsolated] += sign
				}
				if ahead == 0 {
					counts[termPassed] += sign * advanced
					if advanced == Size-3 {
						counts[termNear] += sign
					}
				}
			}
		}
	}
}

// MoveText implements game.Rules.
func (Rules) MoveText(_ *State, m Move) string { return m.String() }

// BoardText implements game.Rules.
func (Rules) BoardText(p *State) string { return p.String() }
