package selfplay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// shortOpenings proposes openings of the given number of random plies.
type shortOpenings struct{ plies int }

func (o shortOpenings) Propose(number uint64, try int) (*board.Game, error) {
	rng := rand.New(rand.NewPCG(number, uint64(try)))
	game := board.NewGame(board.StartPosition())
	for range o.plies {
		moves := game.Position().LegalMoves(nil)
		game.Push(moves[rng.IntN(len(moves))])
	}
	return game, nil
}

func testSeries(workers, perOpening int, openings Openings, end uint64) *Series {
	return &Series{
		Runner:     &Local{Open: toy.Open, Workers: workers},
		Openings:   openings,
		Check:      Check{Player: Player{Spec: toy.Spec("c")}, Nodes: 1, MaxScore: 150, Seed: 3},
		PerOpening: perOpening,
		Job: func(game uint64) Job {
			return Job{Players: toy.Specs("a", "b"), Limits: anyLimits, Plies: 20, Seed: Seed(1, 0, "test", game)}
		},
		End: end,
	}
}

// run plays the series and returns all it delivered, times left out.
func run(t *testing.T, s *Series) []Result {
	t.Helper()
	return setup.Must(collect(t.Context(), s))
}

func collect(ctx context.Context, s *Series) ([]Result, error) {
	var all []Result
	next := s.First
	s.Deliver = func(number uint64, games []Result) error {
		if number != next {
			return fmt.Errorf("opening %d delivered, %d is next", number, next)
		}
		next++
		for _, g := range games {
			g.Time = [2]time.Duration{}
			all = append(all, g)
		}
		return nil
	}
	_, err := s.Run(ctx)
	return all, err
}

func openingKey(t *testing.T, r *Result) uint64 {
	t.Helper()
	game := setup.Must(r.OpeningGame())
	return game.Position().Key()
}

// After two random plies there are only 400 positions: nearly every candidate of a
// later number repeats an earlier opening. The games are the same for any number of workers.
func TestOpeningsNeverRepeat(t *testing.T) {
	want := run(t, testSeries(1, 1, shortOpenings{plies: 2}, 250))
	seen := map[uint64]bool{}
	for i := range want {
		key := openingKey(t, &want[i])
		if seen[key] {
			t.Fatalf("game %d repeats an opening", want[i].Number)
		}
		seen[key] = true
	}
	for _, workers := range []int{2, 7} {
		if got := run(t, testSeries(workers, 1, shortOpenings{plies: 2}, 250)); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers resolve repeated openings otherwise than one", workers)
		}
	}
}

func TestOpeningsRunOut(t *testing.T) {
	s := testSeries(3, 1, shortOpenings{plies: 1}, 30) // there are 20
	games, err := collect(t.Context(), s)
	if !errors.Is(err, ErrNoOpening) || !strings.Contains(err.Error(), "opening 20") {
		t.Errorf("error %v, want ErrNoOpening for opening 20", err)
	}
	if len(games) != 20 {
		t.Errorf("%d games were delivered before, want 20", len(games))
	}
}

// A lopsided candidate is rejected, with either side to move.
func TestCheckPassesOverLopsidedOpenings(t *testing.T) {
	s := testSeries(2, 1, shortOpenings{plies: 9}, 60)
	games := run(t, s)
	p, _ := toy.Open(toy.Spec("c"))
	for i := range games {
		game := setup.Must(games[i].OpeningGame())
		r := setup.Must(p.Search(t.Context(), game, engine.Limits{}))
		if max(r.Score, -r.Score) > 150 {
			t.Errorf("game %d begins with a score of %d", i, r.Score)
		}
	}
	s.Check = Check{}
	without := run(t, s)
	if reflect.DeepEqual(without, games) {
		t.Error("the check made no difference: this test shows nothing")
	}
}

