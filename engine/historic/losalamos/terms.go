package losalamos

import (
	"math/bits"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/game"
)

// The terms of the evaluation, in the order of Count.
const (
	termPawn = iota
	termKnight
	termRook
	termQueen
	termTraded
	termKnightMoves
	termRookMoves
	termQueenMoves
	termSafeMoves
	termAdvanced
	termPassed
	termRunner
	termFree
	termPassedKings
	termAttack
	termLate
	termCheck
	termContact
	termMating
	termByPawn
	termOnQueen
	termLoose
	termLoosePawns
	termSpace
	termTempo
	terms
)

// list describes the terms.
var list = []game.Term{
	termPawn:   {Name: "pawn", Start: 100, About: "pawns"},
	termKnight: {Name: "knight", Start: 300, About: "knights"},
	termRook:   {Name: "rook", Start: 500, About: "rooks"},
	termQueen:  {Name: "queen", Start: 900, About: "queens"},
	termTraded: {Name: "pieces.traded",
		About: "knights, rooks and queens in pawns, times the men of both sides that are gone"},
	termKnightMoves: {Name: "mobility.knight", Start: 10, About: "moves of knights, pins not regarded"},
	termRookMoves:   {Name: "mobility.rook", Start: 10, About: "moves of rooks"},
	termQueenMoves:  {Name: "mobility.queen", Start: 10, About: "moves of queens"},
	termSafeMoves:   {Name: "mobility.safe", About: "squares for knights, and squares for rooks, that no enemy attacks"},
	termAdvanced:    {Name: "pawns.advanced", About: "ranks that pawns have advanced"},
	termPassed:      {Name: "pawns.passed", About: "ranks that pawns have advanced which no enemy pawn can stop or take"},
	termRunner: {Name: "pawns.runner",
		About: "passed pawns, two steps from promotion at most, that can step forward and not be taken there"},
	termFree: {Name: "pawns.free", About: "pawns that no piece blocks"},
	termPassedKings: {Name: "pawns.kings", About: "by how much the enemy king is farther than the own from the square " +
		"before a passed pawn, times its ranks"},
	termAttack: {Name: "king.attack", About: "attacks of pieces on the squares around the enemy king"},
	termLate:   {Name: "king.late", About: "steps of the king from the edges of the board, without an enemy queen"},
	termCheck:  {Name: "king.check", About: "the enemy is in check"},
	termContact: {Name: "king.contact",
		About: "the queen can go beside the enemy king where another piece guards it and nothing but the king attacks it"},
	termMating: {Name: "king.mating", About: "a piece can check and not be taken, and the enemy king has no " +
		"square to go to"},
	termByPawn:     {Name: "threat.pawn", About: "enemy pieces that pawns attack"},
	termOnQueen:    {Name: "threat.queen", About: "enemy queens that knights or rooks attack"},
	termLoose:      {Name: "threat.pieces", About: "enemy pieces that are attacked and not defended"},
	termLoosePawns: {Name: "threat.pawns", About: "enemy pawns that are attacked and not defended"},
	termSpace:      {Name: "space", About: "squares that the side attacks and the enemy does not"},
	termTempo:      {Name: "tempo", About: "the turn"},
}

// pieceTerms are the terms of pieces.
var pieceTerms = [...]int{board.Pawn: termPawn, board.Knight: termKnight, board.Rook: termRook, board.Queen: termQueen}

// moveTerms are the terms of their mobility.
var moveTerms = [...]int{board.Knight: termKnightMoves, board.Rook: termRookMoves, board.Queen: termQueenMoves}

// Count implements game.Rules.
func (Rules) Count(p *State, counts []int32) {
	var camps [2]camp
	for rank := range Square(size) {
		for file := range Square(size) {
			if piece := p.at[rank<<4|file]; piece != board.NoPiece {
				camps[piece.Color()].survey(&p.Position, piece, rank<<4|file)
			}
		}
	}
	for c := range board.Color(2) {
		camps[c].addPawns(c)
	}
	for c := range board.Color(2) {
		us, them := &camps[c], &camps[1-c]
		var n [terms]int32
		us.countPieces(them, &n)
		us.countPawns(them, c, &n)
		us.countKing(them, p.lines(p.kings[1-c]), &n)
		for i, v := range n {
			counts[i] += sign(c) * v
		}
	}
	counts[termTempo] = sign(p.side())
}

// sign is that of what a side has: counts are White's less Black's.
func sign(c board.Color) int32 { return 1 - 2*int32(c) }

// squares is a set of squares: bit 8 x rank + file. A step off the board leads to a bit that is not
// of the board, so that steps need not be checked one by one.
type squares uint64

const whole squares = 0x3f3f3f3f3f3f

func setOf(s Square) squares { return 1 << (s>>1&0x38 | s&7) }

func (s squares) count() int32 { return int32(bits.OnesCount64(uint64(s))) }

// turned exchanges the first rank and the last, and so on.
func (s squares) turned() squares { return squares(bits.ReverseBytes64(uint64(s)) >> 16) }

// place returns the file and the rank of the first square of a set.
func (s squares) place() (file, rank int32) {
	n := int32(bits.TrailingZeros64(uint64(s)))
	return n & 7, n >> 3
}

// camp is what a side has on the board.
type camp struct {
	at, by  [8]squares // by kind: where the pieces are, and what they attack
	all     squares    // where they are
	attacks squares    // what they attack
	twice   squares    // what two of them attack
	moves   [8]int32   // by kind: moves of pieces, pins not regarded
	ring    int32      // attacks of pieces on the squares around the enemy king
}

