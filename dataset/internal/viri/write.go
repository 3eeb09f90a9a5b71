package viri

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

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
