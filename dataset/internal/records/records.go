// Package records reads and writes binary formats of positions: bulletformat, 32 bytes per position, of the network
// trainer bullet and related programs, and .binpack, in which Stockfish's tools store positions for training networks.
//
// Start reading at ParseBullet and ReadBinpack.
//
// No promise of stability.
package records

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// BulletSize is the length of a record, in bytes.
//
// The layout follows the ChessBoard of github.com/jw1912/bulletformat (MIT) as far as we
// know; it has not been compared with a file that bulletformat wrote. A record is, little
// endian and without a header:
//
//	 0  8  occupied squares, a1 is bit 0
//	 8 16  pieces on these squares in ascending order, a nibble each, the low one first:
//	       0 pawn to 5 king, and 8 more for the opponent's
//	24  2  score, centipawns
//	26  1  result: 0 lost, 1 drawn, 2 won
//	27  1  square of the own king
//	28  1  square of the opponent's king, its ranks flipped
//	29  3  zero
//
// Everything is from the side to move's view: if Black is to move, ranks are flipped and
// colors swapped. So the side to move is lost, and so are castling rights, en passant, move
// counters, games and weights. A position that is read back has White to move.
const BulletSize = 32

// opponent marks a piece of the side that is not to move.
const opponent = 8

// ErrNoScore says that a position has no score. bulletformat cannot store that.
var ErrNoScore = errors.New("the position has no score, which bulletformat cannot store")

// AppendBullet appends a row as a record.
func AppendBullet(b []byte, r *dataset.PositionRow) ([]byte, error) {
	p, score, result := r.Board, r.Score, r.Result
	if score == dataset.NoScore {
		return b, ErrNoScore
	}
	if p.SideToMove() == board.Black {
		p, score, result = p.Mirror(), -score, 1-result
	}
	if result != 0 && result != 0.5 && result != 1 {
		return b, fmt.Errorf("result %v: bulletformat can only store 0, 0.5 and 1", r.Result)
	}
	var rec [BulletSize]byte
	binary.LittleEndian.PutUint64(rec[:], uint64(p.Occupied()))
	i := 0
	for pieces := p.Occupied(); pieces != 0; i++ {
		piece := p.PieceAt(pieces.PopFirst())
		code := byte(piece.Type())
		if piece.Color() == board.Black {
			code |= opponent
		}
		rec[8+i/2] |= code << (4 * (i % 2))
	}
	binary.LittleEndian.PutUint16(rec[24:], uint16(score))
	rec[26] = byte(2 * result)
	rec[27] = byte(p.KingSquare(board.White))
	rec[28] = byte(p.KingSquare(board.Black).Flip())
	return append(b, rec[:]...), nil
}

// ParseBullet reads a record of BulletSize bytes. If its score is beyond dataset.MateScore, foreign is
// true and the row has no score.
func ParseBullet(rec []byte) (r dataset.PositionRow, foreign bool, err error) {
	r = dataset.PositionRow{Score: int16(binary.LittleEndian.Uint16(rec[24:])), Weight: 1}
	if r.Score > dataset.MateScore || r.Score < -dataset.MateScore {
		r.Score, foreign = dataset.NoScore, true
	}
	pieces := board.Bitboard(binary.LittleEndian.Uint64(rec))
	if n := pieces.Count(); n > 32 {
		return r, foreign, fmt.Errorf("%d pieces, more than 32; is the file bulletformat?", n)
	}
	sets := board.Sets{EnPassant: board.NoSquare, Fullmove: 1}
	for i := 0; pieces != 0; i++ {
		s := pieces.PopFirst()
		code := rec[8+i/2] >> (4 * (i % 2)) & 15
		if t := code &^ opponent; t > byte(board.King) {
			return r, foreign, fmt.Errorf("piece %d on %s: want 0 to 5, or 8 to 13", code, s)
		}
		sets.ByColor[code>>3] |= s.Bitboard()
		sets.ByType[code&^opponent] |= s.Bitboard()
	}
	if rec[26] > 2 {
		return r, foreign, fmt.Errorf("result %d is not 0, 1 or 2", rec[26])
	}
	r.Result = float32(rec[26]) / 2
	if r.Board, err = sets.Position(); err != nil {
		return r, foreign, err
	}
	own, other := r.Board.KingSquare(board.White), r.Board.KingSquare(board.Black)
	// Some programs do not flip the opponent's square.
	if s := board.Square(rec[28]); board.Square(rec[27]) != own || s != other.Flip() && s != other {
		return r, foreign, fmt.Errorf("king squares %d and %d, but the kings are on %s and %s", rec[27], rec[28], own, other)
	}
	return r, foreign, r.Check()
}