// Interrupted at random points and continued from what had finished, a series plays
// each game once and ends as if undisturbed.
func TestSeriesContinues(t *testing.T) {
	want := run(t, testSeries(1, 2, shortOpenings{plies: 2}, 60))
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 10 {
		finished := map[uint64]Result{} // a journal
		var got []Result
		for lives := 0; len(got) < len(want); lives++ {
			if lives > 200 {
				t.Fatal("it never ends")
			}
			s := testSeries(1+rng.IntN(4), 2, shortOpenings{plies: 2}, 60)
			s.First = uint64(len(got) / 2)
			for i := 0; i < len(got); i += 2 {
				s.Used = append(s.Used, openingKey(t, &got[i]))
			}
			s.Known = map[uint64]Result{}
			for number, g := range finished {
				if number >= s.First*2 {
					s.Known[number] = g
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			left := 1 + rng.IntN(20)
			s.Finished = func(g Result) error {
				if _, twice := finished[g.Number]; twice {
					t.Errorf("game %d was played twice", g.Number)
				}
				g.Time = [2]time.Duration{}
				finished[g.Number] = g
				if left--; left == 0 {
					cancel()
				}
				return nil
			}
			more, err := collect(ctx, s)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			got = append(got, more...)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("round %d: interruptions changed the games", round)
		}
	}
}

// An opening whose check fails is not played, and the series goes on; a player that fails in every
// check ends it.
func TestCheckThatFails(t *testing.T) {
	plain := run(t, testSeries(2, 1, shortOpenings{plies: 6}, 20))
	s := testSeries(2, 1, shortOpenings{plies: 6}, 20)
	s.Runner = &spoiling{s.Runner, func(r *Result) bool {
		return r.Number == 7 && r.Try == 1 || r.Number == 11 && r.Try <= 9
	}}
	failed := 0
	s.Failed = func(*Result) { failed++ }
	got := run(t, s)
	if len(got) != 20 || failed < 10 {
		t.Fatalf("%d games, %d failures", len(got), failed)
	}
	for n := range got {
		if same := reflect.DeepEqual(got[n], plain[n]); same == (n == 7 || n == 11) {
			t.Errorf("game %d is the same: %v", n, same)
		}
	}
	s.Runner = &spoiling{&Local{Open: toy.Open, Workers: 2}, func(r *Result) bool { return r.Number == 3 && r.Try > 0 }}
	if _, err := collect(t.Context(), s); err == nil || !strings.Contains(err.Error(),
		"check of opening 3 by c: it failed") {
		t.Error(err)
	}
}

// spoiling is a runner whose player fails in some jobs.
type spoiling struct {
	Runner
	fails func(*Result) bool
}

func (s *spoiling) Run(ctx context.Context, tasks <-chan Task, results chan<- Result) error {
	inner, ended := make(chan Result), make(chan error, 1)
	go func() { ended <- s.Runner.Run(ctx, tasks, inner) }()
	for {
		select {
		case err := <-ended:
			return err
		case r := <-inner:
			if s.fails(&r) {
				r.Fault, r.Termination = "it failed", PlayerFailed
			}
			select {
			case results <- r:
			case <-ctx.Done():
				return <-ended
			}
		}
	}
}

// A failing hook ends the run with its error, and leaves no goroutine behind.
func TestSeriesHookErrors(t *testing.T) {
	full := errors.New("no space left")
	s := testSeries(3, 1, shortOpenings{plies: 6}, 100)
	s.Finished = func(Result) error { return full }
	if _, err := collect(t.Context(), s); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

func TestLocalReportsPlayersThatDoNotOpen(t *testing.T) {
	s := testSeries(2, 1, shortOpenings{plies: 6}, 10)
	s.Job = func(uint64) Job { return Job{Players: toy.Specs("a", "b:what=1"), Limits: anyLimits} }
	if _, err := collect(t.Context(), s); err == nil || !strings.Contains(err.Error(), `"b:what=1"`) {
		t.Errorf("error %v does not name the player", err)
	}
}

func TestLocalClosesItsPlayers(t *testing.T) {
	var count counting
	s := testSeries(2, 1, shortOpenings{plies: 6}, 20)
	s.Runner = &Local{Workers: 2, Open: count.open}
	s.Job = func(n uint64) Job {
		return Job{Players: toy.Specs("a", "b:illegal=7"), Limits: anyLimits, Plies: 20, Seed: n}
	}
	games := run(t, s)
	if count.opened != count.closed {
		t.Errorf("%d players were opened, %d are closed", count.opened, count.closed)
	}
	failed := 0
	for i := range games {
		if games[i].Fault != "" {
			failed++
		}
	}
	if failed == 0 || count.opened <= failed {
		t.Errorf("%d players for %d failures: a player that failed must not play on", count.opened, failed)
	}
}

// A job and its result survive the way to another machine.
func TestJobsAndResultsAreJSON(t *testing.T) {
	job := Job{Number: 3, Players: toy.Specs("a", "b"), Start: "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1",
		Limits: [2]Limits{{Nodes: 5, HardNodes: true}, {Depth: 3, MoveTime: time.Second}}, Rule: StandardAdjudication(),
		Plies: 30, Seed: 1 << 63}
	var job2 Job
	roundTrip(t, job, &job2)
	if !reflect.DeepEqual(job, job2) {
		t.Errorf("%+v became %+v", job, job2)
	}
	result := play(t, job, "a", "b")
	var result2 Result
	roundTrip(t, result, &result2)
	if !reflect.DeepEqual(result, result2) {
		t.Errorf("%+v became %+v", result, result2)
	}
}

func roundTrip(t *testing.T, from, to any) {
	t.Helper()
	data := setup.Must(json.Marshal(from))
	setup.Check(t, json.Unmarshal(data, to))
}

// An option that a player does not take costs it the game, not the match.
func TestOptionThatIsRefused(t *testing.T) {
	job := Job{Players: toy.Specs("a", "b"), Limits: anyLimits,
		Options: [2][]engine.Option{1: {{Name: "Foo", Value: "1"}}}}
	r := setup.Must(Play(t.Context(), &job, players(t, "a", "b"), false))
	if loser, yes := r.Forfeited(); !yes || loser != 1 || r.Termination != PlayerFailed {
		t.Errorf("%+v", r)
	}
}

// mute plays like the player inside and gives no scores.
type mute struct{ engine.Player }

func (m mute) Search(ctx context.Context, game *board.Game, lim engine.Limits) (engine.Result, error) {
	r, err := m.Player.Search(ctx, game, lim)
	r.Score = engine.NoScore
	return r, err
}

// A search without a score is recorded as such, from either side's view, and no rule of
// scores ends the game.
func TestGamesWithoutScores(t *testing.T) {
	job := &Job{Start: "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1", Limits: anyLimits, Plies: 30,
		Rule: Adjudication{WinScore: 500, WinPlies: 2, DrawScore: 10, DrawPlies: 2}}
	for _, silent := range [][2]bool{{true, true}, {true, false}, {false, true}} {
		list := players(t, "a", "b")
		for side := range list {
			if silent[side] {
				list[side] = mute{list[side]}
			}
		}
		r := setup.Must(Play(t.Context(), job, list, false))
		if r.Termination == AdjudicatedWin || r.Termination == AdjudicatedDraw {
			t.Errorf("silent %v: ended by %s after %d plies", silent, r.Termination, len(r.Moves))
		}
		for side, n := range r.Unscored() {
			if silent[side] != (n == 15) {
				t.Errorf("silent %v: %d searches of %s without a score", silent, n, board.Color(side))
			}
		}
		for i, s := range r.Scores { // Black moves first
			if none := s == engine.NoScore; none != silent[1-i%2] {
				t.Errorf("silent %v: ply %d has the score %d", silent, i, s)
			}
		}
	}
}

// An opening whose check has no score is accepted, and counted.
func TestOpeningsCheckedWithoutScores(t *testing.T) {
	s := testSeries(2, 1, shortOpenings{plies: 6}, 10)
	s.Runner = &Local{Workers: 2, Open: func(spec engine.Spec) (engine.Player, error) {
		p, err := toy.Open(spec)
		if spec.Name == "c" {
			p = mute{p}
		}
		return p, err
	}}
	games := 0
	s.Deliver = func(uint64, []Result) error { games++; return nil }
	report, err := s.Run(t.Context())
	if err != nil || games != 10 || report.Unscored < 10 || report.Lopsided != 0 {
		t.Errorf("%d games, %+v, %v; want 10 games, and every check without a score", games, report, err)
	}
}
