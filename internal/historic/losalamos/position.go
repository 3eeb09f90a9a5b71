package losalamos

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// size is the number of files and of ranks.
const size = 6

// StartFEN is the start position.
const StartFEN = "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w"

// Square is a square of the small board: 16 x rank + file, so that steps off the board can be
// detected.
type Square uint8

func (s Square) onBoard() bool { return s&15 < size && s>>4 < size }

// String returns the square's name, a1 to f6.
func (s Square) String() string { return string([]byte{'a' + byte(s&15), '1' + byte(s>>4)}) }

// Position is a position on six squares by six.
type Position struct {
	at    [size * 16]board.Piece
	kings [2]Square
	black bool // whether Black is to move
}

// errPosition is wrapped by ParseFEN's errors.
var errPosition = errors.New("position on 6x6")

// Start returns the start position.
func Start() Position {
	p, err := ParseFEN(StartFEN)
	if err != nil {
		panic(err)
	}
	return p
}

// ParseFEN reads the first two fields of a FEN with six ranks of six squares. Without a second
// field White is to move. Further fields are ignored. The error wraps errPosition.
func ParseFEN(s string) (Position, error) {
	var p Position
	for i := range p.at {
		p.at[i] = board.NoPiece
	}
	fields := strings.Fields(s)
	if len(fields) == 0 {
		return p, fmt.Errorf("%w: empty FEN; the start position is %q", errPosition, StartFEN)
	}
	ranks := strings.Split(fields[0], "/")
	if len(ranks) != size {
		return p, fmt.Errorf("%w %q: %d ranks, not %d", errPosition, s, len(ranks), size)
	}
	for i, text := range ranks {
		if err := p.parseRank(size-1-i, text); err != nil {
			return p, fmt.Errorf("%w %q: %w", errPosition, s, err)
		}
	}
	if len(fields) > 1 {
		if fields[1] != "w" && fields[1] != "b" {
			return p, fmt.Errorf("%w %q: the side to move is %q, neither w nor b", errPosition, s, fields[1])
		}
		p.black = fields[1] == "b"
	}
	if err := p.check(); err != nil {
		return p, fmt.Errorf("%w %q: %w", errPosition, s, err)
	}
	return p, nil
}

func (p *Position) parseRank(rank int, text string) error {
	file := 0
	for _, c := range text {
		if c >= '1' && c <= '6' {
			file += int(c - '0')
			continue
		}
		kind := strings.IndexRune("PN RQK", c&^('a'-'A'))
		if kind < 0 {
			return fmt.Errorf("rank %d: %q is not a piece of this game", rank+1, c)
		}
		if file < size {
			color := board.White
			if c >= 'a' {
				color = board.Black
			}
			p.at[rank*16+file] = board.NewPiece(color, board.PieceType(kind))
		}
		file++
	}
	if file != size {
		return fmt.Errorf("rank %d has %d squares, not %d", rank+1, file, size)
	}
	return nil
}

// check finds the kings. It returns an error if the position is impossible.
func (p *Position) check() error {
	var kings [2]int
	for s := range Square(size * 16) {
		piece := p.at[s]
		if !s.onBoard() || piece == board.NoPiece {
			continue
		}
		switch piece.Type() {
		case board.King:
			p.kings[piece.Color()] = s
			kings[piece.Color()]++
		case board.Pawn:
			if last := s>>4 == size-1; last && piece.Color() == board.White || s>>4 == 0 && piece.Color() == board.Black {
				return fmt.Errorf("a pawn on %v has not been promoted", s)
			}
		}
	}
	for c, n := range kings {
		if n != 1 {
			return fmt.Errorf("%v has %d kings", board.Color(c), n)
		}
	}
	if p.attacked(p.kings[p.side().Other()], p.side()) {
		return fmt.Errorf("%v is in check but not to move", p.side().Other())
	}
	return nil
}

func (p *Position) side() board.Color {
	if p.black {
		return board.Black
	}
	return board.White
}

// SideToMove returns the side to move.
func (p *Position) SideToMove() board.Color { return p.side() }

// FEN returns the first two fields of a FEN.
func (p *Position) FEN() string {
	var b strings.Builder
	for rank := size - 1; rank >= 0; rank-- {
		empty := 0
		for file := range size {
			piece := p.at[rank*16+file]
			if piece == board.NoPiece {
				empty++
				continue
			}
			if empty > 0 {
				b.WriteByte('0' + byte(empty))
				empty = 0
			}
			b.WriteByte(piece.Letter())
		}
		if empty > 0 {
			b.WriteByte('0' + byte(empty))
		}
		if rank > 0 {
			b.WriteByte('/')
		}
	}
	return b.String() + " " + p.side().String()[:1]
}

// String draws the board with Black at the top.
func (p *Position) String() string {
	var b strings.Builder
	for rank := size - 1; rank >= 0; rank-- {
		fmt.Fprintf(&b, "%d ", rank+1)
		for file := range size {
			letter := byte('.')
			if piece := p.at[rank*16+file]; piece != board.NoPiece {
				letter = piece.Letter()
			}
			b.Write([]byte{' ', letter})
		}
		b.WriteByte('\n')
	}
	return b.String() + "   a b c d e f\n"
}
