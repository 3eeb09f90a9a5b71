package uci

import (
	"slices"
	"strconv"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// setup writes the command "position" for a game that grows from search to search:
// what was written of it before is kept.
type setup struct {
	start    board.Position
	position board.Position // after moves
	moves    []board.Move   // written
	text     []byte
}

// forget makes the next game a new one.
func (s *setup) forget() {
	s.text, s.moves = s.text[:0], s.moves[:0]
}

// appendPosition appends the command that sets the game up. A game from a start
// position of Chess960 has Chess960's notation all through, whatever rights are left.
func (s *setup) appendPosition(out []byte, game *board.Game) []byte {
	moves := game.Moves()
	start := game.Start()
	known := len(s.moves) <= len(moves) && len(s.text) > 0 && s.start == start && slices.Equal(s.moves, moves[:len(s.moves)])
	if !known {
		s.begin(start)
	}
	for _, m := range moves[len(s.moves):] {
		if len(s.moves) == 0 {
			s.text = append(s.text, " moves"...)
		}
		s.text = append(s.text, ' ')
		s.text = appendMove(s.text, &s.position, start.Chess960(), m)
		s.position.Make(m)
		s.moves = append(s.moves, m)
	}
	return append(append(out, s.text...), '\n')
}

func (s *setup) begin(start board.Position) {
	s.forget()
	s.start, s.position = start, start
	if start == board.StartPosition() {
		s.text = append(s.text, "position startpos"...)
		return
	}
	s.text = append(append(s.text, "position fen "...), start.FEN()...)
}

func appendMove(out []byte, p *board.Position, chess960 bool, m board.Move) []byte {
	if chess960 {
		return append(out, m.String()...)
	}
	return append(out, p.UCI(m)...)
}

// appendGo appends the command that begins a search within the limits.
func appendGo(out []byte, p *board.Position, chess960 bool, lim *engine.Limits) []byte {
	out = append(out, "go"...)
	bare := len(out)
	number := func(word string, n int64) {
		if n > 0 {
			out = strconv.AppendInt(append(out, word...), n, 10)
		}
	}
	unbounded := lim.Infinite || lim.Ponder // a program is not told to ponder, but to search
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
	if len(lim.SearchMoves) > 0 { // last: some engines take all that follows for moves
		out = append(out, " searchmoves"...)
		for _, m := range lim.SearchMoves {
			out = appendMove(append(out, ' '), p, chess960, m)
		}
	}
	return append(out, '\n')
}

// milliseconds returns a time for a command; what is left of less than one is one.
func milliseconds(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return max(1, d.Milliseconds())
}
