package selfplay

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

func TestPreflight(t *testing.T) {
	for _, tt := range []struct {
		spec    string
		options []engine.Option
		says    string
	}{
		{"a", nil, ""},
		{"a:error=1", nil, ""}, // not in the first move
		{"a:error=0", nil, "the player does not work: player-failed: toy: told to fail"},
		{"a:illegal=0", nil, "illegal-move: a1h8 is not legal"},
		{"a", []engine.Option{{Name: "Hash", Value: "1"}}, "option Hash=1"},
		{"a:what=1", nil, "what=1"},
	} {
		count := counting{plain: true}
		s := Place{Open: count.open}
		err := s.Preflight(t.Context(), fiveNodes, Player{Spec: toy.Spec("good")},
			Player{Spec: toy.Spec(tt.spec), ID: "the name", Options: tt.options})
		switch {
		case tt.says == "" && err != nil:
			t.Errorf("%s: %v", tt.spec, err)
		case tt.says != "" && (!errors.Is(err, ErrPreflight) || !strings.Contains(err.Error(), tt.says) ||
			!strings.HasPrefix(err.Error(), "the name: ")):
			t.Errorf("%s: error %v, want %q", tt.spec, err, tt.says)
		}
		if count.opened != count.closed {
			t.Errorf("%s: %d players opened and %d closed", tt.spec, count.opened, count.closed)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&Place{Open: toy.Open}).Preflight(ctx, fiveNodes, Player{Spec: toy.Spec("a")}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if err := (&Place{}).Preflight(ctx, fiveNodes, Player{Spec: toy.Spec("a:error=0")}); err != nil {
		t.Errorf("without an opener: %v", err)
	}
}

// The limits of a preflight are of the kind of the games', and short.
func TestPreflightLimits(t *testing.T) {
	for _, tt := range []struct{ games, preflight Limits }{
		{Limits{Nodes: 50}, Limits{Nodes: 50}},
		{Limits{Nodes: 1e6, HardNodes: true}, Limits{Nodes: preflightNodes, HardNodes: true}},
		{Limits{Depth: 30}, Limits{Depth: 1}},
		{Limits{MoveTime: time.Hour}, Limits{MoveTime: preflightTime}},
		{Limits{MoveTime: time.Millisecond}, Limits{MoveTime: time.Millisecond}},
		{Limits{Clock: Clock{Base: time.Hour, Moves: 40}},
			Limits{Clock: Clock{Base: preflightClock, Moves: 40, Margin: maxClock}}},
		{Limits{Clock: Clock{Base: time.Millisecond, Increment: time.Minute, Margin: 1}},
			Limits{Clock: Clock{Base: time.Millisecond, Increment: preflightTime, Margin: maxClock}}},
	} {
		if got := tt.games.preflight(); got != tt.preflight {
			t.Errorf("%+v: %+v, want %+v", tt.games, got, tt.preflight)
		}
	}
}

func fiveNodes(int) Limits { return Limits{Nodes: 5} }

// counting counts players that were opened and that were closed. Plain ones have no program of their own.
type counting struct {
	plain bool

	mu             sync.Mutex
	opened, closed int
}

func (c *counting) open(spec engine.Spec) (engine.Player, error) {
	p, err := toy.Open(spec)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened++
	if c.plain {
		return closing{p, c}, nil
	}
	return starting{closing{p, c}}, nil
}

type closing struct {
	engine.Player
	count *counting
}

func (c closing) Close() error {
	c.count.mu.Lock()
	defer c.count.mu.Unlock()
	c.count.closed++
	return c.Player.Close()
}

type starting struct{ closing }

func (starting) Start() error { return nil }

// The players that were checked and played the preflight play the games: two games at once of
// two players need four programs, and of a player against itself, too.
func TestPool(t *testing.T) {
	for _, players := range [][2]string{{"a", "b"}, {"a", "a"}} {
		var count counting
		pool := NewPool(count.open)
		for _, spec := range players { // as commands check players
			p := setup.Must(pool.Open(toy.Spec(spec)))
			if _, ok := engine.As[engine.Starter](p); !ok {
				t.Error("a player of the pool cannot be started")
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		s := Place{Open: pool.Open}
		if err := s.Preflight(t.Context(), fiveNodes, Player{Spec: toy.Spec(players[0])},
			Player{Spec: toy.Spec(players[1])}); err != nil {
			t.Fatal(err)
		}
		least := 2
		if players[0] == players[1] {
			least = 1 // or 2, at the same time
		}
		if count.opened < least || count.opened > 2 || count.closed != 0 {
			t.Errorf("%v: %d opened and %d closed before the games", players, count.opened, count.closed)
		}
		l := &Local{Open: pool.Open, Workers: 2}
		jobs, results := make(chan Job), make(chan Result)
		go func() {
			defer close(jobs)
			both := toy.Specs(players[0], players[1])
			jobs <- Job{Players: both, Limits: anyLimits, Plies: 4}
			jobs <- Job{Number: 1, Players: both, Limits: anyLimits, Plies: 4} // by the other worker: no one takes results yet
			<-results
			<-results
		}()
		setup.Check(t, l.Run(t.Context(), jobs, results))
		if count.opened != 4 || count.closed != 0 {
			t.Errorf("%v: %d opened and %d closed after two games at once, want 4 and 0", players, count.opened, count.closed)
		}
		if err := pool.Close(); err != nil || count.closed != 4 {
			t.Errorf("%v: %d closed with the pool, %v", players, count.closed, err)
		}
		p := setup.Must(pool.Open(toy.Spec("a")))
		if _ = p.Close(); count.opened != 5 || count.closed != 5 {
			t.Errorf("%v: %d opened, %d closed after the pool was closed", players, count.opened, count.closed)
		}
	}
}

// A player that forfeits is not used again, and one without a program is not kept.
func TestPoolKeepsOnlyWhatWorks(t *testing.T) {
	var count counting
	pool := NewPool(count.open)
	defer pool.Close()
	w := worker{open: pool.Open, players: map[string][]engine.Player{}}
	r, err := w.play(t.Context(), &Job{Players: toy.Specs("bad:error=0", "good"), Limits: anyLimits, Plies: 4})
	if err != nil || r.Termination != PlayerFailed {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := w.close(); err != nil || count.closed != 1 {
		t.Errorf("%d closed, %v; want the one that failed", count.closed, err)
	}
	if pool.take("bad:error=0") != nil || pool.take("good") == nil {
		t.Error("want the good player, and not the other")
	}
	plain := counting{plain: true}
	p := setup.Must(NewPool(plain.open).Open(toy.Spec("a")))
	if err := p.Close(); err != nil || plain.closed != 1 {
		t.Errorf("%d closed, %v", plain.closed, err)
	}
}