const (
	magic    = "BINP"
	headSize = 8         // of a chunk
	stemSize = 32 + 2    // with the number of positions that follow
	maxChunk = 100 << 20 // writers fill chunks up to a MiB
	maxPly   = 1<<14 - 1

	maxHalfmove = 255 // that a FEN can have

	enPassant = 12 // nibbles
	whiteRook = 13
	blackRook = 14
	blackKing = 15
)

// PositionError says why positions cannot be read. Those after them can still be read.
type PositionError struct {
	Byte int64 // where they begin in the file, from 0
	Err  error
}

var (
	errShort = errors.New("the chunk ends within a position")
	errMove  = errors.New("the move is not one of the position")
)

// ReadBinpack passes the positions on in order, with scores from White's view if white says that they are. An error in
// positions is passed on as a *PositionError; any other, and the first that emit returns, ends the reading.
//
// The layout follows github.com/official-stockfish/nnue-pytorch, whose own reader gives the same rows. A file is a
// series of chunks: BINP, the size in four bytes, little endian, and chains. A chain is a stem, the number of
// positions that follow it, in two bytes, and these. A stem is, big endian:
//
//	 0  8  occupied squares, a1 is bit 0
//	 8 16  pieces on these squares in ascending order, a nibble each, the low one first: White's pawn is 0,
//	       Black's 1, White's knight 2 and so on to Black's king, 11; 12 a pawn that can be captured en passant,
//	       13 and 14 a white and a black rook that keep the right to castle, 15 Black's king if Black is to move
//	24  2  move: kind in two bits (0 any other, 1 promotion, 2 castling, king takes rook, 3 en passant), from and
//	       to in six each, promotion in two (0 knight to 3 queen)
//	26  2  score, zigzag: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
//	28  2  ply, and above its 14 bits the result: 0 drawn, 1 lost, 2 won
//	30  2  plies since the last capture or pawn move
//
// Each following position is that after the last move, and has a move and a score in bits, the high ones first:
// which of the mover's pieces moves, which of its pseudo-legal targets it moves to (see decoder.move), each in as
// many bits as the number of choices needs, and how far the score is from the negative of the last one: zigzag, in
// blocks of four bits, the low ones first, each behind a bit that says whether another follows. A chain fills whole
// bytes. Scores and results are the mover's, scores in Stockfish's units.
func ReadBinpack(r io.Reader, white bool, emit func(*dataset.PositionRow, *PositionError) error) error {
	d := decoder{white: white, emit: emit}
	for {
		var head [headSize]byte
		n, err := io.ReadFull(r, head[:])
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("byte %d: %d bytes behind the last chunk; the file was cut: %w", d.at, n, err)
		case err != nil:
			return err
		case string(head[:4]) != magic:
			return fmt.Errorf("byte %d: want a chunk, which begins with BINP; the file is no binpack, or damaged", d.at)
		case size > maxChunk:
			return fmt.Errorf("byte %d: a chunk of %d bytes, want %d at most; the file is damaged", d.at, size, maxChunk)
		}
		d.at += headSize
		d.data.Reset()
		switch n, err := io.CopyN(&d.data, r, size); {
		case err == io.EOF:
			return fmt.Errorf("byte %d: the chunk has %d of %d bytes; the file was cut: %w", d.at, n, size, io.ErrUnexpectedEOF)
		case err != nil:
			return err
		}
		if err := d.chunk(); err != nil {
			return err
		}
		d.at += size
	}
}

