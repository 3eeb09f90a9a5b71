package selfplay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

func TestParseClock(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Clock
	}{
		{"8+0.08", Clock{Base: 8 * time.Second, Increment: 80 * time.Millisecond}},
		{"60", Clock{Base: time.Minute}},
		{"0.5+0", Clock{Base: 500 * time.Millisecond}},
		{"40/15.5+0.1", Clock{Base: 15500 * time.Millisecond, Increment: 100 * time.Millisecond, Moves: 40}},
	} {
		got, err := ParseClock(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%q: %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
		if again, err := ParseClock(got.String()); err != nil || again != got {
			t.Errorf("%q written as %q is %+v, %v", tt.text, got, again, err)
		}
	}
	for _, text := range []string{"", "+", "8+", "0", "0+1", "-8", "8+-1", "x", "NaN", "Inf", "1e300", "/8", "0/8", "40/",
		"40/40/8", "8 + 1", "8+0.08+1"} {
		if c, err := ParseClock(text); err == nil {
			t.Errorf("%q was read as %+v", text, c)
		}
	}
}

func TestClocks(t *testing.T) {
	const ms = time.Millisecond
	c := newClocks([2]Limits{
		{Clock: Clock{Base: 1000 * ms, Increment: 10 * ms, Moves: 3}},
		{Nodes: 100},
	})
	for i, step := range []struct {
		took, left time.Duration // left: shown before
		toGo       int
	}{
		{100 * ms, 1000 * ms, 3},
		{910*ms + ClockMargin, 910 * ms, 2}, // overdrawn by as much as may be
		{0, 10 * ms, 1},
		{5 * ms, 1020 * ms, 3}, // the time control has come again
		{1025 * ms, 1025 * ms, 2},
		{10 * ms, 10 * ms, 1},
		{1, 1010 * ms, 3},
	} {
		var lim engine.Limits
		c.limit(board.White, &lim)
		if lim.Clock != [2]time.Duration{step.left, 0} || lim.Increment[board.White] != 10*ms || lim.MovesToGo != step.toGo {
			t.Errorf("move %d: %+v, want %v left and %d moves to go", i, lim, step.left, step.toGo)
		}
		if what, over := c.spend(board.White, step.took); over != 0 {
			t.Errorf("move %d: %s", i, what)
		}
	}
	if what, over := c.spend(board.Black, time.Hour); over != 0 {
		t.Errorf("Black has no clock, but %s", what)
	}
	if what, over := c.spend(board.White, 1020*ms+ClockMargin); over != 1 ||
		what != "1.07s for a move with 1.02s on the clock (margin 50ms)" {
		t.Errorf("time is up: %v, %q", over, what)
	}
}

func TestMarginOfAClock(t *testing.T) {
	c := newClocks([2]Limits{{Clock: Clock{Base: time.Second, Margin: 200 * time.Millisecond}}, {}})
	if what, over := c.spend(board.White, 1200*time.Millisecond); over != 0 {
		t.Error(what)
	}
	var lim engine.Limits
	if c.limit(board.White, &lim); lim.Clock[board.White] != time.Millisecond { // an empty clock is still a clock
		t.Errorf("%v on the clock", lim.Clock[board.White])
	}
	if what, over := c.spend(board.White, 205*time.Millisecond); over != 5*time.Millisecond || !strings.Contains(what,
		"(margin 200ms)") {
		t.Errorf("%v, %q", over, what)
	}
	if err := (Limits{Clock: Clock{Base: time.Second, Margin: -1}}).Validate(); err == nil {
		t.Error("a negative margin")
	}
	c = newClocks([2]Limits{{MoveTime: time.Second, Clock: Clock{Margin: 200e6}}, {MoveTime: time.Second}})
	for side, allowed := range map[board.Color]time.Duration{board.White: 1200, board.Black: 1050} {
		if what, over := c.spend(side, allowed*time.Millisecond); over != 0 {
			t.Error(what)
		}
		if what, over := c.spend(side, (allowed+1)*time.Millisecond); over != time.Millisecond ||
			!strings.Contains(what, "for a move of 1s") {
			t.Errorf("%v, %q", over, what)
		}
	}
}

// slow is a toy that needs time, and may report another one.
type slow struct {
	engine.Player
	takes time.Duration
	says  time.Duration
	err   error
	seen  []engine.Limits
}