// survey adds a piece.
func (us *camp) survey(p *Position, piece board.Piece, from Square) {
	kind := piece.Type()
	us.all |= setOf(from)
	us.at[kind] |= setOf(from)
	steps, far := around[:], kind != board.King
	switch kind {
	case board.Pawn:
		return
	case board.Knight:
		steps, far = leaps[:], false
	case board.Rook:
		steps = straight[:]
	}
	king := p.kings[piece.Color().Other()]
	var reach squares
	for _, step := range steps {
		for to := from + Square(step); to.onBoard(); to += Square(step) {
			reach |= setOf(to)
			other := p.at[to]
			if other == board.NoPiece || other.Color() != piece.Color() {
				us.moves[kind]++
			}
			if kind != board.King && near(to, king) {
				us.ring++
			}
			if !far || other != board.NoPiece {
				break
			}
		}
	}
	us.add(kind, reach)
}

// add adds what a piece attacks.
func (us *camp) add(kind board.PieceType, reach squares) {
	us.by[kind] |= reach
	us.twice |= us.attacks & reach
	us.attacks |= reach
}

// addPawns adds what the pawns attack.
func (us *camp) addPawns(c board.Color) {
	pawns := us.at[board.Pawn]
	attacks := pawns<<7 | pawns<<9
	if c == board.Black {
		attacks = pawns>>7 | pawns>>9
	}
	us.add(board.Pawn, attacks&whole)
}

// near reports whether two squares are at most a king's move apart.
func near(a, b Square) bool {
	file, rank := int(a&15)-int(b&15), int(a>>4)-int(b>>4)
	return file >= -1 && file <= 1 && rank >= -1 && rank <= 1
}

// countPieces counts pieces, their moves and threats.
func (us *camp) countPieces(them *camp, n *[terms]int32) {
	gone := 4*size - (us.all | them.all).count()
	for _, kind := range [...]board.PieceType{board.Knight, board.Rook, board.Queen} {
		n[pieceTerms[kind]] = us.at[kind].count()
		n[termTraded] += us.at[kind].count() * int32(pieceValues[kind]) * gone
		n[moveTerms[kind]] = us.moves[kind]
	}
	n[termSafeMoves] = (us.by[board.Knight] &^ us.all &^ them.attacks).count() +
		(us.by[board.Rook] &^ us.all &^ them.attacks).count()
	pieces := them.at[board.Knight] | them.at[board.Rook] | them.at[board.Queen]
	loose := us.attacks &^ them.attacks
	n[termByPawn] = (us.by[board.Pawn] & pieces).count()
	n[termOnQueen] = ((us.by[board.Knight] | us.by[board.Rook]) & them.at[board.Queen]).count()
	n[termLoose] = (loose & pieces).count()
	n[termLoosePawns] = (loose & them.at[board.Pawn]).count()
	n[termSpace] = loose.count()
}

// countPawns counts what pawns are and can do.
func (us *camp) countPawns(them *camp, c board.Color, n *[terms]int32) {
	pawns, enemies, taken, attacked := us.at[board.Pawn], them.at[board.Pawn], us.all|them.all, them.attacks
	king, enemy := us.at[board.King], them.at[board.King]
	if c == board.Black { // pawns go up the board
		for _, s := range [...]*squares{&pawns, &enemies, &taken, &attacked, &king, &enemy} {
			*s = s.turned()
		}
	}
	stopped := enemies >> 8
	stopped |= stopped >> 8
	stopped |= stopped >> 16
	stopped |= stopped>>1&whole | stopped<<1
	passed := pawns &^ stopped
	free := pawns &^ (taken >> 8)
	n[termPawn], n[termFree] = pawns.count(), free.count()
	n[termRunner] = (passed & free & (0x3f3f << 24) &^ (attacked >> 8)).count()
	for s := pawns; s != 0; s &= s - 1 {
		file, rank := s.place()
		n[termAdvanced] += rank - 1
		if s&-s&passed != 0 {
			n[termPassed] += rank - 1
			n[termPassedKings] += (rank - 1) * (enemy.steps(file, rank+1) - king.steps(file, rank+1))
		}
	}
}

// steps returns how many steps of a king there are from the first square of a set to a square.
func (s squares) steps(file, rank int32) int32 {
	f, r := s.place()
	return max(f-file, file-f, r-rank, rank-r)
}

// countKing counts attacks on the enemy king, and the place of the own one. lines are the squares
// from which the enemy king could be checked.
func (us *camp) countKing(them *camp, lines [8]squares, n *[terms]int32) {
	n[termAttack] = us.ring
	enemy := them.at[board.King]
	if us.attacks&enemy != 0 {
		n[termCheck] = 1
	}
	// supported squares beside the enemy king can be entered: nothing but the king attacks them
	supported := us.twice & them.by[board.King] &^ them.twice
	safe := (supported | ^them.attacks) &^ us.all
	if us.by[board.Queen]&supported&safe != 0 {
		n[termContact] = 1
	}
	var checks squares
	for kind, line := range lines {
		checks |= us.by[kind] & line & safe
	}
	if checks != 0 && them.by[board.King]&^them.all&^us.attacks == 0 {
		n[termMating] = 1
	}
	if them.at[board.Queen] == 0 {
		f, r := us.at[board.King].place()
		n[termLate] = min(f, size-1-f) + min(r, size-1-r)
	}
}

// lines returns, by kind, the squares from which a piece could attack a square.
func (p *Position) lines(s Square) (lines [8]squares) {
	for i, step := range around {
		for from := s + Square(step); from.onBoard(); from += Square(step) {
			lines[board.Queen] |= setOf(from)
			if i%2 == 0 {
				lines[board.Rook] |= setOf(from)
			}
			if p.at[from] != board.NoPiece {
				break
			}
		}
	}
	for _, step := range leaps {
		if from := s + Square(step); from.onBoard() {
			lines[board.Knight] |= setOf(from)
		}
	}
	return lines
}