// decoder decodes one chunk after the other.
type decoder struct {
	white bool
	emit  func(*dataset.PositionRow, *PositionError) error
	data  bytes.Buffer // of a chunk
	at    int64        // where it is in the file
	text  []byte       // its bytes and some zeros
	bit   int          // of text, that comes next
	stop  error        // of emit
}

// chunk decodes a chunk. Where a chain ends is known only behind its last move: after an error in one with moves,
// the rest of the chunk is lost.
func (d *decoder) chunk() error {
	end := d.data.Len()
	d.text = append(d.data.Bytes(), make([]byte, stemSize)...)
	for begin := 0; begin < end; begin = (d.bit + 7) / 8 {
		d.bit = 8 * (begin + stemSize)
		follow := int(binary.BigEndian.Uint16(d.text[begin+stemSize-2:]))
		err := errShort
		if begin+stemSize <= end {
			err = d.chain(d.text[begin:], follow, 8*end)
		}
		switch {
		case d.stop != nil:
			return d.stop
		case err == nil:
			continue
		}
		if follow > 0 || errors.Is(err, errShort) {
			err = fmt.Errorf("%w; the %d bytes up to the next chunk are lost", err, end-begin)
			d.bit = 8 * end
		}
		if err := d.emit(nil, &PositionError{d.at + int64(begin), err}); err != nil {
			return err
		}
	}
	return nil
}

// chain decodes a stem and the positions that follow it, which end before a bit.
func (d *decoder) chain(stem []byte, follow, end int) error {
	r, m, score, err := decodeStem(stem)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		r.Score = dataset.NoScore
		if score >= -dataset.MateScore && score <= dataset.MateScore { // 32002 stands for none
			if r.Score = score; !d.white && r.Board.SideToMove() == board.Black {
				r.Score = -score
			}
		}
		if err := r.Check(); err != nil {
			return err
		}
		if d.stop = d.emit(&r, nil); d.stop != nil || i == follow {
			return nil
		}
		if !r.Board.IsLegal(m) {
			return fmt.Errorf("ply %d: move %s in %s: %w", r.Ply, m, r.Board.FEN(), errMove)
		}
		if r.Ply++; r.Ply > dataset.MaxPlies {
			return fmt.Errorf("ply %d: want at most %d", r.Ply, dataset.MaxPlies)
		}
		if r.Board.Make(m); r.Board.Halfmove() > maxHalfmove {
			return fmt.Errorf("ply %d: more than %d plies without a capture or a pawn's move", r.Ply, maxHalfmove)
		}
		if m, err = d.move(&r.Board); err != nil {
			return err
		}
		score = d.delta() - score
		if d.bit > end {
			return errShort
		}
	}
}

// decodeStem decodes a stem: its row without a score, its move, and the score.
func decodeStem(b []byte) (r dataset.PositionRow, m board.Move, score int16, err error) {
	ply := binary.BigEndian.Uint16(b[28:])
	s := board.Sets{EnPassant: board.NoSquare, Fullmove: int(ply&maxPly)/2 + 1,
		Halfmove: int(min(binary.BigEndian.Uint16(b[30:]), 255))}
	pieces := board.Bitboard(binary.BigEndian.Uint64(b))
	if n := pieces.Count(); n > 32 {
		return r, m, 0, fmt.Errorf("%d pieces, more than 32", n)
	}
	for i := 0; pieces != 0; i++ {
		at, code := pieces.PopFirst(), b[8+i/2]>>(4*(i%2))&15
		switch code {
		case enPassant:
			if code = 1; at.Rank() == 3 {
				code = 0
			}
			s.EnPassant = at ^ 8
		case whiteRook, blackRook:
			code -= whiteRook - 2*byte(board.Rook)
			s.Castling |= at.Bitboard()
		case blackKing:
			code, s.SideToMove = 2*byte(board.King)+1, board.Black
		}
		s.ByType[code/2] |= at.Bitboard()
		s.ByColor[code%2] |= at.Bitboard()
	}
	if r.Board, err = s.Position(); err != nil {
		return r, m, 0, err
	}
	if r.Board.Chess960() {
		return r, m, 0, errors.New("rights to castle as in Chess960, which binpack cannot store")
	}
	packed := binary.BigEndian.Uint16(b[24:])
	from, to := board.Square(packed>>8&63), board.Square(packed>>2&63)
	if m = board.NewMove(from, to); packed>>14 == 1 {
		m = board.NewPromotion(from, to, board.Knight+board.PieceType(packed&3))
	}
	result := [...]float32{0.5, 0, 1, -1}[ply>>14]
	if s.SideToMove == board.Black && result >= 0 {
		result = 1 - result
	}
	r.Ply, r.Result, r.Weight = ply&maxPly, result, 1
	return r, m, zigzag(binary.BigEndian.Uint16(b[26:])), nil
}

