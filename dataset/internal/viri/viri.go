// Package viri reads viriformat, in which the engine Viridithas and related programs store
// whole games: a start position and four bytes per move.
//
// The layout is that of github.com/cosmobobak/viriformat (MIT) as far as we know; it has
// not been compared with a file that viriformat wrote. As a check, a game is refused if a
// move is illegal or the result contradicts the board. A game is, little endian:
//
//	 0  8  occupied squares, a1 is bit 0
//	 8 16  pieces on these squares in ascending order, a nibble each, the low one first:
//	       0 pawn to 5 king, 6 a rook that keeps the right to castle; and 8 more for Black's
//	24  1  128 if Black is to move; and the en-passant square, 64 for none
//	25  1  plies since the last capture or pawn move
//	26  2  number of the move
//	28  2  score, not used here
//	30  1  result: 0 Black won, 1 draw, 2 White won
//	31  1  not used
//	32 4n  moves: from | to << 6 | promotion << 12 | kind << 14 in two bytes, then the score
//	       of the search before the move, centipawns, White's view. Kind 3 is a promotion (0
//	       knight to 3 queen), 2 castling, king takes rook, 1 en passant
//	    4  zeros
//
// The first 32 bytes alone, with a score from White's view, are a record of marlinformat, in which other
// engines store positions (github.com/jnlt3/marlinflow, marlinformat, MIT): see Position.
//
// Start reading at Read and Append.
package viri

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// GameError says why one game cannot be read. The games after it can still be read.
type GameError struct {
	Number int64 // of the game, from 1
	Err    error
}

func (e *GameError) Error() string { return fmt.Sprintf("game %d: %v", e.Number, e.Err) }
func (e *GameError) Unwrap() error { return e.Err }

// Size is the length of a record of marlinformat, in bytes.
const Size = headSize

const (
	headSize   = 32
	unmoved    = 6   // kind of a rook that keeps the right to castle
	black      = 8   // added to the kind of a piece
	blackMoves = 128 // added to the en-passant square
	castling   = 2   // kinds of moves
	promotion  = 3
)

// Read yields the games of a file. Scores beyond dataset.MateScore are read as missing. A
// game that is not valid is yielded as a *GameError. Any other error is a read error and
// ends the sequence: io.ErrUnexpectedEOF (wrapped) if the file ends within a game.
func Read(r io.Reader) iter.Seq2[dataset.GameRow, error] {
	return func(yield func(dataset.GameRow, error) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		for number := int64(1); ; number++ {
			var head [headSize]byte
			if _, err := io.ReadFull(in, head[:]); err == io.EOF {
				return
			} else if err != nil {
				yield(dataset.GameRow{}, cut(number, err))
				return
			}
			g, bad, err := readGame(in, head[:])
			if err != nil {
				yield(g, cut(number, err))
				return
			}
			if bad != nil {
				bad = &GameError{number, bad}
			}
			if !yield(g, bad) {
				return
			}
		}
	}
}

func cut(number int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("game %d is not whole: %w", number, io.ErrUnexpectedEOF)
	}
	return err
}

// readGame reads the moves after a head. Bad says why the game is not valid, if it is not.
func readGame(in io.Reader, head []byte) (g dataset.GameRow, bad, err error) {
	p, bad := position(head)
	if bad == nil {
		g = dataset.GameRow{Variant: dataset.Standard, Result: int8(head[30]) - 1}
		if p.Chess960() {
			g.Variant = dataset.Chess960
		}
		if p != board.StartPosition() {
			g.Start = p.FEN()
		}
		if head[30] > 2 {
			bad = fmt.Errorf("result %d is not 0, 1 or 2", head[30])
		}
	}
	for ply := 0; ; ply++ {
		var rec [4]byte
		if _, err := io.ReadFull(in, rec[:]); err != nil {
			return g, bad, err
		}
		if rec == [4]byte{} {
			break
		}
		if bad != nil {
			continue // skip to the end of the game
		}
		if ply == dataset.MaxPlies {
			bad = fmt.Errorf("more than %d moves; is the file viriformat?", dataset.MaxPlies)
			continue
		}
		m := move(&p, binary.LittleEndian.Uint16(rec[:]))
		if !p.IsLegal(m) {
			bad = fmt.Errorf("ply %d: move %#04x is not legal in %s", ply, binary.LittleEndian.Uint16(rec[:]), p.FEN())
			continue
		}
		p.Make(m)
		score := int16(binary.LittleEndian.Uint16(rec[2:]))
		if score > dataset.MateScore || score < -dataset.MateScore {
			score = dataset.NoScore
		}
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, score)
	}
	if bad == nil {
		bad = g.Check()
	}
	return g, bad, nil
}

// move converts a move of the file.
func move(p *board.Position, v uint16) board.Move {
	from, to := board.Square(v&63), board.Square(v>>6&63)
	switch v >> 14 {
	case promotion:
		return board.NewPromotion(from, to, board.Knight+board.PieceType(v>>12&3))
	case castling:
		// Some programs write the king's own move.
		if from != p.KingSquare(p.SideToMove()) || p.Castling().Has(to) {
			break
		}
		for rooks := p.Castling(); rooks != 0; {
			rook := rooks.PopFirst()
			if rook.Rank() == to.Rank() && (rook.File() > from.File()) == (to.File() == 6) {
				return board.NewMove(from, rook)
			}
		}
		return board.NewMove(from, from) // never legal
	}
	return board.NewMove(from, to)
}

