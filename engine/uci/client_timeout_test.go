package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// script is an engine within the test: a Client reaches it over net.Pipe. In a bubble of
// testing/synctest all waits for it are measured on a fake clock.
type script struct {
	in       *bufio.Scanner
	out      net.Conn
	searches int
}

// say writes a line. It fails when the client has hung up, which does not matter.
func (s *script) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// serving is an engine that answers as a good one does, but for the commands that handle takes.
func serving(handle func(s *script, command string) bool) func(*script) {
	return func(s *script) {
		for s.in.Scan() {
			command, _, _ := strings.Cut(s.in.Text(), " ")
			if command == "go" {
				s.searches++
			}
			if handle(s, command) {
				continue
			}
			switch command {
			case "uci":
				s.say("uciok")
			case "isready":
				s.say("readyok")
			case "go":
				s.say("info depth 1 score cp 20 nodes 30 pv e2e4")
				s.say("bestmove e2e4")
			case "quit":
				return
			}
		}
	}
}

// scriptedClient returns a client of the engine that run is.
func scriptedClient(run func(*script)) *Client {
	c := NewClient(Command{Path: "script", StartTimeout: 2 * time.Second, MoveTimeout: 400 * time.Millisecond})
	c.start = func(*Command, int) (*process, error) {
		var ours, theirs [3]net.Conn
		for i := range ours {
			ours[i], theirs[i] = net.Pipe()
		}
		p := newProcess(ours[0], ours[1], ours[2])
		hangUp := func() {
			for _, conn := range theirs {
				conn.Close()
			}
		}
		go func() {
			defer hangUp()
			run(&script{in: bufio.NewScanner(theirs[0]), out: theirs[1]})
		}()
		go func() {
			<-p.ending
			hangUp()
			close(p.reaped)
		}()
		return p, nil
	}
	return c
}

// took runs f and fails unless it takes exactly as long as wanted, on the fake clock.
func took(t *testing.T, what string, want time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if d := time.Since(start); d != want {
		t.Errorf("%s took %v, want %v", what, d, want)
	}
}

// Every wait for an engine ends when its timeout says, and not before.
func TestTimeouts(t *testing.T) {
	const ms = time.Millisecond
	ignore := func(ignored string) func(*script) {
		return serving(func(_ *script, command string) bool { return command == ignored })
	}
	late := func(by time.Duration) func(*script) {
		return serving(func(_ *script, command string) bool {
			if command == "go" {
				time.Sleep(by)
			}
			return false
		})
	}
	for _, tt := range []struct {
		name    string
		run     func(s *script)
		newGame time.Duration
		search  time.Duration // of the last one
		fails   int           // the search that fails; 0: none; -1: NewGame
		says    string
		closing time.Duration
	}{
		{name: "good", run: ignore("")},
		{name: "no uciok", run: ignore("uci"), newGame: 2000 * ms, fails: -1, says: "no uciok within 2s"},
		{name: "no readyok", run: ignore("isready"), newGame: 2000 * ms, fails: -1, says: "no readyok within 2s"},
		{name: "reads nothing", run: func(*script) { time.Sleep(time.Hour) }, newGame: 2000 * ms, fails: -1,
			says: "no uciok within 2s"},
		{name: "not ready for a game", run: func(s *script) {
			games := 0
			serving(func(_ *script, command string) bool {
				if command == "ucinewgame" {
					games++
				}
				return command == "isready" && games > 0
			})(s)
		}, newGame: 2000 * ms, fails: -1, says: "no readyok within 2s, its time to start"},
		{name: "late within the timeout", run: late(200 * ms), search: 200 * ms},
		{name: "too late", run: late(3000 * ms), search: 500 * ms, fails: 1,
			says: `no bestmove for "go movetime 100" within 500ms`},
		{name: "hangs at its third search", run: serving(func(s *script, command string) bool {
			return command == "go" && s.searches == 3
		}), search: 500 * ms, fails: 3, says: `no bestmove for "go movetime 100" within 500ms`},
		{name: "a line without end", run: serving(func(s *script, command string) bool {
			if command == "go" {
				s.say("info depth 1 score cp 20 nodes 30")
				fmt.Fprint(s.out, "bestmove e2e4")
			}
			return command == "go"
		}), search: 500 * ms, fails: 1, says: `no bestmove for "go movetime 100" after 30 nodes within 500ms`},
		{name: "info lines for ever", run: serving(func(s *script, command string) bool {
			for i := 0; command == "go" && i < 2000; i++ {
				s.say("info nodes %d", i)
				time.Sleep(3 * ms)
			}
			return command == "go"
		}), search: 500 * ms, fails: 1, says: `no bestmove for "go movetime 100" after 166 nodes within 500ms`},
		{name: "ignores quit", run: func(s *script) {
			ignore("quit")(s)
			time.Sleep(time.Hour)
		}, closing: quitTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := scriptedClient(tt.run)
				var err error
				failed := 0
				took(t, "NewGame", tt.newGame, func() { err = c.NewGame(1) })
				if err != nil {
					failed = -1
				}
				for i := 1; i <= 3 && err == nil; i++ {
					want := tt.search
					if i < tt.fails {
						want = 0
					}
					took(t, fmt.Sprintf("search %d", i), want, func() {
						_, err = c.Search(t.Context(), board.NewGame(board.StartPosition()), engine.Limits{MoveTime: 100 * ms})
					})
					if err != nil {
						failed = i
					}
				}
				if failed != tt.fails ||
					tt.fails != 0 && (!errors.Is(err, engine.ErrTimeout) || !strings.Contains(err.Error(), tt.says)) {
					t.Errorf("search %d failed, want %d (0: none, -1: NewGame): %v", failed, tt.fails, err)
				}
				took(t, "Close", tt.closing, func() { _ = c.Close() })
				time.Sleep(2 * time.Hour) // of fake time: the script ends
			})
		})
	}
}

