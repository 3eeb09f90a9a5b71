package uci

import (
	"context"
	"sync/atomic"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
)

// running is a search in its own goroutine.
type running struct {
	cancel context.CancelFunc
	done   chan struct{} // closed after bestmove has been written
	limits engine.Limits
	ends   bool          // by its limits, whatever it finds
	hit    chan struct{} // closed by ponderhit
	game   *board.Game
	// dropped makes the search end without bestmove, because it is about to restart.
	dropped atomic.Bool
	// answering is set before bestmove is written: a GUI that has read bestmove may send
	// the next command before done is closed.
	answering atomic.Bool
}

// active reports whether the search is running.
func (r *running) active() bool {
	if r == nil {
		return false
	}
	if r.answering.Load() {
		<-r.done
		return false
	}
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// search executes "go".
func (s *Server) search(ctx context.Context, args []string) {
	if s.game == nil {
		s.remark("no position to search: the last position was refused")
		s.say("bestmove 0000")
		return
	}
	lim, remarks := parseGo(args, s.game.Position())
	for _, r := range remarks {
		s.remark("ignored %s", r)
	}
	lim.MultiPV = s.multiPV
	s.launch(ctx, s.game.Clone(), lim)
}

// launch starts a search. Only the search may use the game from now on.
func (s *Server) launch(ctx context.Context, game *board.Game, lim engine.Limits) {
	ctx, cancel := context.WithCancel(ctx)
	r := &running{cancel: cancel, done: make(chan struct{}), limits: lim, hit: make(chan struct{}), game: game,
		ends: ends(&lim, game.Position().SideToMove())}
	lim.PonderHit = r.hit
	s.running = r
	format := formatter{position: *game.Position(), chess960: s.chess960}
	go func() {
		defer close(r.done)
		defer cancel()
		lim.Info = func(info engine.Info) { s.say("%s", format.info(info)) }
		result, err := s.Player.Search(ctx, game, lim)
		switch { // UCI allows bestmove only after stop or ponderhit, even if the player has answered
		case lim.Infinite:
			<-ctx.Done()
		case lim.Ponder:
			select {
			case <-r.hit:
			case <-ctx.Done():
			}
		}
		if r.dropped.Load() {
			return
		}
		if err != nil {
			s.remark("search: %v", err)
		}
		r.answering.Store(true)
		s.say("%s", format.bestMove(result))
	}()
}

// stop ends the search, if one is running, and waits for its bestmove.
func (s *Server) stop() {
	if s.running != nil {
		s.running.cancel()
		<-s.running.done
		s.running = nil
	}
}

// finish waits for a search that ends by itself, and stops any other. A search for a mate
// alone may find none.
func (s *Server) finish() {
	if r := s.running; r.active() && !r.limits.Infinite && !r.limits.Ponder && r.ends {
		<-r.done
	}
	s.stop()
}

// ponderHit executes "ponderhit": the search continues, and its time counts. A player
// that is no engine.Ponderer is stopped and searches the position again.
func (s *Server) ponderHit(ctx context.Context) {
	r := s.running
	if !r.active() || !r.limits.Ponder {
		s.remark("ignored ponderhit: the engine is not pondering")
		return
	}
	r.limits.Ponder = false
	if p, ok := engine.As[engine.Ponderer](s.Player); ok && p.Ponders() {
		close(r.hit)
		return
	}
	r.dropped.Store(true)
	s.stop()
	s.launch(ctx, r.game, r.limits)
}