// Position reads a record of marlinformat, of Size bytes. If its score is beyond dataset.MateScore, foreign is true
// and the row has no score.
func Position(rec []byte) (r dataset.PositionRow, foreign bool, err error) {
	r = dataset.PositionRow{Score: int16(binary.LittleEndian.Uint16(rec[28:])), Weight: 1}
	if r.Score > dataset.MateScore || r.Score < -dataset.MateScore {
		r.Score, foreign = dataset.NoScore, true
	}
	if rec[30] > 2 {
		return r, foreign, fmt.Errorf("result %d is not 0, 1 or 2; is the file marlinformat?", rec[30])
	}
	r.Result = float32(rec[30]) / 2
	if r.Board, err = position(rec); err != nil {
		return r, foreign, err
	}
	r.Ply = uint16(r.Board.Ply())
	return r, foreign, r.Check()
}

// position reads the first position of a game.
func position(head []byte) (board.Position, error) {
	pieces := board.Bitboard(binary.LittleEndian.Uint64(head))
	if n := pieces.Count(); n > 32 {
		return board.Position{}, fmt.Errorf("%d pieces, more than 32; is the file of this format?", n)
	}
	var sets board.Sets
	for i := 0; pieces != 0; i++ {
		s := pieces.PopFirst()
		code := head[8+i/2] >> (4 * (i % 2)) & 15
		kind := code &^ black
		switch {
		case kind == unmoved:
			kind = byte(board.Rook)
			sets.Castling |= s.Bitboard()
		case kind > unmoved:
			return board.Position{}, fmt.Errorf("piece %d on %s: want 0 to 6, or 8 to 14", code, s)
		}
		sets.ByColor[code>>3] |= s.Bitboard()
		sets.ByType[kind] |= s.Bitboard()
	}
	sets.SideToMove, sets.EnPassant = board.Color(head[24]/blackMoves), board.Square(head[24]%blackMoves)
	if sets.EnPassant > board.NoSquare {
		return board.Position{}, fmt.Errorf("en-passant square %d is not 0 to 64", sets.EnPassant)
	}
	sets.Halfmove = int(head[25])
	sets.Fullmove = max(1, min(32767, int(binary.LittleEndian.Uint16(head[26:]))))
	return sets.Position()
}

// Unscored stands for a missing score, since the format has none: filters for training drop
// such a score by default, and Read reads it as missing.
const Unscored = math.MaxInt16

// Append appends a game. It begins after the opening, whose moves no player searched, so a game
// that ends with its opening has no moves.
func Append(b []byte, g *dataset.GameRow) ([]byte, error) {
	plies := -1
	for i, game := range g.Replay() {
		plies = i
		p := game.Position()
		if i == min(int(g.OpeningPlies), len(g.Moves)) {
			b = appendHead(b, p, g.Result)
		}
		if i == len(g.Moves) {
			break
		}
		m := g.Moves[i]
		if !p.IsLegal(m) {
			return b, fmt.Errorf("viri: ply %d: move %d is not legal in %s", i, uint16(m), p.FEN())
		}
		if i < int(g.OpeningPlies) {
			continue
		}
		v := uint16(m.From()) | uint16(m.To())<<6
		switch {
		case m.Promotion() != board.NoPieceType:
			v |= uint16(m.Promotion()-board.Knight)<<12 | promotion<<14
		case p.IsCastling(m):
			v |= castling << 14
		case p.IsEnPassant(m):
			v |= 1 << 14
		}
		score := g.Scores[i]
		if score == dataset.NoScore {
			score = Unscored
		}
		b = binary.LittleEndian.AppendUint16(b, v)
		b = binary.LittleEndian.AppendUint16(b, uint16(score))
	}
	if plies != len(g.Moves) {
		return b, fmt.Errorf("viri: the game cannot be replayed beyond ply %d of %d", plies, len(g.Moves))
	}
	return append(b, 0, 0, 0, 0), nil
}

func appendHead(b []byte, p *board.Position, result int8) []byte {
	var head [headSize]byte
	binary.LittleEndian.PutUint64(head[:], uint64(p.Occupied()))
	i := 0
	for pieces := p.Occupied(); pieces != 0; i++ {
		s := pieces.PopFirst()
		piece := p.PieceAt(s)
		code := byte(piece.Type())
		if p.Castling().Has(s) {
			code = unmoved
		}
		if piece.Color() == board.Black {
			code += black
		}
		head[8+i/2] |= code << (4 * (i % 2))
	}
	head[24] = byte(p.EnPassant())
	if p.SideToMove() == board.Black {
		head[24] += blackMoves
	}
	head[25] = byte(min(p.Halfmove(), math.MaxUint8))
	binary.LittleEndian.PutUint16(head[26:], uint16(min(p.Fullmove(), math.MaxUint16)))
	head[30] = byte(result + 1)
	return append(b, head[:]...)
}