func (s *slow) Search(ctx context.Context, g *board.Game, lim engine.Limits) (engine.Result, error) {
	s.seen = append(s.seen, lim)
	time.Sleep(s.takes)
	r, err := s.Player.Search(ctx, g, lim)
	r.Time = s.says
	return r, errors.Join(err, s.err)
}

func slowPlayer(t *testing.T, takes time.Duration) *slow {
	p := setup.Must(toy.Open(toy.Spec("slow")))
	return &slow{Player: p, takes: takes}
}

func TestTimeForfeit(t *testing.T) {
	quick := Limits{Clock: Clock{Base: time.Minute, Increment: time.Second}}
	for _, tt := range []struct {
		says time.Duration
		err  error
		want string
	}{
		{0, nil, "80ms for a move with 1ms on the clock (margin 50ms)"},
		{3 * time.Millisecond, nil, "(margin 50ms); 3ms by its own account"},
		{0, errors.New("no answer in time"), "(margin 50ms): no answer in time"},
	} {
		synctest.Test(t, func(t *testing.T) {
			white, black := slowPlayer(t, 10*time.Second), slowPlayer(t, 80*time.Millisecond)
			black.says, black.err = tt.says, tt.err
			job := Job{Limits: [2]Limits{quick, {Clock: Clock{Base: time.Millisecond}}}, Players: toy.Specs("w", "b"), Plies: 20}
			pair := [2]engine.Player{logging{white, "innocent"}, logging{black, "log"}}
			r := setup.Must(Play(t.Context(), &job, pair, false))
			loser, yes := r.Forfeited()
			if r.Termination != TimeForfeit || r.Result != board.WhiteWins || !yes || loser != board.Black ||
				r.FaultLog != "log" {
				t.Errorf("%v by %q, forfeited %v by %v", r.Result, r.Termination, yes, loser)
			}
			if !strings.HasPrefix(r.Fault, "black: ") || !strings.HasSuffix(r.Fault, tt.want) {
				t.Errorf("fault %q, want it to end with %q", r.Fault, tt.want)
			}
			if left := black.seen[0].Clock[board.White]; left != 51*time.Second {
				t.Errorf("White has %v after a move of 10 s, want 51 s", left)
			}
		})
	}
}

// Where games wait for their turn no clock runs.
func TestTurns(t *testing.T) {
	before := turns
	defer func() { turns = before }()
	synctest.Test(t, func(t *testing.T) {
		turns = make(chan struct{}, 2)
		began := time.Now()
		var games sync.WaitGroup
		for range 6 {
			games.Go(func() {
				clock := Limits{Clock: Clock{Base: 15 * time.Millisecond}}
				job := Job{Limits: [2]Limits{clock, clock}, Players: toy.Specs("w", "b"), Plies: 2}
				p := slowPlayer(t, 10*time.Millisecond)
				if r := setup.Must(Play(t.Context(), &job, [2]engine.Player{p, p}, false)); r.Fault != "" {
					t.Error(r.Fault)
				}
			})
		}
		games.Wait()
		if took := time.Since(began); took != 60*time.Millisecond {
			t.Errorf("12 moves of 10 ms took %v, two at once take 60 ms", took)
		}
	})
}

// A flag that falls against a lone king is a draw, and still a forfeit of the slow player.
func TestTimeForfeitAgainstALoneKing(t *testing.T) {
	for _, tt := range []struct {
		start string
		want  board.GameResult
		loser board.Color
	}{
		{"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", board.Draw, board.White},
		{"4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", board.Draw, board.Black},
		{"4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1", board.BlackWins, board.White},
		{"4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", board.BlackWins, board.White},
	} {
		synctest.Test(t, func(t *testing.T) {
			slow, job := slowPlayer(t, 10*time.Second), Job{Limits: [2]Limits{{Clock: Clock{Base: time.Millisecond}},
				{Clock: Clock{Base: time.Millisecond}}},
				Start: tt.start, Players: toy.Specs("w", "b"), Plies: 20}
			r := setup.Must(Play(t.Context(), &job, [2]engine.Player{slow, slow}, false))
			loser, yes := r.Forfeited()
			if r.Termination != TimeForfeit || r.Result != tt.want || !yes || loser != tt.loser || r.Verify(&job) != nil {
				t.Errorf("%s: %v by %q, forfeited %v by %v; %v", tt.start, r.Result, r.Termination, yes, loser, r.Verify(&job))
			}
			r.Result = board.WinFor(tt.loser)
			if r.Verify(&job) == nil {
				t.Errorf("%s: the side that was slow may win", tt.start)
			}
		})
	}
}

