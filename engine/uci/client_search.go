package uci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// Search implements engine.Player. If the engine answers with an illegal move the error
// wraps board.ErrMove. Result.Time is the time that the engine reports, if it reports one. Result.PV is
// the move alone unless the limits have Info.
func (c *Client) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	unbounded := lim.Infinite || lim.Ponder
	if game.Position().CountLegal() == 0 {
		if unbounded {
			<-ctx.Done()
		}
		return engine.Result{}, nil
	}
	if err := c.Start(); err != nil {
		return engine.Result{}, err
	}
	if err := c.prepare(game, &lim); err != nil {
		return engine.Result{}, fmt.Errorf("uci:%s: %w", c.Name(), err)
	}
	c.answer.reset(game.Position(), lim.Info)
	c.answer.opposite = c.command.WhiteView && game.Position().SideToMove() == board.Black
	word, err := c.exchange(ctx, c.command.searchTimeout(game.Position().SideToMove(), &lim))
	if err != nil {
		return engine.Result{}, err
	}
	if unbounded {
		<-ctx.Done()
	}
	move, err := game.Position().ParseUCI(word)
	if err != nil {
		return engine.Result{}, fmt.Errorf("uci:%s: bestmove: %w", c.Name(), err)
	}
	c.lastMove = word
	return c.answer.result(move), nil
}

// prepare puts the commands of a search into c.out.
func (c *Client) prepare(game *board.Game, lim *engine.Limits) error {
	c.out = c.out[:0]
	start := game.Start()
	if chess960 := start.Chess960(); chess960 != c.chess960 {
		o := c.findOption("UCI_Chess960")
		if o == nil {
			return fmt.Errorf("the game is Chess960, and the engine lacks the %w UCI_Chess960", ErrOption)
		}
		c.out = c.appendOption(c.out, o, strconv.FormatBool(chess960))
	}
	if lines := cmp.Or(lim.MultiPV, c.ownLines()); lines != c.multiPV {
		if o := c.findOption("MultiPV"); o != nil {
			c.out = c.appendOption(c.out, o, strconv.Itoa(lines))
		}
	}
	c.writer.full = c.command.FullHistory
	c.out = c.writer.appendPosition(c.out, game)
	c.out = appendGo(c.out, game.Position(), c.chess960, lim)
	return nil
}

// exchange sends what prepare prepared and returns the move of bestmove. When the context
// ends it stops the engine, which still answers. A timeout of 0 means none.
func (c *Client) exchange(ctx context.Context, timeout time.Duration) (string, error) {
	p := c.process
	p.lines.discard() // output after the last bestmove
	p.beginWait()
	defer p.watch.Stop()
	started := time.Now()
	if err := p.write(c.out, c.command.StartTimeout); err != nil {
		return "", c.failSearch(err, c.command.StartTimeout)
	}
	var end time.Time
	if timeout > 0 {
		end = started.Add(timeout)
	}
	p.readUntil(ctx, end)
	stopped := false
	for {
		line, err := p.next()
		switch {
		case err == nil:
			if word, ok := c.answer.take(line); ok && !c.repeated(word) {
				return word, nil
			}
		case errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() != nil && !stopped:
			stopped = true
			timeout = stopTimeout
			p.readUntil(context.Background(), time.Now().Add(timeout))
			if err := p.write([]byte("stop\n"), timeout); err != nil {
				return "", c.failSearch(err, timeout)
			}
		default:
			return "", c.failSearch(err, timeout)
		}
	}
}

// failSearch is fail for the search that prepare prepared.
func (c *Client) failSearch(err error, within time.Duration) error {
	lines := strings.Split(strings.TrimSpace(string(c.out)), "\n")
	what := fmt.Sprintf("bestmove for %q", lines[len(lines)-1])
	if n := c.answer.nodes; n > 0 { // more than the limit if the engine ignores it
		what += fmt.Sprintf(" after %d nodes", n)
	}
	return c.fail(err, what, within)
}

// repeated reports whether a bestmove belongs to the search before and was sent a second time.
// Such a move is never legal in the new position: its from square has been left.
func (c *Client) repeated(word string) bool {
	if word == "" || word != c.lastMove || c.answer.scored {
		return false
	}
	_, err := c.answer.position.ParseUCI(word)
	return err != nil
}

// searchTimeout returns the timeout of a search with the limits; 0 means none.
func (c *Command) searchTimeout(us board.Color, lim *engine.Limits) time.Duration {
	if lim.Infinite || lim.Ponder {
		return 0
	}
	var shortest time.Duration
	allow := func(d time.Duration) {
		if shortest == 0 || d < shortest {
			shortest = d
		}
	}
	if lim.MoveTime > 0 {
		allow(lim.MoveTime + c.MoveTimeout)
	}
	if left := lim.Clock[us&1]; left > 0 {
		allow(left + clockGrace)
	}
	if lim.Nodes > 0 {
		const maxNodes = 1 << 32 // half a day
		allow(time.Duration(min(lim.Nodes, maxNodes))*(time.Second/slowNodes) + c.MoveTimeout)
	}
	if shortest == 0 && lim.Depth > 0 {
		return c.MoveTimeout
	}
	return shortest
}

// positionWriter writes the command "position" for a game that grows from search to
// search. It keeps the text of earlier moves, so that only new moves are formatted.
//
// The text begins at the position after the last capture or pawn move: no earlier one can occur
// again (README.md of the folder above says what the moves of a whole game cost).
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
	continued := len(s.moves) <= len(moves) && len(s.text) > 0 && s.start == start &&
		slices.Equal(s.moves, moves[:len(s.moves)])
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
	s.text = append(append(s.text, ' '), moveText(&s.position, s.start.Chess960(), m)...)
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

func moveText(p *board.Position, chess960 bool, m board.Move) string {
	if chess960 {
		return m.String()
	}
	return p.UCI(m)
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
			out = append(append(out, ' '), moveText(p, chess960, m)...)
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
