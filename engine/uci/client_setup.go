package uci

import (
	"slices"
	"strconv"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// positionWriter writes the command "position" for a game that grows from search to
// search. It keeps the text of earlier moves, so that only new moves are formatted.
//
// The text begins at the position after the last capture or pawn move: no earlier one can occur
// again, and Stockfish takes 170 microseconds for the moves of a whole game.
type positionWriter struct {
	full     bool // the text has every move of the game
	start    board.Position
	position board.Position // after moves
	moves    []board.Move   // of the game so far
	text     []byte
	listed   int // moves at the end of text
}

// reset drops the text of the last game.
func (s *positionWriter) reset() {
	s.text, s.moves, s.listed = s.text[:0], s.moves[:0], 0
}

// appendPosition appends the command that sets up the game. A game that starts from a
// Chess960 position uses Chess960's castling notation to its end.
func (s *positionWriter) appendPosition(out []byte, game *board.Game) []byte {
	moves := game.Moves()
	start := game.Start()
	continued := len(s.moves) <= len(moves) && len(s.text) > 0 && s.start == start && slices.Equal(s.moves, moves[:len(s.moves)])
	if !continued {
		s.reset()
		s.start, s.position = start, start
		s.setUp()
	}
	for _, m := range moves[len(s.moves):] {
		s.push(m)
	}
	return append(append(out, s.text...), '\n')
}

func (s *positionWriter) push(m board.Move) {
	if s.listed == 0 {
		s.text = append(s.text, " moves"...)
	}
	s.text = appendMove(append(s.text, ' '), &s.position, s.start.Chess960(), m)
	s.position.Make(m)
	s.moves = append(s.moves, m)
	s.listed++
	if !s.full && s.position.Halfmove() == 0 {
		s.setUp()
	}
}

// setUp begins the text at the current position.
func (s *positionWriter) setUp() {
	s.text, s.listed = s.text[:0], 0
	if s.position == board.StartPosition() {
		s.text = append(s.text, "position startpos"...)
		return
	}
	s.text = append(append(s.text, "position fen "...), s.position.FEN()...)
}

func appendMove(out []byte, p *board.Position, chess960 bool, m board.Move) []byte {
	if chess960 {
		return append(out, m.String()...)
	}
	return append(out, p.UCI(m)...)
}

// appendGo appends the command that starts a search with the limits.
func appendGo(out []byte, p *board.Position, chess960 bool, lim *engine.Limits) []byte {
	out = append(out, "go"...)
	bare := len(out)
	number := func(word string, n int64) {
		if n > 0 {
			out = strconv.AppendInt(append(out, word...), n, 10)
		}
	}
	unbounded := lim.Infinite || lim.Ponder // a Client ponders by an infinite search
	if !unbounded {
		number(" wtime ", milliseconds(lim.Clock[board.White]))
		number(" btime ", milliseconds(lim.Clock[board.Black]))
		if lim.Clock != [2]time.Duration{} {
			number(" winc ", lim.Increment[board.White].Milliseconds())
			number(" binc ", lim.Increment[board.Black].Milliseconds())
			number(" movestogo ", int64(lim.MovesToGo))
		}
		number(" movetime ", milliseconds(lim.MoveTime))
		number(" depth ", int64(lim.Depth))
		number(" nodes ", int64(min(lim.Nodes, 1<<62)))
		number(" mate ", int64(lim.Mate))
	}
	if len(out) == bare {
		out = append(out, " infinite"...)
	}
	if len(lim.SearchMoves) > 0 { // last, because some engines take all words after it for moves
		out = append(out, " searchmoves"...)
		for _, m := range lim.SearchMoves {
			out = appendMove(append(out, ' '), p, chess960, m)
		}
	}
	return append(out, '\n')
}

// milliseconds returns a time for a command: at least 1 if any time is left.
func milliseconds(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return max(1, d.Milliseconds())
}