// What an error wraps, not its text, says why its player loses.
func TestErrorsOfPlayers(t *testing.T) {
	for _, tt := range []struct {
		wraps error
		why   board.Termination
		late  bool
	}{
		{board.ErrMove, IllegalMove, false},
		{engine.ErrTimeout, PlayerFailed, true},
		{errors.New("no answer in time"), PlayerFailed, false},
	} {
		white, black := slowPlayer(t, 0), slowPlayer(t, 0)
		black.err = fmt.Errorf("bestmove: %w: \"e1e8\"", tt.wraps)
		job := Job{Limits: anyLimits, Players: toy.Specs("w", "b")}
		r, err := Play(t.Context(), &job, [2]engine.Player{white, black}, false)
		if err != nil || r.Termination != tt.why || r.Late != tt.late || r.Result != board.WhiteWins ||
			!strings.Contains(r.Fault, "e1e8") {
			t.Errorf("%v: %+v, %v", tt.wraps, r, err)
		}
	}
}

func TestLimitsInFiles(t *testing.T) {
	// The JSON of limits must not change, or runs on disk could not be resumed.
	for _, tt := range []struct {
		lim  Limits
		want string
	}{
		{Limits{Nodes: 5000}, `{"nodes":5000}`},
		{Limits{Nodes: 20, HardNodes: true, Depth: 3}, `{"depth":3,"nodes":20,"hard_nodes":true}`},
		{Limits{MoveTime: time.Millisecond}, `{"movetime_ns":1000000}`},
		{Limits{Clock: Clock{Base: 8 * time.Second, Increment: 80 * time.Millisecond}},
			`{"clock":{"base_ns":8000000000,"increment_ns":80000000}}`},
	} {
		got, err := json.Marshal(tt.lim)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s, %v; want %s", got, err, tt.want)
		}
		if err := tt.lim.Validate(); err != nil {
			t.Error(err)
		}
		if tt.lim.Deterministic() != (tt.lim.Nodes > 0) {
			t.Errorf("%s: deterministic %v", got, tt.lim.Deterministic())
		}
	}
	for _, lim := range []Limits{{}, {Nodes: 5, Clock: Clock{Base: -1}}, {Nodes: 5, Clock: Clock{Increment: 1}},
		{Nodes: 5, Clock: Clock{Base: 1, Moves: -1}}} {
		if lim.Validate() == nil {
			t.Errorf("%+v was accepted", lim)
		}
	}
}

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
		{Limits{MoveTime: time.Hour}, Limits{MoveTime: preflightTime, Clock: Clock{Margin: maxClock}}},
		{Limits{MoveTime: time.Millisecond}, Limits{MoveTime: time.Millisecond, Clock: Clock{Margin: maxClock}}},
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
		setup.Check(t, s.Preflight(t.Context(), fiveNodes, Player{Spec: toy.Spec(players[0])},
			Player{Spec: toy.Spec(players[1])}))
		least := 2
		if players[0] == players[1] {
			least = 1 // or 2, at the same time
		}
		if count.opened < least || count.opened > 2 || count.closed != 0 {
			t.Errorf("%v: %d opened and %d closed before the games", players, count.opened, count.closed)
		}
		l := &Local{Open: pool.Open, Workers: 2}
		jobs, results := make(chan Task), make(chan Result)
		go func() {
			defer close(jobs)
			both := toy.Specs(players[0], players[1])
			jobs <- &Job{Players: both, Limits: anyLimits, Plies: 4}
			jobs <- &Job{Number: 1, Players: both, Limits: anyLimits, Plies: 4} // by the other worker: no one takes results yet
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
	s := NewSlot(pool.Open)
	r, err := s.play(t.Context(), &Job{Players: toy.Specs("bad:error=0", "good"), Limits: anyLimits, Plies: 4})
	if err != nil || r.Termination != PlayerFailed {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := s.Close(); err != nil || count.closed != 1 {
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