// When the context of a search without limits ends, the client stops the engine. One that
// does not answer is killed a second later.
func TestContextStopsAForeignSearch(t *testing.T) {
	for _, answers := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := scriptedClient(serving(func(s *script, command string) bool {
				if command == "stop" && answers {
					s.say("bestmove e2e4")
				}
				return command == "go"
			}))
			setup.Check(t, c.NewGame(1))
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			want, wantErr := 50*time.Millisecond, error(nil)
			if !answers {
				want, wantErr = want+stopTimeout, engine.ErrTimeout
			}
			took(t, "the search", want, func() {
				if _, err := c.Search(ctx, board.NewGame(board.StartPosition()),
					engine.Limits{Infinite: true}); !errors.Is(err, wantErr) {
					t.Errorf("answers %v: error %v, want %v", answers, err, wantErr)
				}
			})
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSearchTimeout(t *testing.T) {
	c := NewClient(Command{Path: "e"}).command
	for _, tt := range []struct {
		lim  engine.Limits
		want time.Duration
	}{
		{engine.Limits{}, 0},
		{engine.Limits{Infinite: true, MoveTime: 1}, 0},
		{engine.Limits{Mate: 3}, 0},
		{engine.Limits{Depth: 30}, DefaultMoveTimeout},
		{engine.Limits{MoveTime: 100 * time.Millisecond, Depth: 30}, DefaultMoveTimeout + 100*time.Millisecond},
		{engine.Limits{Nodes: 250_000}, DefaultMoveTimeout + 2500*time.Millisecond},
		{engine.Limits{Nodes: 1 << 63}, DefaultMoveTimeout + (1<<32)*10*time.Microsecond},
		{engine.Limits{Clock: [2]time.Duration{time.Minute, 3 * time.Second}}, 4 * time.Second},
		{engine.Limits{Clock: [2]time.Duration{time.Minute, 0}, Nodes: 100_000}, DefaultMoveTimeout + time.Second},
		{engine.Limits{Clock: [2]time.Duration{0, time.Millisecond}, MoveTime: time.Second}, 1001 * time.Millisecond},
	} {
		if got := c.searchTimeout(board.Black, &tt.lim); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.lim, got, tt.want)
		}
	}
}

// A client does not send a Chess960 game to an engine without UCI_Chess960.
func TestChess960NeedsTheOption(t *testing.T) {
	start, err := board.ParseFEN("nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1")
	setup.Check(t, err)
	c := openBad(t, "good")
	_, err = c.Search(t.Context(), board.NewGame(start), engine.Limits{Depth: 1})
	if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "UCI_Chess960") {
		t.Errorf("error %v", err)
	}
	if _, err := c.Search(t.Context(), board.NewGame(board.StartPosition()), engine.Limits{Depth: 1}); err != nil {
		t.Errorf("standard chess after it: %v", err)
	}
}