// zigzag is the number that was stored as u.
func zigzag(u uint16) int16 { return int16(u>>1 ^ -(u & 1)) }

// take reads the number of a choice from n: a number below the next power of two.
func (d *decoder) take(n int) int { return d.bits(bits.Len(uint(max(n, 1) - 1))) }

func (d *decoder) bits(n int) int {
	v := binary.BigEndian.Uint64(d.text[d.bit/8:]) << (d.bit % 8) >> (64 - n)
	d.bit += n
	return int(v)
}

// nth is the nth of the squares, from 0; NoSquare if they are fewer.
func nth(b board.Bitboard, n int) board.Square {
	for ; n > 0; n-- {
		b &= b - 1
	}
	return b.First() // NoSquare for none
}

// move reads a move of the position. The targets of a pawn are those that it attacks and can capture, and pushes,
// four times each if it promotes; behind a king's come its castling moves, the queen's side first.
func (d *decoder) move(p *board.Position) (board.Move, error) {
	us := p.SideToMove()
	own, occupied := p.ByColor(us), p.Occupied()
	from := nth(own, d.take(own.Count()))
	to, promotion := board.NoSquare, board.NoPieceType
	switch kind := p.PieceAt(from).Type(); {
	case from == board.NoSquare:
	case kind == board.Pawn:
		captures := p.ByColor(us.Other())
		if p.EnPassant() != board.NoSquare {
			captures |= p.EnPassant().Bitboard()
		}
		push := from.Bitboard().Forward(us) &^ occupied
		targets := board.PawnAttacks(us, from)&captures | push
		switch from.RelativeRank(us) {
		case 1:
			targets |= push.Forward(us) &^ occupied
		case 6:
			n := d.take(4 * targets.Count())
			to, promotion = nth(targets, n/4), board.PieceType(n%4)+board.Knight
		}
		if promotion == board.NoPieceType {
			to = nth(targets, d.take(targets.Count()))
		}
	case kind == board.King:
		targets, rooks := board.KingAttacks(from)&^own, p.Castling()&own
		n := d.take(targets.Count() + rooks.Count())
		if to = nth(targets, n); n >= targets.Count() {
			to = nth(rooks, n-targets.Count())
		}
	default:
		targets := board.Attacks(kind, from, occupied) &^ own
		to = nth(targets, d.take(targets.Count()))
	}
	switch {
	case to == board.NoSquare:
		return 0, fmt.Errorf("%s: %w", p.FEN(), errMove)
	case promotion != board.NoPieceType:
		return board.NewPromotion(from, to, promotion), nil
	}
	return board.NewMove(from, to), nil
}

// delta reads how far a score is from the negative of the last one.
func (d *decoder) delta() int16 {
	var u uint16
	for shift := 0; shift < 16; shift += 4 {
		block := d.bits(5)
		u |= uint16(block&15) << shift
		if block < 16 {
			break
		}
	}
	return zigzag(u)
}
