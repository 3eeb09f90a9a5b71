package uci

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/quote"
)

// maxLine bounds a line of input, in bytes. It has room for a game of 200,000 moves.
const maxLine = 1 << 20

// Server makes a UCI engine of a player.
type Server struct {
	Name, Author string // as the GUI shows them
	Player       engine.Player

	// Only the goroutine of Serve uses these.
	game     *board.Game // nil after a position that was refused
	chess960 bool
	multiPV  int
	running  *running

	mu  sync.Mutex // guards out and err
	out io.Writer
	err error // first failure to write
}

// Serve answers commands until quit, the end of the input or the end of the context.
// When the input ends, a search limited in depth, nodes or time runs to its end, so that
// commands can come from a file; other searches are stopped. Serve does not close the player.
//
// When Serve returns early, a goroutine may still wait to read from in.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.out, s.err, s.multiPV, s.chess960 = out, nil, 1, false
	s.game = board.NewGame(board.StartPosition())
	if err := s.Player.NewGame(0); err != nil {
		return fmt.Errorf("starting the player: %w", err)
	}
	lines, ended := make(chan string), make(chan error, 1)
	done := make(chan struct{})
	defer close(done)
	go func() {
		r := lineBuffer{from: in, buf: make([]byte, maxLine+1)}
		for {
			line, err := r.next()
			if err != nil {
				ended <- err
				return
			}
			select {
			case lines <- string(line):
			case <-done:
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			s.stop()
			return ctx.Err()
		case err := <-ended:
			s.finish()
			if err != io.EOF {
				return fmt.Errorf("reading commands: %w", err)
			}
			return s.writeError()
		case line := <-lines:
			if !s.handle(ctx, line) {
				s.stop()
				return s.writeError()
			}
			if err := s.writeError(); err != nil {
				s.stop()
				return err
			}
		}
	}
}

// handle executes one command. It returns false for quit.
func (s *Server) handle(ctx context.Context, text string) bool {
	words := strings.Fields(strings.Map(printable, text))
	if len(words) == 0 {
		return true
	}
	args := words[1:]
	if len(text) > maxLine {
		s.remark("ignored a line of more than %d bytes", maxLine)
		if words[0] == "position" {
			s.game = nil // the position is refused
		}
		return true
	}
	switch words[0] {
	case "uci":
		s.introduce()
	case "isready":
		s.say("readyok")
	case "debug", "register":
	case "setoption":
		s.setOption(args)
	case "ucinewgame":
		if s.idle("ucinewgame") {
			s.newGame()
		}
	case "position":
		s.position(args)
	case "go":
		if s.idle("go") {
			s.search(ctx, args)
		}
	case "stop":
		if s.running.active() {
			s.stop()
		} else {
			s.remark("ignored stop: no search is running")
		}
	case "ponderhit":
		s.ponderHit(ctx)
	case "quit":
		return false
	default:
		s.remark("ignored the unknown command %q", clip(words[0]))
	}
	return true
}

// idle reports whether no search is running. If one is, it remarks that the command is
// ignored.
func (s *Server) idle(command string) bool {
	if s.running.active() {
		s.remark("ignored %s: a search is running", command)
		return false
	}
	return true
}

func (s *Server) newGame() {
	if err := s.Player.NewGame(0); err != nil {
		s.remark("new game: %v", err)
	}
	s.game = board.NewGame(board.StartPosition())
}

func (s *Server) introduce() {
	s.say("id name %s\nid author %s", s.Name, s.Author)
	if o, ok := engine.As[engine.OptionLister](s.Player); ok {
		for _, option := range o.Options() {
			s.say("%s", option)
		}
	}
	s.say("option name MultiPV type spin default 1 min 1 max %d\n"+
		"option name Ponder type check default false\n"+
		"option name UCI_Chess960 type check default false\n"+
		"uciok", board.MaxMoves)
}

// say writes lines. The search's goroutine may call it too.
func (s *Server) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if _, err := fmt.Fprintf(s.out, format+"\n", args...); err != nil { // in one piece
		s.err = fmt.Errorf("writing: %w", err)
	}
}

// remark writes an info string about a command that was ignored or refused, or a search
// that failed: one short line, whatever the arguments.
func (s *Server) remark(format string, args ...any) {
	text := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	if len(text) > maxRemark {
		text = strings.ToValidUTF8(text[:maxRemark], "") + "..."
	}
	s.say("info string %s", text)
}

// maxRemark bounds a remark, in bytes.
const maxRemark = 400

func (s *Server) writeError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// printable replaces control characters, NUL bytes and carriage returns among them, by
// spaces.
func printable(r rune) rune {
	if quote.Safe(r) {
		return r
	}
	return ' '
}

// clip shortens a bad word for a message.
func clip(w string) string {
	if len(w) > 40 {
		return w[:40] + "..."
	}
	return w
}
